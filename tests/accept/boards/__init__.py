"""Real robots, and a stop that always works: every line that this work is shown by, in its order."""

from __future__ import annotations

from tests.accept.boards import bringup, decoding, fuzz
from tests.accept.check import Check

CHECKS: tuple[Check, ...] = (*bringup.CHECKS, *decoding.CHECKS, *fuzz.CHECKS)

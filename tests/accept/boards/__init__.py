"""Real robots, and a stop that always works: every line that this work is shown by, in its order."""

from __future__ import annotations

from tests.accept.boards import bringup, decoding, faults, fuzz, stop
from tests.accept.check import Check

CHECKS: tuple[Check, ...] = (*stop.CHECKS, *faults.CHECKS, *bringup.CHECKS, *decoding.CHECKS, *fuzz.CHECKS)

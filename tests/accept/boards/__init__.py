"""Real robots, and a stop that always works: every line that this work is shown by, in its order."""

from __future__ import annotations

from tests.accept.boards import bringup, decoding, faults, fuzz, missions, parts, stop, vectors
from tests.accept.check import Check

CHECKS: tuple[Check, ...] = (
    *vectors.CHECKS,
    *stop.CHECKS,
    *faults.CHECKS,
    *missions.CHECKS,
    *parts.CHECKS,
    *bringup.CHECKS,
    *decoding.CHECKS,
    *fuzz.CHECKS,
)

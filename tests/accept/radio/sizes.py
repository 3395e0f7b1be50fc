"""Line 7: bytes on the air, side by side."""

from __future__ import annotations

from tests.accept.check import Check, Found
from tests.accept.daemon.bench import bench
from tests.accept.desk import Desk


def smallest(desk: Desk) -> Found:
    """Ours against each other form, all of them measured."""
    found = bench("frames", desk)
    return Found(found.figure, found.bound, found.ok and "not measured" not in found.figure)


CHECKS = (Check("7.1", "ours is the smallest", "make bench (python -m tests.bench frames --json)", smallest),)

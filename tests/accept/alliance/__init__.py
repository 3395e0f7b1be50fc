"""Learning, both papers' experiments and the theorem: every line that this work is shown by, in its order."""

from __future__ import annotations

from tests.accept.alliance import box, cleanup, coordinators, duel, learning, loss, optimality, points, termination
from tests.accept.check import Check

CHECKS: tuple[Check, ...] = (
    *cleanup.CHECKS, *box.CHECKS, *learning.CHECKS, *duel.CHECKS, *loss.CHECKS, *optimality.CHECKS,
    *termination.CHECKS, *coordinators.CHECKS, *points.CHECKS,
)  # fmt: skip

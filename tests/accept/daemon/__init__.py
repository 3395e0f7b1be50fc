"""The daemon and the cleanup mission: every line that this work is shown by, in its order."""

from __future__ import annotations

from tests.accept.check import Check
from tests.accept.daemon import (
    bench,
    files,
    mixed,
    oracle,
    processes,
    removal,
    replay,
    runs,
    stop,
    story,
    unit,
    wheel,
)

CHECKS: tuple[Check, ...] = (
    *wheel.CHECKS, *story.CHECKS, *removal.CHECKS, *replay.CHECKS, *oracle.CHECKS, *processes.CHECKS,
    *stop.CHECKS, *runs.CHECKS, *mixed.CHECKS, *files.CHECKS, *unit.CHECKS, *bench.CHECKS,
)  # fmt: skip

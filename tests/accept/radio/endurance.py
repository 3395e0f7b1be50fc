"""Line 5: a day of restarts, unplugs and clock steps under four laws."""

from __future__ import annotations

import sys

from tests.accept.check import Check, Found
from tests.accept.desk import Desk

HOURS, RESTARTS = 24.0, 200
QUICK = 0.5, 12
LIMIT_S = 3 * 3600.0


def lived(desk: Desk) -> Found:
    """What each robot sent at most."""
    hours, restarts = QUICK if desk.quick else (HOURS, RESTARTS)
    words = ("--hours", str(hours), "--restarts", str(restarts))
    ran = desk.run(sys.executable, "-m", "tests.hostile.endurance", *words, timeout_s=LIMIT_S)
    lines = ran.out.splitlines()
    ok = ran.code == 0 and bool(lines) and all(line.endswith(": legal") for line in lines)
    return Found("; ".join(lines) or ran.err.strip()[-200:], "each: 3 s between, within its law", ok)


COMMAND = f"python -m tests.hostile.endurance --hours {HOURS:g} --restarts {RESTARTS}"
CHECKS = (Check("5.1", "no robot exceeds its beat or its law", COMMAND, lived),)

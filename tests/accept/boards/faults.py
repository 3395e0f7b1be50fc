"""Line 3: garbage, a mute board, an unplugged one, one that restarts: nothing moves until acknowledged."""

from __future__ import annotations

import functools

from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

TESTS = "tests/robotd/robot/test_board_faults.py"
HAPPENS = {
    "garbage": "a flood of garbage",
    "mute": "a mute device",
    "unplugged": "an unplug while driving",
    "rebooted": "a reboot of the board in mid-run",
}


def latched(name: str, desk: Desk) -> Found:
    """Every board: no motion after reconnect until acknowledged; what the status says."""
    return passed(desk, TESTS, "-k", name)


def replays(desk: Desk) -> Found:
    """The log of a run with such a fault."""
    return passed(desk, "tests/robotd/daemon/test_daemon.py", "-k", "board_that_restarts")


CHECKS = (
    *(
        Check(f"3.{part}", f"{words}: no motion until acknowledged, status says why", f"pytest {TESTS} -k {name}",
              functools.partial(latched, name))
        for part, (name, words) in enumerate(HAPPENS.items(), 1)
    ),
    Check("3.5", "the log with such a fault replays", "robotd replay LOG", replays),
)  # fmt: skip

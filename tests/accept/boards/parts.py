"""Line 5: a part that fails leaves the capabilities within a second, sets lack it, and it returns by itself."""

from __future__ import annotations

import functools
import re
import sys

from robotd.sim.emulated import BOARDS
from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

TOLD = "dead_part or frozen_part or dead_motors"
BODY = "body"  # a base with add-ons: a gripper on a Maestro, positioning
TEAM = "tests/robotd/sim/test_parts.py"
CHECKED = (
    "tests/boards/test_stuck.py",
    "tests/boards/create2/test_create2_senses.py",
    "tests/boards/firmata/test_firmata_driver.py",
    "tests/boards/firmata/test_firmata_senses.py",
    "tests/boards/kobuki/test_kobuki_driver.py",
    "tests/boards/pioneer/test_pioneer_driver.py",
    "tests/boards/pioneer/test_pioneer_senses.py",
    "tests/boards/r2/test_r2_driver.py",
    "tests/boards/maestro/test_maestro.py",
    "tests/boards/positioning/test_positioning.py",
)


def leaves(board: str, desk: Desk) -> Found:
    """The contract on a board's bench: each part that it has and its protocol tells of; the others are skipped."""
    words = ("-p", "no:cacheprovider", "-rs", f"tests/boards/test_{board}.py", "-k", TOLD)
    ran = desk.run(sys.executable, "-m", "pytest", *words)
    last = ran.out.strip().splitlines()[-1:] or [ran.err.strip()[-200:]]
    hidden = sorted(set(re.findall(r"the board (?:has no|cannot tell) .*", ran.out)))
    figure = "; ".join((f"exit {ran.code}", last[0], *hidden))
    return Found(figure, "exit 0, one passed at least", ran.code == 0 and " passed" in last[0])


CHECKS = (
    *(
        Check(f"5.{part}", f"{board}: a part that fails leaves within a second and returns",
              f'pytest tests/boards/test_{board}.py -k "{TOLD}"', functools.partial(leaves, board))
        for part, board in enumerate((*BOARDS, BODY), 1)
    ),
    Check(f"5.{len(BOARDS) + 2}", "self-checks of each driver: out of range, frozen, silent",
          f"pytest {' '.join(CHECKED)}", lambda desk: passed(desk, *CHECKED)),
    Check(f"5.{len(BOARDS) + 3}", "in a mission: sets lack it, and apply again by themselves", f"pytest {TEAM}",
          lambda desk: passed(desk, TEAM)),
)  # fmt: skip

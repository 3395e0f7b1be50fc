"""Line 5: a part that fails leaves the capabilities within a second, sets lack it, and it returns by itself."""

from __future__ import annotations

import functools
import re
import shlex
import sys

from robotd.sim.emulated import BOARDS
from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

REPORTED = "dead_part or frozen_part or dead_motors"
BODY = "body"  # a base with add-ons: a gripper on a Maestro, positioning
TEAM = "tests/robotd/sim/test_parts.py"
CONTRACT, BODY_CONTRACT = "tests/boards/test_contract.py", "tests/boards/test_body.py"
CHECKED = ("tests/boards", "-k", "stuck or driver or senses or maestro or positioning")


def contract_of(board: str) -> tuple[str, ...]:
    """What pytest is given for the contract's tests of parts on one board."""
    return (BODY_CONTRACT, "-k", REPORTED) if board == BODY else (CONTRACT, "-k", f"({REPORTED}) and {board}")


def leaves(board: str, desk: Desk) -> Found:
    """The contract on a board's bench: each part that it has and its protocol reports; the others are skipped."""
    words = ("-p", "no:cacheprovider", "-rs", *contract_of(board))
    ran = desk.run(sys.executable, "-m", "pytest", *words)
    last = ran.out.strip().splitlines()[-1:] or [ran.err.strip()[-200:]]
    hidden = sorted(set(re.findall(r"the board (?:has no|cannot tell) .*", ran.out)))
    figure = "; ".join((f"exit {ran.code}", last[0], *hidden))
    return Found(figure, "exit 0, one passed at least", ran.code == 0 and " passed" in last[0])


CHECKS = (
    *(
        Check(f"5.{part}", f"{board}: a part that fails leaves within a second and returns",
              f"pytest {shlex.join(contract_of(board))}", functools.partial(leaves, board))
        for part, board in enumerate((*BOARDS, BODY), 1)
    ),
    Check(f"5.{len(BOARDS) + 2}", "self-checks of each driver: out of range, frozen, silent",
          f"pytest {shlex.join(CHECKED)}", lambda desk: passed(desk, *CHECKED)),
    Check(f"5.{len(BOARDS) + 3}", "in a mission: sets lack it, and apply again by themselves", f"pytest {TEAM}",
          lambda desk: passed(desk, TEAM)),
)  # fmt: skip

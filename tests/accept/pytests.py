"""Checks that tests of the suite are: they are run, and how many passed is the figure."""

from __future__ import annotations

import sys

from tests.accept.check import Found
from tests.accept.desk import Desk


def passed(desk: Desk, *tests: str) -> Found:
    """Whether all `tests`, as pytest names them, pass, and none is skipped."""
    ran = desk.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests)
    last = ran.out.strip().splitlines()[-1:] or [ran.err.strip()[-200:]]
    return Found(f"exit {ran.code}; {last[0]}", "exit 0, none skipped", ran.code == 0 and "skipped" not in last[0])

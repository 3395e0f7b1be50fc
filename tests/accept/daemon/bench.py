"""Line 11: what is promised about speed, as ratios measured in one run."""

from __future__ import annotations

import functools
import sys

from tests.accept.check import Check, Found
from tests.accept.desk import Desk

BENCHES = (
    ("ticks", "error of single tick periods against asyncio.sleep"),
    ("simulation", "simulated seconds a second, with the share of each part"),
    ("step", "one ALLIANCE step against one py_trees tick"),
    ("startup", "start-up against its libraries; resident memory"),
)


def bench(name: str, desk: Desk) -> Found:
    """One benchmark: its figures, each against its bound where it has one."""
    ran = desk.run(sys.executable, "-m", "tests.bench", name, "--json")
    figures = ran.document()["figures"]
    shown = [f"{each['name']}: {each['value']:.3g} {each['unit']} ({each['detail']})" for each in figures]
    bounds = [f"{each['bound']} {each['unit']}" for each in figures if each["bound"]]
    ok = ran.code == 0 and bool(bounds) and all(each["met"] is not False for each in figures)
    return Found("; ".join(shown), ", ".join(bounds), ok)


CHECKS = tuple(
    Check(f"11.{part}", what, f"python -m tests.bench {name} --json", functools.partial(bench, name))
    for part, (name, what) in enumerate(BENCHES, 1)
)

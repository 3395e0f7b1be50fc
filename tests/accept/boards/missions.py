"""Line 4: whole missions by robots of other makes, through the bytes of their boards."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tests.accept.check import Check, Found
from tests.accept.desk import Desk

BASES = ("create2", "firmata", "kobuki", "pioneer")
PIONEERS = ("cleanup", "--bytes", "--board", "pioneer+positioning")
CREATES = ("box-pushing", "--bytes", "--board", "create2+positioning")
MIXED = ("patrol", "--bytes", "--board", "amber=create2", "--board", "olive=pioneer", "--board", "slate=firmata")


def patrolled(base: str, desk: Desk) -> Found:
    """Three processes, each with its own pseudo-terminal, in real time."""
    return simulated(desk, ("patrol", "--processes", "--board", base), robots=3)


def simulated(desk: Desk, words: Sequence[str], robots: int) -> Found:
    """How a mission ended, and how many robots had a part in what is done."""
    outcome: Mapping[str, Any] = desk.kept(
        " ".join(words), lambda: desk.sim(*words, "--out", desk.folder / "boards" / words[0])
    )
    done = {task: [each["by"] for each in times] for task, times in outcome["tasks"].items() if times}
    by = {who for names in done.values() for who in names}
    odd = {name: code for name, code in outcome.get("exits", {}).items() if code} or outcome.get("raised") or {}
    figure = f"{outcome['reason']} after {outcome['duration_s']:.0f} s; "
    figure += ", ".join(f"{task} by {' '.join(sorted(set(names)))}" for task, names in sorted(done.items()))
    figure += f"; {odd}" if odd else ""
    ok = bool(outcome["accomplished"]) and len(by) >= robots and not odd
    return Found(figure, f"accomplished, by {robots} robots at least", ok)


CHECKS = (
    *(
        Check(f"4.{part}", f"patrol by three of {base}", f"robotd sim patrol --processes --board {base} --json",
              functools.partial(patrolled, base))
        for part, base in enumerate(BASES, 1)
    ),
    Check("4.5", "cleanup by Pioneers with grippers and positioning", f"robotd sim {' '.join(PIONEERS)} --json",
          functools.partial(simulated, words=PIONEERS, robots=2)),
    Check("4.6", "box pushing by two Create 2", f"robotd sim {' '.join(CREATES)} --json",
          functools.partial(simulated, words=CREATES, robots=2)),
    Check("4.7", "a mixed team", f"robotd sim {' '.join(MIXED)} --json",
          functools.partial(simulated, words=MIXED, robots=3)),
)  # fmt: skip

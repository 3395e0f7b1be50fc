"""Replay: feed a log's inputs to the code again and demand the same decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.mind import Mind, Thought
from robotd.model.plain import to_plain
from robotd.record.log import FORMAT, LogLines, libraries
from robotd.record.rows import Row, RowReader

CLOSE = 1e-9  # reals of another machine or library may differ by rounding
MakeMind = Callable[[Mapping[str, Any], str], Mind]
"""Builds the mind of a robot (by name) from a part line, ready to be thawed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that came out otherwise."""

    robot: str
    n: int
    now: float
    what: str
    recorded: str
    replayed: str

    def __str__(self) -> str:
        return (
            f"{self.robot}, tick {self.n} at {self.now:.3f} s: {self.what}\n"
            f"  recorded {self.recorded}\n  replayed {self.replayed}"
        )


@dataclass
class Replay:
    """What a replay found."""

    ticks: int = 0
    decisions: int = 0
    parts: int = 0
    exact: bool = True
    difference: Difference | None = None
    cut: str = ""
    robots: set[str] = field(default_factory=set)


def replay(
    path: Path, make_mind: MakeMind, from_part: int = 0, progress: Callable[[int], None] | None = None
) -> Replay:
    """Replay the log at `path` from a part on, up to the first difference; ValueError where it is no run log."""
    found = Replay()
    minds: dict[str, tuple[Mind, RowReader]] = {}
    lines = LogLines(path)
    for line in lines:
        if isinstance(line, dict):
            if line.get("part", -1) >= from_part:
                found.exact = found.exact and line["libraries"] == libraries()
                minds = _thawed(line, make_mind)
                found.parts += 1
                found.robots |= set(minds)
            continue
        if not minds:
            continue
        robot = line[0]
        mind, reader = minds[robot]
        row = reader.read(line)
        found.difference = _compare(robot, row, _thought(mind, row), found.exact)
        found.ticks += 1
        found.decisions += row.choice is not None
        if found.difference is not None:
            break
        if progress is not None and found.ticks % 1000 == 0:
            progress(found.ticks)
    found.cut = lines.cut
    if not found.parts:
        raise ValueError(f"{path}: no part {from_part} in this log" if from_part else f"{path}: not a run log")
    return found


def _thawed(part: Mapping[str, Any], make_mind: MakeMind) -> dict[str, tuple[Mind, RowReader]]:
    if part.get("format") != FORMAT:
        raise ValueError(f"the log has format {part.get('format')}; this robotd reads format {FORMAT}")
    minds = {}
    for robot, frozen in part["frozen"].items():
        mind = make_mind(part, robot)
        mind.begin(part["now"])
        mind.thaw(frozen)
        minds[robot] = (mind, RowReader())
    return minds


def _thought(mind: Mind, row: Row) -> Thought:
    return mind.think(row.inputs, row.heard, row.sent)


def _compare(robot: str, row: Row, thought: Thought, exact: bool) -> Difference | None:
    pairs = {
        "state": (row.state, thought.state),
        "choice": (row.choice, thought.choice),
        "acted": (row.acted, thought.acted),
        "wanted": (row.wanted, thought.wanted),
    }
    for what, (recorded, replayed) in pairs.items():
        if recorded == replayed:
            continue
        where = _first_difference(to_plain(recorded), to_plain(replayed), 0.0 if exact else CLOSE)
        if where is not None:
            path, one, other = where
            return Difference(robot, row.inputs.n, row.inputs.now, f"{what}{path}", one, other)
    return None


def _first_difference(one: Any, other: Any, close: float) -> tuple[str, str, str] | None:
    """Where two plain values differ, as (path, one, other); None if they agree within `close`."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            found = _first_difference(a, b, close)
            if found is not None:
                return f"[{k}]{found[0]}", found[1], found[2]
        return None
    if isinstance(one, float) and isinstance(other, float) and close:
        return None if math.isclose(one, other, rel_tol=close, abs_tol=close) else ("", repr(one), repr(other))
    return None if one == other else ("", f"{one!r:.300}", f"{other!r:.300}")

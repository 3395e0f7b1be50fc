"""Replay: feed a log's inputs to the code again and demand the same decisions."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.plain import to_plain
from robotd.model.statements import Heard, Sent
from robotd.record.log import FORMAT, libraries
from robotd.record.reading import LogLines
from robotd.record.rows import Row, RowReader

PROGRESS_TICKS = 1000  # some ten times a second: what an eye follows
CLOSE = 1e-9  # reals of another machine or library may differ by rounding
RAISED = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


class Mind(Protocol):
    """What replays: a robot's mind, as `robotd.robot.mind.Mind` is."""

    def begin(self, now: float) -> None:
        """Start afresh."""

    def thaw(self, state: Any) -> None:
        """Take up a frozen state."""

    def decide(self, i: Inputs, heard: Sequence[Heard], sent: Sequence[Sent]) -> Decision:
        """One tick."""


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
        where = f"{self.robot}, tick {self.n} at {self.now:.3f} s: {self.what}"
        return f"{where}\n  recorded {self.recorded}\n  replayed {self.replayed}"


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
    """Replay the log at `path` from its part `from_part` on (counted from 0), up to the first difference.

    `progress` is called now and then with the bytes of the log read so far. OSError where there is no log;
    ValueError, with file and line, where it is none or cannot be made sense of.
    """
    found = Replay()
    minds: dict[str, tuple[Mind, RowReader]] = {}
    lines = LogLines(path)
    part = -1
    for line in lines:
        try:
            if isinstance(line, list):
                if minds:
                    _replay_row(line, minds, found)
            elif "part" in line:
                part += 1
                if part >= from_part:
                    minds = _begin(line, make_mind, found)
        except RAISED as error:
            raise ValueError(f"{lines.where}: {_reason(error)}") from error
        if found.difference is not None:
            break
        if progress is not None and found.ticks % PROGRESS_TICKS == 0:
            progress(lines.read)
    found.cut = lines.cut
    if not found.parts:
        there = f"no part {from_part} in this log of {part + 1}" if part >= 0 else "not a run log: it has no part"
        raise ValueError(f"{path}: {there}")
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, AssertionError | AttributeError):  # in what takes up a frozen state
        return "a value is of another type than its field"
    return f"the field {error} is missing" if isinstance(error, KeyError) else str(error)


def _begin(part: Mapping[str, Any], make_mind: MakeMind, found: Replay) -> dict[str, tuple[Mind, RowReader]]:
    if part.get("format") != FORMAT:
        raise ValueError(f"the log has format {part.get('format')}; this robotd reads format {FORMAT}")
    found.exact = found.exact and part["libraries"] == libraries()
    minds = {}
    for robot, frozen in part["frozen"].items():
        mind = make_mind(part, robot)
        mind.begin(part["now"])
        mind.thaw(frozen)
        minds[robot] = (mind, RowReader())
    found.parts += 1
    found.robots |= set(minds)
    return minds


def _replay_row(line: list[Any], minds: Mapping[str, tuple[Mind, RowReader]], found: Replay) -> None:
    robot: Any = line[0] if line else None
    if robot not in minds:
        raise ValueError(f"a row of {robot!r}, which is not a robot of this part")
    mind, reader = minds[robot]
    row = reader.read(line)
    try:
        decision = mind.decide(row.inputs, row.heard, row.sent)
    except RAISED as error:
        now, raised = row.inputs.now, f"{type(error).__name__}: {error}"
        found.difference = Difference(robot, row.inputs.n, now, "the tick raises", "a decision", raised)
    else:
        found.difference = _compare(robot, row, decision, exact=found.exact)
    found.ticks += 1
    found.decisions += row.choice is not None


def _compare(robot: str, row: Row, decision: Decision, *, exact: bool) -> Difference | None:
    for what in ("state", "choice", "acted", "wanted"):
        recorded, replayed = getattr(row, what), getattr(decision, what)
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
    if isinstance(one, float) and isinstance(other, float):
        if math.isclose(one, other, rel_tol=close, abs_tol=close) or (math.isnan(one) and math.isnan(other)):
            return None
        return "", repr(one), repr(other)
    return None if one == other else ("", f"{one!r:.300}", f"{other!r:.300}")

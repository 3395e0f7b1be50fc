"""What a row says of a simulated run; each column is defined in docs/experiments.md."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from radio.mock.channel import BIT_RATE
from robotd.experiments.rows import RunRow, Value
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import BUILT_IN, Sent
from robotd.sim.activity_trace import ActivityTrace, Interval, Outcome
from robotd.sim.host import JUDGE_S
from robotd.sim.team import Team

Span = tuple[float, float]
OTHERS = "beacon"  # what only a base station says
COLUMNS = (
    "accomplished", "reason", "duration_s", "tasks_done", "distance_m", "work_s",
    "duplicated_work_s", "idle_s", "switches", "reallocations", "frames",
    *(f"messages_{kind.name}" for kind in BUILT_IN if kind.name != OTHERS), "bytes", "airtime_s",
)  # fmt: skip


def columns_with(*own: str) -> tuple[str, ...]:
    """The columns of a row with further ones after how the run ended."""
    return (*COLUMNS[:3], *own, *COLUMNS[3:])


class Measure:
    """Observes one run; `columns` are what it counts beside `row_of`."""

    def __init__(self) -> None:
        self.messages: Counter[str] = Counter()
        self.distance_m = self.idle_s = 0.0
        self._at: dict[str, tuple[float, float]] = {}
        self._start: float | None = None

    def elapsed(self, at: float) -> float:
        """Seconds from the first instant that was asked for to `at`, on the run's clock."""
        self._start = at if self._start is None else self._start
        return at - self._start

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        for frame in sent:
            self.messages.update(statement.kind for statement in frame.statements)

    def look(self, now: float, team: Team) -> None:
        for kind in team.mission.table.own_kinds:
            self.messages[kind.name] += 0  # a column also where none is sent
        for name in team.names:
            pose = team.world.pose(name)
            before = self._at.pop(name, None)
            if pose is None:
                continue
            self._at[name] = pose[:2]
            self.distance_m += math.dist(before, pose[:2]) if before is not None else 0.0
            robot = team.robots.get(name)
            if robot is not None and robot.snapshot is not None and not robot.snapshot.choice.run:
                self.idle_s += JUDGE_S

    def columns(self, outcome: Outcome) -> RunRow:
        """Further columns of the run's row."""
        return {}


def row_of(outcome: Outcome, measure: Measure, coordinator: str) -> dict[str, Value]:
    """The row of a run."""
    messages = {f"messages_{kind.name}": 0 for kind in BUILT_IN if kind.name != OTHERS}
    messages |= {f"messages_{kind}": count for kind, count in sorted(measure.messages.items())}
    size = outcome.radio["bytes"]
    story = outcome.story
    return {
        "coordinator": coordinator, "accomplished": outcome.accomplished,
        "reason": "; ".join([outcome.reason, *_besides(outcome)]),
        "duration_s": round(outcome.duration_s, 3), "tasks_done": sum(map(len, story.done.values())),
        "distance_m": round(measure.distance_m, 2),
        "work_s": round(math.fsum(map(_active, story.spells.values())), 2),
        "duplicated_work_s": round(duplicated(story), 2), "idle_s": round(measure.idle_s, 1),
        "switches": switches(story), "reallocations": reallocations(story), "frames": outcome.radio["sent"],
        **messages, "bytes": size, "airtime_s": round(8.0 * size / BIT_RATE, 3),
    }  # fmt: skip


def _besides(outcome: Outcome) -> Iterator[str]:
    """What makes a run another one than its cell says, whatever it came to."""
    if raised := outcome.extra.get("raised"):
        yield f"ticks raised: {raised}"
    missed: Any = outcome.extra.get("never_happened") or {}
    yield from (f"{event!r} did not happen: {why}" for event, why in missed.items())


def _active(intervals: Iterable[Interval]) -> float:
    """How long a robot was active: sets of one path act together."""
    return _covered((one.start, one.end) for one in intervals)


def duplicated(story: ActivityTrace, tasks: Iterable[str] | None = None) -> float:
    """Robot-seconds beyond the first robot's on a task (of `tasks`, if given): with three at once, two count."""
    counted = None if tasks is None else set(tasks)
    each: dict[str, list[float]] = {}  # by task: how long each robot was on it
    spans: dict[str, list[Span]] = {}
    for _, spells in sorted(story.spells.items()):
        for task in sorted({one.task for one in spells if one.task and (counted is None or one.task in counted)}):
            own = [one for one in spells if one.task == task]
            each.setdefault(task, []).append(_active(own))
            spans.setdefault(task, []).extend((one.start, one.end) for one in own)
    return math.fsum(math.fsum(each[task]) - _covered(spans[task]) for task in sorted(spans))


def _covered(spans: Iterable[Span]) -> float:
    total, until = 0.0, -math.inf
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def switches(story: ActivityTrace) -> int:
    """How often a robot began another behavior set than the one that it had active last."""
    ordered = (sorted(own, key=lambda one: (one.start, -one.end)) for own in story.spells.values())
    return sum(one.set != other.set for spells in ordered for one, other in pairwise(spells))


def reallocations(story: ActivityTrace) -> int:
    """How often a robot began a task that another one had begun last, and that was not done in between."""
    begun = sorted(
        (one.start, robot, one.task) for robot, spells in story.spells.items() for one in spells if one.task
    )
    last: dict[str, tuple[float, str]] = {}
    count = 0
    for start, robot, task in begun:
        since, by = last.get(task, (start, robot))
        done = any(since < at <= start for at, _ in story.done.get(task, ()))
        count += by != robot and not done
        last[task] = (start, robot)
    return count

"""Which robot did what and when: the action trace of a run, as paper 000's figures 10, 13, 17 and 21 draw it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from robotd.model.choice import Choice, Job
from robotd.model.plain import Json
from robotd.model.table import NumberTable
from robotd.model.tasks import Task
from robotd.model.value import value


class Interval(NamedTuple):
    """A behavior set that was active on a task without interruption; s from the start of the run."""

    set: str
    task: str  # its id; empty where the set acted for a condition
    start: float
    end: float


class Refused(NamedTuple):
    """A task that a person or a set wanted to add, refused by a robot; s from the start of the run."""

    at_s: float
    robot: str
    task: str
    why: str


@dataclass
class ActivityTrace:
    """Collected decision by decision; instants in seconds from the start of the run.

    Every set of the active path has intervals of its own; those of a robot are in order of their ends, and of
    sets that end together the leaf's comes first.
    """

    spells: dict[str, list[Interval]] = field(default_factory=dict)  # by robot
    done: dict[str, list[tuple[float, str]]] = field(default_factory=dict)  # task to (when, by)
    introduced: dict[str, Task] = field(default_factory=dict)  # that are done, of those that people or sets added
    refused: list[Refused] = field(default_factory=list)
    holding: dict[str, set[str]] = field(default_factory=dict)  # task to the robots that have it now
    jobs: dict[str, tuple[Job, ...]] = field(default_factory=dict)  # by robot what it introduced, as last reported
    _since: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)  # robot to (set, task) to start
    _tasks: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def decided(self, robot: str, now: float, choice: Choice) -> None:
        """Take in a robot's decision, `now` s after the start."""
        self._follow(robot, now, [(step.set, step.task.id) for step in choice.run])
        if choice.jobs:
            self.jobs[robot] = choice.jobs
        tasks = tuple(t.id for t in (*(step.task for step in choice.run), choice.held) if t is not None and t.id)
        if tasks != self._tasks.get(robot, ()):
            for name in self._tasks.get(robot, ()):
                self.holding[name].discard(robot)
            for name in tasks:
                self.holding.setdefault(name, set()).add(robot)
            self._tasks[robot] = tasks
        for task in choice.finished:
            self.done.setdefault(task.id, []).append((now, robot))
            if task.id.partition(".")[2]:  # ROBOT.NUMBER
                self.introduced[task.id] = task
        self.refused += [
            Refused(now, robot, event.task, event.cause) for event in choice.events if event.kind == "refused"
        ]

    def gone(self, robot: str, now: float) -> None:
        """`robot` no longer decides anything."""
        self.decided(robot, now, Choice())

    def _follow(self, robot: str, now: float, path: Sequence[tuple[str, str]]) -> None:
        """End, leaf first, what is active no more; begin, root first, what is new."""
        since = self._since.setdefault(robot, {})
        for step in [step for step in reversed(since) if step not in path]:
            self.spells.setdefault(robot, []).append(Interval(*step, since.pop(step), now))
        for step in path:
            since.setdefault(step, now)

    def close(self, now: float) -> None:
        """The run is over: intervals that last are cut here."""
        for robot in list(self._since):
            self._follow(robot, now, ())

    def named(self, id: str, table: NumberTable) -> str:
        """A task in words: of one that was introduced also which of the mission it is."""
        return f"{id} ({table.template(self.introduced[id])})" if id in self.introduced else id

    def outcome(self, table: NumberTable) -> dict[str, object]:
        """For an outcome: of which task of the mission each introduced one is, and what was refused; if any."""
        found = {
            "introduced": {id: table.template(task) for id, task in sorted(self.introduced.items())},
            "refused": [{**one._asdict(), "at_s": round(one.at_s, 3)} for one in sorted(self.refused)],
        }
        return {key: value for key, value in found.items() if value}

    def lines(self, robots: Sequence[str]) -> list[str]:
        """The timeline for people, a line per interval, in order of time."""
        rows = sorted(
            (one.start, robot, one.set, one.end) for robot in robots for one in self.spells.get(robot, ())
        )
        return [f"{start:7.1f} s  {robot:<10} {doing:<28} until {end:7.1f} s" for start, robot, doing, end in rows]


@value
class Cut:
    """When a run ends without success: `duration_s` by wish (no failure), `limit_s` by the mission (a failure)."""

    limit_s: float
    duration_s: float = float("inf")

    def reason(self, now: float, *, accomplished: bool) -> str:
        """Why the run ends now, `now` s after its start; '' while it goes on."""
        if accomplished:
            return "accomplished"
        if now >= self.duration_s:
            return f"cut after {self.duration_s:g} s as asked"
        over = now >= self.limit_s
        return f"not accomplished within the mission's time limit of {self.limit_s:g} s" if over else ""


@value
class Outcome:
    """How a simulated mission ended."""

    mission: str
    seed: int
    accomplished: bool
    reason: str
    duration_s: float
    story: ActivityTrace
    robots: Sequence[str]
    radio: Mapping[str, int]
    ticks: Mapping[str, int]
    log: str
    extra: Mapping[str, object] = field(default_factory=dict)
    learned: Mapping[str, Json] = field(default_factory=dict)  # by robot, for the next run; not in `as_json`
    ending: str = ""  # what was brought about by then, and what was not, in words

    def as_json(self) -> dict[str, object]:
        """The object that `robotd sim --json` prints."""
        tasks = {
            task: [{"done_at_s": round(at, 3), "by": by} for at, by in occasions]
            for task, occasions in sorted(self.story.done.items())
        }
        robots = {
            name: [[one.set, round(one.start, 3), round(one.end, 3)] for one in self.story.spells.get(name, ())]
            for name in sorted(self.robots)
        }
        return {
            "mission": self.mission, "seed": self.seed, "accomplished": self.accomplished, "reason": self.reason,
            "ending": self.ending, "duration_s": round(self.duration_s, 3), "tasks": tasks, "robots": robots,
            "radio": dict(self.radio), "ticks": dict(self.ticks), "log": self.log, **self.extra,
        }  # fmt: skip

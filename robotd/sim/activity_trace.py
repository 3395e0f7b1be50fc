"""Who did what and when: the action trace of a run, as paper 000's figures 10, 13, 17 and 21 draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from robotd.model.choice import Choice
from robotd.model.plain import Json

SPELL = tuple[str, float, float]


@dataclass
class ActivityTrace:
    """Collected decision by decision; instants in seconds from the start of the run."""

    spells: dict[str, list[SPELL]] = field(default_factory=dict)  # robot to (set, from, to)
    done: dict[str, list[tuple[float, str]]] = field(default_factory=dict)  # task to (when, by)
    holding: dict[str, set[str]] = field(default_factory=dict)  # task to the robots that have it now
    _since: dict[str, tuple[str, float]] = field(default_factory=dict)
    _tasks: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def decided(self, robot: str, now: float, choice: Choice) -> None:
        """A decision of `robot`."""
        leaf = choice.run[-1] if choice.run else None
        self._spell(robot, now, leaf.set if leaf is not None else "")
        tasks = tuple(t.id for t in (leaf.task if leaf is not None else None, choice.held) if t is not None)
        if tasks != self._tasks.get(robot, ()):
            for name in self._tasks.get(robot, ()):
                self.holding[name].discard(robot)
            for name in tasks:
                self.holding.setdefault(name, set()).add(robot)
            self._tasks[robot] = tasks
        for task in choice.finished:
            self.done.setdefault(task.id, []).append((now, robot))

    def gone(self, robot: str, now: float) -> None:
        """`robot` no longer decides anything."""
        self.decided(robot, now, Choice())

    def _spell(self, robot: str, now: float, doing: str) -> None:
        before, since = self._since.get(robot, ("", now))
        if before == doing:
            return
        if before:
            self.spells.setdefault(robot, []).append((before, since, now))
        self._since[robot] = (doing, now)

    def close(self, now: float) -> None:
        """The run is over: spells that last are cut here."""
        for robot in list(self._since):
            self._spell(robot, now, "")

    def lines(self, robots: Sequence[str]) -> list[str]:
        """The timeline for people, a line per spell, in order of time."""
        rows = sorted(
            (start, robot, doing, end) for robot in robots for doing, start, end in self.spells.get(robot, ())
        )
        return [f"{start:7.1f} s  {robot:<10} {doing:<28} until {end:7.1f} s" for start, robot, doing, end in rows]


@dataclass(frozen=True)
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

    def as_json(self) -> dict[str, object]:
        """The object that `robotd sim --json` prints."""
        tasks = {
            task: [{"done_at_s": round(at, 3), "by": by} for at, by in occasions]
            for task, occasions in sorted(self.story.done.items())
        }
        robots = {
            name: [
                [doing, round(start, 3), round(end, 3)] for doing, start, end in self.story.spells.get(name, ())
            ]
            for name in sorted(self.robots)
        }
        return {
            "mission": self.mission,
            "seed": self.seed,
            "accomplished": self.accomplished,
            "reason": self.reason,
            "duration_s": round(self.duration_s, 3),
            "tasks": tasks,
            "robots": robots,
            "radio": dict(self.radio),
            "ticks": dict(self.ticks),
            "log": self.log,
            **self.extra,
        }

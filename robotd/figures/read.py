"""One pass over a run log that collects what figures show: who did what and when, the levels, what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.figures.curve import Curve
from robotd.figures.labels import short_labels
from robotd.model.choice import Choice
from robotd.record.log import FORMAT, LIKE_ROWS, LogLines
from robotd.record.rows import RowReader

PROGRESS_LINES = 5000  # some ten times a second
SILENT_DECISIONS = 5.0  # decision periods without a tick after which a robot's computer counts as off
NOW, CHOICE = 2, 10  # columns of a row
ONE_RUN_S = 60.0  # robots that started within a minute of each other's ticks are in one run
TOGETHER_S = 1e-6  # the same event of several robots is one event of all


@dataclass(slots=True)
class Interval:
    """One stretch in which a behavior set was active (s from the start), and how it ended.

    `ending`: done, suspended, yielded, gave-up, ended (no longer applicable), off (the robot fell silent), or
    '' while it lasts.
    """

    set: str
    task: str
    start: float
    end: float
    ending: str = ""


@dataclass(slots=True)
class SetLevels:
    """The coordinator's scores of one behavior set over time, by name; each is 0 to `threshold`."""

    threshold: float
    curves: dict[str, Curve] = field(default_factory=dict)


@dataclass
class RobotSeries:
    """One robot's part of a run; `held`: when a set was suspended, `off`: when nothing ticked."""

    name: str
    spells: list[Interval] = field(default_factory=list)
    held: list[Interval] = field(default_factory=list)
    off: list[tuple[float, float]] = field(default_factory=list)
    levels: dict[str, SetLevels] = field(default_factory=dict)
    last: float = 0.0  # when it last ticked

    def sets(self) -> list[str]:
        """Its behavior sets, in declared order where it reported their levels."""
        return list(dict.fromkeys([*self.levels, *(spell.set for spell in self.spells)]))

    def scores(self) -> list[str]:
        """The names of the scores that its coordinator reported; none where it has no such scores."""
        return list(dict.fromkeys(score for levels in self.levels.values() for score in levels.curves))

    def active(self, name: str) -> list[Interval]:
        """The spells of one set."""
        return [spell for spell in self.spells if spell.set == name]

    def doing(self, at: float) -> str:
        """The set that was active or suspended at `at`, or when the robot last ticked before; '' if none."""
        at = min([at, *(start for start, end in self.off if start <= at <= end)])
        found = [spell.set for spell in (*self.held, *self.spells) if spell.start <= at <= spell.end]
        return found[0] if found else ""

    def _spell(self) -> Interval | None:
        return self.spells[-1] if self.spells and not self.spells[-1].ending else None

    def decided(self, at: float, choice: Choice) -> None:
        """Take in one decision."""
        self._hold(at, choice)
        leaf = choice.run[-1] if choice.run else None
        spell = self._spell()
        doing = (leaf.set, leaf.task.id) if leaf is not None else None
        if spell is not None and doing != (spell.set, spell.task):
            spell.end, spell.ending = at, _ending(spell, choice)
            spell = None
        if leaf is not None and spell is None:
            self.spells.append(Interval(leaf.set, leaf.task.id, at, at))
        elif spell is not None:
            spell.end = at
            if any(task.id == spell.task for task in choice.finished):  # another occasion of the same task begins
                spell.ending = "done"
                self.spells.append(Interval(spell.set, spell.task, at, at))
        for level in choice.levels:
            levels = self.levels.setdefault(level.set, SetLevels(float(level.limit)))
            for name, score in level.scores.items():
                levels.curves.setdefault(name, Curve()).add(at, float(score))

    def _hold(self, at: float, choice: Choice) -> None:
        held = choice.held.id if choice.held is not None else ""
        last = self.held[-1] if self.held and not self.held[-1].ending else None
        if last is not None:
            last.end = at
            if last.task != held:
                last.ending = "resumed"
                last = None
        if held and last is None:
            before = self._spell()
            name = before.set if before is not None and before.task == held else held
            self.held.append(Interval(name, held, at, at))

    def fell_silent(self, again: float) -> None:
        """Nothing ticked after `last`, until `again`."""
        for spell in (*self.spells[-1:], *self.held[-1:]):
            if not spell.ending:
                spell.end, spell.ending = self.last, "off"
        self.off.append((self.last, again))


def _ending(spell: Interval, choice: Choice) -> str:
    if any(task.id == spell.task for task in choice.finished):
        return "done"
    kinds = [event.kind for event in choice.events if event.set == spell.set]
    return next((kind for kind in kinds if kind in ("suspended", "yielded", "gave-up")), "ended")


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a simulation: `who` are robots, or () for the whole team."""

    at: float
    verb: str
    who: tuple[str, ...]
    arg: str

    @property
    def words(self) -> str:
        """What happened, short."""
        return f"{self.verb} {self.arg}".strip()


@dataclass
class RunSeries:
    """A run as figures show it; times in seconds from its start."""

    mission: str
    seed: int | None
    arguments: dict[str, tuple[str, ...]]  # by behavior set, the values of its task's arguments
    decision_s: float
    team: tuple[str, ...]  # by number
    robots: dict[str, RobotSeries] = field(default_factory=dict)
    events: list[Happened] = field(default_factory=list)
    duration: float = 0.0
    outcome: str = ""
    cut: str = ""

    def sets(self) -> list[str]:
        """Every set that some robot has, in declared order."""
        return list(dict.fromkeys(name for robot in self.robots.values() for name in robot.sets()))

    def labels(self) -> dict[str, str]:
        """A short label for each set."""
        return short_labels(self.sets(), self.arguments)

    def title(self, robot: str | None = None) -> str:
        """What run this is, and how it ended; of one robot, with its name."""
        which = self.mission if self.seed is None else f"{self.mission}, seed {self.seed}"
        which = which if robot is None else f"{robot} in {which}"
        return f"{which}: {self.outcome}" if self.outcome else which


def read_series(path: Path, progress: Callable[[int], None] | None = None) -> RunSeries:
    """Collect the series of the run log at `path`, file or folder.

    `progress` is called now and then with how many bytes were read. OSError where there is no log; ValueError,
    with file and line, where it is none or is broken.
    """
    lines = LogLines(path)
    collector: _Collector | None = None
    for count, line in enumerate(lines):
        try:
            if isinstance(line, dict) and "part" in line:
                collector = collector or _Collector(_run_of(line))
                collector.part(line)
            elif collector is not None:
                collector.line(line)
        except OtherFormatError as error:
            raise ValueError(f"{lines.where}: {error}") from None
        except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
            raise ValueError(f"{lines.where}: not a line of a run log ({error!r:.200})") from error
        if progress is not None and count % PROGRESS_LINES == 0:
            progress(lines.read)
    if collector is None:
        raise ValueError(f"{path}: not a run log: it has no part")
    run = collector.finish()
    run.cut = lines.cut
    return run


def _run_of(part: Mapping[str, Any]) -> RunSeries:
    mission = part["mission"]
    tasks, control = mission.get("tasks", {}), mission.get("control", {})
    arguments = {
        name: tuple(tasks.get(entry.get("task"), {}).get("args", {}).values())
        for name, entry in mission.get("sets", {}).items()
    }
    decision_s = control.get("ticks_per_decision", 4) / control.get("tick_hz", 20.0)
    team = sorted(mission.get("team", {}).items(), key=lambda member: member[1]["number"])
    return RunSeries(mission["name"], part["seed"], arguments, decision_s, tuple(name for name, _ in team))


class OtherFormatError(ValueError):
    """A run log of another robotd; the message says so."""


class _Collector:
    """The state of the pass."""

    def __init__(self, run: RunSeries) -> None:
        self._run = run
        self._readers: dict[str, RowReader] = {}
        self._starts: dict[str, float] = {}  # of each robot's clock, s
        self._silence = max(2.0, SILENT_DECISIONS * run.decision_s)

    def part(self, part: Mapping[str, Any]) -> None:
        if part["format"] not in LIKE_ROWS:
            raise OtherFormatError(f"the log has format {part['format']}; this robotd reads format {FORMAT}")
        now = float(part["now"])
        self._readers = {robot: RowReader() for robot in part["frozen"]}
        for name in part["frozen"]:
            robot = self._run.robots.get(name)
            if robot is None:
                self._starts[name] = self._start_of(now)
                self._run.robots[name] = RobotSeries(name, last=now - self._starts[name])
            elif now - self._starts[name] < robot.last - self._silence:
                self._starts[name] = now - robot.last  # its clock began again: the computer was restarted

    def _start_of(self, now: float) -> float:
        """When the run began on the clock of a robot first met at `now`."""
        if self._run.seed is not None:
            return 0.0  # that of a simulation
        for start in self._starts.values():
            if start - ONE_RUN_S <= now <= start + self._run.duration + ONE_RUN_S:
                return start  # robots of one computer have one clock
        return now

    def line(self, line: Any) -> None:
        if isinstance(line, list):
            self._row(line)
        elif "event" in line:
            self._event(line["event"])
        elif "end" in line:
            end = line["end"]
            self._run.duration = max(self._run.duration, float(end["duration_s"]))
            done = f"accomplished in {end['duration_s']:.0f} s"
            self._run.outcome = done if end["accomplished"] else str(end["reason"])

    def _row(self, row: list[Any]) -> None:
        name = row[0]
        robot = self._run.robots[name]
        at = float(row[NOW]) - self._starts[name]
        if at - robot.last > self._silence:
            robot.fell_silent(at)
        robot.last = at
        self._run.duration = max(self._run.duration, at)
        if row[CHOICE] is not None:
            choice = self._readers[name].decision(row)[1]
            assert choice is not None
            robot.decided(at, choice)

    def _event(self, event: Mapping[str, Any]) -> None:
        at = float(event["at_s"]) - min(self._starts.values())
        happened = Happened(at, str(event["verb"]), (str(event["who"]),), str(event.get("arg", "")))
        events = self._run.events
        if events and _one_event(events[-1], happened):
            who = (*events[-1].who, *happened.who)
            happened = Happened(events[-1].at, happened.verb, who, happened.arg)
            events.pop()
        events.append(happened)

    def finish(self) -> RunSeries:
        """Close what lasts, and call what happened to every robot an event of the team."""
        run = self._run
        order = {name: k for k, name in enumerate(run.team)}
        by_number = sorted(run.robots, key=lambda name: (order.get(name, len(order)), name))
        run.robots = {name: run.robots[name] for name in by_number}
        for robot in run.robots.values():
            if run.duration - robot.last > self._silence:
                robot.fell_silent(run.duration)
            for spell in (*robot.spells[-1:], *robot.held[-1:]):
                if not spell.ending:
                    spell.end = run.duration
        run.events = [_of_all(event, set(run.team)) for event in run.events]
        return run


def _of_all(event: Happened, team: set[str]) -> Happened:
    everyone = "all" in event.who or (len(team) > 1 and team <= set(event.who))
    return Happened(event.at, event.verb, (), event.arg) if everyone else event


def _one_event(one: Happened, other: Happened) -> bool:
    same = (one.verb, one.arg) == (other.verb, other.arg)
    return same and abs(one.at - other.at) < TOGETHER_S

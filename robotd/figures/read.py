"""One pass over a run log that collects what figures show."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from robotd.figures.room import team_of
from robotd.figures.series import FAULT, Happened, RobotSeries, RunSeries
from robotd.record.happened import SIMULATION
from robotd.record.log import FORMAT, LIKE_ROWS
from robotd.record.reading import BROKEN, LogLines
from robotd.record.rows import RowReader

PROGRESS_LINES = 5000  # some ten times a second
SILENT_DECISIONS = 5.0  # decision periods without a tick after which a robot's computer counts as off
NOW = 2  # the column of a row
ONE_RUN_S = 60.0  # robots that started within a minute of each other's ticks are in one run
TOGETHER_S = 1e-6  # the same event of several robots is one event of all


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
        except BROKEN as error:
            raise lines.fault(error) from error
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
    return RunSeries(mission["name"], part["seed"], arguments, decision_s, tuple(team_of(mission)))


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
        anew = part["part"] == 0 and self._run.seed is None
        for name in part["frozen"]:
            robot = self._run.robots.get(name)
            if robot is None:
                self._starts[name] = self._start_of(now)
                self._run.robots[name] = RobotSeries(name, last=now - self._starts[name])
            elif now - self._starts[name] < robot.last - self._silence:
                self._starts[name] = now - robot.last  # its clock began again: the computer was restarted
            if robot is not None and anew:
                self._happened(max(robot.last, now - self._starts[name]), "started", name)

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
        elif "end" in line and "robot" in line["end"]:  # of a daemon
            name = str(line["end"]["robot"])
            self._happened(self._run.robots[name].last, "ended", name)
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
        glance = self._readers[name].glance(row)
        for order in glance.orders:
            if order.by != SIMULATION and order.kind != "drive":  # which comes several times a second
                self._happened(at, order.kind, name, " ".join([*order.args, f"by {order.by or 'a person'}"]))
        for fault in robot.stated(at, glance.state, glance.faults):
            self._happened(at, FAULT, name, fault.name)
        if glance.choice is not None:
            robot.decided(at, glance.choice)

    def _event(self, event: Mapping[str, Any]) -> None:
        at = float(event["at_s"]) - min(self._starts.values())
        self._happened(at, str(event["verb"]), str(event["who"]), str(event.get("arg", "")))

    def _happened(self, at: float, verb: str, who: str, arg: str = "") -> None:
        events = self._run.events
        if events and (events[-1].verb, events[-1].arg) == (verb, arg) and abs(events[-1].at - at) < TOGETHER_S:
            last = events.pop()
            events.append(Happened(last.at, verb, (*last.who, who), arg))
        else:
            events.append(Happened(at, verb, (who,), arg))

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
        run.events = sorted((_of_all(event, set(run.team)) for event in run.events), key=lambda event: event.at)
        return run


def _of_all(event: Happened, team: set[str]) -> Happened:
    everyone = "all" in event.who or (len(team) > 1 and team <= set(event.who))
    return Happened(event.at, event.verb, (), event.arg) if everyone else event

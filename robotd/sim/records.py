"""Observers of a simulation, and runs as plain records: what `pandas.DataFrame` or `csv.DictWriter` takes.

Two sources give the same tables: a running simulation (`simulate(watch=RunRecords())`) and a run log of a
simulation or of a real robot (`read_records`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from robotd.model.choice import Choice, Decision, State
from robotd.model.command import Command
from robotd.model.inputs import Inputs
from robotd.model.senses import Pose
from robotd.model.statements import Heard, Sent
from robotd.record.log import RunLog, Sink
from robotd.record.reading import LogLines
from robotd.record.why import Account, Happened, read_happenings, record_of

if TYPE_CHECKING:
    from robotd.sim.team import Team  # which needs the simulated world; a robot's computer reads logs without it


class Observer(Protocol):
    """A watcher; it changes nothing."""

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        """A robot has finished a tick."""

    def look(self, now: float, team: "Team") -> None:
        """The judge looks, `now` s after the start; the world has advanced to that instant."""


class WatchedLog(RunLog):
    """A run log that passes each tick to an observer."""

    def __init__(self, sink: Sink | None, about: Mapping[str, Any], watch: Observer) -> None:
        super().__init__(sink, about)
        self._watch = watch

    def tick(
        self, robot: str, i: Inputs, heard: tuple[Heard, ...], sent: tuple[Sent, ...], decision: Decision,
        driven: Command,
    ) -> None:  # fmt: skip
        self._watch.tick(robot, i, sent, decision)
        super().tick(robot, i, heard, sent, decision, driven)


Record = dict[str, str | int | float | bool | None]


class Recorder(ABC):
    """An observer of a simulation, or a reader of a log, that makes records of what happens, each for a table."""

    def __init__(self) -> None:
        self._active: dict[str, tuple[str, str]] = {}
        self._accounts: dict[str, Account] = {}
        self.begun = 0.0  # on the robots' clocks, s, from which times count

    @abstractmethod
    def put(self, table: str, record: Record) -> None:
        """A record more; the tables are those of `RunRecords`."""

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        self.add(robot, i, sent, decision.choice, decision.state, decision.wanted)

    def look(self, now: float, team: "Team") -> None:
        for name in team.names:
            pose = team.world.pose(name)
            if pose is not None:
                self._pose(now, name, *pose[:3], measured=False)

    def add(
        self, robot: str, i: Inputs, sent: tuple[Sent, ...], choice: Choice | None, state: State, wanted: Command
    ) -> None:
        """Add one tick of a robot; `choice` is None between decisions."""
        now = i.now - self.begun
        self.put("ticks", {
            "time_s": now, "robot": robot, "n": i.n, "state": state.word, "decides": choice is not None,
            "left_m_s": wanted.left, "right_m_s": wanted.right, "battery": i.senses.battery,
            "faults": " ".join(fault.name for fault in i.faults),
        })  # fmt: skip
        account = self._accounts.setdefault(robot, Account(robot))
        account.take(i, state, choice, now)
        for one in account.happened:
            self.happened(robot, one)
        account.happened.clear()
        for frame in sent:
            kinds = " ".join(statement.kind for statement in frame.statements)
            record: Record = {"time_s": frame.at - self.begun, "robot": robot, "statements": len(frame.statements)}
            self.put("frames", {**record, "kinds": kinds})
        if choice is None:
            return
        pose: Pose | None = i.senses.pose
        if pose is not None:
            self._pose(now, robot, pose.x, pose.y, pose.heading, measured=True)
        for level in choice.levels:
            record = {"time_s": now, "robot": robot, "set": level.set, **level.scores}
            self.put("levels", {**record, "limit": level.limit, "why": level.why})
        leaf = choice.run[-1] if choice.run else None
        active = (leaf.set, leaf.task.id) if leaf is not None else ("", "")
        if active != self._active.get(robot, ("", "")):
            self.put("activities", {"time_s": now, "robot": robot, "set": active[0], "task": active[1]})
        self._active[robot] = active

    def happened(self, robot: str, one: Happened) -> None:
        """Add what happened to a robot."""
        self.put("events", {"time_s": one.at, **record_of(robot, one)})

    def _pose(self, at: float, robot: str, x: float, y: float, heading: float, *, measured: bool) -> None:
        record: Record = {"time_s": at, "robot": robot, "x_m": x, "y_m": y, "heading_rad": heading}
        self.put("poses", {**record, "measured": measured})


@dataclass
class RunRecords(Recorder):
    """A recorder that keeps all records; every record has `time_s` (from the start) and `robot`.

    `ticks`: each tick: its index `n`, the `state` in a word, whether it was a decision (`decides`), the wanted
    speeds of both wheels (`left_m_s`, `right_m_s`), `battery` (0 to 1; None: not known), the open `faults`.
    `poses`: `x_m`, `y_m`, `heading_rad` and `measured`: False for the simulated body's true pose, every 0.5 s
    while it is in the room; True for the pose that the robot's positioning reported, at each decision.
    `levels`: at each decision, for each behavior set (`set`), the coordinator's scores, each in its own column.
    `frames`: each frame that left a robot: `statements` (how many) and `kinds` (their names, separated by spaces).
    `activities`: at each change, the behavior set and task now active ('' for none).
    `events`: what happened (`what`) and its `cause`, in words: what the coordinator did, orders, faults, states,
    parts lost, and, of a log, what was done to the robot; `kind` is for programs.
    """

    ticks: list[Record] = field(default_factory=list)
    poses: list[Record] = field(default_factory=list)
    levels: list[Record] = field(default_factory=list)
    frames: list[Record] = field(default_factory=list)
    activities: list[Record] = field(default_factory=list)
    events: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def put(self, table: str, record: Record) -> None:
        getattr(self, table).append(record)


def read_records(log: str | Path, progress: Callable[[int], None] | None = None) -> RunRecords:
    """All records of a run log, file or folder, in memory; poses are the measured ones. See `record_log`."""
    records = RunRecords()
    record_log(log, records, progress)
    return records


def record_log(log: str | Path, records: Recorder, progress: Callable[[int], None] | None = None) -> None:
    """Let a recorder take in a run log, file or folder.

    `progress` receives how many bytes were read so far.
    OSError where there is no log; ValueError, with file and line, where a line is none of a run log.
    """
    for robot, at, what in read_happenings(LogLines(Path(log)), progress):
        if isinstance(what, Happened):
            records.happened(robot, what)
        else:
            records.begun = what.inputs.now - at
            records.add(robot, what.inputs, what.sent, what.choice, what.state, what.wanted)

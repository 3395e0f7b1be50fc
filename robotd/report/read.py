"""Everything that the page of a run shows, read from its log."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from robotd.figures.read import read_series
from robotd.figures.room import Room, room_of
from robotd.figures.series import RunSeries
from robotd.record.reading import LogLines
from robotd.record.rows import Row
from robotd.record.why import Account, read_accounts

MOST_POINTS = 1500  # of a trail
FINEST_M = 0.03  # between two points of a trail
Point = tuple[float, float]


@dataclass
class Trail:
    """Where a robot was measured, m, the oldest first; coarser the longer it is."""

    points: list[Point] = field(default_factory=list)
    apart_m: float = FINEST_M

    def add(self, x: float, y: float) -> None:
        if self.points and math.dist(self.points[-1], (x, y)) < self.apart_m:
            return
        self.points.append((x, y))
        if len(self.points) > MOST_POINTS:
            self.points, self.apart_m = self.points[::2], 2 * self.apart_m


@dataclass
class Traffic:
    """The frames of one robot: how many it sent, by kind of statement, and how many it received, by sender."""

    sent: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    received: Counter[int] = field(default_factory=Counter)


@dataclass
class Run:
    """A run as its page shows it: figures' series, accounts, trails, radio, and the mission with its room."""

    series: RunSeries
    accounts: list[Account]
    trails: dict[str, Trail]
    traffic: dict[str, Traffic]
    mission: dict[str, object]
    room: Room | None
    numbers: dict[int, str]


def read_run(log: Path, progress: Callable[[int], None] | None = None) -> Run:
    """Read the run log at `log`, file or folder; OSError, ValueError as `read_series`."""
    series = read_series(log)
    trails: dict[str, Trail] = {}
    traffic: dict[str, Traffic] = {}

    def see(robot: str, row: Row) -> None:
        pose, own = row.inputs.senses.pose, traffic.setdefault(robot, Traffic())
        if pose is not None and row.choice is not None:
            trails.setdefault(robot, Trail()).add(pose.x, pose.y)
        own.sent += len(row.sent)
        own.kinds.update(statement.kind for frame in row.sent for statement in frame.statements)
        own.received.update(frame.sender for frame in row.heard)

    accounts = read_accounts(log, progress=progress, see=see)
    mission = next(line["mission"] for line in LogLines(log) if isinstance(line, dict) and "part" in line)
    numbers = {int(member["number"]): name for name, member in mission["team"].items()}
    return Run(series, accounts.robots, trails, traffic, mission, room_of(mission), numbers)

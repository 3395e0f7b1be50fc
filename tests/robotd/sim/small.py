"""A small mission: two robots, a room of 3 x 4 m, and one object in each spill."""

import asyncio
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.config.load import Mission, Source, mission_of
from robotd.record.log import PART_BYTES, RunLog
from robotd.record.reading import LogLines, read_rows
from robotd.record.rows import Row
from robotd.robot.snapshot import Snapshot
from robotd.sim.activity_trace import Cut, Outcome
from robotd.sim.airs import air
from robotd.sim.director import script_of
from robotd.sim.host import Host
from robotd.sim.parts import Parts, attach
from robotd.sim.simulation import about
from robotd.sim.station import station_of
from robotd.sim.team import Team, build_world
from robotd.storage.store import MemoryStore
from robotd.timing.virtual_loop import run_virtual

MEMBERS = {"green": 1, "blue": 2, "gold": 3, "red": 4, "grey": 5}
TAIL = """
[tasks]
find-locations = { number = 1, completion = "located" }
move-spill-left = { number = 2, kind = "move-spill", args = { spill = "left" }, completion = "spill-left-moved" }

[tasks.move-spill-right]
number = 3
kind = "move-spill"
args = { spill = "right" }
completion = "spill-right-moved"

[facts]
spill-left = { number = 1, kind = "place" }
spill-right = { number = 2, kind = "place" }
goal = { number = 3, kind = "place" }
located = { number = 4, kind = "flag" }
spill-left-moved = { number = 5, kind = "flag" }
spill-right-moved = { number = 6, kind = "flag" }

[control]
tick_hz = 10.0
ticks_per_decision = 2

[coordinator]
name = "alliance"
parameters = { threshold = 100.0, silence_timeout_beats = 4.0 }

[layers.avoid-obstacles]
[layers.bump-escape]

[sets.find-locations-methodical]
task = "find-locations"
[sets.find-locations-methodical.motivation]
fast_rate = 40.0
slow_rate = 0.1
patience_s = 300.0
yield_time_s = 300.0
give_up_time_s = 600.0

[sets.move-spill-left]
behavior = "move-spill"
task = "move-spill-left"
[sets.move-spill-left.motivation]
fast_rate = 30.0
slow_rate = 0.04
patience_s = 900.0
yield_time_s = 600.0
give_up_time_s = 900.0
exclusive = true

[sets.move-spill-right]
behavior = "move-spill"
task = "move-spill-right"
[sets.move-spill-right.motivation]
fast_rate = 20.0
slow_rate = 0.04
patience_s = 900.0
yield_time_s = 600.0
give_up_time_s = 900.0
exclusive = true

[robots.green.sets]
find-locations-methodical = { motivation = { fast_rate = 60.0 } }

[world]
width_m = 3.0
depth_m = 4.0
spills = [
    { name = "left", x_m = 0.8, y_m = 1.4, spread_m = 0.1, objects = 1 },
    { name = "right", x_m = 2.2, y_m = 1.4, spread_m = 0.1, objects = 1 },
]
"""


def text(robots: Sequence[str] = ("green", "blue"), limit_s: float = 900.0) -> str:
    """The mission file, its team in the order given."""
    team = "\n".join(f'{name} = {{ number = {MEMBERS[name]}, type = "r2" }}' for name in robots)
    return f'name = "small"\ntime_limit_s = {limit_s}\n\n[team]\n{team}\n{TAIL}'


def small(robots: Sequence[str] = ("green", "blue"), limit_s: float = 900.0, **changes: Any) -> Mission:
    """The mission, loaded; `changes` replace top-level tables."""
    written = text(robots, limit_s)
    data = {**tomllib.loads(written), **changes}
    return mission_of(Source("small.toml", written, data), Path())


@dataclass
class Look:
    """What is seen of one robot at one instant."""

    at: float
    pose: tuple[float, float, float] | None
    wheels: tuple[float, float]
    snapshot: Snapshot | None  # None before the first tick, and while its computer is off

    @property
    def still(self) -> bool:
        """Slower than a hair's breadth."""
        return max(abs(speed) for speed in self.wheels) < 0.005

    @property
    def state(self) -> str:
        return self.snapshot.decision.state.word if self.snapshot is not None else "off"

    @property
    def doing(self) -> str:
        """The set that is active."""
        run = self.snapshot.choice.run if self.snapshot is not None else ()
        return run[-1].set if run else ""

    @property
    def missing(self) -> dict[str, str]:
        """Resources that it has lost, and why."""
        return dict(self.snapshot.inputs.capabilities.missing) if self.snapshot is not None else {}


@dataclass
class Lines:
    """A log's sink."""

    lines: list[str] = field(default_factory=list)

    def write(self, line: str) -> None:
        self.lines.append(line)


@dataclass
class Ran:
    """A run that is over, and what was seen of it every half second."""

    outcome: Outcome
    team: Team
    looks: Mapping[str, list[Look]]
    lines: list[Any]

    def at(self, time: float, name: str = "green") -> Look:
        """The look at that instant."""
        return next(look for look in self.looks[name] if abs(look.at - time) < 1e-6)

    def between(self, start: float, end: float, name: str = "green") -> list[Look]:
        return [look for look in self.looks[name] if start <= look.at <= end]

    @property
    def events(self) -> list[Mapping[str, Any]]:
        """The events of the log."""
        return [line["event"] for line in self.lines if isinstance(line, dict) and "event" in line]


def rows_of(log: Path) -> dict[str, list[Row]]:
    """The rows of a log, by robot."""
    rows: dict[str, list[Row]] = {}
    for line in read_rows(LogLines(log)):
        if isinstance(line, tuple):
            rows.setdefault(line[0], []).append(line[1])
    return rows


def events_of(rows: Sequence[Row], kind: str) -> list[tuple[str, str]]:
    """Task and cause of each event of this kind."""
    return [(e.task, e.cause) for row in rows if row.choice for e in row.choice.events if e.kind == kind]


def run(
    *events: str,
    for_s: float = 12.0,
    robots: Sequence[str] = ("green",),
    seed: int = 1,
    mission: Mission | None = None,
    missions: Mapping[str, Mission] | None = None,
    parts: Parts | None = None,
    see: Callable[[float, Team], None] | None = None,
    log: Path | None = None,
    part_bytes: int = PART_BYTES,
    after_s: float = 0.0,
    **changes: Any,
) -> Ran:
    """Run the small mission; `see` is called every half second with the time and the team; `log` is written.

    The loop goes on for `after_s` once it is over, as that of the live page does.
    """
    mission = mission or small(robots, **changes)
    sink = Lines()
    run_log = RunLog(sink, about(mission, seed), part_bytes)
    stores = {name: MemoryStore() for name in mission.content.team}
    parts = parts or Parts()
    world = build_world(mission, seed)
    airs = air(mission, seed, parts.airs, world)
    team = Team(
        mission, seed, world, airs, run_log, attach(parts), stores, missions=missions or {},
        station=station_of(mission, world, airs, parts),
    )  # fmt: skip
    looks: dict[str, list[Look]] = {name: [] for name in team.names}

    def look(now: float, delivered: int, total: int) -> None:
        for name in team.names:
            world, robot = team.world, team.robots.get(name)
            snapshot = robot.snapshot if robot is not None else None
            looks[name].append(Look(now, world.pose(name), world.wheel_speeds(name), snapshot))
        if see is not None:
            see(now, team)

    host = Host(team, script_of(mission, events), Cut(mission.content.time_limit_s, for_s), look)

    async def play() -> Outcome:
        outcome = await host.run()
        await asyncio.sleep(after_s)
        return outcome

    outcome = run_virtual(play())
    if log is not None:
        log.write_text("".join(line + "\n" for line in sink.lines), encoding="utf-8")
    return Ran(outcome, team, looks, [json.loads(line) for line in sink.lines])

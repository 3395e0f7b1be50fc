"""Line 8: a team in which one robot holds an edited mission file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.config.load import Mission, load_mission
from robotd.record.log import NoSink, RunLog
from robotd.robot.robot import Robot
from robotd.robot.snapshot import Snapshot
from robotd.sim.activity_trace import Cut, Outcome
from robotd.sim.airs import air
from robotd.sim.host import Host
from robotd.sim.parts import Parts, attach
from robotd.sim.team import Team, build_world
from robotd.storage.store import MemoryStore
from robotd.timing.virtual_loop import run_virtual
from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import Desk

ODD = "green"  # the one that finds the spills and moves one: all that it says could be mistaken
SEED = 1
WITHIN_BEATS = 3
SWAPPED = (("tasks", mission.LEFT, mission.RIGHT), ("facts", "spill-left-moved", "spill-right-moved"))
FACTS = {mission.LEFT: ("spill-left-moved", "left"), mission.RIGHT: ("spill-right-moved", "right")}


@dataclass
class Mixed(Team):
    """A team whose robot `ODD` holds another mission; what each robot noticed of that, and counted as done."""

    other: Mission | None = None
    named: dict[tuple[str, str], float] = field(default_factory=dict)
    read: Counter[str] = field(default_factory=Counter)
    heard: int = 0  # ticks of robots that know of ODD as a teammate
    early: dict[str, float] = field(default_factory=dict)

    def boot(self, name: str, now: float) -> Robot:
        own = self.mission
        if name == ODD and self.other is not None:
            self.mission = self.other
        try:
            robot = super().boot(name, now)
        finally:
            self.mission = own
        robot.watchers.append(self.see)
        return robot

    def see(self, snapshot: Snapshot) -> None:
        for fault in snapshot.inputs.faults:
            if fault.name == "mission-mismatch":
                for mate in self.names:
                    if mate in fault.detail:
                        self.named.setdefault((snapshot.robot, mate), snapshot.inputs.now)
        if snapshot.robot == ODD:
            return
        beliefs = snapshot.thought.beliefs
        odd = beliefs.mates.get(self.numbers[ODD])
        if odd is not None:
            self.heard += 1
            self.read.update(task for task in (odd.task, odd.held) if task)
        for task, (fact, spill) in FACTS.items():
            if beliefs.flag(fact) and self.world.delivered(spill) < self.world.total(spill):
                self.early.setdefault(f"{snapshot.robot}: {task}", snapshot.inputs.now)


def edited(desk: Desk) -> Path:
    content = mission.data()
    for table, one, other in SWAPPED:
        entries: dict[str, dict[str, Any]] = content[table]
        entries[one]["number"], entries[other]["number"] = entries[other]["number"], entries[one]["number"]
    return mission.write(desk.folder / "edited" / f"{mission.NAME}.toml", content)


def run(own: Mission, other: Mission) -> tuple[Mixed, Outcome]:
    stores: Mapping[str, MemoryStore] = {name: MemoryStore() for name in own.content.team}
    team = Mixed(
        own, SEED, build_world(own, SEED), air(own, SEED), RunLog(NoSink(), {}), attach(Parts()), stores,
        other=other,
    )  # fmt: skip
    return team, run_virtual(Host(team, [], Cut(own.content.time_limit_s)).run())


def one_edited(desk: Desk) -> Found:
    team, outcome = run(mission.mission(), load_mission(edited(desk)))
    beat = mission.beat_s()
    mates = [name for name in team.names if name != ODD]
    pairs = [*((mate, ODD) for mate in mates), *((ODD, mate) for mate in mates)]
    missing = [f"{mate} by {robot}" for robot, mate in pairs if (robot, mate) not in team.named]
    beats = max((team.named[pair] / beat for pair in pairs if pair in team.named), default=float("inf"))
    twice = [f"{task} by {by}" for task, names in done_by(outcome).items() for by in names if names.count(by) > 1]
    figure = f"named by each within {beats:.1f} beats; "
    figure += f"in {sum(team.read.values())} of {team.heard} ticks a task of {ODD}'s was read; "
    figure += f"{len(team.early)} spills counted as moved before they were; {outcome.reason}"
    for what, names in (("not named", missing), ("early", list(team.early)), ("counted twice", twice)):
        figure = besides(figure, names, what)
    ok = not missing and beats <= WITHIN_BEATS and team.heard > 0
    ok = ok and not team.read and not team.early and not twice
    return Found(figure, f"named within {WITHIN_BEATS} beats of the start, no task miscounted", ok)


def done_by(outcome: Outcome) -> dict[str, list[str]]:
    return {
        task: [by for _, by in occasions]
        for task, occasions in outcome.story.done.items()
        if task in (*FACTS, "find-locations")
    }


CHECKS = (
    Check("8.6", "one edited mission file: named, no task miscounted",
          f"{mission.NAME}, but {ODD}'s file swaps the numbers of both spills", one_edited),
)  # fmt: skip

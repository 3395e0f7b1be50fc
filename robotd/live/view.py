"""What the page is given of a run: once its scene, then frames of what has changed, as plain data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from boards.mock.settings import BodySpec
from boards.mock.world import World
from robotd.config.load import Mission
from robotd.model.choice import Decision
from robotd.model.command import Command
from robotd.model.facts import Fact, join
from robotd.model.inputs import Inputs
from robotd.model.statements import Heard, Sent
from robotd.model.table import NumberTable
from robotd.record.log import RunLog
from robotd.record.why import Account, Happened, done_to, record_of
from robotd.robot.snapshot import Snapshot
from robotd.sim.ending import counted_of
from robotd.sim.host import Host
from robotd.sim.team import Team
from robotd.status.robot_page import robot_of
from robotd.status.scene import Data, done_of, mission_of, room_data, rounded

SHOWN_EVENTS = 200  # of one frame: a run at full speed may have more
SHOWN_FRAMES = 300  # of the radio, of each kind: an eye distinguishes no more
SHOWN_JOBS = 16  # of each robot: the tasks that it introduced last


def scene_of(mission: Mission, seed: int, team: Team, run: Mapping[str, Any]) -> Data:
    """What stays as it is during a run: the room, the team, its tasks and behavior sets, in m and s.

    `run` is what was asked for.
    """
    content, world = mission.content, team.world
    return {
        **mission_of(mission),
        "seed": seed,
        "loss": content.radio.loss,
        "range_m": content.radio.range_m,
        "reach": reach_of(mission, world),
        "limit_s": rounded(content.time_limit_s),
        "run": dict(run),
        "room": room_data(world.settings),
        "team": [
            {"name": name, "number": member.number, "type": member.type, "radius": world.robots[name].hull.radius,
             "fixed": not world.robots[name].solid, "camera": _camera(world.robots[name].spec),
             "hull": [rounded(half) for half in world.robots[name].hull.halves],
             "colour": next((mark.colour for mark in world.settings.marks if mark.robot == name), "")}
            for name, member in sorted(content.team.items(), key=lambda pair: pair[1].number)
        ],
    }  # fmt: skip


def reach_of(mission: Mission, world: World) -> str:
    """How far radio waves come, in words."""
    far = mission.content.radio.range_m
    walls = ", but not through every wall" if any(wall.blocks_radio for wall in world.settings.walls) else ""
    return ("the whole room" if far is None else f"{far:g} m") + walls


def _camera(spec: BodySpec) -> list[float | None] | None:
    """Half of what a camera has in view, rad, and how far it sees, m; None without one."""
    if spec.camera is None:
        return None
    return [rounded(math.radians(spec.camera.fov_deg) / 2), rounded(spec.camera.reach_m)]


class Watcher(Protocol):
    """Who looks on besides the page; it changes nothing."""

    def tick(self, robot: str, i: Inputs, sent: Sequence[Sent], decision: Decision) -> None:
        """A robot has finished a tick."""

    def happened(self, robot: str, one: Happened) -> None:
        """Something was done to a robot."""

    def look(self, world: World, now: float) -> None:
        """The world has advanced to `now` (s from the start)."""

    def close(self) -> None:
        """The run has ended."""


class LiveLog(RunLog):
    """A run log without a file that keeps what the page shows: events with their causes, and frames."""

    watcher: Watcher | None = None

    def __init__(self, about: Mapping[str, Any]) -> None:
        super().__init__(None, about)
        self.accounts: dict[str, Account] = {}
        self._events: list[Data] = []
        self._sent: list[list[Any]] = []
        self._received: list[list[Any]] = []
        self._losses: list[list[Any]] = []

    def lose(self, sender: int, receiver: int, collided: bool) -> None:
        """A frame was lost on its way between two radios, by their numbers."""
        self._losses.append([receiver, sender, collided])

    def tick(
        self, robot: str, i: Inputs, heard: tuple[Heard, ...], sent: tuple[Sent, ...], decision: Decision,
        driven: Command,
    ) -> None:  # fmt: skip
        """See `RunLog.tick`."""
        self._sent += [[robot, rounded(one.at), [x.kind for x in one.statements]] for one in sent]
        self._received += [[robot, one.sender, rounded(one.at)] for one in heard]
        account = self.accounts.setdefault(robot, Account(robot))
        account.take(i, decision.state, decision.choice, i.now)
        self._keep(robot, account.happened)
        account.happened.clear()
        if self.watcher is not None:
            self.watcher.tick(robot, i, sent, decision)

    def note(self, kind: str, **fields: Any) -> None:
        """See `RunLog.note`: what was done to the team."""
        if kind == "event":
            one = done_to(fields)
            self._keep(fields["who"], [one])
            if self.watcher is not None:
                self.watcher.happened(fields["who"], one)

    def _keep(self, robot: str, happened: Sequence[Happened]) -> None:
        self._events += [{"at": rounded(one.at), **record_of(robot, one)} for one in happened]

    def take(self) -> Data:
        """What was kept since the last call; of many the last."""
        frames = {"sent": self._sent, "received": self._received, "lost": self._losses}
        taken = {"events": self._events[-SHOWN_EVENTS:]} | {
            key: kept[-SHOWN_FRAMES:] for key, kept in frames.items()
        }
        self._events, self._sent, self._received, self._losses = [], [], [], []
        return taken


def frame_of(host: Host, team: Team, log: LiveLog, now: float) -> Data:
    """What is so `now` s after the start of the run, and what has happened since the last frame."""
    world, facts, table = team.world, facts_of(team), team.mission.table
    busy = {task: sorted(who) for task, who in sorted(host.holding.items()) if who}
    done = done_of(table, facts, host.done, busy)
    return {
        "type": "frame",
        "t": rounded(now),
        "robots": [{**_robot(world, name, team.robots[name].snapshot if name in team.robots else None, log),
                    "muted": name in host.muted} for name in team.names],
        "objects": [[rounded(one.x), rounded(one.y), one.colour, one.held_by] for one in world.objects()],
        "lit": sorted(world.holders()),
        "box": [[rounded(x), rounded(y)] for x, y in world.box.corners()] if world.box is not None else None,
        "areas": [_area(one.settings, one.share()) for one in world.areas.by_name.values()] if world.areas else [],
        "tasks": busy,
        "done": done,
        "facts": facts,
        "counted": counted_of(team.mission, world) or _tasks_done(table, done),
        "radio": team.airs.statistics(),
        **log.take(),
    }  # fmt: skip


def _tasks_done(table: NumberTable, done: Data) -> list[str]:
    """What is counted where the world has nothing to count: the tasks that a fact completes, once for all."""
    once = [entry.task.id for entry in table.tasks if entry.completion and not entry.recurring]
    over = sum(task in done and done[task]["over"] for task in once)
    return [f"{over} of {len(once)} tasks are done"] if once else []


def _area(settings: Any, share: float) -> list[Any]:
    return [settings.name, settings.kind, settings.x_m, settings.y_m, settings.width_m, settings.depth_m,
            rounded(share)]  # fmt: skip


def facts_of(team: Team) -> Data:
    """Every fact that some robot knows: the value that holds once all know it, and which robots know it."""
    best: dict[str, Fact] = {}
    known: dict[str, list[str]] = {}
    for name in team.names:
        robot = team.robots.get(name)
        for fact in robot.mind.beliefs.facts.values() if robot is not None else ():
            kind = team.mission.table.fact(fact.name)
            if not kind.is_internal:
                best[fact.name] = join(kind, best.get(fact.name), fact)
                known.setdefault(fact.name, []).append(name)
    return {name: {"value": [rounded(x) for x in best[name].value], "known": known[name]} for name in sorted(best)}


def _robot(world: World, name: str, snapshot: Snapshot | None, log: LiveLog) -> Data:
    """A robot's body, and what its computer makes of things; without a snapshot its computer is off."""
    body, pose = world.robots[name], world.pose(name)
    shown: Data = {
        "name": name,
        "at": [rounded(value) for value in pose] if pose is not None else None,
        "seized": body.seized,
        "failed": sorted(part for part, how in body.faults.items() if how != "absent"),
        "blind": sorted(body.blinded),
        "slow": rounded(body.drive.factor),
        "on": snapshot is not None,
    }
    if snapshot is None:
        return shown
    table = snapshot.decision.beliefs.table
    jobs = [[job.task.id, job.state, table.name(job.who) if job.who else "", job.why]
            for job in snapshot.choice.jobs[-SHOWN_JOBS:]]  # fmt: skip
    return shown | {"jobs": jobs} | robot_of(snapshot, log.accounts.get(name) or Account(name))

"""A team without bodies: real minds and a real log, the work of each behavior set a matter of so many seconds."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from motivation.alliance.alliance import Alliance, AllianceSettings, SetMotivation
from robotd.config.mission import MissionFile
from robotd.files.plugins import Plugins
from robotd.model.beliefs import Beliefs, statement_of
from robotd.model.choice import Choice
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Ages, Bump, Capabilities, Pose, Range, Senses, Wheels
from robotd.model.statements import Heard, Sent
from robotd.model.tasks import Feedback, Task
from robotd.record.log import FileSink, RunLog, about_run
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission

TICK_S, BEAT_S = 0.25, 3.0
WORK_S = {"find-methodical": 60.0, "move-left": 200.0, "move-right": 150.0, "report": 12.0}
FACT = {"find": "located", "move-left": "left-moved", "move-right": "right-moved", "report": "reports"}
# Who does what is clear by more than a beat, so that no two claims ever cross on the air.
MISSION: dict[str, Any] = {
    "name": "tidy",
    "team": {name: {"number": number, "type": "r2"} for number, name in enumerate(("green", "blue", "gold"), 1)},
    "tasks": {
        "find": {"number": 1, "completion": "located"},
        "move-left": {"number": 2, "kind": "move", "args": {"side": "left"}, "completion": "left-moved"},
        "move-right": {"number": 3, "kind": "move", "args": {"side": "right"}, "completion": "right-moved"},
        "report": {"number": 4, "completion": "reports", "recurring": True},
    },
    "facts": {name: {"number": number, "kind": "count" if name == "reports" else "flag"}
              for number, name in enumerate(FACT.values(), 1)},
    "control": {"tick_hz": 4.0, "ticks_per_decision": 4},
    "coordinator": {"name": "alliance", "parameters": {"silence_timeout_beats": 4.0}},
    "sets": {
        "find-methodical": {"task": "find", "motivation": {"fast_rate": 4.0}},
        "move-left": {"task": "move-left", "motivation": {"fast_rate": 5.0, "exclusive": True}},
        "move-right": {"task": "move-right", "motivation": {"fast_rate": 4.0, "exclusive": True}},
        "report": {"task": "report", "motivation": {"fast_rate": 0.7, "slow_rate": 0.05, "preempts": True}},
    },
    "robots": {
        robot: {"sets": {name: {"motivation": {"fast_rate": rate}} for name, rate in rates.items()}}
        for robot, rates in {"green": {"find-methodical": 8.0, "move-left": 9.0, "report": 1.0},
                             "gold": {"move-right": 8.0}}.items()
    },
}  # fmt: skip
MOTIVATION = {"slow_rate": 0.2, "patience_s": 600.0, "yield_time_s": 500.0, "give_up_time_s": 900.0}
WHOLE = Capabilities(("gripper", "mobile"), (), 0.3)
GONE = Capabilities((), (("mobile", "lifted out of the room"),), 0.3)


@dataclass
class Worker:
    """Behaviors that only count how long each set was active."""

    active: str = ""
    previous: float = 0.0
    worked: dict[str, float] = field(default_factory=dict)

    def assess(self, i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
        if "mobile" not in i.capabilities.resources:
            return Feedback(applicable=False, missing=("mobile",))
        if self.active == set and self.worked.get(set, 0.0) >= WORK_S[set]:
            return Feedback(applicable=True, done=True)
        opened = beliefs.flag("located") == task.id.startswith("move")
        return Feedback(task.id == "report" or (opened and not beliefs.flag(FACT[task.id])))

    def act(self, i: Inputs, beliefs: Beliefs, choice: Choice) -> ActionResult:
        """Drive by what the pose says, so that inputs matter; say so when the work is done."""
        leaf = choice.run[-1] if choice.run else None
        dt, self.previous = i.now - self.previous, i.now
        name = leaf.set if leaf is not None else ""
        if self.worked.get(name, 0.0) >= WORK_S.get(name, 0.0) and self.active != name:
            self.worked[name] = 0.0
        self.active = name
        facts: tuple[Fact, ...] = ()
        if leaf is not None and "mobile" in i.capabilities.resources:
            before = self.worked.get(name, 0.0)
            self.worked[name] = before + dt
            if before < WORK_S[name] <= before + dt:
                fact = FACT[leaf.task.id]
                facts = (Fact(fact, (beliefs.count(fact) + 1.0,) if fact == "reports" else ()),)
        heading = i.senses.pose.heading if i.senses.pose is not None else 0.0
        return ActionResult(Command(0.2, 0.2 - 0.01 * heading), facts, (), (("drive", name),) if name else ())

    def reset(self, now: float) -> None:
        self.active, self.previous, self.worked = "", now, {}

    def freeze(self) -> Any:
        return [self.active, self.previous, dict(sorted(self.worked.items()))]

    def thaw(self, state: Any) -> None:
        self.active, self.previous, self.worked = state[0], state[1], dict(state[2])


def mind_of(part: Mapping[str, Any], robot: str, plugins: Plugins | None = None) -> Mind:
    mission = MissionFile(**part["mission"])
    table = mission.table()
    sets = [
        (name, own.task, SetMotivation(**{**MOTIVATION, **own.motivation}))
        for name, own in mission.sets_of(robot).items()
    ]
    settings = AllianceSettings(**mission.coordinator.parameters)
    ticks = mission.control.ticks_per_decision
    coordinator = Alliance(settings, sets, table, ticks / mission.control.tick_hz)
    return Mind(table, mission.team[robot].number, coordinator, Worker(), Permission("command"), ticks)


def senses(n: int, robot: int) -> Senses:
    """Plausible readings, some of which change at every tick and some seldom."""
    ranges = tuple(
        Range("infrared", 0.5 * k - 1.0, None if (n + k) % 7 else 0.1 * robot, 0.05, 0.6) for k in range(4)
    )
    bumps = tuple(Bump(1.0 * k, n % 97 == k) for k in range(3))
    pose = Pose(0.01 * n, float(robot), (n % 63) / 10 - 3.1, 0.15)
    return Senses(Wheels(0.2, 0.2), pose, pose, ranges, bumps, battery=1.0 - n * 1e-5, ages=Ages(pose=0.1))


@dataclass
class Radio:
    """A perfect channel: a frame per robot and beat, heard by all others at once."""

    heard: dict[str, list[Heard]]
    sent: dict[str, list[Sent]]

    def beat(self, at: float, robot: str, mind: Mind) -> None:
        beliefs = mind.beliefs
        facts = [statement_of(fact, beliefs.table, at) for _, fact in sorted(beliefs.facts.items())]
        said = [_aged(statement, beliefs.table.beat_s) for statement in mind.choice.statements]
        self.sent[robot].append(Sent(at, tuple(said)))
        same = True  # all hold one table
        for other, inbox in self.heard.items():
            if other != robot:
                frame = Heard(at, beliefs.me, beliefs.run, beliefs.running, same, (*facts, *said))
                inbox.append(frame)


def _aged(statement: Any, beat_s: float) -> Any:
    task, held, claimed = statement.fields
    return replace(statement, fields=(task, held, round(claimed * 20) / 20))


def record(
    path: Path,
    duration_s: float = 400.0,
    events: Sequence[tuple[float, str, str]] = (),
    part_bytes: int = 8_000_000,
    seed: int | None = 7,
    mission: Mapping[str, Any] = MISSION,
    start_s: float = 0.0,
) -> Path:
    """Run the team and write its log; `events` are (at, verb, robot) with remove, return, kill and reboot."""
    team = list(mission["team"])
    about = about_run(mission, 1, seed, {name: {"start": "command", "leash_s": 0.0} for name in team})
    with contextlib.closing(FileSink(path)) as sink:
        team_run = Run(about, RunLog(sink, about, part_bytes), team, start_s)
        team_run.play(int(duration_s / TICK_S), sorted(events))
        team_run.log.note("end", reason="accomplished", accomplished=True, duration_s=duration_s)
    return path


class Run:
    """One run of the team, tick by tick."""

    def __init__(self, about: Mapping[str, Any], log: RunLog, team: Sequence[str], start_s: float) -> None:
        self.about, self.log, self.team, self.start_s = about, log, team, start_s
        self.minds: dict[str, Mind] = {}
        self.radio = Radio({name: [] for name in team}, {name: [] for name in team})
        self.gone: set[str] = set()
        self.fresh: set[str] = set()
        for name in team:
            self.boot(name, start_s)

    def boot(self, name: str, now: float) -> None:
        self.minds[name] = mind_of(self.about, name)
        self.minds[name].begin(now)
        self.log.register(name, self.minds[name])
        self.fresh.add(name)

    def play(self, ticks: int, upcoming: list[tuple[float, str, str]]) -> None:
        for n in range(ticks):
            for k, name in enumerate(self.team):
                now = self.start_s + n * TICK_S + 0.08 * (k + 1)
                while upcoming and self.start_s + upcoming[0][0] <= now:
                    self.happen(now, *upcoming.pop(0))
                if name in self.minds:
                    self.tick(now, n, k, name)

    def happen(self, now: float, at: float, verb: str, who: str) -> None:
        self.log.note("event", at_s=self.start_s + at, verb=verb, who=who, arg="")
        self.gone = self.gone | {who} if verb == "remove" else self.gone - {who}
        if verb == "kill":
            self.minds.pop(who)
        if verb == "reboot":
            self.boot(who, now)

    def tick(self, now: float, n: int, k: int, name: str) -> None:
        mind = self.minds[name]
        orders: tuple[Order, ...] = ()
        if name in self.fresh:
            self.fresh.discard(name)
            orders = (Order("start", by="test"), *((Order("mission-start", by="test"),) if n == 0 else ()))
        i = Inputs(now, n, senses(n, k + 1), GONE if name in self.gone else WHOLE, orders)
        self.log.begin_tick(now)
        heard, sent = _taken(self.radio, name) if mind.decides(n) else ((), ())
        thought = mind.decide(i, heard, sent)
        self.log.tick(name, i, heard, sent, thought, thought.wanted)
        if (n + 4 * k) % int(BEAT_S / TICK_S) == 0 and name not in self.gone:
            self.radio.beat(now, name, mind)


def _taken(radio: Radio, name: str) -> tuple[tuple[Heard, ...], tuple[Sent, ...]]:
    heard, radio.heard[name] = tuple(radio.heard[name]), []
    sent, radio.sent[name] = tuple(radio.sent[name]), []
    return heard, sent

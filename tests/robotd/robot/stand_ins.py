"""A robot whose coordinator, behaviors and board do as they are set to, on a real radio in simulated air."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from behaviors.engine import Behaviors
from behaviors.parts import Drive
from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Inputs, Order
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.streams import Stream
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Assignment, Feedback, Task
from robotd.record.log import RunLog, about_run
from robotd.robot.faults import Faults
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission
from robotd.robot.robot import Robot
from robotd.storage.store import MemoryStore, Store
from tests.robotd.sim.small import Lines

KEY, TEAM = bytes(range(32)), 7
DIG = Task("dig", (), "dig")
TABLE = NumberTable(
    team=tuple(Member(name, k + 1, "r2") for k, name in enumerate(("red", "blue", "gold", "green", "grey"))),
    tasks=(TaskEntry(DIG, 1, "dug"),),
    facts=(FactKind("dug", 1, "flag"), FactKind("spot", 2, "place"), FactKind("holes", 3, "count")),
    beat_s=3.0,
)
WHOLE = Capabilities(("gripper", "mobile"), (), 0.25)
DRIVES = Command(0.2, 0.1)
WORKS = Choice((Assignment("digger", DIG),), None, (Statement("activity", ("dig", "", 0.5)),))
TICK_S = 0.1
START, RUN = Order("start", by="ann"), Order("mission-start", by="ann")
ACK, STOP_TEAM = Order("acknowledge", by="ann"), Order("stop-team", by="ann")
DRIVING, STANDS = (DRIVES.left, DRIVES.right), (0.0, 0.0)


@dataclass
class FakeCoordinator:
    """Chooses `choice`; remembers what it was given."""

    choice: Choice = WORKS
    begun: list[float] = field(default_factory=list)
    steps: list[tuple[Inputs, Beliefs, tuple[Heard, ...], tuple[Sent, ...]]] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    count: int = 0

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        self.begun.append(now)
        self.count = 0

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Any, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        self.steps.append((i, beliefs, tuple(heard), tuple(sent)))
        self.feedback.append(assess(i, beliefs, "digger", DIG))
        self.count += 1
        return self.choice

    def freeze(self) -> Json:
        return self.count

    def thaw(self, state: Json) -> None:
        self.count = int(state)  # type: ignore[arg-type]


@dataclass
class FakeBehaviors(Behaviors):
    """Drives as `acted` says while a set is chosen, else not; `trouble` is called first at every act."""

    acted: ActionResult = field(default_factory=lambda: ActionResult(DRIVES))
    trouble: Callable[[Inputs], None] = lambda i: None
    chosen: list[str] = field(default_factory=list)
    resets: int = 0

    def assess(self, i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
        return Feedback(applicable=True, progress=0.5)

    def act(self, i: Inputs, beliefs: Beliefs, choice: Choice, hand: Drive | None = None) -> ActionResult:
        self.trouble(i)
        if hand is not None:
            return ActionResult(Command(hand.speed, hand.speed))
        self.chosen.append(choice.run[-1].set if choice.run else "")
        return self.acted if choice.run else ActionResult(Command(0.01, 0.01))

    def reset(self, now: float) -> None:
        self.resets += 1

    def freeze(self) -> Json:
        return to_plain(self.acted)

    def thaw(self, state: Json) -> None:
        self.acted = from_plain(ActionResult, state)


@dataclass
class FakeBoard:
    """Remembers every command; `trouble` is called whenever it is asked for senses."""

    body: Capabilities = WHOLE
    trouble: Callable[[float], None] = lambda now: None
    commands: list[tuple[float, Command]] = field(default_factory=list)
    reboots: int = 0

    def capabilities(self, now: float) -> Capabilities:
        return self.body

    def senses(self, now: float) -> Senses:
        self.trouble(now)
        return Senses()

    def command(self, now: float, command: Command) -> Command:
        self.commands.append((now, command))
        return command

    @property
    def wheels(self) -> tuple[float, float]:
        """As last commanded."""
        return self.commands[-1][1].left, self.commands[-1][1].right


class OpenRadio(Radio):
    """One of whose class tests may replace attributes, compiled or not."""


def made_mind(me: int = 1, start: str = "command", every: int = 4, table: NumberTable = TABLE) -> Mind:
    mind = Mind(table, me, FakeCoordinator(), FakeBehaviors(), Permission(start), every)
    mind.begin(0.0)
    return mind


class Field:
    """Robots of `TABLE` in one air, ticked in order of their numbers at n * 0.1 s; decisions at every second."""

    def __init__(self, names: Sequence[str] = ("red",), *, loss: float = 0.0, table: NumberTable = TABLE) -> None:
        self.table = table
        self.channel = Channel(1, table, key=KEY, team=TEAM, loss=loss, base_station=True)
        self.sink = Lines()
        self.log = RunLog(self.sink, about_run({}, table.digest, 1, {}))
        self.n = 0
        self.robots: dict[str, Robot] = {}
        for name in names:
            self.boot(name)

    @property
    def now(self) -> float:
        return self.n * TICK_S

    def boot(
        self, name: str, store: Store | None = None, table: NumberTable | None = None, save_now: Any = None
    ) -> Robot:
        """Switch a robot on, afresh."""
        table, store = table or self.table, store if store is not None else MemoryStore()
        number = next(member.number for member in table.team if member.name == name)
        phase = Stream(1, name, f"phase-{self.n}")
        memory = store.load("radio")
        radio = OpenRadio(table, number, Keys((KEY,)), TEAM, MockModem(self.channel, number), phase, memory, None)
        mind = made_mind(number, every=2, table=table)
        robot = self.robots[name] = Robot(name, mind, FakeBoard(), radio, Faults(), self.log, store)
        robot.begin(self.now, save_now)
        return robot

    def orders(self, *orders: Order) -> Field:
        """The same to all."""
        for robot in self.robots.values():
            robot.orders.extend(orders)
        return self

    def started(self, seconds: float = 1.0) -> Field:
        return self.orders(START, RUN).run(seconds)

    def run(self, seconds: float) -> Field:
        for _ in range(round(seconds / TICK_S)):
            self.n += 1
            for robot in sorted(self.robots.values(), key=lambda robot: robot.mind.beliefs.me):
                robot.step(self.now, self.n)
        return self


def board_of(robot: Robot) -> FakeBoard:
    return robot.board  # type: ignore[return-value]


def behaviors_of(mind: Mind) -> FakeBehaviors:
    return mind._behaviors  # type: ignore[return-value]


def coordinator_of(mind: Mind) -> FakeCoordinator:
    return mind._coordinator  # type: ignore[return-value]


def faults_of(robot: Robot) -> list[str]:
    return [fault.name for fault in robot.faults.open()]


def fact(name: str, *value: float, since: float = 0.0) -> Fact:
    return Fact(name, value, since)


def wheels(field: Field) -> dict[str, tuple[float, float]]:
    """The wheel speeds of each robot's board as last commanded."""
    return {name: board_of(robot).wheels for name, robot in field.robots.items()}

"""What behaviors are made of: their percepts, their outputs on channels, wires, and behavior sets."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.senses import Capabilities, Pose, Range, Senses
from robotd.model.tasks import Feedback, Task
from robotd.model.value import value

FAR = math.inf
AHEAD, SLANT, DIAGONAL, SIDE = (math.radians(d) for d in (7.0, 30.0, 67.0, 113.0))  # upper ends of sectors
REAR = math.radians(150.0)
SECTORS = ((AHEAD, "ahead", "ahead"), (SLANT, "ahead_left", "ahead_right"),
           (DIAGONAL, "left_diagonal", "right_diagonal"), (SIDE, "left", "right"))  # fmt: skip
CHANNELS = ("drive", "gripper", "lift", "sound")
BELOW = "*"  # as a wire's target: everything below its source
S = TypeVar("S")
C = TypeVar("C")
B = TypeVar("B", bound="Behavior[Any]")


@dataclass(slots=True)
class Eyes:
    """The nearest thing in each sector, m from the hull; `inf`: nothing near, or no such sensor."""

    ahead: float = FAR
    ahead_left: float = FAR  # 7 to 30 degrees
    ahead_right: float = FAR
    left_diagonal: float = FAR  # 30 to 67 degrees
    right_diagonal: float = FAR
    left: float = FAR  # 67 to 113 degrees
    right: float = FAR
    rear: float = FAR  # beyond 150 degrees, either side

    @property
    def front(self) -> float:
        """The nearest of all that look ahead, within 30 degrees."""
        return min(self.ahead, self.ahead_left, self.ahead_right)


def by_sector(ranges: Sequence[Range]) -> Eyes:
    eyes = Eyes()
    for one in ranges:
        distance, off = one.distance, abs(one.bearing)
        if distance is None:
            continue
        for end, left, right in SECTORS:
            if off <= end:
                sector = left if one.bearing > 0.0 else right
                break
        else:
            if off < REAR:
                continue
            sector = "rear"
        if distance < getattr(eyes, sector):
            setattr(eyes, sector, distance)
    return eyes


@value
class Drive:
    """Wanted motion: forward speed as a share of the body's greatest, turn rate in rad/s (left is positive)."""

    speed: float
    turn: float


@dataclass(slots=True)
class Percept:
    """What behaviors are given: one tick's senses, the pose steadied with odometry, what is wanted from below."""

    now: float
    n: int
    senses: Senses
    capabilities: Capabilities
    pose: Pose | None  # of the robot's centre; None until positioned once
    eyes: Eyes  # the proximity readings by sector
    wanted: Drive | None = None  # the drive channel as all behaviors below this one leave it
    handled: bool = False  # one of them drives the gripper or the lift
    tasks: tuple[str, ...] = ()  # of the active sets, root first: a set sees what those below its own task work on


@dataclass(slots=True)
class Out:
    """What one behavior puts on the channels in one tick; None leaves a channel to those below.

    `lines` names further lines that it raises, for wires alone. `facts` are asserted, `subtasks` wanted. `tool`
    is the resource that shall run; no wire leads to it, and of several the highest behavior's runs.
    """

    drive: Drive | None = None
    gripper: float | None = None  # opening wanted, 0 closed to 1 open
    lift: float | None = None  # 0 down to 1 up
    sound: int | None = None  # tune to play
    lines: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    subtasks: tuple[Task, ...] = ()
    tool: str | None = None


@value
class Wire:
    """From a behavior's `line` (a channel or a line of its own) to the `channel` of `target`.

    suppress: while the source puts something on the line, and `hold_s` longer, it takes the target's place on
    the channel. inhibit: for as long, the target's output there is blank. `target` is a behavior or BELOW.
    """

    kind: Literal["suppress", "inhibit"]
    line: str
    target: str
    channel: str
    hold_s: float = 0.0


class Settings(BaseModel):
    """A behavior's own table in the mission file: every key known, with unit, range, default and meaning.

    A key that names a task or a fact of the mission says so by `setting(names=TASK)`, or `names=fact(KIND)`; then
    a name that the mission does not have is a fault of the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


def setting(default: Any, meaning: str, names: JsonDict | None = None, **limits: Any) -> Any:
    """A key of `Settings`: its default (`...`: required), its meaning, what it names, its limits as in `Field`."""
    return Field(default, description=meaning, json_schema_extra=names, **limits)


TASK: JsonDict = {"names": "task"}
"""Of a key of `Settings`: it names a task of the mission, or several."""


def fact(kind: str) -> JsonDict:
    """Of a key of `Settings`: it names a fact of this kind, or several."""
    return {"names": "fact", "kind": kind}


@dataclass(slots=True)
class Nothing:
    """The state of a behavior that remembers nothing."""


class BehaviorPlugin(Protocol):
    """What the class of a behavior plug-in declares: of a layer (a `Behavior`) or of a set (a `BehaviorSet`).

    `Settings` is the model of its table in the mission file, and it is constructed from one. `needs` names the
    resources without which it cannot work, `args` the arguments that it reads of its task, each with the values
    that it knows (none: any will do).
    """

    Settings: ClassVar[type[BaseModel]] = Settings
    needs: tuple[str, ...] = ()
    args: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Behavior(BehaviorPlugin, Generic[S]):
    """A small behavior. `state` is a dataclass of plain values with a default each: all that it remembers."""

    name: str = ""
    wires: tuple[Wire, ...] = ()

    def __init__(self, state: S) -> None:
        self.state = state

    def enter(self, now: float, task: Task | None) -> None:
        """Its set becomes active (layers: the run opens)."""

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        raise NotImplementedError

    def leave(self, now: float, why: str) -> None:
        """Its set hibernates."""


@dataclass(slots=True)
class OnTask:
    """The state of a `Part` that needs to know the task that its set is on; '' in layers and before the first."""

    task: str = ""


class Part(Behavior[S], Generic[S, C]):
    """A behavior made with its `settings`, or with its set, whose state is `initial` again at each `enter`."""

    initial: type[S]

    def __init__(self, settings: C) -> None:
        super().__init__(self.initial())
        self.settings = settings

    def enter(self, now: float, task: Task | None) -> None:
        self.state = self.initial()
        if isinstance(self.state, OnTask) and task is not None:
            self.state.task = task.id


class BehaviorSet(BehaviorPlugin, Generic[S]):
    """A named group of behaviors, wholly active or hibernating, lowest first, on one task at a time.

    `memory` is what its behaviors share and what outlives a hibernation, within one run: a dataclass of plain
    values with a default each.
    """

    behaviors: tuple[Behavior[Any], ...] = ()

    def __init__(self, memory: S) -> None:
        self.memory = memory

    def lacking(self, i: Percept) -> tuple[str, ...]:
        """The resources that it needs now and that are not there."""
        return i.capabilities.lacking(self.needs)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """How it judges `task` now; `done` counts only while it is active on the task."""
        raise NotImplementedError

    def enter(self, now: float, task: Task) -> None:
        """It becomes active on `task`."""
        for behavior in self.behaviors:
            behavior.enter(now, task)

    def leave(self, now: float, why: str) -> None:
        """It hibernates."""
        for behavior in self.behaviors:
            behavior.leave(now, why)


class SingleSet(BehaviorSet[Nothing], Generic[B]):
    """A set of one behavior, `one`, made with the set's settings."""

    behavior: type[B]

    def __init__(self, settings: Any) -> None:
        super().__init__(Nothing())
        self.one = self._make(settings)
        self.behaviors = (self.one,)

    def _make(self, settings: Any) -> B:
        return self.behavior(settings)


def complete(beliefs: Beliefs, task: str) -> tuple[Fact, ...]:
    """What is asserted when a task of the mission is done: its completion, once more where it is a count."""
    entry = beliefs.table.task_entries.get(task)
    if entry is None or not entry.completion:
        return ()
    kind = beliefs.table.fact(entry.completion).kind
    return (Fact(entry.completion, (beliefs.count(entry.completion) + 1.0,) if kind == "count" else ()),)

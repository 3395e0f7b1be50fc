"""What a coordinator decides, and why; and what one tick of a robot decided, as people and logs are given it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NamedTuple, Protocol

from robotd.model.beliefs import Beliefs
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs
from robotd.model.plain import OMIT_DEFAULT, Json
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task
from robotd.model.value import value


@value
class Level:
    """What a coordinator makes of one behavior set: its own scores by name, and why they are so, in words.

    Each score lies between 0 and `limit`. ALLIANCE has impatience, motivation and acquiescence, an auction bids.
    """

    set: str
    scores: Mapping[str, float]
    limit: float
    why: str


@value
class Event:
    """Something that a coordinator did: activated, reset, yielded, gave-up, suspended, resumed, done, ...

    `cause` in words for people, `data` the same for programs, as far as a coordinator hands it out.
    """

    kind: str
    set: str
    task: str
    cause: str
    data: Mapping[str, Any] = field(default_factory=dict, metadata=OMIT_DEFAULT)


@value
class Job:
    """A task that was introduced at run time, as its introducer reports it.

    `state` is the coordinator's word for it (waiting, announced, awarded, refused, done, ...), `who` the number of
    the robot that works on it (0: none), `why` the reason for the state in words.
    """

    task: Task
    state: str
    who: int = 0
    why: str = ""


@value
class Choice:
    """Who acts: `run` from root to leaf (empty: idle), the task held while interrupted, and what to state.

    `facts` are asserted at once, before the behaviors act; `jobs` are the tasks that this robot introduced.
    """

    run: tuple[Assignment, ...] = ()
    held: Task | None = None
    statements: tuple[Statement, ...] = ()
    events: tuple[Event, ...] = ()
    levels: tuple[Level, ...] = ()
    finished: tuple[Task, ...] = ()
    facts: tuple[Fact, ...] = field(default=(), metadata=OMIT_DEFAULT)
    jobs: tuple[Job, ...] = field(default=(), metadata=OMIT_DEFAULT)


@value
class State:
    """A word, why, and what a person can do about it ('' nothing needs doing)."""

    word: str
    reason: str
    next_step: str
    may_move: bool


@value
class Decision:
    """What one tick decided.

    `choice` is None between decisions; `wanted` is within the body's limits, and still if the robot is stopped;
    `state` is as people see it; `condition`: the one that holds, in words.
    """

    choice: Choice | None
    acted: ActionResult
    wanted: Command
    beliefs: Beliefs
    state: State
    condition: str = ""


Assess = Callable[[Inputs, Beliefs, str, Task], Feedback]
"""How a behavior set of this robot (by name) judges a task now."""


@value
class MissionTerms:
    """What a coordinator's `check(settings, terms)` may hold its settings against.

    `tasks` and `robots`: its own settings by name (None where it declares no TaskSettings or RobotSettings);
    `sets`: the task and its own settings by behavior set. `inside`: another coordinator gives it these tasks.
    `unique`: those inside it of which a robot may have one open at once, as they have own facts. `check` gives
    (path, message, expected) of each fault; a path begins ("parameters", KEY), ("tasks", TASK, KEY), ("sets", SET,
    KEY) or ("robots", ROBOT, KEY).
    """

    table: NumberTable
    tasks: Mapping[str, Any]
    sets: Mapping[str, tuple[str, Any]]
    robots: Mapping[str, Any]
    inside: bool = False
    unique: frozenset[str] = frozenset()


class Coordinator(Protocol):
    """Decides which behavior set may act. Pure: the same inputs in the same order give the same choices."""

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """Start afresh for robot number `me`: nothing heard, nothing active, all levels 0."""

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """One decision, on what was received and sent since the last."""

    def freeze(self) -> Json:
        """The whole state."""

    def thaw(self, state: Json) -> None:
        """Take up a frozen state."""


INSTANCES = range(1, 16)  # of coordinators inside another; 0 is the outermost
Make = Callable[[str, Mapping[str, Any], Sequence[tuple[str, str, Any]], int], Coordinator]
"""Makes a coordinator inside another, not begun: the plug-in's name, its parameters, (set, task, table of its
motivation; None: that of the mission) of each set that it may choose, and its instance, 1 to 15. ValueError where
it cannot be."""


class Nested(NamedTuple):
    """A table of a plug-in inside a coordinator's parameters: its path there, the plug-in, the table itself, which
    of the plug-in's models it must fit, and tasks.

    `tasks` of `Settings`: those that it may be given; without any it is not used. Of `SetSettings`: the behavior
    sets on these have, in place of the table, their own in the mission file. None: not known.
    """

    path: tuple[str | int, ...]
    plugin: str
    table: Mapping[str, Any]
    model: Literal["Settings", "SetSettings"] = "Settings"
    tasks: tuple[str, ...] | None = None

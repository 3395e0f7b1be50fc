"""What one robot remembers of the plan, all of which is frozen. Times: own clock, s."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from motivation.bite.words import LISTENS, Ballot, Path, Step
from robotd.model.plain import OMIT_DEFAULT

NEVER = -1.0


@dataclass(slots=True)
class Winner:
    """What follows a behavior: `choice` counts its successors from 1, 0 is the end of the chain.

    `sent`: when the announcement left (NEVER: not yet), `at`: the common start once it is known.
    """

    point: int
    occurrence: int
    choice: int
    by: int
    sent: float = NEVER
    at: float = NEVER


@dataclass(slots=True)
class Allotment:
    """An allocation that is open: `child` counts the children of its parent from 1, 0 is none for this robot.

    `done`: the children whose chains have ended, as bits. `settled`: it has been made once. `who`: the child of
    each robot, as far as the protocol knows it. `memory`: what the protocol keeps. `set`: the behavior set that a
    coordinator inside chose for the child.
    """

    child: int = 0
    done: int = 0
    settled: bool = False
    who: Mapping[int, int] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    set: str = field(default="", metadata=OMIT_DEFAULT)


@dataclass(slots=True)
class Level:
    """A behavior on the stack, by number; since when; the memory of the interaction at its end, and the allocation
    of its children."""

    node: int
    occurrence: int
    since: float
    memory: dict[str, float] = field(default_factory=dict)
    allotment: Allotment = field(default_factory=Allotment)

    @property
    def step(self) -> Step:
        return Step(self.node, self.occurrence)


@dataclass(slots=True)
class Seen:
    """A teammate as last received: its path, and its ballots with the time of each by what and point."""

    at: float
    path: Path
    ballots: dict[str, tuple[float, Ballot]] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """A robot's stack G with what belongs to it."""

    began: float = 0.0
    stack: tuple[Level, ...] = ()
    phase: int = LISTENS
    phase_since: float = 0.0
    phase_sent: float = NEVER
    winner: Winner | None = None
    seen: dict[int, Seen] = field(default_factory=dict)
    left: dict[str, Ballot] = field(default_factory=dict)  # own ballots as they last left, by what and point
    resumed: tuple[Level, ...] = ()  # the stack of a former life, taken up where no teammate shows another
    gives_way: bool = field(default=False, metadata=OMIT_DEFAULT)  # the next frame is for facts alone
    version: int = 0

    @property
    def path(self) -> Path:
        return Path(tuple(level.step for level in self.stack), self.phase)


def shifted(state: State, by: float) -> State:
    """What of a state outlives its process, on a clock that is `by` seconds ahead: the stack and what was done."""
    stack = tuple(
        Level(one.node, one.occurrence, one.since + by, allotment=Allotment(done=one.allotment.done))
        for one in state.stack or state.resumed
    )
    return State(began=state.began + by, resumed=stack, version=state.version)

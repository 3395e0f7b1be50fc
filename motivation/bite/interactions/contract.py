"""What an interaction behavior is: a protocol's class, and the point at which it is asked (paper 004, set O)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motivation.bite.graph import Node
from motivation.bite.settings import InteractionSettings
from motivation.bite.words import MOST_CHOICES, PAGE, WINNER

CHOICE_BITS = 8  # of the value of a winner; above them what is left until the start, in `PARTS` of a beat
PARTS = 100.0


@dataclass(frozen=True)
class Point:
    """A behavior at whose end, or below which, robots interact, as this robot `me` knows it in one decision.

    `team`: the robots present that share it, by number, `me` among them. `choices`: how many successors or
    children it has, numbered from 1; `enabled` of these as bits. `memory` lasts while the robot is at the point.
    `state` states a value of 24 bits until the next decision; `receive(what)` has the last of each teammate.
    `behind`: teammates that have not ended the behavior. `sent`: a frame has stated that this robot has. Of an
    allocation: `fitness` of this robot for a child, the `children`, those `done` as bits, `on` which child each
    robot is. `everybody`: the numbers of the whole team. `left(what)`: the value that last left. `inside` asks a
    coordinator inside for the child of this robot.
    """

    me: int
    node: Node
    occurrence: int
    team: Sequence[int]
    now: float
    beat_s: float
    since: float
    memory: dict[str, float]
    choices: int
    enabled: int
    state: Callable[[int, int], None]
    receive: Callable[[int], Mapping[int, int]]
    behind: Sequence[int] = ()
    sent: bool = True
    fitness: Callable[[int], float] = field(default=lambda child: 1.0)
    children: Sequence[Node] = ()
    done: int = 0
    on: Mapping[int, int] = field(default_factory=dict)
    everybody: Sequence[int] = ()
    left: Callable[[int], int | None] = field(default=lambda what: None)
    inside: Callable[[InteractionSettings], int] = field(default=lambda settings: 0)

    @property
    def first_enabled(self) -> int:
        """The first successor in the order of the file that is enabled; 0: none."""
        return (self.enabled & -self.enabled).bit_length()

    def inner(self, choices: int) -> "Point":
        """The point at which an interaction behavior uses another; its ballots are pages of their own."""
        return replace(
            self, choices=choices, enabled=(1 << choices) - 1, memory=self.memory,
            state=lambda what, value: self.state(what + PAGE, value),
            receive=lambda what: self.receive(what + PAGE),
        )  # fmt: skip


class Interaction:
    """A protocol with its settings. `uses`: the interaction behaviors that it asks; `talks`: by messages."""

    talks = True
    is_alone = False
    steps: tuple[str, ...] = ()  # what it does one after the other, for a picture of it
    most_children = MOST_CHOICES

    def __init__(self, settings: InteractionSettings, library: "Mapping[str, Interaction]") -> None:
        self.settings, self.library = settings, library
        self.uses: tuple[str, ...] = (settings.teller,) if settings.teller else ()

    def faults(self) -> Iterable[tuple[str, str, str]]:
        """What is wrong with its settings: key, message, what was expected."""
        return ()

    def window_s(self, point: Point) -> float:
        """After how long robots that do not answer are passed over, s."""
        return self.settings.window_beats * point.beat_s


class Decide(Interaction):
    """Chooses among successors so that all robots take the same (synchronised selection)."""

    def decide(self, point: Point) -> int | None:
        """The successor, from 1; 0 for none, so that the chain ends; None while it is not known here.

        Where it `talks`, the first that knows it announces it, and all begin together.
        """
        raise NotImplementedError

    def ask(self, point: Point) -> int | None:
        """The choice as the announcement of a teammate or the protocol has it, for use inside another."""
        for _, value in sorted(point.receive(WINNER).items()):
            return value & (1 << CHOICE_BITS) - 1
        found = self.decide(point)
        if found is not None and self.talks:
            point.state(WINNER, found)
        return found


@dataclass(frozen=True, slots=True)
class Shares:
    """`child` of this robot, from 1 (0: none, a reserve); `who`: the child of each robot, as far as known."""

    child: int
    who: Mapping[int, int]


class Allocate(Interaction):
    """Divides a sub-team over the children of a behavior; it is asked in each decision while that is executed."""

    repeats = False  # a robot whose chain has ended gets another child

    def allocate(self, point: Point) -> Shares | None:
        """Who does what; None while it is not known here."""
        raise NotImplementedError


class Terminate(Interaction):
    """Ends a behavior together with the robots that execute it (synchronised termination)."""

    reallocates = False  # at the end of a chain: the robot may get another child of the same parent

    def may_leave(self, point: Point) -> bool:
        """Whether a robot whose behavior has ended goes on to what follows."""
        raise NotImplementedError


KINDS_OF: dict[str, type[Interaction]] = {"decide": Decide, "allocate": Allocate, "terminate": Terminate}

"""What the behaviors of move-spill share: the phase, where they search, and what they know of the object."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from behaviors.cleanup.move_spill.settings import SpillSettings
from behaviors.cleanup.room import Room, known_room
from behaviors.parts import BehaviorSet, Part, Percept, S, Wire
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact

GO, SCAN, ZERO_IN, GRASP, CARRY, RELEASE = "go", "scan", "zero-in", "grasp", "carry", "release"
BACK_OFF = "back-off"  # between a miss and the next look
PICKING = (
    Wire("inhibit", "picking", "avoid-obstacles", "drive", hold_s=0.3),
    Wire("inhibit", "picking", "bump-escape", "drive", hold_s=0.3),
)
PUTTING = (Wire("inhibit", "putting", "avoid-obstacles", "drive", hold_s=0.3),)
CLOSED, OPEN, DOWN, UP = 0.0, 1.0, 0.0, 1.0
NEAR_M = 0.3  # places nearer to each other than this are the same: a puck's size and the steadied position's error
MOST_REJECTED = 8
MOST_TRIES = 5
LIFTED = 0.4  # lift from which nothing on the floor can come between the fingers: turning is safe
LET_GO = 0.6  # opening from which fingers hold nothing, on the way to open
GRIPPED = 0.2  # opening: fingers that close farther than this hold nothing


@dataclass(slots=True)
class Spill:
    """The memory of one spill. Places in room coordinates, m."""

    side: str = ""
    phase: str = GO
    since: float = 0.0  # of the phase, s
    search_x: float | None = None  # where to search first: where an object was last found or lost
    search_y: float = 0.0
    view: int = -1  # the place that it goes to, to look from; -1: none yet, begin with the nearest
    view_x: float = 0.0
    view_y: float = 0.0
    looking: bool = True  # in the scan phase: looks round, else on a leg
    counts: bool = False  # the present look is one of those that the area needs
    tried: int = 0  # places gone to since an object was last found: bit k is of place k
    missed: int = 0  # those of them that it could not come near
    again: bool = False  # it has gone once more to those
    sweep: int = 0  # whole searches in vain, one after the other
    x: float = 0.0  # the object that it goes for
    y: float = 0.0
    shift: float = 0.0  # m to the left of its middle: where to grip it, off a neighbor
    tries: int = 0  # that went wrong, one after the other
    delivered: int = 0
    concluded: bool = False
    rejected: tuple[tuple[float, float, float], ...] = ()  # x, y, until when

    def begin(self, phase: str, now: float) -> None:
        self.phase, self.since = phase, now

    def forget_search(self) -> None:
        """An object was found: the search of the area begins anew."""
        self.view, self.sweep = -1, 0
        self.new_sweep()

    def new_sweep(self) -> None:
        """Nothing of the area has been looked at."""
        self.tried, self.missed, self.again = 0, 0, False

    def look(self, now: float, *, counts: bool) -> None:
        """Look round from here; `counts` where this is one of the looks that the area needs."""
        self.looking, self.counts = True, counts
        self.begin(SCAN, now)

    def miss(self, now: float, hold_s: float, *, hopeless: bool = False) -> None:
        """An attempt on the object went wrong: back off and look again; after some, leave it alone for a while."""
        self.tries += 1
        if hopeless or self.tries >= MOST_TRIES:
            self.reject(now, hold_s)
            self.tries = 0
        self.begin(BACK_OFF, now)

    def reject(self, now: float, hold_s: float) -> None:
        """Leave what is at (x, y) alone for a while, and look from here once more at the end."""
        if self.view >= 0:
            self.missed |= 1 << self.view
        fresh = tuple(r for r in self.rejected if r[2] > now)[-MOST_REJECTED + 1 :]
        self.rejected = (*fresh, (self.x, self.y, now + hold_s))

    def rejects(self, x: float, y: float, now: float) -> bool:
        """True where something was found not to be an object, lately."""
        return any(until > now and math.hypot(x - a, y - b) < NEAR_M for a, b, until in self.rejected)


def in_hand(i: Percept) -> bool:
    """True where the grip senses show that something is held: pressed between the fingers, or off the floor."""
    grip = i.senses.grip
    if grip is None or not grip.beam or not GRIPPED <= grip.opening < LET_GO:
        return False
    return grip.bump or grip.lift > 0.5


class SpillSet(BehaviorSet[Spill]):
    """The set as its behaviors see it."""

    def __init__(self, settings: SpillSettings) -> None:
        super().__init__(Spill())
        self.settings = settings
        self._facts: Mapping[str, Fact] | None = None
        self._room: Room | None = None

    def room(self, beliefs: Beliefs) -> Room | None:
        """The room that the known locations imply; worked out anew only when a fact has changed."""
        if beliefs.facts is not self._facts:
            self._facts, self._room = beliefs.facts, known_room(beliefs)
        return self._room


class SpillBehavior(Part[S, SpillSettings]):
    """A behavior of one phase; it reads and writes the set's memory."""

    def __init__(self, group: SpillSet) -> None:
        super().__init__(group.settings)
        self.group, self.room = group, group.room

    @property
    def spill(self) -> Spill:
        return self.group.memory

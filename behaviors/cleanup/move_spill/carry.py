"""Phase 5 of move-spill: carry the object to the vicinity of the goal, and into its slot there."""

from dataclasses import dataclass, field

from behaviors.cleanup.move_spill.memory import CARRY, CLOSED, LIFTED, PUTTING, RELEASE, UP, SpillBehavior
from behaviors.cleanup.move_spill.search import notices
from behaviors.cleanup.room import Room
from behaviors.parts import Drive, Out, Percept
from behaviors.steering import Trip, bearing_to, distance_to, head_for, since, steer
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose

LOST_S = 0.5  # nothing between the fingers for so long: it fell out
BEFORE_M = 0.85  # from this far before its slot it drives straight in, past objects that lie there
AT_M = 0.3  # of the place before the slot ...
NEARLY_M = 0.7  # ... or so near, where objects lie before it
AMISS_M = 0.15  # of the goal's surroundings, for what the steadied position may be amiss
TOUCH_M = 0.1  # something this near ahead at the goal: put the object down here
IN_SLOT_M = 0.1
PUSHING = 0.3  # share of the greatest speed: objects before the goal's surroundings are pushed into them
PATIENCE_S = 25.0  # in the goal's surroundings; then anywhere within them will do


@dataclass(slots=True)
class Carrying:
    """The way, whether it is on its last straight, since when its hand is empty, and it is at the goal."""

    trip: Trip = field(default_factory=Trip)
    straight: bool = False
    empty_since: float = -1.0
    near_since: float = -1.0


class Carry(SpillBehavior[Carrying]):
    """Phase 5: to the place before its slot at the goal, then straight in."""

    name = "carry"
    wires = PUTTING
    initial = Carrying

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        spill, grip, pose = self.spill, i.senses.grip, i.pose
        if spill.phase != CARRY:
            return None
        room, goal = self.room(beliefs), beliefs.place("goal")
        if grip is None or pose is None or room is None or goal is None:
            return None
        empty = self.state.empty_since = since(self.state.empty_since, i.now, holds=not grip.beam)
        if empty >= 0.0 and i.now - empty > LOST_S:
            spill.search_x, spill.search_y = pose.x, pose.y
            self.state = Carrying()
            spill.look(i.now, counts=False)
            return None
        if grip.lift < LIFTED:
            return Out(Drive(0.0, 0.0), CLOSED, UP)
        return self._way(i, pose, room, goal, beliefs.me)

    def _release(self, now: float) -> None:
        self.state = Carrying()
        self.spill.begin(RELEASE, now)

    def _way(self, i: Percept, pose: Pose, room: Room, goal: tuple[float, float], me: int) -> Out:
        state, s = self.state, self.settings
        a, b = self._slot(room, goal)
        hand = distance_to(pose, *goal) - i.capabilities.radius / 2.0  # of what it holds, m from the goal
        home = hand < s.keep_m - AMISS_M
        state.near_since = since(state.near_since, i.now, holds=home)
        impatient = home and i.now - state.near_since > PATIENCE_S
        if impatient:
            self._release(i.now)
        elif state.straight:
            return self._straight(i, pose, room.at(a, b), home=home, well_in=hand < s.deliver_m)
        x, y = room.at(a, b - BEFORE_M)
        far = distance_to(pose, x, y)
        if far < AT_M or (far < NEARLY_M and notices(i)):
            state.straight = True
        return Out(head_for(state.trip, i, x, y, s.speed, me), CLOSED, UP)

    def _slot(self, room: Room, goal: tuple[float, float]) -> tuple[float, float]:
        """Where this object is to stand: the far row first, on the spill's own side of the goal."""
        s, spill = self.settings, self.spill
        k = spill.delivered % (s.rows * s.columns)
        row, column = divmod(k, s.columns)
        a, b = room.along(*goal)
        aside = (column + 0.6) * s.slot_m
        return (a - aside if spill.side == "left" else a + aside), b + ((s.rows - 1) / 2.0 - row) * s.slot_m

    def _straight(self, i: Percept, pose: Pose, slot: tuple[float, float], home: bool, well_in: bool) -> Out:
        s, eyes = self.settings, i.eyes
        hand = 0.5 * i.capabilities.radius
        far = distance_to(pose, *slot) - hand
        bearing = bearing_to(pose, *slot)
        blocked = eyes.front < TOUCH_M
        if far < IN_SLOT_M or abs(bearing) > 1.3 or (blocked and well_in):
            if home:
                self._release(i.now)
            else:
                self.state = Carrying()
            return Out(Drive(0.0, 0.0), CLOSED, UP)
        return Out(steer(bearing, PUSHING if blocked else 0.5 * s.speed), CLOSED, UP, lines=("putting",))

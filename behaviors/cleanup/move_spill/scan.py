"""Phase 2 of move-spill, at the end of each leg: look round on the spot for an object.

The sensors ahead see objects, walls and robots, the others look over objects: turned once round, what only the
former see is an object, be it close to a wall.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

from behaviors.cleanup.move_spill.memory import CLOSED, LIFTED, SCAN, UP, ZERO_IN, SpillBehavior
from behaviors.cleanup.room import Room
from behaviors.parts import Drive, Out, Percept
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose

BINS = 72  # of five degrees: an object half a metre off covers two
BIN = 2.0 * math.pi / BINS
NOTHING = 9.0  # m: nothing seen in this bin
NO_SUMS, ALL_CLEAR = tuple([0.0] * BINS), tuple([NOTHING] * BINS)  # compiled, (0.0,) * BINS is 72 variables
OBJECT_RADIUS = 0.05  # m: it is seen from its near side
CLEARER = 0.045  # m: so much nearer than walls and robots an object must be; above 2 % of range noise on both
ALIKE_M = 0.045  # m: no farther apart, two readings are of one thing; an object at a wall is 0.1 m nearer than it
BESIDE = 2  # bins
FILLED = 0.25  # of a bin: what an object's edge leaves empty of its last bin, on the average
SEEN_RADIUS = 0.06  # m: an object's and half a beam's
HEAP = 3.0  # times half an object's angle: wider than one, so it is a heap of two or more
ORIGIN = Pose(0.0, 0.0, 0.0, 0.0)
BESIDE_M, ABREAST_M = 0.25, 0.12  # m: objects nearer than this side by side come into the gripper together
CROWDED_M = 0.3  # rather one alone so much farther off
SHIFT_M = 0.025  # half of what fits between fingers and object
ROUND = 2.0 * math.pi + 0.3  # a little more than once round: the first readings are old
SAME_S = 0.01  # readings taken so soon after each other are the same
LONGEST_S = 15.0  # something keeps it from turning
OVER_MIDDLE_M = 0.4  # of the room: an object there belongs to either half


def mount(bearing: float, radius: float) -> float:
    """How far from the centre the hull ends under a bearing, m: a box of 5 by 4 in the circle round it."""
    ahead, aside = abs(math.cos(bearing)), abs(math.sin(bearing))
    return radius * min(0.78 / max(ahead, 0.1), 0.625 / max(aside, 0.1))


@dataclass(slots=True)
class Look:
    """How far it has turned, and what it saw per bin of room directions.

    Low sensors: the nearest thing (m from the centre) and where in the bin (rad). High sensors: sums of 1/m, of
    where in the bin, their number, and the nearest; 1/distance to a wall is so smooth in the direction that bins
    interpolate.
    """

    turned: float = 0.0
    heading: float | None = None
    begun_at: float = -1.0
    read_at: float = -1.0  # when the last readings were taken
    low: tuple[float, ...] = ALL_CLEAR
    low_at: tuple[float, ...] = NO_SUMS
    high: tuple[float, ...] = NO_SUMS
    high_at: tuple[float, ...] = NO_SUMS
    high_n: tuple[int, ...] = tuple([0] * BINS)
    nearest: tuple[float, ...] = ALL_CLEAR


class LookRound(SpillBehavior[Look]):
    name = "look-round"
    initial = Look

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        spill, look, pose = self.spill, self.state, i.pose
        if spill.phase != SCAN or not spill.looking or pose is None:
            if look.heading is not None:
                self.state = Look()
            return None
        if look.heading is None:
            look.begun_at = i.now
        else:
            look.turned += wrap(pose.heading - look.heading)
        look.heading = pose.heading
        if i.senses.grip is not None and i.senses.grip.lift < LIFTED:
            return Out(Drive(0.0, 0.0), CLOSED, UP)
        self._note(i, pose)
        if abs(look.turned) > ROUND or i.now - look.begun_at > LONGEST_S:
            self._decide(i.now, pose, beliefs)
        return Out(Drive(0.0, self.settings.look_rad_s), CLOSED, UP)

    def _note(self, i: Percept, pose: Pose) -> None:
        look, low_rad = self.state, math.radians(self.settings.low_deg)
        taken = i.now - i.senses.ages.ranges
        if taken < look.read_at + SAME_S:
            return
        look.read_at = taken
        low, low_at = list(look.low), list(look.low_at)
        high, high_at, high_n = list(look.high), list(look.high_at), list(look.high_n)
        nearest = list(look.nearest)
        for one in i.senses.ranges:
            far = one.distance if one.distance is not None else one.high
            far += mount(one.bearing, i.capabilities.radius)
            bin_, at = divmod((pose.heading + one.bearing) % (2.0 * math.pi), BIN)
            k = int(bin_) % BINS
            if abs(one.bearing) >= low_rad:
                high[k], high_at[k], high_n[k] = high[k] + 1.0 / far, high_at[k] + at, high_n[k] + 1
                nearest[k] = min(nearest[k], far)
            elif one.distance is not None and far < low[k]:
                low[k], low_at[k] = far, at
        look.low, look.low_at = tuple(low), tuple(low_at)
        look.high, look.high_at, look.high_n = tuple(high), tuple(high_at), tuple(high_n)
        look.nearest = tuple(nearest)

    def _decide(self, now: float, pose: Pose, beliefs: Beliefs) -> None:
        spill, room = self.spill, self.room(beliefs)
        things = self._things()
        wanted = [
            thing
            for thing in things
            if room is not None and self._wanted(now, *place(pose, *thing), room, beliefs.place("goal"))
        ]
        self.state = Look()
        spill.looking = False
        if not wanted:
            spill.search_x = None
            return
        best = min(wanted, key=lambda thing: (thing[0] + (CROWDED_M if neighbor(thing, things) else 0.0), thing))
        beside = neighbor(best, things)
        spill.shift = 0.0 if beside is None else math.copysign(SHIFT_M, math.sin(best[1] - beside[1]))
        spill.x, spill.y = place(pose, *best)
        spill.search_x, spill.search_y = pose.x, pose.y
        spill.begin(ZERO_IN, now)

    def _things(self) -> list[tuple[float, float]]:
        """Distance (m) and room direction (rad) of all that only the low sensors saw; of a heap, its ends."""
        found = []
        for first, last in runs(self._lone()):
            far = self._far(first, last)
            if self._edge(first, last, far):
                continue
            right, left = (first + FILLED) * BIN, (last + 1 - FILLED) * BIN
            half = math.asin(SEEN_RADIUS / max(far, 2.0 * SEEN_RADIUS))
            if left - right > half * HEAP:
                middle = (first + last) // 2
                found.append((self._far(first, middle), right + half))
                found.append((self._far(middle + 1, last), left - half))
            else:
                found.append((far, (left + right) / 2.0))
        return found

    def _far(self, first: int, last: int) -> float:
        return min(self.state.low[k % BINS] for k in range(first, last + 1)) + OBJECT_RADIUS

    def _lone(self) -> list[bool]:
        look, reach = self.state, self.settings.object_seen_m + 0.2
        means = [(k * BIN + look.high_at[k] / n, look.high[k] / n) for k, n in enumerate(look.high_n) if n]
        return [
            far < reach and far + CLEARER < beyond(k * BIN + look.low_at[k], means)
            for k, far in enumerate(look.low)
        ]

    def _edge(self, first: int, last: int, far: float) -> bool:
        """True where the high sensors saw something as near right beside it: the edge of a robot or wall."""
        beside = (self.state.nearest[k % BINS] for k in range(first - BESIDE, last + 1 + BESIDE))
        return any(abs(other + OBJECT_RADIUS - far) < ALIKE_M for other in beside)

    def _wanted(self, now: float, x: float, y: float, room: Room, goal: tuple[float, float] | None) -> bool:
        a, _ = room.along(x, y)
        over = room.width / 2.0 + OVER_MIDDLE_M
        mine = a < over if self.spill.side == "left" else a > room.width - over
        home = goal is not None and math.dist(goal, (x, y)) < self.settings.keep_m
        return mine and not home and not self.spill.rejects(x, y, now)


def place(pose: Pose, far: float, direction: float) -> tuple[float, float]:
    """The place (m) that lies `far` from the robot in a direction of the room."""
    return pose.x + far * math.cos(direction), pose.y + far * math.sin(direction)


def neighbor(thing: tuple[float, float], things: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Another thing (distance, direction) so near beside this one that both could come between the fingers."""
    near = [
        (math.dist(place(ORIGIN, *thing), place(ORIGIN, *other)), other)
        for other in things
        if other != thing and abs(other[0] - thing[0]) < ABREAST_M
    ]
    gap, other = min(near, default=(NOTHING, thing))
    return other if gap < BESIDE_M else None


def beyond(angle: float, means: Sequence[tuple[float, float]]) -> float:
    """How far walls and robots are in a direction (m): 1/m interpolated between `means` (rad ascending, 1/m)."""
    if not means:
        return NOTHING
    after = bisect.bisect_left(means, (angle, 0.0))
    one, other = means[after - 1], means[after % len(means)]
    gap = (other[0] - one[0]) % (2.0 * math.pi)
    share = (angle - one[0]) % (2.0 * math.pi) / gap if gap > 0.0 else 0.0
    return 1.0 / (one[1] + share * (other[1] - one[1]))


def runs(marks: Sequence[bool]) -> list[tuple[int, int]]:
    """First and last index of each run of marks on a ring; a run over the seam has last >= len(marks)."""
    size = len(marks)
    if all(marks):
        return [(0, size - 1)] if size else []
    starts = [k for k in range(size) if marks[k] and not marks[k - 1]]
    found = []
    for first in starts:
        last = first
        while marks[(last + 1) % size]:
            last += 1
        found.append((first, last))
    return found

"""Phase 3 of move-spill: zero in on an object, so that it comes between the fingers."""

import math
from dataclasses import dataclass

from behaviors.cleanup.move_spill.memory import DOWN, GRASP, OPEN, PICKING, ZERO_IN, SpillBehavior
from behaviors.cleanup.move_spill.scan import OBJECT_RADIUS, mount
from behaviors.parts import SLANT, Drive, Out, Percept
from behaviors.steering import bearing_to, clip, distance_to, place_at, since, steer, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose

ALIGNED = 0.07  # rad: 2 cm at the distance where it drives straight in; 5 cm fit between fingers and object
STRAIGHT_M = 0.3  # from centre to centre: nearer, it drives straight on, for turning would knock the object away
NEAR_ENOUGH = 0.16  # m: a reading this near to what is expected is the object
LEFT = math.radians(15.0)  # where the sensors beside the middle look
OFF = 0.1  # rad: so much farther than its edge the object may be from where it is expected
CLOSE_S = 3.5  # of turning to it when near; then it drives on
UNSEEN_S = 2.0  # gone for so long: not there any more
THROUGH_M = 0.3  # of driving straight without breaking the beam
LONGEST_S = 25.0  # for all of it


@dataclass(slots=True)
class Zeroing:
    """Where it began to drive straight in, and since when it is close, and the object is unseen."""

    begun: bool = False
    straight: bool = False
    close_since: float = -1.0
    from_x: float = 0.0
    from_y: float = 0.0
    unseen_since: float = -1.0


class ZeroIn(SpillBehavior[Zeroing]):
    """Phase 3: gripper down and open, turn to the object, drive on until it breaks the beam."""

    name = "zero-in"
    wires = PICKING
    initial = Zeroing

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        spill, grip, pose = self.spill, i.senses.grip, i.pose
        if spill.phase != ZERO_IN or grip is None or pose is None:
            self.state.begun = False
            return None
        if not self.state.begun:
            self.state = Zeroing(begun=True)
        ready = grip.lift < 0.1 and grip.opening > 0.9
        if grip.beam and grip.lift < 0.1:
            spill.begin(GRASP, i.now)
            return self._out(Drive(0.3 * self.settings.slow, 0.0))
        if self._has_failed(i, pose):
            self._miss(i)
            return self._out(Drive(0.0, 0.0))
        return self._out(self._approach(i, pose, ready))

    @staticmethod
    def _out(drive: Drive) -> Out:
        return Out(drive, OPEN, DOWN, lines=("picking",))

    def _approach(self, i: Percept, pose: Pose, ready: bool) -> Drive:
        state, spill, slow = self.state, self.spill, self.settings.slow
        if state.straight:
            return Drive(0.7 * slow, 0.0)
        far = distance_to(pose, spill.x, spill.y)
        bearing = bearing_to(pose, spill.x, spill.y)
        if abs(bearing) < 0.45:
            bearing, far = self._seen(i, pose, bearing, far)
        bearing += math.atan2(spill.shift, far)
        if far < STRAIGHT_M - 0.05 and abs(bearing) > 3.0 * ALIGNED:
            return Drive(-0.5 * slow, 0.0)  # too near to turn to it
        close = far < STRAIGHT_M + 0.1
        if not close or state.close_since < 0.0:
            state.close_since = i.now
        late = i.now - state.close_since > CLOSE_S
        if close and not (ready and (late or abs(bearing) < ALIGNED)):
            return Drive(0.0, turn_to(bearing))
        if far < STRAIGHT_M or (close and late):
            state.straight, state.from_x, state.from_y = True, pose.x, pose.y
        drive = steer(bearing, slow if far < STRAIGHT_M + 0.15 else 1.5 * slow)
        return Drive(drive.speed if abs(bearing) < 0.3 else 0.0, drive.turn)

    def _seen(self, i: Percept, pose: Pose, bearing: float, far: float) -> tuple[float, float]:
        """Bearing and distance of the object corrected by which of the sensors ahead see it."""
        state, spill, eyes = self.state, self.spill, i.eyes
        edge = far - OBJECT_RADIUS - mount(0.0, i.capabilities.radius)
        half = math.atan2(OBJECT_RADIUS, far)
        hits = [
            (abs(sight - bearing), sight, distance)
            for sight, distance in ((0.0, eyes.ahead), (LEFT, eyes.ahead_left), (-LEFT, eyes.ahead_right))
            if abs(distance - max(edge, 0.04)) < NEAR_ENOUGH and abs(sight - bearing) < half + OFF
        ]
        if not hits:
            expected = abs(bearing) < 0.12 and edge < self.settings.object_seen_m - 0.1
            state.unseen_since = since(state.unseen_since, i.now, holds=expected)
            return bearing, far
        _, sight, distance = min(hits)
        state.unseen_since = -1.0
        bearing = min(max(bearing, sight - half), sight + half)
        far += 0.3 * clip(distance + OBJECT_RADIUS + mount(sight, i.capabilities.radius) - far, 0.1)
        spill.x, spill.y = place_at(pose, bearing, far)
        return bearing, far

    def _has_failed(self, i: Percept, pose: Pose) -> bool:
        state = self.state
        through = state.straight and math.hypot(pose.x - state.from_x, pose.y - state.from_y) > THROUGH_M
        unseen = state.unseen_since >= 0.0 and i.now - state.unseen_since > UNSEEN_S
        bumped = any(bump.pressed for bump in i.senses.bumps)
        stalled = state.straight and i.senses.stalled
        wide = not state.straight and is_wide(i)
        return through or unseen or bumped or stalled or wide or i.now - self.spill.since > LONGEST_S

    def _miss(self, i: Percept) -> None:
        """Back off and look again; after some misses, or where something bumped, leave it alone for a while."""
        bumped = any(bump.pressed for bump in i.senses.bumps)
        self.spill.miss(i.now, self.settings.reject_s, hopeless=bumped or is_wide(i))


def is_wide(i: Percept) -> bool:
    """True where all three sensors ahead see one thing near by: no object is as wide as that.

    One that reads the least that it can may have anything before it, however near and narrow.
    """
    seen = i.eyes.ahead, i.eyes.ahead_left, i.eyes.ahead_right
    near, far = min(seen), max(seen)
    if not (0.12 < near < 0.3 and far - near < 0.08):
        return False
    return near > max(one.low for one in i.senses.ranges if abs(one.bearing) <= SLANT)

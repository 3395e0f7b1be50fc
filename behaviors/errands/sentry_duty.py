"""Go to a marked place, turn about, stay there and watch for motion (paper 002, section VI-B.1).

The simulated laser measures the faces of a box alone, so that motion is what changes of its sights and of the ring
of proximity sensors while the robot rests.
"""

import math
from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.errands.seeking import find
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import Trip, distance_to, head_for, place_at, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.tasks import Feedback, Task

FACED = 0.15  # rad: nearer than this it does not turn
SETTLE_S = 2.0  # after it stopped, before it watches
MOVED_M = 0.1  # a range that changes by so much is motion: above the noise of the ring
AGAIN_S = 60.0  # an intruder that stays is not reported again sooner
Ranges = tuple[float, ...]


@dataclass(slots=True)
class Posting:
    """The way to the place, `about` the heading to watch in (rad), and what was measured there since `since`."""

    mark: str = ""
    x: float = 0.0
    y: float = 0.0
    trip: Trip = field(default_factory=Trip)
    there: bool = False
    about: float = 0.0
    since: float = -1.0
    ranges: Ranges = ()
    alarm_at: float = -1000.0
    alarms: int = 0


class KeepWatch(Part[Posting, "SentryDuty.Settings"]):
    """Drives to the mark, turns its back on the way it came, rests and watches."""

    name = "keep-watch"
    initial = Posting

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        if task is not None:
            self.state.mark, (self.state.x, self.state.y) = task.arg("mark"), task.place

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s, pose = self.state, self.settings, i.pose
        if pose is None or i.senses.lifted:
            return None
        seen = find(i, "mark", state.mark)
        if not state.there:
            if seen is not None and seen.range is not None:
                near = seen.range
                if near > s.near_m:
                    state.x, state.y = place_at(pose, seen.bearing, near)
            else:
                near = distance_to(pose, state.x, state.y)
            if near > s.near_m:
                return Out(head_for(state.trip, i, state.x, state.y, s.speed, beliefs.me))
            state.there, state.about = True, wrap(pose.heading + math.pi)
        error = wrap(state.about - pose.heading)
        if state.since < 0.0 and abs(error) > FACED:
            return Out(Drive(0.0, turn_to(error)))
        return self._watch(i, beliefs)

    def _watch(self, i: Percept, beliefs: Beliefs) -> Out:
        """At rest; what moves near it raises the alarm."""
        state, s = self.state, self.settings
        if state.since < 0.0:
            state.since = i.now
        now = measure(i)
        if i.now - state.since < SETTLE_S or len(now) != len(state.ranges):
            state.ranges = now
            return Out(Drive(0.0, 0.0))
        moved = any(abs(one - other) > MOVED_M for one, other in zip(now, state.ranges, strict=True))
        if not moved or i.now - state.alarm_at < AGAIN_S:
            return Out(Drive(0.0, 0.0))
        state.alarm_at, state.ranges = i.now, now
        state.alarms += 1
        facts = (Fact(s.alarm, (beliefs.count(s.alarm) + 1.0,)),) if s.alarm else ()
        return Out(Drive(0.0, 0.0), sound=s.tune, lines=("alarm",), facts=facts)


def measure(i: Percept) -> Ranges:
    """What the ring and the laser measure; a ray that meets nothing counts as its reach, m."""
    ring = tuple(one.high if one.distance is None else one.distance for one in i.senses.ranges)
    return (*ring, *(sight.range or 0.0 for sight in i.senses.sights if sight.kind == "face"))


class SentryDuty(SingleSet[KeepWatch]):
    """The behavior set; its fitness is how near the robot is to the place."""

    behavior = KeepWatch

    class Settings(parts.Settings):
        range_m: float = parts.setting(14.0, "the distance at which the fitness is 0, m", gt=0, le=200)
        near_m: float = parts.setting(0.5, "so near to the mark it is there, m", gt=0.2, le=5)
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)
        alarm: str = parts.setting("", "the fact that counts alarms", names=parts.fact("count"))
        tune: int = parts.setting(1, "tune that it plays at an alarm", ge=0, le=15)

    needs = ("camera", "laser", "mobile", "positioning")
    args = MappingProxyType({"mark": (), "x": (), "y": ()})

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        if i.pose is None:
            return Feedback(applicable=False, why="its pose is not known")
        far = distance_to(i.pose, *task.place)
        return Feedback(applicable=True, fitness=max(0.0, 1.0 - far / self.one.settings.range_m))

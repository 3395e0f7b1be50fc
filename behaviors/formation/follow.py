"""Follow a teammate at a place left behind, right behind or straight behind it (paper 004, Experiments)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from behaviors import parts
from behaviors.formation.sighting import Placed, Spot, course, judge, teammates_seen, way_m, who_is_on
from behaviors.parts import TASK, Drive, Out, Part, Percept, SingleSet
from behaviors.steering import clip, since, steer, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

GAIN = 5.0  # share of the greatest speed for each metre off its place
THERE_M = 0.06  # so near to its place it only turns to the course
ASIDE_M = 0.15  # before its place, and no farther aside than this, it waits for the place to come
BEFORE_M, BEFORE_S = 0.2, 5.0  # farther before it for so long it turns back
CLEAR_M = 0.42  # a teammate so near to its way is in the way
PASS_M = {"left": 0.7, "right": 0.42, "behind": 0.42}  # it crosses behind it: of two, one gives way more
LEFT_S = 0.6  # in its place, the way is over so long after the one that it followed ended its own
ACROSS = 0.7  # sine of an angle: so far off the course it crosses the others' ways
BACK, BACK_S = 0.4, 1.0  # stalled, as robots that touch are, it backs up: share of the greatest speed, s
SIDES = {"left": 1.0, "right": -1.0, "behind": 0.0}


@dataclass(slots=True)
class Following:
    """Its place as last seen, m, by odometry, and whether it was seen at all.

    `before_since`: since when that lies behind it; `alone_since`: since when the one that it followed has ended;
    below 0: it does not, it has not. `back_until`: it backs up until then. `over`: the way is over.
    """

    x: float = 0.0
    y: float = 0.0
    saw: bool = False
    before_since: float = -1.0
    alone_since: float = -1.0
    back_until: float = -1.0
    over: bool = False


class KeepPlace(Part[Following, "Follow.Settings"]):
    """Walks to its place, which moves with the robot that it follows; out of sight it goes to where that was."""

    name = "keep-place"
    initial = Following

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        at = i.senses.odometry
        if i.senses.lifted or at is None:
            return None
        ahead = course(i, s)
        seen = {number: spot.turned(ahead) for number, spot in teammates_seen(i, beliefs, s).items()}
        leads = who_is_on(beliefs, i.now, s.of)
        places = [self._place(seen[number]) for number in leads if number in seen]
        if places:
            off = min(places, key=lambda one: one.far).turned(-ahead - at.heading)
            state.x, state.y, state.saw = at.x + off.ahead, at.y + off.left, True
        place = Spot(state.x - at.x, state.y - at.y).turned(at.heading + ahead)
        state.alone_since = since(state.alone_since, i.now, holds=state.saw and not leads)
        left = state.alone_since >= 0.0 and i.now - state.alone_since >= LEFT_S and place.ahead < BEFORE_M
        state.over = state.over or left or way_m(i) >= s.to_m
        if state.over or not state.saw:
            return Out(Drive(0.0, 0.0))
        if i.senses.stalled:
            state.back_until = i.now + BACK_S
        if i.now < state.back_until:
            return Out(Drive(-BACK, 0.0))
        state.before_since = since(state.before_since, i.now, holds=place.ahead < -BEFORE_M)
        return Out(self._walk(self._way(place, seen.values(), i.now), ahead))

    def _place(self, lead: Spot) -> Spot:
        """Where its place is, along the course."""
        s = self.settings
        return Spot(lead.ahead - s.behind_m, lead.left + SIDES[s.side] * s.beside_m)

    def _way(self, place: Spot, teammates: Iterable[Spot], now: float) -> Spot:
        """Where to walk: behind a teammate that is in the way, else to its place."""
        turns_back = self.state.before_since >= 0.0 and now - self.state.before_since > BEFORE_S
        if place.ahead < 0.0 and not turns_back:
            place = Spot(0.0, place.left if abs(place.left) > ASIDE_M else 0.0)
        far = max(place.far, THERE_M)
        aside = Spot(place.left / far, -place.ahead / far)  # a step to the right of the way
        blocking = [
            one for one in teammates if 0.0 < _dot(one, place) < far * far and abs(_dot(one, aside)) < CLEAR_M
        ]
        if not blocking:
            return place
        nearest = min(blocking, key=lambda one: one.far)
        if abs(place.left) < ACROSS * far:
            off = math.copysign(CLEAR_M, -_dot(nearest, aside))
            return Spot(nearest.ahead + off * aside.ahead, nearest.left + off * aside.left)
        off = PASS_M[self.settings.side]
        return Spot(0.0, place.left) if nearest.ahead > off - THERE_M else Spot(nearest.ahead - off, nearest.left)

    def _walk(self, to: Spot, ahead: float) -> Drive:
        """One tick on the way there; across the course, where others walk, slowly."""
        if to.far < THERE_M:
            return Drive(0.0, turn_to(ahead))
        speed = 1.0 if abs(to.left) < ACROSS * to.far else self.settings.across
        return steer(to.turned(-ahead).bearing, clip(GAIN * to.far, speed))


def _dot(one: Spot, other: Spot) -> float:
    return one.ahead * other.ahead + one.left * other.left


class Follow(SingleSet[KeepPlace]):
    """The behavior set; done at the end of the way, its own or that of the one that it follows."""

    behavior = KeepPlace

    class Settings(Placed):
        of: tuple[str, ...] = parts.setting(..., "the tasks of those that it follows", TASK)
        side: Literal["left", "right", "behind"] = parts.setting(..., "on which side of the other its place is")
        behind_m: float = parts.setting(0.45, "so far behind it, m", ge=0, le=10)
        beside_m: float = parts.setting(0.45, "and so far aside, m", ge=0, le=10)
        across: float = parts.setting(0.45, "share of the greatest speed across the course", gt=0, le=1)

    needs = ("camera", "mobile")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        return judge(i, beliefs, self.one.settings, done=self.one.state.over)

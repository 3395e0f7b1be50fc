"""Find the locations by wandering west, north, east and south for a fixed time each: no side range needed.

Paper 000, section IV-B and figure 6. It heads for a compass direction, turns aside where something stops it,
comes back to the direction after a while, and tracks the smallest and greatest x and y that it reaches.
"""

import math
from dataclasses import dataclass, field

from behaviors import parts
from behaviors.cleanup.room import ROOM_M, Extremes, RoomSettings, locations
from behaviors.parts import Drive, Out, Part, Percept, SingleSet, is_known
from behaviors.steering import steer
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose
from robotd.model.streams import draw
from robotd.model.tasks import Feedback, Task

LEGS = (math.pi, math.pi / 2.0, 0.0, -math.pi / 2.0)  # west, north, east, south
ASIDE_RAD = math.radians(100.0)  # a little back from what stopped it, so that it comes free
ASIDE_S = (2.0, 4.0)  # shortest and longest way aside, the first time ...
MOST_VAIN = 5  # ... and up to so many times as long, the more turns aside were in vain
STRAIGHT_RAD = 0.5  # facing where it wants to
ON_M = 0.4  # what counts as getting on
FARTHEST = 1e6  # m: no distance yet


@dataclass(slots=True)
class Wandering:
    """The leg, its remaining time, and the way aside that it is on."""

    leg: int = 0
    left_s: float = -1.0
    at: float = -1.0
    aside_until: float = -1.0
    aside: float = 0.0
    turns: int = 0
    vain: int = 0  # turns aside since it last got on
    best: float = -FARTHEST  # how far it got in the leg's direction, m
    reached: Extremes = field(default_factory=Extremes)
    found: bool = False


class Wander(Part[Wandering, "FindLocationsWander.Settings"]):
    name = "wander"
    initial = Wandering

    def enter(self, now: float, task: Task | None) -> None:
        self.state = Wandering(left_s=self.settings.leg_s, at=now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s, pose = self.state, self.settings, i.pose
        passed, state.at = i.now - state.at, i.now
        if pose is None or i.senses.lifted:
            self.state = Wandering(left_s=s.leg_s, at=i.now)
            return None
        if state.found:
            return None
        state.reached.take(pose.x, pose.y)
        state.left_s -= passed
        if state.left_s <= 0.0:
            state.leg, state.left_s, state.aside_until = state.leg + 1, s.leg_s, -1.0
            state.vain, state.best = 0, -FARTHEST
            if state.leg >= len(LEGS):
                if not state.reached.spans(ROOM_M):  # held fast, say: what it would report is wrong
                    self.state = Wandering(left_s=s.leg_s, at=i.now)
                    return None
                state.found = True
                return Out(facts=locations(state.reached, s.near_m + i.capabilities.radius, s.entrance_wall))
        return Out(drive=self._go(i, pose, beliefs.me))

    def _go(self, i: Percept, pose: Pose, me: int) -> Drive:
        state, s, way = self.state, self.settings, LEGS[self.state.leg]
        error = wrap(way - pose.heading)
        reached = pose.x * math.cos(way) + pose.y * math.sin(way)
        if reached > state.best + ON_M:
            state.best, state.vain = reached, 0
        if i.now < state.aside_until:
            error = wrap(error + state.aside)
            if abs(error) < STRAIGHT_RAD and i.eyes.front < s.near_m:
                state.aside = -state.aside
            return steer(error, s.speed)
        if abs(error) < STRAIGHT_RAD and i.eyes.front < s.near_m:
            chance = draw(me, "wander", "aside", state.turns)
            state.turns, state.vain = state.turns + 1, min(MOST_VAIN, state.vain + 1)
            state.aside = math.copysign(ASIDE_RAD, chance - 0.5)
            longest = ASIDE_S[0] + (ASIDE_S[1] - ASIDE_S[0]) * (2.0 * chance % 1.0)
            state.aside_until = i.now + longest * state.vain
        return steer(error, s.speed)


class FindLocationsWander(SingleSet[Wander]):
    """The behavior set; done once the places are asserted."""

    behavior = Wander

    class Settings(RoomSettings):
        leg_s: float = parts.setting(60.0, "time for each of the four directions, s", gt=1, le=600)
        near_m: float = parts.setting(0.3, "turns aside this far from what is ahead, m", gt=0.1, le=1)
        speed: float = parts.setting(0.7, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning", "front-range")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        state = self.one.state
        progress = min(1.0, state.leg / len(LEGS))
        return Feedback(not beliefs.flag("located"), state.found, progress, why=is_known("located"))

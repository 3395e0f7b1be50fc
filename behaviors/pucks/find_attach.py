"""Find pucks of one colour at a place by camera and hold one, until all are held at once (paper 003, section V).

A puck shows by its lamp whether it is held, to robots that see its colour. A robot that does not see the colour,
as where its camera misses it without a sign, searches the place as long as it is on the task.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from behaviors import parts
from behaviors.parts import Drive, Out, Part, Percept, SingleSet, Wire
from behaviors.steering import Trip, distance_to, head_for, place_at, steer
from robotd.model.beliefs import Beliefs
from robotd.model.streams import draw
from robotd.model.tasks import Feedback, Task

ON_THE_WAY, STARTED, HOLDS, PERFORMED = 0.0, 0.5, 0.75, 1.0  # progress
STOP_M, LEAST_M = 0.05, 0.01  # from the robot's circle to the puck's middle: where it stops, first and at last
TOUCHING_M = 0.13  # so near to a puck that is held it takes itself for its holder: above the camera's error
NEARER_M, DARK_S = 0.02, 1.5  # a puck that stays dark while it rests at it: so much nearer, so often
CLOSE_M = 0.9  # nearer than this it drives straight at the puck, by sight
SAME_M = 0.6  # two sights of one puck lie nearer than this, and those of two pucks farther apart
BESIDE_M = 0.5  # a robot so near beside it may hold the same puck
SHARED_S = 10.0, 40.0  # then it leaves for a dark puck after a time between these
AWAY_S = 12.0  # so long it holds none when it has left one, and drives to none that it did not reach in time
TRY_S = 40.0  # the longest way to one puck
LEG_S, LEG_THERE_M = 15.0, 0.5  # of a search, to the next place to look from


class Seen(NamedTuple):
    """A puck in the picture: range (m), bearing (rad), where it is (m), and whether it is held."""

    far: float
    bearing: float
    x: float
    y: float
    held: bool


def pucks_at(i: Percept, colour: str, place: tuple[float, float], around_m: float) -> list[Seen]:
    """The pucks of a colour in the picture that lie within `around_m` of a place, the nearest first."""
    pose, seen = i.pose, []
    for sight in i.senses.sights if pose is not None else ():
        if pose is None or sight.kind != "puck" or sight.label != colour or sight.range is None:
            continue
        x, y = place_at(pose, sight.bearing, sight.range)
        if math.dist((x, y), place) <= around_m:
            seen.append(Seen(sight.range, sight.bearing, x, y, sight.size == 1.0))
    return sorted(seen)


@dataclass(slots=True)
class Attaching:
    """The task's colour and place, m; the puck it drives to and since when (below 0: none), how near it stops."""

    colour: str = ""
    x: float = 0.0
    y: float = 0.0
    to_x: float = 0.0
    to_y: float = 0.0
    to_since: float = -1.0
    stop_m: float = STOP_M
    rests_since: float = -1.0
    shares_since: float = -1.0
    away_until: float = -1.0
    looks_until: float = -1.0
    left: int = 0
    views: int = 0
    leg_until: float = -1.0
    view_x: float = 0.0
    view_y: float = 0.0
    trip: Trip = field(default_factory=Trip)


class Attach(Part[Attaching, "FindAttach.Settings"]):
    """Goes to the place, searches for a puck that is not held, drives up to it and rests there."""

    name = "attach"
    initial = Attaching
    wires = (
        Wire("inhibit", "at-puck", "avoid-obstacles", "drive", hold_s=0.3),
        Wire("inhibit", "holding", "bump-escape", "drive", hold_s=0.3),
    )

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        if task is not None:
            self.state.colour = task.arg("colour")
            self.state.x, self.state.y = task.place

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s, pose = self.state, self.settings, i.pose
        if pose is None or i.senses.lifted:
            return None
        seen = pucks_at(i, state.colour, (state.x, state.y), s.around_m)
        radius, away = i.capabilities.radius, i.now < state.away_until
        if seen and not away and seen[0].held and seen[0].far <= radius + TOUCHING_M:
            return self._hold(i, seen, beliefs.me)
        state.shares_since = -1.0
        if target := self._target(i, [one for one in seen if not one.held]):
            return self._approach(i, target, radius, beliefs.me)
        if distance_to(pose, state.x, state.y) > s.at_m:
            return Out(head_for(state.trip, i, state.x, state.y, s.speed, beliefs.me))
        if seen and all(one.held for one in seen):
            return Out(Drive(0.0, 0.0))  # all are held: one robot more than needed
        return Out(self._search(i, beliefs.me))

    def _hold(self, i: Percept, seen: Sequence[Seen], me: int) -> Out:
        """Rest at a puck that is lit; another robot beside may hold the same one while some puck is dark."""
        state, eyes = self.state, i.eyes
        state.to_since = -1.0
        beside = min(eyes.left_diagonal, eyes.right_diagonal, eyes.left, eyes.right) < BESIDE_M
        if not beside or all(one.held for one in seen):
            state.shares_since = -1.0
        elif state.shares_since < 0.0:
            state.shares_since = i.now
        else:
            low, high = SHARED_S
            if i.now - state.shares_since > low + (high - low) * draw(me, "attach", "shared", state.left):
                state.left, state.away_until, state.shares_since = state.left + 1, i.now + AWAY_S, -1.0
        return Out(Drive(0.0, 0.0), lines=("at-puck", "holding"))

    def _target(self, i: Percept, dark: Sequence[Seen]) -> Seen | None:
        """The puck that it drives to as long as that is dark, then the nearest dark one."""
        state = self.state
        near = [one for one in dark if math.dist((one.x, one.y), (state.to_x, state.to_y)) < SAME_M]
        if state.to_since >= 0.0 and near:
            if i.now - state.to_since > TRY_S:  # something is in the way: look from elsewhere for a while
                state.looks_until, state.to_since, state.leg_until = i.now + AWAY_S, -1.0, -1.0
                return None
            target = near[0]
        elif dark and i.now >= state.looks_until:
            target = dark[0]
            state.to_since, state.stop_m, state.rests_since, state.trip = i.now, STOP_M, -1.0, Trip()
        else:
            state.to_since = -1.0
            return None
        state.to_x, state.to_y = target.x, target.y
        return target

    def _approach(self, i: Percept, target: Seen, radius: float, me: int) -> Out:
        state, s = self.state, self.settings
        if target.far > CLOSE_M:
            return Out(head_for(state.trip, i, target.x, target.y, s.speed, me))
        if target.far > radius + state.stop_m:
            state.rests_since = -1.0
            return Out(steer(target.bearing, s.slow), lines=("at-puck",))
        if state.rests_since < 0.0:
            state.rests_since = i.now
        elif i.now - state.rests_since > DARK_S:
            state.rests_since, state.stop_m = -1.0, max(LEAST_M, state.stop_m - NEARER_M)
        return Out(Drive(0.0, 0.0), lines=("at-puck",))

    def _search(self, i: Percept, me: int) -> Drive:
        """From one place to look from to the next, within the circle round the task's place."""
        state, s = self.state, self.settings
        if i.now >= state.leg_until:
            way, far = (draw(me, "attach", what, state.views) for what in ("way", "far"))
            state.views, state.leg_until = state.views + 1, i.now + LEG_S
            state.view_x = state.x + s.at_m * math.sqrt(far) * math.cos(2.0 * math.pi * way)
            state.view_y = state.y + s.at_m * math.sqrt(far) * math.sin(2.0 * math.pi * way)
        if i.pose is None or distance_to(i.pose, state.view_x, state.view_y) < LEG_THERE_M:
            state.leg_until = i.now
            return Drive(0.0, 0.0)
        return head_for(state.trip, i, state.view_x, state.view_y, s.slow, me)


class FindAttach(SingleSet[Attach]):
    """The set. Progress: 0 on the way, 0.5 at the place, 0.75 while it holds a puck there, 1 while it sees
    pucks there and all of them are held.
    """

    behavior = Attach

    class Settings(parts.Settings):
        around_m: float = parts.setting(3.0, "pucks so near to the task's place belong to it, m", gt=0, le=50)
        at_m: float = parts.setting(2.2, "it searches so far round the place, m", gt=0, le=50)
        speed: float = parts.setting(1.0, "on the way, share of the body's greatest speed", gt=0, le=1)
        slow: float = parts.setting(0.4, "at the place, share of the greatest speed", gt=0, le=1)

    needs = ("camera", "mobile", "positioning")
    args = MappingProxyType({"x": (), "y": (), "colour": ()})

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        place, s = task.place, self.one.settings
        if i.pose is None or distance_to(i.pose, *place) > s.around_m:
            return Feedback(applicable=True, progress=ON_THE_WAY)
        seen = pucks_at(i, task.arg("colour"), place, s.around_m)
        performed = bool(seen) and all(one.held for one in seen)
        holds = bool(seen) and seen[0].held and seen[0].far <= i.capabilities.radius + TOUCHING_M
        progress = PERFORMED if performed else HOLDS if holds else STARTED
        return Feedback(applicable=True, progress=progress, holding=holds)

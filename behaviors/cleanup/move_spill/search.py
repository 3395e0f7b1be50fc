"""Phases 1 and 2 of move-spill: go to the vicinity of the spill; go from one place to look from to the next."""

import math
from dataclasses import dataclass, field

from behaviors.cleanup.move_spill.memory import CARRY, CLOSED, GO, LIFTED, SCAN, UP, SpillBehavior, in_hand
from behaviors.cleanup.move_spill.settings import SpillSettings
from behaviors.cleanup.room import Room
from behaviors.parts import Drive, Out, Percept
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.senses import Pose

THERE_M = 0.3  # a place is reached
VICINITY_M = 1.2  # of the place where objects should be: something ahead may be one
BLOCKED_S = 14.0  # it looks from where it is if it has come no nearer for so long: longer than one detour
BLOCKED_M = 0.6  # ... and the place counts as looked from if it is as near as this
NOTICED_M = 0.45  # something ahead on a leg this near: look round here
MIDDLE_M = 0.25  # the half ends here before the middle: it sees farther than that
SPARE = 0.2  # of a gap: places may lie so much farther apart, rather than be one more
LONE_M = 0.6  # ... unless the sensors that look over objects see something beside it as near as this


class Go(SpillBehavior[Trip]):
    """Phase 1: to where an object was last found, or to the spill's place; gripper up and closed."""

    name = "go"
    initial = Trip

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        spill = self.spill
        if spill.phase in (GO, SCAN) and in_hand(i):
            spill.begin(CARRY, i.now)
        place = beliefs.place(f"spill-{spill.side}") if spill.phase == GO else None
        if i.pose is None or place is None:
            return None
        if spill.search_x is not None:
            place = spill.search_x, spill.search_y
        drive = head_for(self.state, i, *place, self.settings.speed, beliefs.me)
        blocked = i.now - self.state.best_at > BLOCKED_S and self.state.best < 2.0 * BLOCKED_M
        far = distance_to(i.pose, *place)
        if far < THERE_M or blocked or (far < VICINITY_M and notices(i)):
            self.state = Trip()
            spill.view = -1
            spill.look(i.now, counts=False)
        if i.senses.grip is not None and i.senses.grip.lift < LIFTED:
            drive = Drive(0.0, 0.0)
        return Out(drive, CLOSED, UP)


@dataclass(slots=True)
class LegState:
    """The way to the next place to look from; `noticed` once it has stopped to look at something on the way."""

    trip: Trip = field(default_factory=Trip)
    view: int = -1
    noticed: bool = False


class Leg(SpillBehavior[LegState]):
    """Phase 2, between looks: a straight line to the next place to look from, with an eye on what comes ahead."""

    name = "leg"
    initial = LegState

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        spill, pose = self.spill, i.pose
        if spill.phase != SCAN or spill.looking or pose is None or spill.concluded:
            return None
        if spill.view < 0 or spill.counts:
            if not self._next(pose, beliefs):
                spill.concluded = True
                spill.forget_search()
                return Out(Drive(0.0, 0.0), facts=(Fact(f"spill-{spill.side}-moved"),))
            spill.counts = False
        leg = self.state
        if leg.view != spill.view:
            self.state = leg = LegState(view=spill.view)
        drive = head_for(leg.trip, i, spill.view_x, spill.view_y, self.settings.speed, beliefs.me)
        far = distance_to(pose, spill.view_x, spill.view_y)
        blocked = i.now - leg.trip.best_at > BLOCKED_S
        if far < THERE_M or blocked:
            spill.look(i.now, counts=True)
            spill.missed |= int(far > BLOCKED_M) << spill.view
        elif not leg.noticed and notices(i):
            leg.noticed = True
            spill.look(i.now, counts=False)
        return Out(drive, CLOSED, UP)

    def _next(self, pose: Pose, beliefs: Beliefs) -> bool:
        """Choose the next place, near to here and to the spill's place; False when none is left to look from."""
        spill, room, spot = self.spill, self.room(beliefs), beliefs.place(f"spill-{self.spill.side}")
        if room is None or spot is None:
            return True
        places = views(self.settings, spill.side, room, beliefs.place("goal"))
        left = self._left(len(places))
        if not left:
            return False
        x, y = spot
        spill.view = min(left, key=lambda k: distance_to(pose, *places[k]) + math.dist((x, y), places[k]))
        spill.tried |= 1 << spill.view
        spill.view_x, spill.view_y = places[spill.view]
        return True

    def _left(self, places: int) -> list[int]:
        """Places not tried yet; then once more those that it could not come near; then all for a next sweep."""
        spill = self.spill
        if spill.tried < (1 << places) - 1:
            return [k for k in range(places) if not spill.tried >> k & 1]
        if spill.missed and not spill.again:
            missed = [k for k in range(places) if spill.missed >> k & 1]
            spill.missed, spill.again = 0, True
            spill.tried -= sum(1 << k for k in missed)
            return missed
        spill.sweep += 1
        spill.new_sweep()
        return list(range(places)) if spill.sweep < self.settings.sweeps else []


def notices(i: Percept) -> bool:
    """True where something is ahead that only the sensors see that look low."""
    eyes = i.eyes
    return eyes.front < NOTICED_M and min(eyes.left_diagonal, eyes.right_diagonal) > LONE_M


def views(
    settings: SpillSettings, side: str, room: Room, goal: tuple[float, float] | None
) -> list[tuple[float, float]]:
    """The places to look from in one half: rows from the front to the back, to and fro, the goal left out."""
    aside = _spread(settings.wall_m, room.width / 2.0 - MIDDLE_M, settings.look_m)
    places = []
    for row, b in enumerate(_spread(settings.wall_m, room.depth - settings.wall_m, settings.look_m)):
        for a in aside if row % 2 == 0 else aside[::-1]:
            at = room.at(a if side == "left" else room.width - a, b)
            if goal is None or math.dist(goal, at) > settings.keep_m:
                places.append(at)
    return places


def _spread(low: float, high: float, step: float) -> list[float]:
    """The fewest places from `low` to `high`, ends included, about `step` apart."""
    if high <= low:
        return [(low + high) / 2.0]
    gaps = max(1, math.ceil((high - low) / step - SPARE))
    return [low + (high - low) * k / gaps for k in range(gaps + 1)]

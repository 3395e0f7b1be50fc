"""Acquire an end of the box: back off, follow the box by the side range to its end, turn in (paper 001, 3.2.1).

And what all behaviors of a push share: the ends and their counts, and what a set remembers.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from behaviors.parts import BehaviorSet, Drive, Out, Part, Percept
from behaviors.steering import BOX_M, clip, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs

OTHER = {"left": "right", "right": "left"}
LONG_AGO = -1e9  # s
CLEAR_M = 0.28  # backed off so far from the box it can turn on the spot
BACK_S = 4.0  # and so long at most: something is behind it
REAR_M, AHEAD_M = 0.08, 0.15  # nearer things behind or ahead are waited for
BESIDE_M = 0.22  # it follows the box at this distance of its hull
LOST_S = 0.25  # the box's end is passed when its side has been out of sight so long: two readings
INSIDE_M = 0.1  # from where the side sees the end again, back to the middle of the place to push at
TURNED = 0.06  # rad: it faces where it was to turn to
SPEED = 0.6  # share of the greatest speed
TO_DIAGONAL, TO_SIDE = 0.177, 0.125  # from the axle to the hull under 45 and 90 degrees, m
LEAN, MOST_LEAN = 1.5, 0.4  # rad per metre of wrong distance towards or off the box, and the most of it
TURN_GAIN = 1.5  # rad/s per rad
OUTWARDS = {"left": math.pi, "right": 0.0}  # heading along the box towards an end
BACK, TURN, FOLLOW, RETURN, TURN_IN = "back", "turn", "follow", "return", "turn-in"


def name_count(end: str) -> str:
    """The fact that counts the pushes at an end."""
    return f"pushed-{end}"


def find_last_push(beliefs: Beliefs, end: str) -> float:
    """When the last push at an end was over, own clock, s; -inf where none is known."""
    fact = beliefs.facts.get(name_count(end))
    return fact.since if fact is not None else -math.inf


@dataclass(slots=True)
class Pushes:
    end: str = ""
    here: bool = False  # it faces the box at this set's end
    mine: bool = False  # it is the end where it faced the box last
    reported: bool = False  # this push is over and counted
    put_at: float = -1.0  # since when it is on its wheels (-1: it is lifted)
    came_at: float = LONG_AGO  # when a teammate was received for the first time, or after a long silence
    heard: dict[str, float] = field(default_factory=dict)  # by teammate's number: when it was received last


@dataclass(slots=True)
class Way:
    """The step of the way ('' at the end), since when, the heading to turn to, and when the side last saw."""

    step: str = ""
    begun: bool = False
    since: float = 0.0
    heading: float = 0.0
    seen_at: float = -1.0


class Acquire(Part[Way, BehaviorSet[Pushes]]):
    """Says nothing while it is where its set is to push."""

    name = "acquire"
    initial = Way

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        way = self.state
        if i.pose is None or i.senses.lifted:
            return None
        if not way.begun:
            way.begun = True
            if not self.settings.memory.here:
                self._next(BACK, i.now, OUTWARDS[self.settings.memory.end])
        if not way.step:
            return None
        return Out(drive=self._steps[way.step](self, i, i.pose.heading))

    def _next(self, step: str, now: float, heading: float = 0.0) -> None:
        self.state = Way(step, begun=True, since=now, heading=heading)

    def _back(self, i: Percept, heading: float) -> Drive:
        if i.eyes.front < CLEAR_M and i.now - self.state.since < BACK_S:
            return _backwards(i)
        self._next(TURN, i.now, self.state.heading)
        return Drive(0.0, 0.0)

    def _turn(self, i: Percept, heading: float) -> Drive:
        error = wrap(self.state.heading - heading)
        if abs(error) < TURNED:
            self._next(FOLLOW, i.now, self.state.heading)
            self.state.seen_at = i.now
        return Drive(0.0, turn_to(error))

    def _follow(self, i: Percept, heading: float) -> Drive:
        way, left = self.state, self.settings.memory.end == "left"
        side = i.eyes.right if left else i.eyes.left
        if side < BOX_M:
            way.seen_at = i.now
        elif i.now - way.seen_at > LOST_S:
            self._next(RETURN, i.now)
            return Drive(0.0, 0.0)
        if i.eyes.front < AHEAD_M:
            return Drive(0.0, 0.0)
        diagonal = i.eyes.right_diagonal if left else i.eyes.left_diagonal
        turn = _beside(side, diagonal)
        return Drive(SPEED, turn if left else -turn)

    def _return(self, i: Percept, heading: float) -> Drive:
        way, left = self.state, self.settings.memory.end == "left"
        if way.seen_at < 0.0 and (i.eyes.right if left else i.eyes.left) < BOX_M:
            way.seen_at = i.now
        if way.seen_at >= 0.0 and (i.now - way.seen_at) * SPEED * i.capabilities.max_speed >= INSIDE_M:
            quarter = math.pi / 2
            self._next(TURN_IN, i.now, wrap(heading - quarter if left else heading + quarter))
            return Drive(0.0, 0.0)
        return _backwards(i)

    def _turn_in(self, i: Percept, heading: float) -> Drive:
        error = wrap(self.state.heading - heading)
        if abs(error) < TURNED:
            self._next("", i.now)
        return Drive(0.0, turn_to(error))

    _steps: ClassVar = {BACK: _back, TURN: _turn, FOLLOW: _follow, RETURN: _return, TURN_IN: _turn_in}


def _backwards(i: Percept) -> Drive:
    return Drive(0.0 if i.eyes.rear < REAR_M else -SPEED, 0.0)


def _beside(side: float, diagonal: float) -> float:
    """The turn rate that keeps a box on the right at `BESIDE_M`; left is positive."""
    if max(side, diagonal) > BOX_M:
        return 0.0
    away = side + TO_SIDE
    towards = 1.0 - (diagonal + TO_DIAGONAL) / (math.sqrt(2.0) * away)  # rad, for small angles
    return TURN_GAIN * (towards - clip(LEAN * (side - BESIDE_M), MOST_LEAN))

"""Phase 4 of move-spill: grasp and lift the object that broke the beam; and backing off after a miss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from behaviors.cleanup.move_spill.memory import (
    BACK_OFF,
    CARRY,
    CLOSED,
    DOWN,
    GRASP,
    GRIPPED,
    OPEN,
    PICKING,
    UP,
    SpillBehavior,
    in_hand,
)
from behaviors.parts import Drive, Out, Percept, Wire
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Grip, Pose

CREEP_M, CREEP_S = 0.045, 1.5  # after the beam broke: the object's middle is then a centimetre before the pads
FINGERS_S = 1.3  # the fingers' full travel and a little
SETTLE_S = 0.5  # the fingers move, then the readings of the hand are of now
JAMMED_M = 0.05  # what is still seen this near, backed off, is between the fingers; what is held is not seen
LIFT_S = 3.0
BACK_M = 0.25  # out of a heap on the way that it came in, and far enough to see the object again
BACK_S = 4.0
REAR_M = 0.07


@dataclass(slots=True)
class Hand:
    """The step that the hand is at, since when, and where the robot was then."""

    step: str = ""
    since: float = 0.0
    x: float = 0.0
    y: float = 0.0

    def begin(self, step: str, now: float, pose: Pose) -> None:
        self.step, self.since, self.x, self.y = step, now, pose.x, pose.y

    def gone(self, pose: Pose) -> float:
        """How far the robot has moved since the step began, m."""
        return math.hypot(pose.x - self.x, pose.y - self.y)


class Handling(SpillBehavior[Hand]):
    """A phase that is a sequence of steps of the hand, of which `first` comes first."""

    wires: tuple[Wire, ...] = PICKING
    phase: ClassVar[str]
    first: ClassVar[str]
    initial = Hand

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        hand, grip, pose = self.state, i.senses.grip, i.pose
        if self.spill.phase != self.phase or grip is None or pose is None:
            hand.step = ""
            return None
        if not hand.step:
            hand.begin(self.first, i.now, pose)
        return self.handle(i, beliefs, grip, pose, i.now - hand.since)

    def handle(self, i: Percept, beliefs: Beliefs, grip: Grip, pose: Pose, passed: float) -> Out:
        """One tick of the present step, which began `passed` seconds ago."""
        raise NotImplementedError


class Grasp(Handling):
    """Phase 4: creep on, close, lift, back out of the heap with the object in hand."""

    name = "grasp"
    phase, first = GRASP, "creep"

    def handle(self, i: Percept, beliefs: Beliefs, grip: Grip, pose: Pose, passed: float) -> Out:
        hand = self.state
        if hand.step == "creep":
            if hand.gone(pose) > CREEP_M or passed > CREEP_S or i.senses.stalled:
                hand.begin("close", i.now, pose)
            return self._out(0.6 * self.settings.slow, OPEN, DOWN)
        if hand.step == "close":
            return self._close(i, grip, pose, passed)
        if hand.step == "lift":
            if in_hand(i) and grip.lift > 0.95:
                hand.begin("back", i.now, pose)
            elif passed > LIFT_S or not grip.beam:
                self.spill.miss(i.now, self.settings.reject_s)
            return self._out(0.0, CLOSED, UP)
        if hand.step == "return":
            return self._return(i, pose, passed)
        return self._back(i, pose, passed)

    def _back(self, i: Percept, pose: Pose, passed: float) -> Out:
        """Out with it; a second object between the fingers comes along, and would stay there: take neither."""
        spill = self.spill
        if self.state.gone(pose) > BACK_M or passed > BACK_S or i.eyes.rear < REAR_M:
            if i.eyes.front < JAMMED_M:
                self.state.begin("return", i.now, pose)
            else:
                spill.tries = 0
                spill.forget_search()
                spill.begin(CARRY, i.now)
        return self._out(-1.5 * self.settings.slow, CLOSED, UP)

    def _return(self, i: Percept, pose: Pose, passed: float) -> Out:
        """Both back to where they lay, or every attempt would carry them a little farther off."""
        if self.state.gone(pose) > BACK_M or passed > BACK_S or i.senses.stalled:
            self.spill.miss(i.now, self.settings.reject_s)
        return self._out(1.5 * self.settings.slow, CLOSED, UP)

    def _close(self, i: Percept, grip: Grip, pose: Pose, passed: float) -> Out:
        """Both fingers meet the object, or nothing."""
        if grip.bump and grip.beam and passed > SETTLE_S:
            self.state.begin("lift", i.now, pose)
        elif passed > FINGERS_S or grip.opening < GRIPPED:
            self.spill.miss(i.now, self.settings.reject_s)
        return self._out(0.0, CLOSED, DOWN)

    def _out(self, speed: float, opening: float, lift: float) -> Out:
        return Out(Drive(speed, 0.0), opening, lift, lines=("picking",))


class BackOff(Handling):
    """After a miss: let go of whatever there is, back off straight, and look round again."""

    name = "back-off"
    phase, first = BACK_OFF, "open"

    def handle(self, i: Percept, beliefs: Beliefs, grip: Grip, pose: Pose, passed: float) -> Out:
        hand = self.state
        if hand.step == "open":
            if (grip.opening > 0.9 and grip.lift < 0.1) or passed > LIFT_S:
                hand.begin("back", i.now, pose)
            return Out(Drive(0.0, 0.0), OPEN, DOWN, lines=("picking",))
        if hand.gone(pose) > BACK_M or passed > BACK_S or i.eyes.rear < REAR_M:
            self.spill.look(i.now, counts=False)
        return Out(Drive(-self.settings.slow, 0.0), OPEN, DOWN, lines=("picking",))

"""Steps of the hand in move-spill: phases 4 and 6, grasp and release, and backing off after a miss."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from behaviors.cleanup.move_spill import memory
from behaviors.cleanup.move_spill.memory import CARRY, CLOSED, DOWN, GRIPPED, OPEN, UP, SpillBehavior, in_hand
from behaviors.parts import Drive, Out, Percept, Wire
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Grip, Pose

CREEP_M, CREEP_S = 0.045, 1.5  # after the beam broke: the object's middle is then a centimetre before the pads
FINGERS_S = 1.3  # the fingers' full travel and a little
SETTLE_S = 0.5  # the fingers move, then the readings of the hand are of now
JAMMED_M = 0.05  # what is still seen this near, backed off, is between the fingers; what is held is not seen
LIFT_S = 3.0
BACK_M, BACK_S = 0.25, 4.0  # out of a heap on the way that it came in, and far enough to see the object again
REAR_M = 0.07
LOWER_S, OPEN_S, LEAVE_S = 4.0, 2.0, 5.0  # longest: an axis that does not arrive must not hold everything up
LEAVE_M = 0.3  # the object leaves the notch after 0.12 m; some room to turn
MISS, LOOK, PUT = "miss", "look", "put"  # ends of a phase, as CARRY is


class Moment(NamedTuple):
    """What ends a step: how long it has lasted (s), the way since it began (m), and what the robot senses."""

    passed: float
    gone: float
    grip: Grip
    i: Percept

    def over(self, most_m: float, most_s: float) -> bool:
        return self.gone > most_m or self.passed > most_s

    @property
    def stalled(self) -> bool:
        return self.i.senses.stalled

    @property
    def backed(self) -> bool:
        return self.over(BACK_M, BACK_S) or self.i.eyes.rear < REAR_M


class Step(NamedTuple):
    """What the robot does in a step, and what follows: another step, an end of the phase, '' while it lasts."""

    pace: float  # share of the phase's speed
    opening: float
    lift: float
    then: Callable[[Moment], str]


def _close(m: Moment) -> str:
    """Both fingers meet the object, or nothing."""
    if m.grip.bump and m.grip.beam and m.passed > SETTLE_S:
        return "lift"
    return MISS if m.passed > FINGERS_S or m.grip.opening < GRIPPED else ""


def _lift(m: Moment) -> str:
    if in_hand(m.i) and m.grip.lift > 0.95:
        return "back"
    return MISS if m.passed > LIFT_S or not m.grip.beam else ""


def _out_with_it(m: Moment) -> str:
    """A second object between the fingers comes along, and would stay there: take neither.

    Both go back to where they lay, or every attempt would carry them a little farther off.
    """
    if not m.backed:
        return ""
    return "return" if m.i.eyes.front < JAMMED_M else CARRY


@dataclass(slots=True)
class Hand:
    """The step that the hand is at, since when, and where the robot was then."""

    step: str = ""
    since: float = 0.0
    x: float = 0.0
    y: float = 0.0

    def begin(self, step: str, now: float, pose: Pose) -> None:
        self.step, self.since, self.x, self.y = step, now, pose.x, pose.y


class Handling(SpillBehavior[Hand]):
    """A phase that is a sequence of `steps`, the first first."""

    initial = Hand
    wires: tuple[Wire, ...] = memory.PICKING
    pace = "slow"  # the setting that a step's pace is a share of
    phase: ClassVar[str]
    steps: ClassVar[Mapping[str, Step]]

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        hand, grip, pose = self.state, i.senses.grip, i.pose
        if self.spill.phase != self.phase or grip is None or pose is None:
            hand.step = ""
            return None
        if not hand.step:
            hand.begin(next(iter(self.steps)), i.now, pose)
        step = self.steps[hand.step]
        then = step.then(Moment(i.now - hand.since, math.hypot(pose.x - hand.x, pose.y - hand.y), grip, i))
        if then in self.steps:
            hand.begin(then, i.now, pose)
        elif then:
            self._end(then, i.now, beliefs)
        return Out(
            Drive(step.pace * getattr(self.settings, self.pace), 0.0),
            step.opening,
            step.lift,
            lines=(self.wires[0].line,),
        )

    def _end(self, how: str, now: float, beliefs: Beliefs) -> None:
        spill = self.spill
        if how == MISS:
            spill.miss(now, self.settings.reject_s)
        elif how == LOOK:
            spill.look(now, counts=False)
        elif how == CARRY:
            spill.tries = 0
            spill.forget_search()
            spill.begin(CARRY, now)
        else:
            spill.delivered += 1
            spill.begin(memory.GO, now)
            spill.concluded = beliefs.flag(f"spill-{spill.side}-moved")


class Grasp(Handling):
    """Phase 4: creep on, close, lift, back out of the heap with the object in hand."""

    name = phase = memory.GRASP
    steps: ClassVar = {
        "creep": Step(0.6, OPEN, DOWN, lambda m: "close" if m.over(CREEP_M, CREEP_S) or m.stalled else ""),
        "close": Step(0.0, CLOSED, DOWN, _close),
        "lift": Step(0.0, CLOSED, UP, _lift),
        "back": Step(-1.5, CLOSED, UP, _out_with_it),
        "return": Step(1.5, CLOSED, UP, lambda m: MISS if m.over(BACK_M, BACK_S) or m.stalled else ""),
    }


class BackOff(Handling):
    """After a miss: let go of whatever there is, back off straight, and look round again."""

    name = phase = memory.BACK_OFF
    steps: ClassVar = {
        "open": Step(
            0.0, OPEN, DOWN,
            lambda m: "back" if (m.grip.opening > 0.9 and m.grip.lift < 0.1) or m.passed > LIFT_S else "",
        ),
        "back": Step(-1.0, OPEN, DOWN, lambda m: LOOK if m.backed else ""),
    }  # fmt: skip


class Release(Handling):
    """Phase 6: lower, let go, back off; then the next object."""

    name = phase = memory.RELEASE
    wires: tuple[Wire, ...] = memory.PUTTING
    pace = "speed"
    steps: ClassVar = {
        "lower": Step(0.0, CLOSED, DOWN, lambda m: "open" if m.grip.lift < 0.05 or m.passed > LOWER_S else ""),
        "open": Step(0.0, OPEN, DOWN, lambda m: "back" if m.grip.opening > 0.95 or m.passed > OPEN_S else ""),
        "back": Step(-0.5, OPEN, DOWN, lambda m: PUT if m.over(LEAVE_M, LEAVE_S) else ""),
    }

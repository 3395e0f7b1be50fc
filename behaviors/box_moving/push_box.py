"""Push at one end of the box, at a given speed, after changing ends if need be (paper 002, section VI-B.2).

The robot sees the box in its camera, and not the goal. Where it is at the box it knows from odometry since it
touched the box last. The task's `end` is `left` or `right` as the pushing robot sees it, its `speed` is in m/s.
"""

import math
from dataclasses import dataclass
from types import MappingProxyType

from behaviors import parts
from behaviors.parts import LIFTED, BehaviorSet, Drive, Out, Part, Percept
from behaviors.steering import BOX_M, clip, since, steer, turn_square, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose, Sight
from robotd.model.tasks import Feedback, Task

SIDES = {"left": -1.0, "right": 1.0}  # sign of the way along the box, seen by a robot that faces it
CONTACT_M = 0.06  # the box is touched where the front sees it so near
TOUCH_M = 0.25  # from the middle of the robot to the face that it touches
TURN_IN = math.radians(10.0)  # it turns on the spot until it faces the box so well
AT_END_M, OFF_END_M = 0.15, 0.35  # so near to its place along the box it turns in; so far off it leaves again
CLEAR_M, AWAY_M = 0.2, 0.3  # so far behind its place at the box it can turn on the spot; there it drives along it
BLOCKED_M, BLOCKED_S = 0.12, 1.5  # something so near ahead, for so long, is not passed
REAR_M = 0.08  # something so near behind is in the way
USUAL_M_S = 0.4  # greatest speed of the robots for which these times of driving are: others take longer or shorter
LEAVES_S = 4.0  # so long it backs off from a place of the box from where it sees that it is the wrong one
RETREAT_S = 1.2  # it backs off from what blocks it, so that it can turn
GIVE_WAY_M = 0.95  # so far behind a robot that goes to the left passes one that comes to meet it
ASTRAY_S = 20.0  # a change of ends takes half as long
MOST_SQUARE = 1.0  # rad/s: it turns no faster to face the box
SQUARE_RAD_S = 0.1  # a robot that would turn so little faces it
STUCK_S, ODD_S = 2.5, 1.5  # so long without headway, or with what does not fit the place, it is not the box
ALIKE, ALIKE_M = math.radians(35.0), 0.25  # what it touches so much askew, or so far behind, is not the box
INWARD_M, NEAR_MIDDLE_M = 0.2, 0.65  # a step past a robot at the end; so far from it a push turns the box little
SLOWEST_M_S = 0.01  # no robot is slower
OFFSET = math.radians(5.0)  # the box's middle in the picture so far aside shows at which end the robot is


@dataclass(slots=True)
class Place:
    """Where the box was touched last, in the frame of odometry: `x`, `y`, `heading` across the box.

    `along` is the way from the box's middle to there, m, to the right positive. `known`: it was touched, and is
    there as far as the robot knows; `near`: it was seen, so that the robot finds it when it turns about.
    """

    known: bool = False
    near: bool = False
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    along: float = 0.0

    def locate(self, at: Pose) -> tuple[float, float]:
        """Along the box from its middle, and behind the place of contact, m."""
        dx, dy = at.x - self.x, at.y - self.y
        ahead = dx * math.cos(self.heading) + dy * math.sin(self.heading)
        right = dx * math.sin(self.heading) - dy * math.cos(self.heading)
        return self.along + right, -ahead

    def point(self, along: float, behind: float) -> tuple[float, float]:
        """The inverse of `locate`: x and y in the frame of odometry."""
        right, ahead = along - self.along, -behind
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return self.x + ahead * cos + right * sin, self.y + ahead * sin - right * cos


@dataclass(slots=True)
class Push:
    """A push at an end of the box ('' before the first), and what came in its way; instants in s, -1 for never."""

    end: str = ""
    speed_m_s: float = 0.0
    left: bool = False  # whether it has left a wrong place at the box once
    behind: float = AWAY_M  # how far behind the box it drives along it, m
    inward: float = 0.0  # so much nearer to the middle it pushes, as another robot is at the end, m
    retreat_until: float = -1.0
    blocked_since: float = -1.0
    stuck_since: float = -1.0
    odd_since: float = -1.0  # since when it touches something square that the place does not fit
    touched_at: float = -1.0


class Pushing(Part[Push, "PushBox"]):
    """Goes to its end of the box and pushes."""

    name = "pushing"
    initial = Push

    def enter(self, now: float, task: Task | None) -> None:
        """A push at the task's end."""
        assert task is not None
        args = dict(task.args)
        speed = float(args.get("speed", self.settings.settings.speed_m_s))
        self.state = Push(args["end"], speed, touched_at=now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        """One tick."""
        push, at, place = self.state, i.senses.odometry, self.settings.memory
        if i.senses.lifted or not push.end:
            return None
        push.speed_m_s = self.settings.stated_m_s(beliefs, push.speed_m_s)
        if i.now < push.retreat_until:
            push.stuck_since = -1.0
            return Out(drive=Drive(-0.5 * self.settings.settings.fast, 0.0))
        if self._is_stuck(i):
            place.known = False
            self._retreat(i)
            self._go_inward()
        if self._is_astray(i):
            place.known = False
            self._retreat(i)
        if at is None or not place.known:
            return Out(drive=self._approach(i))
        return Out(drive=self._go(i, at, place))

    def _is_stuck(self, i: Percept) -> bool:
        """Whether its wheels have not turned for so long that what it pushes cannot be the box."""
        push = self.state
        if not i.senses.stalled or push.stuck_since < 0.0:
            push.stuck_since = i.now
        if i.now - push.stuck_since < STUCK_S:
            return False
        push.stuck_since = i.now
        return True

    def _is_astray(self, i: Percept) -> bool:
        """Whether it has not come to the box for so long that the box is not where odometry has it."""
        push = self.state
        if i.eyes.front > CONTACT_M and i.now - push.touched_at < driving_s(i, ASTRAY_S):
            return False
        astray, push.touched_at = i.eyes.front > CONTACT_M, i.now
        return astray

    def _retreat(self, i: Percept, usual_s: float = RETREAT_S) -> None:
        """Back off from now on, for as long as `driving_s` makes of `usual_s`."""
        self.state.retreat_until = i.now + driving_s(i, usual_s)

    def _go_inward(self) -> None:
        """Push a step nearer to the middle, at half the way to the end at most: something is at the end."""
        self.state.inward = min(self.state.inward + INWARD_M, self.settings.reach / 2)

    def _go(self, i: Percept, at: Pose, place: Place) -> Drive:
        """To its end along the box, then ahead until it touches it, then push."""
        push = self.state
        along, behind = place.locate(at)
        off = SIDES[push.end] * (self.settings.reach - push.inward) - along
        aside = wrap(place.heading - at.heading)
        if abs(off) > NEAR_MIDDLE_M:
            push.behind = push.behind or AWAY_M
        near = OFF_END_M if i.eyes.front < CLEAR_M and abs(aside) < TURN_IN else AT_END_M
        if abs(off) < near or push.behind == 0.0:
            if abs(aside) > TURN_IN and behind > CLEAR_M / 2:
                return self._turn_in(i, aside)
            return self._push(i, aside)
        if behind < CLEAR_M:
            return self._back_off(i, aside, off)
        if self._blocked(i, off):
            return Drive(0.0, 0.0)
        x, y = place.point(along + math.copysign(min(abs(off), 0.4), off), push.behind)
        error = wrap(math.atan2(y - at.y, x - at.x) - at.heading)
        return steer(error, self.settings.settings.fast)

    def _turn_in(self, i: Percept, aside: float) -> Drive:
        """Face the box; where something keeps it from that it goes farther in."""
        push = self.state
        if i.eyes.front > BLOCKED_M:
            push.blocked_since = -1.0
        elif self._waited(i.now):
            push.blocked_since = -1.0
            self._retreat(i)
            self._go_inward()
        return Drive(0.0, turn_to(aside))

    def _back_off(self, i: Percept, aside: float, off: float) -> Drive:
        """Away from the box; where something is behind it pushes where it is, or backs off aside."""
        push, side = self.state, SIDES[self.state.end]
        free = not i.senses.stalled and i.eyes.rear > REAR_M
        if free or not self._waited(i.now):
            push.blocked_since = -1.0 if free else push.blocked_since
            return Drive(-self.settings.settings.fast, clip(aside, 0.3))
        if self.settings.memory.along * side > AT_END_M:
            push.behind = 0.0
            return Drive(0.0, 0.0)
        return Drive(-self.settings.settings.fast, math.copysign(0.7, off))

    def _blocked(self, i: Percept, off: float) -> bool:
        """Whether something is ahead on the way along the box; after a while it gives way or pushes before it."""
        push = self.state
        if i.eyes.front > BLOCKED_M:
            push.blocked_since = -1.0
            return False
        if self._waited(i.now):
            push.blocked_since = -1.0
            self._retreat(i)
            if abs(off) < self.settings.reach:
                self._retreat(i, RETREAT_S / 3.0)
                push.behind = 0.0  # it pushes as near to the end as it comes
            elif off < 0.0:
                push.behind = GIVE_WAY_M
        return True

    def _waited(self, now: float) -> bool:
        """Whether something has been in the way for `BLOCKED_S`."""
        push = self.state
        push.blocked_since = since(push.blocked_since, now, holds=True)
        return now - push.blocked_since > BLOCKED_S

    def _push(self, i: Percept, aside: float) -> Drive:
        """Ahead, square to the box."""
        touches = i.eyes.front <= CONTACT_M
        if not touches and not is_ahead(i):
            self.settings.memory.known = False
        speed = self.state.speed_m_s / i.capabilities.max_speed if touches else 0.6 * self.settings.settings.fast
        square = clip(turn_square(i), MOST_SQUARE)
        if not touches and i.eyes.front > BOX_M:
            square = turn_to(aside)
        return Drive(min(speed, 1.0), square)

    def _approach(self, i: Percept) -> Drive:
        """By the camera alone: towards the end in the picture, until the front sees the box and nothing else."""
        box = find_box(i)
        if box is None:
            return Drive(0.0, 0.5)
        if i.eyes.front < CLEAR_M:
            if not is_ahead(i):
                return Drive(0.0, turn_to(box.bearing))
            if not self.state.left and SIDES[self.state.end] * box.bearing < OFFSET:
                self.state.left = True  # it is near the middle, or at the other end
                self._retreat(i, LEAVES_S)
            return self._push(i, 0.0)
        share = max(1.0 / 3.0 - self.state.inward / self.settings.settings.box_length_m, 0.1)
        return steer(box.bearing - SIDES[self.state.end] * (box.size or 0.0) * share, self.settings.settings.fast)


def driving_s(i: Percept, usual_s: float) -> float:
    """How long it drives for what takes a robot of the usual speed so long, s."""
    return usual_s * USUAL_M_S / max(i.capabilities.max_speed, SLOWEST_M_S)


def is_square(i: Percept) -> bool:
    """Whether it faces the box."""
    return abs(turn_square(i)) <= SQUARE_RAD_S


def is_ahead(i: Percept) -> bool:
    """Whether the box is straight ahead in the camera's picture."""
    box = find_box(i)
    return box is not None and box.size is not None and abs(box.bearing) < box.size / 2


def find_box(i: Percept) -> Sight | None:
    """The box in the camera's picture."""
    return next((sight for sight in i.senses.sights if sight.kind == "box"), None)


class PushBox(BehaviorSet[Place]):
    """The behavior set. Its fitness is how well the robot is placed for pushing at the task's end.

    Paper 002, VI-B.2a: for the right end it grows as the box lies to the left in the picture.
    """

    class Settings(parts.Settings):
        """Its table in the mission file."""

        box_length_m: float = parts.setting(1.8, "length of the box, m", gt=0.5, le=10)
        inset_m: float = parts.setting(0.1, "from the end of the box to where it is pushed, m", ge=0, le=1)
        speed_m_s: float = parts.setting(0.1, "pushing speed where the task gives none, m/s", gt=0, le=1)
        stated: str = parts.setting(
            "",
            "fact that states the share of speed_m_s asked for; once known, it goes before the task's",
            names=parts.fact("scalar"),
        )
        fast: float = parts.setting(0.8, "speed on the way, share of the body's greatest speed", gt=0, le=1)
        view_deg: float = parts.setting(
            90.0, "field of view of the camera, for the fitness, degrees", gt=0, le=360
        )

    needs = ("mobile", "camera", "front-range", "odometry")
    args = MappingProxyType({"end": tuple(SIDES), "speed": ()})

    def __init__(self, settings: Settings) -> None:
        super().__init__(Place())
        self.settings = settings
        self._pushing = Pushing(self)
        self.behaviors = (self._pushing,)

    @property
    def reach(self) -> float:
        """From the middle of the box to where an end is pushed, m."""
        return self.settings.box_length_m / 2 - self.settings.inset_m

    def stated_m_s(self, beliefs: Beliefs, otherwise: float) -> float:
        """The velocity that the fact `stated` gives, m/s; `otherwise` where it is not known."""
        known = beliefs.facts.get(self.settings.stated)
        return known.value[0] * self.settings.speed_m_s if known is not None else otherwise

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable once it has seen the box, and while a push at that end is asked for; of no fitness while the
        box is neither in sight nor where it was: it turns about until it sees it."""
        self._touch(i)
        place, box = self.memory, find_box(i)
        if i.senses.lifted:
            self.memory = Place()
            return Feedback(applicable=False, why=LIFTED)
        place.near = place.near or box is not None
        offset = -0.5 * SIDES[task.arg("end")]
        if box is not None:
            offset = box.bearing / math.radians(self.settings.view_deg)
        elif place.known and i.senses.odometry is not None:
            offset = place.locate(i.senses.odometry)[0] / self.settings.box_length_m
        fitness = min(max(0.5 + SIDES[task.arg("end")] * offset, 0.0), 1.0)
        asked = self.stated_m_s(beliefs, self.settings.speed_m_s) > 0.0
        why = "it has not seen the box" if asked else "no push at a velocity above 0 is asked for"
        return Feedback(applicable=asked and place.near, fitness=fitness, why=why)

    def _find_end(self, box: Sight, along: float) -> float:
        """The way from the middle of the box, m: by its end in the picture, else as odometry has it, `along`."""
        half = self.settings.box_length_m / 2
        side = math.copysign(1.0, along)
        corner = side * box.bearing - (box.size or 0.0) / 2  # bearing of the near end, negative beside the robot
        if corner > -math.radians(self.settings.view_deg) / 2 + OFFSET:
            return side * (half + TOUCH_M * math.tan(corner))
        return clip(along, half - TOUCH_M)

    def _touch(self, i: Percept) -> None:
        """Note where it touches the box, square to it; at which end, the picture shows."""
        place, push, at, box = self.memory, self._pushing.state, i.senses.odometry, find_box(i)
        if at is None or i.eyes.front > CONTACT_M or box is None or not is_square(i):
            return
        if not place.known:
            if abs(box.bearing) < OFFSET:
                return
            place.along = self._find_end(box, math.copysign(self.reach - push.inward, box.bearing))
        elif abs(wrap(at.heading - place.heading)) < ALIKE and place.locate(at)[1] < ALIKE_M:
            place.along = self._find_end(box, place.locate(at)[0])
        else:
            push.odd_since = since(push.odd_since, i.now, holds=True)
            place.known = i.now - push.odd_since < ODD_S or i.senses.stalled or not is_ahead(i)
            return
        push.odd_since = -1.0
        place.known, place.x, place.y, place.heading = True, at.x, at.y, at.heading

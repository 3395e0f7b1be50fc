"""A robot's body: hull, wheels with limited force, gripper, battery. The world steps it, in order of names."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pymunk

from boards.mock import anatomy as r2
from boards.mock.anatomy import HULLS
from boards.mock.objects import LOW, OBJECTS, ROBOT, Puck
from boards.mock.settings import BodySpec, ChargerSettings, absent_parts

HOLD = 2.0  # a gearbox at rest holds against so many times what its motor pushes
Pose = tuple[float, float, float]  # x, y (m), heading (rad)
HANDS = 1e6  # N: a robot that a person holds is not pulled free


@dataclass(slots=True)
class Gripper:
    """Opening and lift, 0 to 1, moving to their targets at finite rates; what is between the fingers."""

    opening: float = 0.0
    lift: float = 1.0
    want_opening: float = 0.0
    want_lift: float = 1.0
    held: Puck | None = None
    moving: bool = False

    def aim(self, opening: float | None, lift: float | None) -> None:
        """New targets, clamped to 0 to 1; None keeps one."""
        if opening is not None:
            self.want_opening = min(max(opening, 0.0), 1.0)
        if lift is not None:
            self.want_lift = min(max(lift, 0.0), 1.0)
        self.moving = not self.arrived()

    def arrived(self) -> bool:
        """True where both axes are at their targets (a clamped object counts as arrival)."""
        wanted = max(self.want_opening, r2.CLAMPED) if self.held else self.want_opening
        return self.opening == wanted and self.lift == self.want_lift


@dataclass(slots=True)
class Drive:
    """Wheel speeds asked for, m/s, and the step from which they no longer hold."""

    left: float = 0.0
    right: float = 0.0
    until: int = 0
    turning: float = 0.0  # of the control body, rad/s
    rolling: tuple[float, ...] = ()  # its speed and heading; () at rest
    factor: float = 1.0
    tool: str = ""  # the tool commanded to run, for as long as the wheel speeds hold


AT_REST = 4  # a robot at rest draws a quarter of what it draws driving: computer and sensors without motors
LEVELS = 100  # what a gauge resolves


class Battery:
    """Full at first, and empty after `lasts_s` of driving. A unit is what a standing robot draws in one step."""

    def __init__(self, lasts_s: float) -> None:
        self._lasts_s = lasts_s
        self._whole = self._left = 0
        self.charging = False

    @property
    def empty(self) -> bool:
        """True when the motors have nothing left to turn them."""
        return self._whole > 0 and self._left == 0

    def level(self) -> float:
        """From 0, empty, to 1, full, as a gauge shows it."""
        return math.ceil(self._left * LEVELS / self._whole) / LEVELS if self._whole else 1.0

    def step(
        self, place: tuple[float, float] | None, driving: bool, chargers: Iterable[ChargerSettings], rate: int
    ) -> None:
        """One of `rate` steps a second, at `place` (m; None out of the room)."""
        if not self._whole:
            self._whole = self._left = round(self._lasts_s * rate) * AT_REST
        on = next((c for c in chargers if place is not None and not driving and c.holds(place)), None)
        self.charging = on is not None and self._left < self._whole
        if on is not None:
            self._left = min(self._whole, self._left + max(1, round(self._whole / (on.full_s * rate))))
        else:
            self._left = max(0, self._left - (AT_REST if driving else 1))


class RobotBody:
    """One robot in the space. `present` is False while it is lifted out of the room."""

    def __init__(self, spec: BodySpec, index: int, space: Any, start: tuple[float, float]) -> None:
        self.spec, self.start, self.hull = spec, start, HULLS[spec.hull]
        self.present, self.seized = True, False
        self.drive, self.gripper = Drive(), Gripper()
        self.solid = not spec.fixed  # a fixed one is in no one's way, and out of the space
        self.faults = dict.fromkeys(absent_parts(spec), "absent")
        self.blinded: frozenset[str] = frozenset()  # colours that its camera misses until it is restored
        self.changes = 0  # how often something happened to it
        self._pose: Pose | None = None  # of this step, once asked for
        self._speeds: tuple[float, float] | None = None
        self.carried = 0  # how often it was put somewhere by hand: odometry starts afresh there
        self._space = space
        self.filter = pymunk.ShapeFilter(group=index + 1, categories=ROBOT)
        hull = self.hull
        self.body = pymunk.Body(hull.mass, hull.mass * (hull.length**2 + hull.width**2) / 12)
        self._hull = self._shapes()
        at, reach = r2.FRONT - 0.005, r2.JAW / 2
        self._bar = pymunk.Segment(self.body, (at, -reach), (at, reach), 0.005)
        self._bar.filter, self._bar.friction = self.filter, 0.2
        self._barred = False
        self._control = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        pivot = pymunk.PivotJoint(self._control, self.body, (0, 0), (0, 0))
        self._wheels = pivot, pymunk.GearJoint(self._control, self.body, 0, 1)
        for joint in self._wheels:
            joint.max_bias = 0
        self._set_force(HOLD)
        self._hands: tuple[Any, ...] = ()
        self.battery = Battery(spec.battery_s) if spec.battery_s is not None else None
        self._enter(start, math.radians(spec.heading_deg))

    def _shapes(self) -> list[Any]:
        hull = self.hull
        front, side = hull.halves
        back, floor = -front, front - r2.NOTCH if hull.gripper else front
        base = [(back, -side), (floor, -side), (floor, side), (back, side)]
        arms = [[(floor, y), (front, y), (front, y + r2.ARM), (floor, y + r2.ARM)]
                for y in (-side, side - r2.ARM) if hull.gripper]  # fmt: skip
        shapes = [pymunk.Poly(self.body, corners) for corners in (base, *arms)]
        for shape in shapes:
            shape.filter, shape.friction = self.filter, 0.3
        return shapes

    def _enter(self, at: tuple[float, float], heading: float) -> None:
        self.body.position, self.body.angle = at, heading
        self.body.velocity, self.body.angular_velocity = (0, 0), 0
        if not self.solid:
            return
        self._space.add(self.body, *self._hull, *self._wheels)
        self._barred = False
        self._set_bar()

    # What people do to it

    def remove(self) -> None:
        """Lift it out of the room; an object in its gripper is put down where it stood."""
        if not self.present:
            return
        self.release()
        self.drop()
        if self.solid:
            self._space.remove(self.body, *self._hull, *self._wheels, *([self._bar] if self._barred else []))
        self.present, self.carried = False, self.carried + 1
        self._pose = self._speeds = None

    def put(self, at: tuple[float, float], heading: float) -> None:
        """Put it back, with this heading (rad)."""
        self._enter(at, heading)
        self.present, self.carried = True, self.carried + 1
        self._pose = self._speeds = None

    def seize(self) -> None:
        """A person holds it where it is."""
        if self.solid and self.present and not self.seized:
            fixed = self._space.static_body
            pin = pymunk.PivotJoint(fixed, self.body, tuple(self.body.position))
            turn = pymunk.GearJoint(fixed, self.body, self.body.angle, 1)
            pin.max_force = turn.max_force = HANDS
            self._hands, self.seized = (pin, turn), True
            self._space.add(*self._hands)

    def release(self) -> None:
        """The person lets it go."""
        if self.seized:
            self._space.remove(*self._hands)
            self._hands, self.seized = (), False

    # Where it is

    def to_room(self, x: float, y: float) -> tuple[float, float]:
        """A point of the robot's frame in room coordinates."""
        place = self.body.local_to_world((x, y))
        return place.x, place.y

    def makes_out(self, colour: str) -> bool:
        """Whether its camera, if it has one, does not miss this colour."""
        return colour not in self.spec.blind_to and colour not in self.blinded

    def pose(self) -> Pose:
        """x, y (m) and heading (rad, not wrapped) of the axle's middle."""
        if self._pose is None:
            x, y = self.body.position
            self._pose = (x, y, self.body.angle)
        return self._pose

    def wheel_speeds(self) -> tuple[float, float]:
        """How fast the left and right wheels really turn, m/s. They do not slip, they stall; in the air they are
        switched off."""
        if self._speeds is None:
            vx, vy = self.body.velocity
            heading = self.pose()[2]
            forward = vx * math.cos(heading) + vy * math.sin(heading)
            turn = self.body.angular_velocity * self.hull.wheel_base / 2
            self._speeds = (forward - turn, forward + turn) if self.present else (0.0, 0.0)
        return self._speeds

    def driven(self) -> tuple[float, float]:
        """What the motors are commanded now, m/s."""
        drive = self.drive
        if "motors" in self.faults or not self.present:
            return 0.0, 0.0
        return drive.left * drive.factor, drive.right * drive.factor

    # One step

    def draw_power(self, chargers: Iterable[ChargerSettings], rate: int) -> None:
        """Draw from the battery, or charge it, for one of `rate` steps a second; an empty one turns no motor."""
        battery, drive = self.battery, self.drive
        if battery is None:
            return
        was = battery.empty
        battery.step(self.pose()[:2] if self.present else None, bool(drive.rolling), chargers, rate)
        if battery.empty:
            drive.left = drive.right = 0.0
        self.changes += battery.empty != was

    def step(self, number: int, dt: float) -> None:
        """Let wheels and gripper follow their commands in step `number` of the world, `dt` s long."""
        drive = self.drive
        self._pose = self._speeds = None
        if number >= drive.until and (drive.left or drive.right):
            drive.left = drive.right = 0.0
        if (drive.left or drive.right) and "motors" not in self.faults:
            if not drive.rolling:
                self._set_force(1.0)
            self._roll(drive)
        elif drive.rolling:
            self._set_force(HOLD)
            self._control.velocity, self._control.angular_velocity = (0, 0), 0
            drive.turning, drive.rolling = 0.0, ()
        if self.gripper.moving:
            self._move_gripper(dt)

    def _set_force(self, factor: float) -> None:
        force = self.hull.force
        for joint, limit in zip(self._wheels, (force, force * self.hull.wheel_base / 2), strict=True):
            joint.max_force = factor * self.spec.force * limit

    def _roll(self, drive: Drive) -> None:
        left, right = drive.left * drive.factor, drive.right * drive.factor
        speed, turning, heading = (left + right) / 2, (right - left) / self.hull.wheel_base, self.body.angle
        if (speed, heading) != drive.rolling:
            self._control.velocity = speed * math.cos(heading), speed * math.sin(heading)
            drive.rolling = (speed, heading)
        if turning != drive.turning:
            self._control.angular_velocity = drive.turning = turning

    def _move_gripper(self, dt: float) -> None:
        grip = self.gripper
        before = grip.opening
        grip.opening = _toward(before, grip.want_opening, r2.OPENING_RATE * dt)
        grip.lift = _toward(grip.lift, grip.want_lift, r2.LIFT_RATE * dt)
        if grip.held is not None:
            if grip.opening >= r2.RELEASED:
                self.drop()
            else:
                grip.opening = max(grip.opening, r2.CLAMPED)
        elif self.present and before > r2.CLAMPED >= grip.opening and grip.lift <= r2.LOW_LIFT:
            found = self._between_fingers()
            if found is not None:
                found.take(self.spec.name)
                grip.held, grip.opening = found, r2.CLAMPED
        if self.present:
            self._set_bar()
        grip.moving = not grip.arrived()

    def _set_bar(self) -> None:
        if not self.hull.gripper:
            return
        open_notch = self.gripper.opening >= r2.JAW_FREE and self.gripper.lift <= r2.LOW_LIFT
        if self._barred == open_notch:
            self._barred = not open_notch
            (self._space.add if self._barred else self._space.remove)(self._bar)

    def _between_fingers(self) -> Puck | None:
        middle = self.to_room(r2.HELD_AT, 0)
        found = self._space.point_query_nearest(middle, r2.NOTCH, OBJECTS)
        if found is None:
            return None
        at = self.body.world_to_local(found.shape.body.position)
        inside = r2.FRONT - r2.NOTCH <= at.x <= r2.FRONT and abs(at.y) <= r2.JAW / 2 - r2.OBJECT_RADIUS + 0.01
        puck: Puck = found.shape.puck
        return puck if inside and not puck.fixed else None

    def drop(self) -> None:
        """Let go of what is between the fingers: it lies there."""
        held, self.gripper.held = self.gripper.held, None
        if held is not None:
            held.put(self.to_room(r2.HELD_AT, 0))
            self.gripper.moving = not self.gripper.arrived()

    def beam_broken(self) -> bool:
        """Whether something is between the fingers."""
        if self.gripper.held is not None:
            return True
        if not self.hull.gripper or not self.present or self.gripper.lift > r2.LOW_LIFT:
            return False
        reach = r2.JAW / 2
        one, other = self.to_room(r2.BEAM_AT, -reach), self.to_room(r2.BEAM_AT, reach)
        return self._space.segment_query_first(one, other, 0, OBJECTS) is not None

    def bumped(self) -> frozenset[str]:
        """The bump sensors that a wall or another robot presses: low objects pass under the ring."""
        if not self.present:
            return frozenset()
        pressed: set[str] = set()
        self.body.each_arbiter(self._press, pressed)
        return frozenset(pressed)

    def _press(self, arbiter: Any, pressed: set[str]) -> None:
        if any(shape.filter.categories == LOW for shape in arbiter.shapes):
            return
        angles = []
        for point in arbiter.contact_point_set.points:
            local = self.body.world_to_local((point.point_a + point.point_b) / 2)
            angles.append(math.degrees(math.atan2(local.y, local.x)))
        if angles:
            pressed.update(_between(min(angles), max(angles)))


def _between(low: float, high: float) -> list[str]:
    """The bumpers on the shorter arc between two bearings (degrees), or else the nearest one."""
    if high - low > 180:
        low, high = high, low + 360
    within = [name for name, at in r2.BUMPERS if low <= at <= high or low <= at + 360 <= high]
    middle = (low + high) / 2
    nearest = min(r2.BUMPERS, key=lambda bumper: abs((bumper[1] - middle + 180) % 360 - 180))[0]
    return within or [nearest]


def _toward(now: float, wanted: float, most: float) -> float:
    return wanted if abs(wanted - now) <= most else now + math.copysign(most, wanted - now)

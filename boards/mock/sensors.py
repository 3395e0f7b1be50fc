"""The readings of one R-2's sensors: refreshed at their own rates, only when read, with faults.

Readings are rounded to what the sensors resolve; one that has not changed is the same object as before.
"""

import math

from boards.mock import anatomy as r2
from boards.mock.bodies import Pose as Pose3
from boards.mock.bodies import RobotBody
from boards.mock.noise import Wander, eight_uniforms, four_normals
from boards.mock.rays import NOTHING, Scene
from boards.mock.world import World
from boards.stuck import FROZEN_S, moving
from robotd.model.senses import Bump, Grip, Pose, Range, Wheels
from robotd.model.streams import draw

SCALE_ERROR = 0.01  # of a wheel's circumference, at most: what remains after measuring it with a ruler
DRIFT = 0.05  # m of accuracy lost per metre travelled
GROSS = 0.1  # m/s, one sigma of a noisy encoder
_STILL = Wheels(0.0, 0.0)


def rolled(last: Pose3, here: Pose3, base: float) -> tuple[float, float]:
    """What wheels `base` m apart rolled between two poses: in the middle, and half of their difference, m."""
    middle = (last[2] + here[2]) / 2
    forward = (here[0] - last[0]) * math.cos(middle) + (here[1] - last[1]) * math.sin(middle)
    return forward, (here[2] - last[2]) * base / 2


class Odometer:
    """Speeds in m/s and a pose in the frame of the place where it was switched on (x forward)."""

    def __init__(self, seed: int, robot: RobotBody) -> None:
        self._robot = robot
        name = robot.spec.name
        sides = "left wheel", "right wheel"
        self._scales = [1 + SCALE_ERROR * (2 * draw(seed, name, side, 0) - 1) for side in sides]
        self.wheels, self.pose = _STILL, Pose(0.0, 0.0, 0.0, 0.0)
        self._speeds = (0.0, 0.0)  # as in `wheels`
        self._x = self._y = self._heading = self._way = 0.0
        self._last = robot.pose()
        self._carried = robot.carried

    def read(self, *, frozen: bool, noise: float) -> None:
        """Take the encoders' counts since the last reading; `noise` in standard deviations of a noisy encoder."""
        here, last = self._robot.pose(), self._last
        self._last = here
        if self._carried != self._robot.carried:  # wheels do not turn while a person carries the robot
            self._carried = self._robot.carried
            last = here
        if frozen:
            return
        left, right = self._robot.wheel_speeds()
        error = GROSS * noise
        fresh = round(left * self._scales[0] + error, 3), round(right * self._scales[1] - error, 3)
        if fresh != self._speeds:
            self._speeds, self.wheels = fresh, Wheels(*fresh)
        if here != last:
            self._travel(last, here)

    def _travel(self, last: Pose3, here: Pose3) -> None:
        base = self._robot.hull.wheel_base
        forward, half_turn = rolled(last, here, base)
        left, right = (forward - half_turn) * self._scales[0], (forward + half_turn) * self._scales[1]
        turn, way = (right - left) / base, (left + right) / 2
        self._x += way * math.cos(self._heading + turn / 2)
        self._y += way * math.sin(self._heading + turn / 2)
        self._heading += turn
        self._way += abs(way) + abs(half_turn)
        heading = math.remainder(self._heading, 2 * math.pi)
        fresh = Pose(round(self._x, 3), round(self._y, 3), round(heading, 3), round(DRIFT * self._way, 2))
        if fresh != self.pose:
            self.pose = fresh


RANGE_RATE, FIX_RATE = 10, 5  # Hz: infrared; beacons, whose echoes have to die away in between
STEPS = 200  # of infrared in a metre: 5 mm
RANGE_NOISE = 0.02  # of the distance, at most
GROSS_RANGE, GROSS_POSITION = 0.5, 0.75  # noisy parts: share of the distance; m, one sigma of each axis
GROSS_CHANCE = 0.1  # of a wrong bump or beam in one reading of a noisy part
LOST = ("dead", "absent")
BUMPERS = r2.GROUPS["bumpers"]


class Sensors:
    """The sensors of robot `name`; every method wants the world stepped to `now` before."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self._name = world, name
        self._robot = world.robots[name]
        settings = world.settings
        self._per_range, self._per_fix = settings.steps_per_s // RANGE_RATE, settings.steps_per_s // FIX_RATE
        self._accuracy = settings.position_noise_m
        noise = settings.position_noise_m, settings.heading_noise_rad, settings.position_noise_s
        self._wander = Wander(world.seed, name, *noise)
        self._odometer = Odometer(world.seed, self._robot)
        self._ranges_due: tuple[int, int, tuple[str, ...]] | None = None  # period and state of the last reading
        self._pose_due: tuple[int, int] | None = None
        self.ranges_at = self.pose_at = world.now
        self._each: list[Range | None] = [None] * len(r2.INFRARED)
        self._ranges: tuple[Range, ...] = ()
        self._scene: Scene | None = None  # of the last reading, what it held, and whether a part was faulty
        self._seen: tuple[float, ...] = ()
        self._faulty = True
        self._pose: Pose | None = None
        self._bumps: tuple[Bump, ...] = ()
        self._bumps_key: tuple[frozenset[str], int, tuple[str, ...]] | None = None
        self._pressed: frozenset[str] = frozenset()
        self._grip: Grip | None = None
        self._grip_key: tuple[float, float, bool, bool] | None = None
        self._moved: dict[str, float] = {}  # frozen parts: since when the robot has moved with them
        self.stuck: tuple[str, ...] = ()  # frozen parts that the self-check has found

    def check(self, now: float) -> None:
        """The board's self-check: every sensor is analogue, and a live one's raw reading always changes."""
        faults = self._robot.faults
        frozen = [part for part, how in faults.items() if how == "frozen"] if faults else None
        if not frozen:
            self._moved, self.stuck = {}, ()
            return
        rolling = moving(*self._robot.wheel_speeds()) or self._robot.gripper.moving
        since = {part: self._moved.get(part, now) for part in frozen if rolling or part in self.stuck}
        self._moved = since
        stuck = (part for part, at in since.items() if now - at >= FROZEN_S or part in self.stuck)
        self.stuck = tuple(sorted(stuck))

    def trusted(self, part: str) -> bool:
        """False for a part that is dead, never fitted, or found frozen."""
        return self._robot.faults.get(part) not in LOST and part not in self.stuck

    # Infrared

    def ranges(self) -> tuple[Range, ...]:
        """The readings of all infrared sensors that are alive."""
        due = (self._world.count // self._per_range, self._robot.changes, self.stuck)
        if due != self._ranges_due:
            self._ranges_due, self.ranges_at = due, self._world.now
            self._cast(due[0])
        return self._ranges

    def _cast(self, tick: int) -> None:
        scene, faults = self._world.scene(self._name), self._robot.faults
        if scene == self._scene and not faults and not self._faulty:
            return  # the errors are those of what reflects: the same scene reads the same
        seen = self._world.rays(scene) if scene is not None else NOTHING
        self._scene, unsure, self._faulty = scene, self._faulty, bool(faults)
        if seen is self._seen and not (faults or unsure):
            return  # nothing in reach, as before
        self._seen = seen
        noise = eight_uniforms(self._world.seed, self._name, "infrared", tick)
        changed, each = False, self._each
        for k, sensor in enumerate(r2.INFRARED):
            last, error = each[k], RANGE_NOISE
            if faults:
                how = faults.get(sensor.name)
                if how == "frozen" and last is not None:
                    continue
                error = GROSS_RANGE if how == "noisy" else RANGE_NOISE
            distance = _limited(seen[k] * (1.0 + error * noise[k]))
            if last is None or last.distance != distance:
                each[k] = Range("infrared", sensor.bearing, distance, r2.RANGE_LOW, r2.RANGE_HIGH)
                changed = True
        if changed or faults or len(self._ranges) != len(each):
            alive = [each[k] for k, sensor in enumerate(r2.INFRARED) if not faults or self.trusted(sensor.name)]
            ranges = tuple([reading for reading in alive if reading is not None])
            if ranges != self._ranges:
                self._ranges = ranges

    # Positioning

    def pose(self) -> Pose | None:
        """The beacons' fix; None while they are not trusted or the robot is out of their reach."""
        due = (self._world.count // self._per_fix, self._robot.changes)
        if due != self._pose_due:
            self._pose_due, self.pose_at = due, self._world.now
            self._fix(due[0])
        return self._pose if self.trusted("positioning") else None

    def _fix(self, tick: int) -> None:
        how, truth = self._robot.faults.get("positioning"), self._world.pose(self._name)
        if how == "frozen" and self._pose is not None:
            return
        if truth is None or how in LOST:
            self._pose = None
            return
        dx, dy, turn = self._wander.at(self._world.now, tick)
        if how == "noisy":
            one, two, _, _ = four_normals(self._world.seed, self._name, "gross position", tick)
            dx, dy = dx + GROSS_POSITION * one, dy + GROSS_POSITION * two
        heading = math.remainder(truth[2] + turn, 2 * math.pi)
        self._pose = Pose(round(truth[0] + dx, 3), round(truth[1] + dy, 3), round(heading, 3), self._accuracy)

    # Contacts, gripper, wheels: sampled at every reading

    def bumps(self) -> tuple[Bump, ...]:
        """The bump sensors that are alive."""
        pressed = self._robot.bumped()
        if not self._robot.faults.keys().isdisjoint(BUMPERS):
            pressed = frozenset(name for name in BUMPERS if self._is_pressed(name, pressed))
        self._pressed = pressed
        key = (pressed, self._robot.changes, self.stuck)
        if key != self._bumps_key:
            self._bumps_key = key
            self._bumps = tuple(Bump(at, name in pressed) for name, at in r2.BUMPERS_RAD if self.trusted(name))
        return self._bumps

    def _is_pressed(self, name: str, pressed: frozenset[str]) -> bool:
        how = self._robot.faults.get(name)
        if how == "frozen":
            return name in self._pressed
        return (name in pressed) != (how == "noisy" and self._glitch(name))

    def _glitch(self, part: str) -> bool:
        return draw(self._world.seed, self._name, f"glitch {part}", self._world.count) < GROSS_CHANCE

    def grip(self) -> Grip | None:
        """Opening, lift, beam and inner bump of the gripper."""
        if not self.trusted("gripper"):
            return None
        gripper, how = self._robot.gripper, self._robot.faults.get("gripper")
        last = self._grip
        if how == "frozen" and last is not None:
            return last
        beam = self._robot.beam_broken() != (how == "noisy" and self._glitch("gripper"))
        key = (gripper.opening, gripper.lift, beam, gripper.held is not None)
        if key != self._grip_key:
            self._grip_key = key
            self._grip = Grip(round(gripper.opening, 3), round(gripper.lift, 3), beam, key[3])
        return self._grip

    def odometry(self) -> tuple[Wheels | None, Pose | None]:
        """Measured wheel speeds and the way that they add up to since the robot was switched on."""
        how = self._robot.faults.get("wheels")
        noise = 0.0
        if how == "noisy":
            noise = four_normals(self._world.seed, self._name, "wheels", self._world.count)[0]
        self._odometer.read(frozen=how == "frozen", noise=noise)
        if not self.trusted("wheels"):
            return None, None
        return self._odometer.wheels, self._odometer.pose


def _limited(distance: float) -> float | None:
    if distance > r2.RANGE_HIGH:
        return None
    return max(round(distance * STEPS) / STEPS, r2.RANGE_LOW)

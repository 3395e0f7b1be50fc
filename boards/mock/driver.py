"""The mock R-2: the board of any simulated body, without bytes between."""

import functools
import math
from dataclasses import replace

from boards.mock import anatomy as r2
from boards.mock.eyes import Camera, DirtSensor, Eye, Laser
from boards.mock.sensors import Sensors
from boards.mock.settings import resources_of
from boards.mock.world import World
from robotd.model.command import EXPIRY_S, Command
from robotd.model.senses import Ages, Capabilities, Pose, Senses, Sight

STALL_S = 0.5  # of wheels that turn at under a third of what is commanded
WORDS = {"dead": "is dead", "frozen": "stands still while the robot moves"}
LIFTED = {"mobile": "lifted off the floor", "positioning": "out of reach of the beacons"}


class MockR2:
    """`boards.contract.Board` for robot `name` of `world`; `swapped`: its two motors are plugged in crosswise."""

    reboots = 0  # it has no computer of its own

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.swapped = False
        self._robot, self._sensors = world.robots[name], Sensors(world, name)
        spec = self._robot.spec
        self._eyes: list[tuple[str, Eye]] = []
        if spec.tools:
            self._eyes.append((r2.DIRT_SENSOR, DirtSensor(world, name)))
        if spec.camera is not None:
            self._eyes.append((Camera.part, Camera(world, name)))
        if spec.laser:
            self._eyes.append((Laser.part, Laser(world, name)))
        self._resources = resources_of(spec)
        self._place = Pose(*self._robot.start, self._robot.pose()[2], 0.0) if spec.fixed else None
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._tune: int | None = None
        self._last: tuple[Command, Command, tuple[int, int, bool]] | None = None  # commanded, driven, under what
        self._slow_since: float | None = None

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; the same object as long as nothing changes."""
        self.world.advance(now)
        self._sensors.check(now)
        key = (self._robot.changes, self._sensors.stuck)
        if self._known[0] != key:
            self._known = (key, self._examine())
        return self._known[1]

    def _examine(self) -> Capabilities:
        working, missing = [], []
        for resource, parts in self._resources.items():
            reason = self._reason(resource, parts)
            if reason:
                missing.append((resource, reason))
            else:
                working.append(resource)
        speed = self.world.top_speed(self.name) if self._robot.solid else 0.0
        hull = self._robot.hull
        return Capabilities(tuple(working), tuple(missing), speed, hull.wheel_base, hull.radius)

    def _reason(self, resource: str, parts: tuple[str, ...]) -> str:
        if not self._robot.present and resource in LIFTED:
            return LIFTED[resource]
        if resource == "mobile" and self._robot.battery is not None and self._robot.battery.empty:
            return "the battery is empty"
        bad = [part for part in parts if not self._sensors.trusted(part)]
        return "; ".join(f"{part} {WORDS[self._robot.faults.get(part, 'frozen')]}" for part in bad)

    def senses(self, now: float) -> Senses:
        """See `Board`."""
        world, sensors = self.world, self._sensors
        world.advance(now)
        sensors.check(now)
        wheels, odometry = sensors.odometry()
        pose, ranges = self._place or sensors.pose(), sensors.ranges()
        ages = _ages(_age(now, world.now), _age(now, sensors.pose_at), _age(now, sensors.ranges_at))
        lifted = not self._robot.present
        battery = self._robot.battery
        return Senses(
            wheels, odometry, pose, ranges, sensors.bumps(), (), lifted, self._stalls(now), sensors.grip(),
            self._sights(), None if battery is None else battery.level(),
            charging=battery is not None and battery.charging, ages=ages,
        )  # fmt: skip

    def _sights(self) -> tuple[Sight, ...]:
        if not self._eyes:
            return ()
        seen = [eye.sights(trusted=self._sensors.trusted(part)) for part, eye in self._eyes]
        return seen[0] if len(seen) == 1 else tuple(sight for sights in seen for sight in sights)

    def _stalls(self, now: float) -> bool:
        drive = self._robot.drive
        wanted = abs(drive.left) + abs(drive.right)
        left, right = self._robot.wheel_speeds()
        if wanted < 0.02 or abs(left) + abs(right) > wanted / 3:  # 1 cm/s: below it friction rules
            self._slow_since = None
            return False
        if self._slow_since is None:
            self._slow_since = now
        return now - self._slow_since >= STALL_S

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: speeds clamped to the top speed, zero without motors, held for half a second at most."""
        self.world.advance(now)
        last, under = self._last, (self._robot.changes, self._robot.carried, self.swapped)
        if last is not None and last[0] is command and last[2] == under:
            driven = last[1]
        else:
            driven = self._clamp_to_body(now, command)
            self._last = command, driven, under
        wired = replace(driven, left=driven.right, right=driven.left) if self.swapped else driven
        self.world.command(self.name, now, wired)
        return driven

    def _clamp_to_body(self, now: float, command: Command) -> Command:
        expiry = min(max(command.expiry_s, 0.0), EXPIRY_S)
        top = self.world.top_speed(self.name) if self._can("motors") and self._robot.present else 0.0
        left, right = clamp(command.left, top), clamp(command.right, top)
        opening, lift = (command.opening, command.lift) if self._can("gripper") else (None, None)
        tune = command.tune if self._can("sound") else None
        tool = command.tool if command.tool in self._robot.spec.tools and self._can(command.tool) else None
        driven = Command(left, right, opening, lift, tune, expiry, tool)
        if driven == command:
            driven = command
        if tune is not None and tune != self._tune:
            self.world.play(self.name, now, tune)
        self._tune = tune
        return driven

    def _can(self, part: str) -> bool:
        return self._robot.faults.get(part) not in ("dead", "absent")

    def driven(self, now: float) -> tuple[float, float]:
        """What the motors are commanded now, m/s."""
        self.world.advance(now)
        return self._robot.driven()

    def state(self, part: str) -> str:
        """What the board's self-check reports of a part: absent, works, dead or frozen."""
        if self._sensors.trusted(part):
            return "works"
        return self._robot.faults.get(part, "frozen")


@functools.lru_cache(maxsize=1024)
def _ages(sampled: float, pose: float, ranges: float) -> Ages:
    """Wheels, bumps and grip are sampled at every reading."""
    return Ages(sampled, pose, ranges, sampled, sampled)


def _age(now: float, at: float) -> float:
    """In whole milliseconds, so that ticks of one phase have the same; never -0.0, which a cache takes for 0.0."""
    return round(now - at, 3) + 0.0


def clamp(speed: float, top: float) -> float:
    """`speed` within [-top, top]; 0 for what is no number."""
    if math.isnan(speed):
        return 0.0
    return min(max(speed, -top), top)

"""The contents of a Pioneer's packets as the model's values, and which of its parts can be believed."""

import math
from collections import Counter
from collections.abc import Sequence

from boards.driver import Reading
from boards.odometry import JUMP, Track, difference
from boards.pioneer import frames as wire
from boards.proximity import OUTDATED, STANDS_STILL, mark_sensor
from boards.stuck import StuckDetector, moving
from robotd.model.senses import Bump, Grip, Range, Senses, Wheels

OLD_S = 0.6  # a sonar that has not reported for so long is lost: all fire within 0.3 s
SONAR_LOW, SONAR_HIGH = 0.17, 5.0  # m; a reading of 0, or from 5 m on, is no echo: nothing was detected
CLUMP_S = 0.2  # two packets that come at once
IDLE_S = 0.5  # of wheels that are commanded to turn and do not
EMPTY_V, FULL_V = 11.0, 13.0  # of a 12 V lead battery under load
UNKNOWN = "what the robot counts in is not known of its subclass: set distance_factor, the mm of one count"


class Course(Track):
    """Odometry from the robot's own; `stuck`: it does not change although the wheels are commanded to turn."""

    def __init__(self, wheel_base: float, top_speed: float, counts: Counter[str]) -> None:
        super().__init__(wheel_base, top_speed, counts)
        self._base = wheel_base
        self._last: wire.Sip | None = None
        self._idle_since: float | None = None
        self.stuck = False

    def lose_reference(self) -> None:
        super().lose_reference()
        self._idle_since = None

    def take(self, now: float, sip: wire.Sip, units: wire.Units, *, commanded: bool) -> None:
        """A packet at `now` (s); `commanded`: the wheels are commanded to turn."""
        before, old = self._last_at, self._last
        self._last_at, self._last = now, sip
        if before is None or old is None:
            self._begin(now)
            return
        factor, step = units.distance / 1000, 2 * math.pi / units.turn
        east = difference(sip.x, old.x, wire.COUNTER) * factor
        north = difference(sip.y, old.y, wire.COUNTER) * factor
        steps = difference(sip.heading, old.heading, units.turn)
        turn = steps * step
        self._watch(now, commanded=commanded, changed=bool(east or north or steps))
        most = JUMP * self._top * max(now - before, CLUMP_S)
        if math.hypot(east, north) > most or abs(turn) * self._base / 2 > most:
            words = f"the robot's odometry jumped by {math.hypot(east, north):.2f} m"
            self._refuse(now, now - before, "odometry-jump", words)
            return
        facing = old.heading * step + turn / 2
        self._odometry.move(east * math.cos(facing) + north * math.sin(facing), turn)

    def _watch(self, now: float, *, commanded: bool, changed: bool) -> None:
        """The self-check: what counts while the wheels are commanded to turn is alive."""
        if changed or not commanded:
            self._idle_since, self.stuck = None, self.stuck and not changed
            return
        if self._idle_since is None:
            self._idle_since = now
        self.stuck = self.stuck or now - self._idle_since >= IDLE_S


Ring = Sequence[float]  # bearings, degrees


class Reader:
    """Reads packet after packet. `counts` takes what was refused, by reason."""

    def __init__(
        self, course: Course, sonar: Ring, bumpers: tuple[Ring, Ring], factor: float, beams_low: bool
    ) -> None:
        self.course = course
        self._bearings = [math.radians(degrees) for degrees in sonar]
        self._bumpers = [[math.radians(degrees) for degrees in ring] for ring in bumpers]  # front, rear
        self._factor, self._beams_low = factor, beams_low
        self._echoes: dict[int, tuple[float, int]] = {}  # by sonar: when, what
        self._watches = [StuckDetector() for _ in sonar]

    def lose_reference(self) -> None:
        self.course.lose_reference()
        self._echoes.clear()
        self._watches = [StuckDetector() for _ in self._bearings]

    def read(
        self, now: float, sip: wire.Sip, units: wire.Units | None, *, commanded: bool, lift: float, gripper: bool
    ) -> Reading:
        """The reading of a packet; `units`: None where they are not known, `lift`: where the lift was last sent,
        `gripper`: there is one."""
        lost: dict[str, str] = {}
        stalls = bool(sip.stall & 0x0101)
        on = bool(sip.flags & wire.MOTORS_ON)
        if units is not None:
            self.course.take(now, sip, units, commanded=commanded and on and not stalls)
        if not on:
            lost["mobile"] = "the motors are off: press the robot's motor button, release its emergency stop"
        if units is None:
            lost["odometry"] = UNKNOWN
        elif self.course.stuck:
            lost["odometry"] = "the robot's odometry stands still while it drives"
        elif now < self.course.unsure_until:
            lost["odometry"] = self.course.jump
        seen = "odometry" not in lost
        speed = units.speed / 1000 if units is not None else 0.001
        speeds = sip.left * speed, sip.right * speed
        ranges, age = self._ranges(now, sip, lost, rolls=moving(*speeds))
        wheels, pose = (Wheels(*speeds), self.course.pose) if seen else (None, None)
        grip = self._grip(sip.grip, lift) if gripper and sip.grip is not None else None
        battery = min(1.0, max(0.0, (sip.battery / 10 - EMPTY_V) / (FULL_V - EMPTY_V)))
        bumps = self._bumps(sip.stall)
        values = Senses(wheels, pose, None, ranges, bumps, stalled=stalls, grip=grip, battery=battery)
        if gripper and sip.grip is None:
            lost["gripper"] = "the robot's packets report nothing of its gripper"
        return Reading(now, values, tuple(sorted(lost.items())), age)

    def _ranges(
        self, now: float, sip: wire.Sip, lost: dict[str, str], *, rolls: bool
    ) -> tuple[tuple[Range, ...], float]:
        for number, raw in sip.sonar:
            self._echoes[number] = now, raw
        found, oldest = [], 0.0
        for number, (bearing, watch) in enumerate(zip(self._bearings, self._watches, strict=True)):
            at, raw = self._echoes.get(number, (-math.inf, 0))
            distance = raw * self._factor / 1000
            # What sees nothing reads the greatest range for long, what is nearer than the least range the least.
            frozen = watch.note(now, raw, moves=rolls and SONAR_LOW < distance < SONAR_HIGH)
            if now - at > OLD_S:
                mark_sensor(lost, "sonar", bearing, OUTDATED)
            elif frozen:
                mark_sensor(lost, "sonar", bearing, STANDS_STILL)
            else:
                oldest = max(oldest, now - at)
                near = max(distance, SONAR_LOW) if 0 < distance < SONAR_HIGH else None
                found.append(Range("sonar", bearing, near, SONAR_LOW, SONAR_HIGH))
        return tuple(found), oldest

    def _bumps(self, stall: int) -> tuple[Bump, ...]:
        front, rear = self._bumpers
        rings = (front, stall >> 9), (rear, (stall & 0xFF) >> 1)
        return tuple(Bump(at, bool(bits >> k & 1)) for ring, bits in rings for k, at in enumerate(ring))

    def _grip(self, bits: int, lift: float) -> Grip:
        """Only the ends of the ways are reported: neither open nor moving is shut, or half-way on a thing."""
        beam = bool(bits & wire.INNER_BEAM) != self._beams_low
        touched = not bits & wire.LEFT_FREE or not bits & wire.RIGHT_FREE
        between = bits & wire.PADDLES_MOVE or (bits & wire.NOT_OPEN and touched and beam)
        opening = 0.5 if between else 0.0 if bits & wire.NOT_OPEN else 1.0
        at_limit = not bits & (wire.NOT_AT_LIMIT | wire.LIFT_MOVES)
        return Grip(opening, lift if at_limit else 0.5, beam, touched)

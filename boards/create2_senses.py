"""What the stream of a Create 2 says, as the model's values, and which of its parts can be believed."""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boards import create2_frames as wire
from boards.odometry import Odometry, difference
from boards.sectors import lose, named, resource_of
from boards.standing import Standing, moving
from robotd.model.senses import Ages, Bump, Pose, Range, Senses, Wheels

COUNT_M = math.pi * 0.072 / 508.8  # m of a 72 mm wheel per count
WRAP = 1 << 16
WHEEL_BASE, RADIUS, MAX_SPEED = 0.235, 0.175, 0.5  # m, m, m/s
WINDOW_S = 0.2  # speeds are taken over: at 0.1 m/s one count more or less is then 2 mm/s
CLUMP_S = 0.1  # what USB adapters and busy computers hold back and hand over at once
JUMP = 1.5  # times what the wheel can do in that time is no motion
UNSURE_S = 0.3  # after a jump the odometry counts as lost, so that nobody misses it
LIGHT_DEG = (65.0, 38.0, 13.0, -13.0, -38.0, -65.0)  # left to right, by where the windows lie; give or take 5
CLIFF_DEG = (60.0, 15.0, -15.0, -60.0)
BUMP_RAD = math.radians(35.0)  # the bumper is one piece on two switches
GREATEST_LIGHT = 4095
Curve = Sequence[tuple[int, float]]

STALL_MA = 500  # of a wheel that is held; a free one takes 100 to 200 mA
SIDES = (("left", wire.LEFT_CURRENT, wire.OVER_LEFT), ("right", wire.RIGHT_CURRENT, wire.OVER_RIGHT))
IDLE_MA = 30  # below this a motor that is told to turn does not
IDLE_S = 0.5  # of a wheel that is told to turn and does not count
HOLD_S = 1.0  # a dead motor is tried again after


def metres(reading: int, curve: Curve) -> float | None:
    """The distance that a light bumper's reading means; None below the last point of the curve: nothing seen."""
    if reading < curve[-1][0]:
        return None
    for (high, near), (low, far) in itertools.pairwise(curve):
        if reading >= low:
            share = max(0.0, (high - reading) / (high - low))
            return near + share * (far - near)
    return curve[-1][1]


class Rolling:
    """Speeds and odometry from the encoders: first sample as reference, wraps, jumps refused and told."""

    def __init__(self, wheel_base: float, counts: Counter[str]) -> None:
        self._odometry = Odometry(wheel_base)
        self._counts = counts
        self._last: tuple[float, int, int] | None = None
        self._gap_from: float | None = None
        self._way = (0.0, 0.0)
        self._window: deque[tuple[float, float, float]] = deque()
        self.unsure_until = 0.0
        self.jump = ""

    def lose_reference(self) -> None:
        """The next sample is a reference: what lies between was not seen."""
        if self._last is not None:
            self._gap_from = self._last[0]
        self._last = None
        self._window.clear()

    def take(self, now: float, left: int, right: int) -> tuple[bool, bool]:
        """Counts of the encoders at `now` (s); whether each has changed."""
        if self._last is None:
            if self._gap_from is not None:
                self._odometry.lose(MAX_SPEED * (now - self._gap_from))
            self._last, self._gap_from = (now, left, right), None
            self._window.append((now, *self._way))
            return False, False
        before, *old = self._last
        self._last = (now, left, right)
        steps = difference(left, old[0], WRAP), difference(right, old[1], WRAP)
        most = JUMP * MAX_SPEED * max(now - before, CLUMP_S) / COUNT_M
        if max(map(abs, steps)) > most:
            self._counts["encoder-jump"] += 1
            self.jump = f"the encoders jumped by {steps[0]} and {steps[1]} counts"
            self.unsure_until = now + UNSURE_S
            self._odometry.lose(MAX_SPEED * (now - before))
            self._window.clear()
        else:
            ways = steps[0] * COUNT_M, steps[1] * COUNT_M
            self._odometry.roll(*ways)
            self._way = self._way[0] + ways[0], self._way[1] + ways[1]
        self._window.append((now, *self._way))
        while self._window[0][0] < now - WINDOW_S:
            self._window.popleft()
        return steps[0] != 0, steps[1] != 0

    @property
    def speeds(self) -> tuple[float, float]:
        """Of the wheels over the last fifth of a second, m/s."""
        first, last = self._window[0], self._window[-1]
        passed = last[0] - first[0]
        if passed < wire.STREAM_S:
            return 0.0, 0.0
        return (last[1] - first[1]) / passed, (last[2] - first[2]) / passed

    @property
    def stands(self) -> bool:
        """True where no count has come for most of the window."""
        first, last = self._window[0], self._window[-1]
        return last[0] - first[0] > WINDOW_S / 2 and first[1:] == last[1:]

    @property
    def pose(self) -> Pose:
        """The odometry."""
        return self._odometry.pose


class Motor:
    """Tells a wheel that is held, a motor that is dead and an encoder that is frozen from each other.

    All three are told to turn and do not count: the motor's current tells them apart.
    """

    def __init__(self) -> None:
        self.stuck = self.stalled = False
        self.dead_until = -math.inf
        self._since: float | None = None

    def note(self, now: float, *, told: bool, counted: bool, current: int, over: bool) -> None:
        """One frame of the stream."""
        self.stuck = self.stuck and not counted
        if not told or counted:
            self._since, self.stalled = None, False
            return
        if self._since is None:
            self._since = now
        if now - self._since < IDLE_S:
            return
        held = over or abs(current) >= STALL_MA
        self.stalled = held
        if held:
            return
        if abs(current) < IDLE_MA:
            self.dead_until = now + HOLD_S
        else:
            self.stuck = True


@dataclass(frozen=True, slots=True)
class Reading:
    """One frame, as received at `at` (s): values without ages, what is lost and why, and the robot's mode."""

    at: float
    values: Senses
    lost: tuple[tuple[str, str], ...]
    mode: int
    cliff: bool
    bumped: bool

    def senses(self, now: float) -> Senses:
        """The values with their ages at `now`."""
        late, v = now - self.at, self.values
        ages = Ages(late, late, late, late, late, late, late)
        return Senses(v.wheels, v.odometry, None, v.ranges, v.bumps, v.cliffs, v.lifted, v.stalled, None, (),
                      v.battery, v.charging, ages)  # fmt: skip


class Reader:
    """Reads frame after frame. `counts` takes what was refused, by reason."""

    def __init__(self, wheel_base: float, curve: Curve, lights: Sequence[float], counts: Counter[str]) -> None:
        self.rolling = Rolling(wheel_base, counts)
        self._curve = curve
        self._bearings = [math.radians(degrees) for degrees in lights]
        self._watches = [Standing() for _ in lights]
        self._motors = Motor(), Motor()

    def lose_reference(self) -> None:
        """The stream was interrupted."""
        self.rolling.lose_reference()
        self._watches = [Standing() for _ in self._bearings]
        self._motors = Motor(), Motor()

    def read(self, now: float, frame: Mapping[int, int], told: tuple[float, float]) -> Reading:
        """What a frame says; `told` is what the wheels were last told, left and right, in any unit."""
        lost: dict[str, str] = {}
        counted = self.rolling.take(now, frame[wire.LEFT_COUNT], frame[wire.RIGHT_COUNT])
        speeds = self.rolling.speeds
        stalled = self._judge(now, frame, told, counted, lost)
        bumps = frame[wire.BUMPS]
        lifted = bool(bumps & wire.DROPS)
        if lifted:
            lost["mobile"] = "lifted off the floor"
        seen = "odometry" not in lost
        cliffs = tuple(
            Bump(math.radians(degrees), bool(frame[packet]))
            for packet, degrees in zip(wire.CLIFFS, CLIFF_DEG, strict=True)
        )
        values = Senses(
            Wheels(round(speeds[0], 4), round(speeds[1], 4)) if seen else None,
            self.rolling.pose if seen else None,
            None,
            self._ranges(now, frame, lost, rolls=moving(*speeds)),
            (Bump(BUMP_RAD, bool(bumps & wire.BUMP_LEFT)), Bump(-BUMP_RAD, bool(bumps & wire.BUMP_RIGHT))),
            cliffs,
            lifted,
            stalled,
            battery=_battery(frame),
            charging=frame[wire.CHARGING] in (1, 2, 3, 4),  # reconditioning, full, trickle, waiting
        )
        pressed = any(bump.pressed for bump in values.bumps)
        at_edge = any(cliff.pressed for cliff in cliffs)
        return Reading(now, values, tuple(sorted(lost.items())), frame[wire.MODE], at_edge, pressed)

    def _judge(
        self,
        now: float,
        frame: Mapping[int, int],
        told: Sequence[float],
        counted: Sequence[bool],
        lost: dict[str, str],
    ) -> bool:
        """True where a wheel is held; what motors and encoders lack is noted."""
        for k, ((side, packet, bit), motor) in enumerate(zip(SIDES, self._motors, strict=True)):
            over = bool(frame[wire.OVERCURRENT] & bit)
            motor.note(now, told=bool(told[k]), counted=counted[k], current=frame[packet], over=over)
            if now < motor.dead_until:
                lose(lost, "mobile", f"the {side} motor takes no current")
            if motor.stuck:
                lose(lost, "odometry", f"the {side} encoder stands still while its motor turns")
        if now < self.rolling.unsure_until:
            lose(lost, "odometry", self.rolling.jump)
        return any(motor.stalled for motor in self._motors)

    def _ranges(
        self, now: float, frame: Mapping[int, int], lost: dict[str, str], *, rolls: bool
    ) -> tuple[Range, ...]:
        found = []
        low, high = self._curve[0][1], self._curve[-1][1]
        for packet, bearing, watch in zip(wire.LIGHTS, self._bearings, self._watches, strict=True):
            value = frame[packet]
            # A live one never rests in front of something; one that sees nothing may read 0 for long.
            frozen = watch.note(now, value, moves=rolls and value > 0)
            if value > GREATEST_LIGHT:
                lose(lost, resource_of(bearing), f"{named('light bumper', bearing)} reads out of its range")
            elif frozen:
                words = f"{named('light bumper', bearing)} stands still while the robot moves"
                lose(lost, resource_of(bearing), words)
            else:
                found.append(Range("infrared", bearing, metres(value, self._curve), low, high))
        return tuple(found)


def _battery(frame: Mapping[int, int]) -> float | None:
    charge, capacity = frame[wire.CHARGE], frame[wire.CAPACITY]
    return round(charge / capacity, 3) if capacity > 0 and charge <= capacity else None

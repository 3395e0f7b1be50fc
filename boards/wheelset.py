"""Two wheels with encoders and motors, of boards that report counts and currents: motion, and what works."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from boards.odometry import Gauge, Rolling
from boards.proximity import mark_missing
from robotd.model.senses import Pose, Wheels

IDLE_S = 0.5  # of a wheel that is commanded to turn and does not count: bases take up to 0.2 s to begin
HOLD_S, LONGEST_S = 1.0, 16.0  # a dead motor is tried again after; twice as long each time in vain, up to
SIDES = ("left", "right")
Pair = Sequence[float]  # left, right
Ints = tuple[int, int]
Bools = tuple[bool, bool]


class Motor:
    """Distinguishes a wheel that is held, a dead motor and a frozen encoder. All three are commanded to turn and
    do not count; the motor's current, in mA, differs. From `stalls` on the wheel is held, below `idles` the motor
    does not turn."""

    def __init__(self, stalls: int, idles: int) -> None:
        self._stalls, self._idles = stalls, idles
        self.stuck = self.stalled = False
        self.dead_until = -math.inf
        self._hold_s = HOLD_S
        self._since: float | None = None

    def note(self, now: float, *, commanded: bool, counted: bool, current: int, over: bool) -> None:
        """One frame of the stream."""
        self.stuck = self.stuck and not counted
        if commanded and counted:
            self._hold_s = HOLD_S
        if not commanded or counted:
            self._since, self.stalled = None, False
            return
        if self._since is None:
            self._since = now
        if now - self._since < IDLE_S:
            return
        held = over or abs(current) >= self._stalls
        self.stalled = held
        if held:
            return
        if abs(current) >= self._idles:
            self.stuck = True
        elif now >= self.dead_until:
            self.dead_until = now + self._hold_s
            self._hold_s = min(2 * self._hold_s, LONGEST_S)


class Wheelset:
    """The wheels of one robot; `stalls`, `idles`: see `Motor`. `counts` takes what was refused, by reason."""

    def __init__(self, wheel_base: float, gauge: Gauge, stalls: int, idles: int, counts: Counter[str]) -> None:
        self.rolling = Rolling(wheel_base, gauge, counts)
        self._currents = stalls, idles
        self._motors = Motor(stalls, idles), Motor(stalls, idles)

    def lose_reference(self) -> None:
        """The samples were interrupted."""
        self.rolling.lose_reference()
        self._motors = Motor(*self._currents), Motor(*self._currents)

    def take(
        self, now: float, counts: Ints, currents: Ints, over: Bools, commanded: Pair, lost: dict[str, str]
    ) -> tuple[Wheels | None, Pose | None, bool]:
        """Speeds and odometry, None where they cannot be believed, and whether a wheel is held. All pairs are
        left, right: encoder counts, motor currents in mA, overcurrent reported, and what the wheels were last
        commanded, in any unit. What motors and encoders lack is added to `lost`."""
        counted = self.rolling.take(now, *counts)
        for k, (side, motor) in enumerate(zip(SIDES, self._motors, strict=True)):
            motor.note(now, commanded=bool(commanded[k]), counted=counted[k], current=currents[k], over=over[k])
            if now < motor.dead_until:
                mark_missing(lost, "mobile", f"the {side} motor takes no current")
            if motor.stuck:
                mark_missing(lost, "odometry", f"the {side} encoder stands still while its motor turns")
        if now < self.rolling.unsure_until:
            mark_missing(lost, "odometry", self.rolling.jump)
        stalled = any(motor.stalled for motor in self._motors)
        if "odometry" in lost:
            return None, None, stalled
        left, right = self.rolling.speeds
        return Wheels(round(left, 4), round(right, 4)), self.rolling.pose, stalled

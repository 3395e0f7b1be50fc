"""Odometry: a pose from what wheels have rolled; speeds from encoders; what works of two motors."""

import math
from collections import Counter, deque
from collections.abc import Sequence

from boards.proximity import mark_missing
from robotd.model.senses import Pose, Wheels
from robotd.model.value import value

DRIFT = 0.05  # m of doubt for each metre of wheel travel: wheels measured with a ruler, on a smooth floor


def difference(new: int, old: int, modulus: int) -> int:
    """`new` - `old` of a counter that wraps at `modulus`, the shorter way round: within half of it either way."""
    half = modulus // 2
    return (new - old + half) % modulus - half


class Odometry:
    """A pose in the frame of the place where it began (x forward, m, rad), with one sigma of its position."""

    def __init__(self, wheel_base: float) -> None:
        self._base = wheel_base
        self._x = self._y = self._heading = self._doubt = 0.0

    def roll(self, left: float, right: float) -> None:
        """The wheels have rolled so far since the last call, m."""
        self.move((left + right) / 2, (right - left) / self._base)

    def move(self, way: float, turn: float) -> None:
        """The middle of the axle went `way` m along an arc of `turn` rad."""
        self._x += way * math.cos(self._heading + turn / 2)
        self._y += way * math.sin(self._heading + turn / 2)
        self._heading = math.remainder(self._heading + turn, 2 * math.pi)
        self._doubt += DRIFT * (abs(way) + abs(turn) * self._base / 2)

    def add_doubt(self, way: float) -> None:
        """It may have moved `way` m, and nothing counted it."""
        self._doubt += way

    @property
    def pose(self) -> Pose:
        """As it is now; `accuracy` only grows."""
        return Pose(round(self._x, 4), round(self._y, 4), round(self._heading, 4), round(self._doubt, 3))


JUMP = 1.5  # times what the robot can do in that time is no motion
UNSURE_S = 0.3  # after a jump the odometry counts as lost, so that it is noticed


class Track:
    """The way of a robot by its samples: the first as reference, jumps refused, counted and reported. `jump` is in
    words, and `unsure_until` (s) the time up to which the odometry counts as lost for it."""

    def __init__(self, wheel_base: float, top_speed: float, counts: Counter[str]) -> None:
        self._odometry = Odometry(wheel_base)
        self._top, self._counts = top_speed, counts
        self._last_at: float | None = None  # of the last sample
        self._gap_from: float | None = None
        self.unsure_until = 0.0
        self.jump = ""

    def lose_reference(self) -> None:
        """The next sample is a reference: what lies between was not seen."""
        if self._last_at is not None:
            self._gap_from = self._last_at
        self._last_at = None

    def _begin(self, now: float) -> float:
        """How long nothing was seen before a sample that is a reference, s."""
        gap = now - self._gap_from if self._gap_from is not None else 0.0
        self._odometry.add_doubt(self._top * gap)
        self._gap_from = None
        return gap

    def _refuse(self, now: float, passed: float, reason: str, words: str) -> None:
        """A jump in a sample that came `passed` s after the last."""
        self._counts[reason] += 1
        self.jump, self.unsure_until = words, now + UNSURE_S
        self._odometry.add_doubt(self._top * passed)

    @property
    def pose(self) -> Pose:
        return self._odometry.pose


WINDOW_S = 0.2  # speeds are taken over: at 0.1 m/s one count of a Create 2 more or less is then 2 mm/s
SPACED = 0.6  # of a period between two samples: those that come sooner were held back and come in one clump
UNSPACED_S = 0.3  # of samples without such a gap: no clump is longer, as a driver takes such a line for silent
CLUMP_S = 0.1  # what USB adapters and busy computers hold back and hand over at once


@value
class Gauge:
    """What a robot's encoders are like: m of a wheel's way per count, the count at which they wrap, m/s of the
    fastest wheel, s between two samples."""

    count_m: float
    wrap: int
    top_speed: float
    period_s: float


class Rolling(Track):
    """Speeds and odometry from the encoders, whose counts may wrap."""

    def __init__(self, wheel_base: float, gauge: Gauge, counts: Counter[str]) -> None:
        super().__init__(wheel_base, gauge.top_speed, counts)
        self._gauge = gauge
        self._last = (0, 0)  # counts
        self._allowed = CLUMP_S  # s at JUMP times the top speed: so much motion may come at once
        self._way = (0.0, 0.0)
        self._newest: tuple[float, float, float] | None = None  # arrival, s, and ways, m
        self._window: deque[tuple[float, float, float]] = deque()  # the last sample of each clump

    def lose_reference(self) -> None:
        super().lose_reference()
        self._newest = None
        self._window.clear()

    def take(self, now: float, left: int, right: int) -> tuple[bool, bool]:
        """Counts of the encoders at `now` (s); whether each has changed."""
        before, old = self._last_at, self._last
        self._last_at, self._last = now, (left, right)
        if before is None:
            self._allowed = max(CLUMP_S, self._begin(now))  # it may be the first of all that was held back
            self._newest = (now, *self._way)
            return False, False
        steps = difference(left, old[0], self._gauge.wrap), difference(right, old[1], self._gauge.wrap)
        ways = steps[0] * self._gauge.count_m, steps[1] * self._gauge.count_m
        if self._believes(now - before, max(map(abs, ways))):
            self._odometry.roll(*ways)
            self._way = self._way[0] + ways[0], self._way[1] + ways[1]
        else:
            words = f"the encoders jumped by {steps[0]} and {steps[1]} counts"
            self._refuse(now, now - before, "encoder-jump", words)
            self._newest = None
            self._window.clear()
        self._arrive(now)
        return steps[0] != 0, steps[1] != 0

    def _arrive(self, now: float) -> None:
        """Keep the sample before, if it was the last of its clump: that one arrived when it was measured. The
        samples before it in the clump were measured earlier by an unknown time, and give no speed."""
        before, window = self._newest, self._window
        self._newest = (now, *self._way)
        if before is None:
            return
        since = window[-1][0] if window else -math.inf
        spaced = now - before[0] >= SPACED * self._gauge.period_s or before[0] - since >= UNSPACED_S
        if spaced and before[0] > since:
            window.append(before)
        while len(window) > 2 and window[1][0] <= window[-1][0] - WINDOW_S:
            window.popleft()

    def _believes(self, passed: float, way: float) -> bool:
        """Whether a wheel can have rolled `way` m in a sample that comes `passed` s after the last.

        The allowance grows with time and shrinks with motion, so that samples that come all at once may cover
        the time that they were held back for, and samples in a row cover no more than the time that passes.
        What a longer gap allows above `CLUMP_S` is lost again in as long a time.
        """
        most = max(CLUMP_S, passed, self._allowed - passed)
        self._allowed = min(self._allowed + passed, most)
        takes = way / (JUMP * self._gauge.top_speed)
        if takes > self._allowed:
            return False
        self._allowed -= takes
        return True

    @property
    def speeds(self) -> tuple[float, float]:
        """Of the wheels, m/s, over the last fifth of a second or two clumps; 0 until two samples have come."""
        if len(self._window) < 2:
            return 0.0, 0.0
        first, last = self._window[0], self._window[-1]
        passed = last[0] - first[0]
        return (last[1] - first[1]) / passed, (last[2] - first[2]) / passed

    @property
    def rests(self) -> bool:
        """True where no count has come for most of the window."""
        if len(self._window) < 2 or self._newest is None:
            return False
        first, last = self._window[0], self._window[-1]
        return last[0] - first[0] > WINDOW_S / 2 and first[1:] == last[1:] == self._newest[1:]


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
                mark_missing(lost, "odometry", f"the {side} encoder does not count while its motor turns")
        if now < self.rolling.unsure_until:
            mark_missing(lost, "odometry", self.rolling.jump)
        stalled = any(motor.stalled for motor in self._motors)
        if "odometry" in lost:
            return None, None, stalled
        left, right = self.rolling.speeds
        return Wheels(round(left, 4), round(right, 4)), self.rolling.pose, stalled

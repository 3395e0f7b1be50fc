"""When the tick is due: absolute deadlines `origin + phase + n * period`, never a burst, everything counted."""

import asyncio
import ctypes
import errno
import math
import os
from collections import Counter

from robotd.model.value import value
from robotd.timing import clock
from robotd.timing.virtual_loop import is_virtual

GRACE = 0.1  # of a period: a tick that is late by less runs at once instead of waiting for the next multiple


@value
class Spread:
    """How a duration was distributed, s: median, 99th percentile (both within 3 %) and greatest."""

    p50: float = 0.0
    p99: float = 0.0
    max: float = 0.0


@value
class TickStatistics:
    """Ticks run and periods skipped since the start; lateness of the wake-up, work from it to the next wait."""

    count: int = 0
    skipped: int = 0
    lateness: Spread = Spread()
    work: Spread = Spread()


class Durations:
    """A histogram of durations in sixteen buckets an octave: bounded memory, whatever the running time."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self._count = 0
        self._max = 0.0

    def add(self, seconds: float) -> None:
        """Count one duration; below a microsecond it counts as that."""
        mantissa, exponent = math.frexp(seconds if seconds > 1e-6 else 1e-6)
        self._buckets[exponent * 16 + int(mantissa * 32.0) - 16] += 1
        self._count += 1
        if seconds > self._max:
            self._max = seconds

    def spread(self) -> Spread:
        """Percentiles of all that was added; zeros if nothing was."""
        return Spread(self._quantile(0.50), self._quantile(0.99), self._max)

    def _quantile(self, share: float) -> float:
        left = math.ceil(share * self._count)
        for bucket in sorted(self._buckets):
            left -= self._buckets[bucket]
            if left <= 0:
                exponent, step = divmod(bucket, 16)
                return min(self._max, math.ldexp((step + 16.5) / 32.0, exponent))
        return 0.0


class Ticker:
    """`await next()` in a loop: the index n of each period that is to be run, at its deadline, never early.

    After an overrun whole periods are skipped and the phase is kept. `origin_s` (loop clock) defaults to now.
    One task at a time may wait. `close` when done.
    """

    def __init__(self, period_s: float, phase_s: float = 0.0, origin_s: float | None = None) -> None:
        if not period_s > 0:
            raise ValueError(f"a period must be positive, not {period_s}")
        self._loop = asyncio.get_running_loop()
        self.period_s = period_s
        self._start = (self._loop.time() if origin_s is None else origin_s) + phase_s
        self._alarm = _alarm(self._loop)
        self._n = -1
        self.count = self.skipped = 0  # ticks run and periods skipped so far
        self._lateness, self._work = Durations(), Durations()
        self._woke: float | None = None

    def deadline(self, n: int) -> float:
        """When period `n` is due, loop clock, s."""
        return self._start + n * self.period_s

    async def next(self) -> int:
        """Wait for the next period that is due and give its index."""
        if self._woke is not None:
            self._work.add(clock.work_clock() - self._woke)
            self._woke = None
        now = self._loop.time()
        n = self._due(now)
        deadline = self.deadline(n)
        while now < deadline:
            await self._alarm.wait_until(deadline)
            now = self._loop.time()
        self.skipped += n - self._n - 1
        self.count += 1
        self._n = n
        self._lateness.add(now - deadline)
        self._woke = clock.work_clock()
        return n

    def _due(self, now: float) -> int:
        """The first period after the last one run that can still be run at its time, or nearly."""
        first = self._n + 1
        if now <= self.deadline(first):
            return first
        n = max(first, math.floor((now - self._start) / self.period_s))
        return n if now - self.deadline(n) < GRACE * self.period_s else n + 1

    def statistics(self) -> TickStatistics:
        """All ticks so far; costs some tens of microseconds."""
        return TickStatistics(self.count, self.skipped, self._lateness.spread(), self._work.spread())

    def close(self) -> None:
        """Give up the timer's descriptor."""
        self._alarm.close()


class _LoopAlarm:
    """Waits with the loop's own timers: exact in virtual time, up to a millisecond late in real time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def wait_until(self, when: float) -> None:
        """Return at `when`, or a hair before."""
        done = self._loop.create_future()
        handle = self._loop.call_at(when, _finish, done)
        try:
            await done
        except asyncio.CancelledError:
            handle.cancel()
            raise

    def close(self) -> None:
        """Nothing to give up."""


class _TimerSpec(ctypes.Structure):
    """struct itimerspec: an interval (unused) and an absolute time, each in seconds and nanoseconds."""

    _fields_ = tuple((name, ctypes.c_long) for name in ("interval_s", "interval_ns", "s", "ns"))


class _TimerDescriptor:
    """Waits on a Linux timerfd, as asyncio rounds its own waits up to whole milliseconds.

    OSError or AttributeError where the system has none.
    """

    _MONOTONIC, _ABSOLUTE = 1, 1  # CLOCK_MONOTONIC, the clock of asyncio's loops; TFD_TIMER_ABSTIME

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        libc = ctypes.CDLL(None, use_errno=True)
        self._settime = libc.timerfd_settime
        self._fd: int = libc.timerfd_create(self._MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    async def wait_until(self, when: float) -> None:
        """Return at `when`, or a hair before."""
        seconds = math.floor(when)
        spec = _TimerSpec(0, 0, seconds, min(999_999_999, math.ceil((when - seconds) * 1e9) or 1))
        if self._settime(self._fd, self._ABSOLUTE, ctypes.byref(spec), None) < 0:
            raise OSError(ctypes.get_errno(), "timerfd_settime")
        done = self._loop.create_future()
        self._loop.add_reader(self._fd, self._expired, done)
        try:
            await done
        finally:
            self._loop.remove_reader(self._fd)

    def _expired(self, done: asyncio.Future[None]) -> None:
        try:
            os.read(self._fd, 8)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                raise
        _finish(done)

    def close(self) -> None:
        """Close the descriptor; twice is harmless."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def _finish(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


def _alarm(loop: asyncio.AbstractEventLoop) -> _LoopAlarm | _TimerDescriptor:
    if is_virtual(loop):
        return _LoopAlarm(loop)
    try:
        return _TimerDescriptor(loop)
    except (OSError, AttributeError):
        return _LoopAlarm(loop)

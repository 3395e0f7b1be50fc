"""An asyncio event loop whose clock is a number: with no handle ready, it jumps to the next timer.

Whole teams of unchanged daemons run on it far faster than real time, and the same again each time. With `speed`
it sleeps before each jump, so that virtual time passes `speed` times as fast as real time: a slow machine lags
and never skips. Real sockets and pipes are still served, but nothing that decides may hang on them.
"""

import asyncio
import contextvars
import heapq
import math
import selectors
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

from robotd.timing import clock
from robotd.timing.calendar import Calendar, Periodic

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Event = tuple[selectors.SelectorKey, int]

LOOK_EVERY = 64  # turns of the loop: for so many at most a signal waits
MAX_LAG_S = 0.25  # real time that is made up after a hiccup; more (a suspended laptop) is let go


class StuckError(RuntimeError):
    """Nothing is ready, nothing is scheduled, and no descriptor could bring anything: the run would never end."""


class _Timer(asyncio.TimerHandle):
    """A timer that comes after those scheduled earlier for the same instant (asyncio's heap is not stable)."""

    __slots__ = ("number",)

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: asyncio.AbstractEventLoop,
        context: contextvars.Context | None,
        number: int,
    ) -> None:
        super().__init__(when, callback, args, loop, context)
        self.number = number
        self._scheduled = True

    def __lt__(self, other: asyncio.TimerHandle) -> bool:
        mine, theirs = self.when(), other.when()
        return mine < theirs or (mine == theirs and isinstance(other, _Timer) and self.number < other.number)


class _JumpingSelector(selectors.PollSelector):
    """Asks `jump` instead of waiting; real descriptors are looked at first, by poll(2): unlike epoll it finds what
    was written to a pseudo-terminal before it, and not only once a thread of the kernel has passed that on.

    While there are none but the loop's `own`, which wake it for signals, most looks are left out: the kernel is
    slower than a jump.
    """

    def __init__(self) -> None:
        super().__init__()
        self.jump: Callable[[], list[Event]] = list
        self.own = 0
        self._looks = 0

    def select(self, timeout: float | None = None) -> list[Event]:
        self._looks += 1
        watching = self._looks % LOOK_EVERY == 0 or len(self.get_map()) > self.own
        ready = self.wait(0) if watching else []
        if not ready and (timeout is None or timeout > 0):
            return self.jump()
        return ready

    def wait(self, timeout: float | None) -> list[Event]:
        """Really wait for descriptors."""
        return super().select(timeout)


class VirtualLoop(asyncio.SelectorEventLoop):
    """See the module. Timers of equal time run in the order in which they were scheduled.

    `speed` (None: as fast as it goes) may be changed while running. Threads would make runs differ, so
    executors are refused; with `serving` (a page or socket for people looking on) they are allowed, and a loop
    with nothing scheduled waits for descriptors instead of raising `StuckError`.
    """

    _scheduled: list[asyncio.TimerHandle]  # asyncio's heap
    _ready: deque[asyncio.Handle]  # what asyncio runs before it asks the selector again

    def __init__(self, speed: float | None = None, *, serving: bool = False) -> None:
        self._until = math.inf
        self._number = 0
        self._serving = serving
        selector = _JumpingSelector()
        super().__init__(selector)
        self._calendar = Calendar(self._next_timer, self._ready)
        selector.jump = self._jump
        self._watched = selector
        selector.own = len(selector.get_map())  # the loop's own wake-up pipe
        self._tick_to_ulp()
        try:
            self.speed = speed
        except ValueError:
            self.close()
            raise

    @property
    def speed(self) -> float | None:
        """Virtual seconds per real second; None is no limit."""
        return self._speed

    @speed.setter
    def speed(self, speed: float | None) -> None:
        if speed is not None and not speed > 0:
            raise ValueError(f"speed must be positive, not {speed}")
        self._speed = speed
        self._anchor = (clock.monotonic(), self._calendar.now)

    @property
    def until(self) -> float:
        """No timer after this instant (virtual s) runs; the loop waits there for descriptors. inf: none."""
        return self._until

    @until.setter
    def until(self, when: float) -> None:
        self._until = when
        self._anchor = (clock.monotonic(), self._calendar.now)

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._calendar.now

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """As asyncio's; equal times in order of scheduling."""
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        self._number += 1
        timer = _Timer(when, callback, args, self, context, self._number)
        heapq.heappush(self._scheduled, timer)
        return timer

    def call_every(self, start: float, period: float, call: Callable[[int], object]) -> Periodic:
        """Call `call(n)` at each `start + n * period`, until it is cancelled, after the timers of that instant.

        This costs a tenth of a task that sleeps. What `call` raises ends the loop's run.
        """
        return self._calendar.add(start, period, call)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """As asyncio's where `serving`; otherwise refused, as a thread's finish has no virtual time."""
        if not self._serving:
            raise RuntimeError(f"no threads in virtual time: {getattr(func, '__qualname__', func)!s}")
        return super().run_in_executor(executor, func, *args)

    def _jump(self) -> list[Event]:
        """Move the clock to the next timer, doing the periodic calls before it.

        It returns early where a call made a handle ready, and at times for a look at descriptors; and, clock
        unmoved, with those that came ready first.
        """
        watching = len(self._watched.get_map()) > self._watched.own
        free = self._speed is None and not watching
        if free and self._calendar.call_before_timer(self._until, LOOK_EVERY):
            self._tick_to_ulp()
            return []
        timer, periodic = self._next_timer(), self._calendar.first()
        when = min(timer, periodic)
        if when == math.inf or when > self._until:
            return self._stand(watching, for_ever=when == math.inf)
        wait = self._real_wait(when)
        if wait > 0 and (ready := self._watched.wait(wait)):
            return ready
        self._calendar.now = max(self._calendar.now, when)
        if periodic < timer:
            self._calendar.call_first()
        self._tick_to_ulp()
        return []

    def _next_timer(self) -> float:
        return self._scheduled[0].when() if self._scheduled else math.inf

    def _stand(self, watching: bool, *, for_ever: bool) -> list[Event]:
        """Wait for descriptors while the clock is stopped; StuckError where none could bring anything."""
        if not for_ever or self._serving or watching:
            return self._watched.wait(None)
        ready = self._watched.wait(0)  # a signal that has come already
        if not ready:
            raise StuckError(f"at {self._calendar.now:.3f} s nothing is left that could ever happen")
        return ready

    def _real_wait(self, when: float) -> float:
        if self._speed is None:
            return 0.0
        real, virtual = self._anchor
        now = clock.monotonic()
        wait = real + (when - virtual) / self._speed - now
        if wait < -MAX_LAG_S:
            self._anchor = (now, when)
        return wait

    def _tick_to_ulp(self) -> None:
        """asyncio also runs timers up to `_clock_resolution` ahead; here only those of exactly this instant."""
        self._clock_resolution = math.ulp(self._calendar.now)


def run_virtual(main: Coroutine[Any, Any, T], speed: float | None = None, *, serving: bool = False) -> T:
    """Run `main` on a fresh virtual loop to its end, clean up as `asyncio.run` does, and give its result."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(speed, serving=serving)) as runner:
        return runner.run(main)


def is_virtual(loop: asyncio.AbstractEventLoop | None = None) -> bool:
    """True on a virtual loop (the running one by default)."""
    return isinstance(loop or events.get_running_loop(), VirtualLoop)

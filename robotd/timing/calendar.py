"""The clock of a virtual loop and the periodic calls on it in order of time: the inner loop of a simulation."""

import heapq
import math
from collections.abc import Callable, Sized


class Periodic:
    """Calls of `call` at `start + n * period` (virtual s), n = 0, 1, ..."""

    def __init__(self, calendar: "Calendar", start: float, period: float, call: Callable[[int], object]) -> None:
        self._calendar, self.start, self.period, self.call = calendar, start, period, call
        self.count = 0  # of the calls so far

    def cancel(self) -> None:
        """Call no more; twice is harmless."""
        self._calendar.drop(self)


class Calendar:
    """`now` (s), and what is to be called when; calls of one instant in the order in which they became due.

    `next_timer`: when the loop's first timer is due, inf for never; `ready`: what the loop has to run at once.
    """

    def __init__(self, next_timer: Callable[[], float], ready: Sized) -> None:
        self.now = 0.0
        self._next_timer, self._ready = next_timer, ready
        self._heap: list[tuple[float, int, Periodic]] = []  # when next, number of that call
        self._number = 0

    def add(self, start: float, period: float, call: Callable[[int], object]) -> Periodic:
        """See `VirtualLoop.call_every`."""
        periodic = Periodic(self, start, period, call)
        self._number += 1
        heapq.heappush(self._heap, (start, self._number, periodic))
        return periodic

    def drop(self, periodic: Periodic) -> None:
        """See `Periodic.cancel`."""
        self._heap = [entry for entry in self._heap if entry[2] is not periodic]
        heapq.heapify(self._heap)

    def first(self) -> float:
        """When the next call is due; inf for never."""
        return self._heap[0][0] if self._heap else math.inf

    def call_first(self) -> None:
        """Do the next call, which is due now."""
        periodic = self._heap[0][2]
        n = periodic.count
        periodic.count = n + 1
        self._number += 1
        following = periodic.start + (n + 1) * periodic.period
        heapq.heapreplace(self._heap, (following, self._number, periodic))
        periodic.call(n)

    def call_before_timer(self, until: float, most: int) -> bool:
        """Move on from call to call, up to `most`, till `until` (s).

        False where a timer is due first, or nothing before `until`; True where the loop has something to run, or
        may look at descriptors, before that.
        """
        for _ in range(most):
            when = self.first()
            if when > until or when == math.inf or self._next_timer() <= when:
                return False
            self.now = max(self.now, when)
            self.call_first()
            if len(self._ready):
                return True
        return True

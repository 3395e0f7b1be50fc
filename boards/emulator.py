"""What emulators share: a simulated body, a line with a menu of faults, and a robot file's table for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from boards.mock import anatomy
from boards.mock.chassis import Chassis
from boards.mock.faulty_line import FaultyLine
from boards.mock.r2 import MockR2
from robotd.model.serial import SetLine


class Emulator:
    """One end of a line whose other end is a driver, sans-I/O. All times are the loop's clock, s.

    `line` has the faults of what it sends; while `deaf` it takes nothing in; `boots` counts `reboot(now)`. A
    subclass overrides the hooks, which begin with an underscore.
    """

    wheel_base = anatomy.WHEEL_BASE  # m, of its robot
    period_s = 0.05  # between two reports

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        self.body = body
        self.line = FaultyLine(seed, body.name)
        self.chassis = Chassis(body, self.wheel_base)
        self.deaf = False
        self.boots = 0
        self.wake_at: float | None = None
        self._boots_until = -math.inf  # until then it takes nothing in
        self._next: int | None = None  # period of the next report; None: it sends none

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        """The driver's table of a robot file for a body that drives no faster than `top_speed`, m/s."""
        return {}

    def reboot(self, now: float) -> None:
        """Be switched off and on."""
        self.boots += 1

    def receive(self, now: float, data: bytes) -> None:
        """Take bytes from the computer; never raises."""
        if not self.deaf and now >= self._boots_until:
            self._take(now, data)
            self._plan(now)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """Answers, and reports at their times; periods that nobody asked in are skipped."""
        self._work(now)
        due = self.line.take(now)
        self._plan(now)
        return due

    def _plan(self, now: float) -> None:
        times = [self.line.wake_at, self._next_at(now)]
        self.wake_at = min((time for time in times if time is not None), default=None)

    def _take(self, now: float, data: bytes) -> None:
        """Take bytes from the computer."""

    def _work(self, now: float) -> None:
        """Do what is due."""

    def _next_at(self, now: float) -> float | None:
        """When there is something to do next; None: only after `receive`."""
        return None if self._next is None else self._next * self.period_s

    def _start_reports(self, now: float) -> None:
        """Report from the next period on."""
        self._next = int(now / self.period_s + 1e-6) + 1

    def _is_due(self, now: float) -> bool:
        """Whether a report is due now, which then counts as sent."""
        due = self._next is not None and now >= self._next * self.period_s - 1e-9
        if due:
            self._start_reports(now)
        return due


class Encoders:
    """Wheel counters of an emulated robot, which `count_m` metres move by one and which wrap at `wrap`."""

    def __init__(self, chassis: Chassis, count_m: float, wrap: int) -> None:
        self._chassis, self._count_m, self._wrap = chassis, count_m, wrap
        self._origin = (0.0, 0.0)
        self._counts = (0, 0)

    def set(self, now: float, left: int, right: int) -> None:
        """Set both."""
        ways = self._chassis.ways(now)
        self._origin = ways[0] - left * self._count_m, ways[1] - right * self._count_m

    def read(self, now: float) -> tuple[int, int]:
        """Left and right; the last ones while they are dead or frozen."""
        ways = self._chassis.ways(now)
        if self._chassis.how("wheels") not in ("dead", "frozen"):
            left, right = (
                math.floor((way - begun) / self._count_m) % self._wrap
                for way, begun in zip(ways, self._origin, strict=True)
            )
            self._counts = left, right
        return self._counts


def no_faster(top_speed: float) -> dict[str, Any]:
    """The greatest speed of robots that drive 0.5 m/s, beyond most simulated bodies; 0.1 m/s is their least."""
    return {"max_speed_m_s": min(max(top_speed, 0.1), 0.5)}

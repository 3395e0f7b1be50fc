"""What emulators share: a simulated body, a line with a menu of faults, and a robot file's table for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boards.mock import anatomy
from boards.mock.chassis import Chassis
from boards.mock.faulty_line import FaultyLine
from boards.mock.r2 import MockR2
from robotd.model.serial import SetLine


class Emulator:
    """One end of a line whose other end is a driver, sans-I/O. All times are the loop's clock, s.

    `line` has the faults of what it sends; while `deaf` it takes nothing in; `boots` counts `reboot(now)`.
    """

    wheel_base = anatomy.WHEEL_BASE  # m, of its robot

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        self.body = body
        self.line = FaultyLine(seed, body.name)
        self.chassis = Chassis(body, self.wheel_base)
        self.deaf = False
        self.boots = 0
        self.wake_at: float | None = None

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        """The driver's table of a robot file for a body that drives no faster than `top_speed`, m/s."""
        return {}

    def reboot(self, now: float) -> None:
        """Be switched off and on."""
        self.boots += 1

    def receive(self, now: float, data: bytes) -> None:
        """Take bytes from the computer; never raises."""

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """Answers, and reports at their times; periods that nobody asked in are skipped."""
        self._work(now)
        due = self.line.take(now)
        times = [self.line.wake_at, self._next_at(now)]
        self.wake_at = min((time for time in times if time is not None), default=None)
        return due

    def _work(self, now: float) -> None:
        """Do what is due."""

    def _next_at(self, now: float) -> float | None:
        """When there is something to do next; None: only after `receive`."""
        return None


def no_faster(top_speed: float) -> dict[str, Any]:
    """The greatest speed of robots that drive 0.5 m/s, beyond most simulated bodies; 0.1 m/s is their least."""
    return {"max_speed_m_s": min(max(top_speed, 0.1), 0.5)}

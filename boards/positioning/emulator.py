"""An emulated positioning system, sans-I/O: fixes of one simulated body as lines of JSON, with its errors."""

from __future__ import annotations

import json
from collections.abc import Sequence

from boards.mock.faulty_line import FaultyLine
from boards.mock.r2 import MockR2
from robotd.model.serial import SetLine

RATE = 10  # Hz
FINEST = 0.005  # m: no system tells that it is exact


class PositioningEmulator:
    """One end of a line whose other end is `boards.positioning.driver.Positioning`. Times: the loop's clock, s.

    While its `positioning` part is dead, or the robot out of the room, it says nothing; a frozen one repeats
    itself.
    """

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        self.body = body
        self.line = FaultyLine(seed, body.name)
        self.deaf = False  # it hears nothing anyway
        self.boots = 0
        self.wake_at: float | None = 0.0
        self._faults = body.world.robots[body.name].faults
        self._next = 0  # fix to come
        self._fix: dict[str, float] = {}

    def reboot(self, now: float) -> None:
        """Nothing is lost by it."""
        self.boots += 1

    def receive(self, now: float, data: bytes) -> None:
        """It takes nothing."""

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """Fixes at their times; those that nobody asked in are skipped."""
        if now >= self._next / RATE - 1e-9:
            self._next = int(now * RATE + 1e-6) + 1
            self._look(now)
            if self._fix:
                self.line.send(now, json.dumps({"robot": self.body.name, **self._fix}).encode() + b"\n")
        due = self.line.take(now)
        times = [self.line.wake_at, self._next / RATE]
        self.wake_at = min(time for time in times if time is not None)
        return due

    def _look(self, now: float) -> None:
        senses = self.body.senses(now)
        pose = senses.pose
        if self._faults.get("positioning") == "frozen" and self._fix:
            return
        self._fix = {} if pose is None else {
            "x": pose.x, "y": pose.y, "heading": pose.heading, "accuracy": max(pose.accuracy, FINEST),
            "age": senses.ages.pose,
        }  # fmt: skip

"""An emulated positioning system, sans-I/O: fixes of one simulated body as lines of JSON, with its errors."""

import json

from boards.emulator import Emulator
from boards.mock.driver import MockR2

FINEST = 0.005  # m: no system reports that it is exact


class PositioningEmulator(Emulator):
    """The other end of `boards.positioning.driver.Positioning`. While its `positioning` part is dead, or the robot
    out of the room, it sends nothing; a frozen one repeats itself."""

    period_s = 0.1

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.wake_at = 0.0
        self._faults = body.world.robots[body.name].faults
        self._next = 0
        self._fix: dict[str, float] = {}

    def _work(self, now: float) -> None:
        if self._is_due(now):
            self._look(now)
            if self._fix:
                self.line.send(now, json.dumps({"robot": self.body.name, **self._fix}).encode() + b"\n")

    def _look(self, now: float) -> None:
        senses = self.body.senses(now)
        pose = senses.pose
        if self._faults.get("positioning") == "frozen" and self._fix:
            return
        self._fix = {} if pose is None else {
            "x": pose.x, "y": pose.y, "heading": pose.heading, "accuracy": max(pose.accuracy, FINEST),
            "age": senses.ages.pose,
        }  # fmt: skip

"""Positions from outside, as an add-on of any base: overhead tags, motion capture, UWB; by serial line or UDP.

Each fix is a line of JSON that ends with a newline, in a datagram too:
`{"robot": "green", "x": 1.25, "y": 3.5, "heading": 1.57, "accuracy": 0.05, "age": 0.03}`. Metres and radians in
room coordinates; `accuracy` is one standard deviation of the position, `age` (s) how old the fix was when sent.
"""

import dataclasses
import json
import math
from typing import Any

from pydantic import Field

from boards.driver import Device, Table
from boards.parser import LineParser
from boards.proximity import STANDS_STILL
from boards.stuck import StuckDetector, moving
from robotd.model.command import Command
from robotd.model.senses import Pose, Senses
from robotd.model.serial import LineSettings

FARTHEST = 1e5  # m: beyond it a position is nonsense


class PositioningSettings(Table):
    """The add-on's own table of a robot file."""

    robot: str = Field("", max_length=40, description="whose fixes count, where a line carries several robots'")
    baud: int = Field(115200, ge=1200, le=1000000, description="bits per second of a serial line")
    accuracy_m: float = Field(0.15, gt=0, le=10, description="one sigma of fixes that do not report theirs, m")
    stale_s: float = Field(0.8, ge=0.1, le=30, description="a fix that is older is no position, s")


def parse(line: bytes, robot: str, accuracy_m: float) -> tuple[Pose, float] | None:
    """A fix and its age (s) when it was sent; None for another robot's. ValueError, its message the reason."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if not isinstance(fields, dict):
        raise ValueError("no object")
    if robot and fields.get("robot", robot) != robot:
        return None
    x, y, heading = (_number(fields, key, None) for key in ("x", "y", "heading"))
    accuracy, age = _number(fields, "accuracy", accuracy_m), _number(fields, "age", 0.0)
    if max(abs(x), abs(y)) > FARTHEST or accuracy <= 0 or age < 0:
        raise ValueError("out of range")
    return Pose(round(x, 4), round(y, 4), round(math.remainder(heading, 2 * math.pi), 4), round(accuracy, 4)), age


def _number(fields: dict[str, Any], key: str, default: float | None) -> float:
    value = fields.get(key, default)
    if value is None:
        raise ValueError(f"no {key}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{key} is no number")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("out of range") from None
    if not math.isfinite(number):
        raise ValueError("out of range")
    return number


class FixParser(LineParser[tuple[Pose, float]]):
    """Finds the fixes of one robot: see `parse`."""

    def __init__(self, settings: PositioningSettings) -> None:
        super().__init__()
        self._settings = settings

    def parse(self, line: bytes) -> tuple[Pose, float] | None:
        fix = parse(line, self._settings.robot, self._settings.accuracy_m)
        if fix is None:
            self.counts["another robot"] += 1
        return fix


class Positioning(Device):
    """`SerialDevice` that only listens, and `AddOn`. `reboots` stays 0: it has nothing to hold still, and a system
    that starts anew sends positions again."""

    Settings = PositioningSettings
    emulator = "boards.positioning.emulator:PositioningEmulator"
    add_on = True
    schemes = ("serial", "tcp", "udp")  # by a line or by a multicast group, as its port asks for
    adds = ("positioning",)
    when_computer_dies = "nothing has to: it moves nothing"

    def __init__(self, settings: PositioningSettings) -> None:
        silence_s = max(5.0, 5 * settings.stale_s)
        super().__init__(LineSettings(settings.baud, silence_s=silence_s), FixParser(settings))
        self._stale_s = settings.stale_s
        self.reset()

    @property
    def ready(self) -> bool:
        return self._fix is not None

    def reset(self) -> None:
        self._fix: tuple[float, Pose] | None = None  # when it was taken
        self._received_at = -math.inf  # when it came
        self._watch = StuckDetector()
        self._fresh = False

    def _take(self, now: float, frame: tuple[Pose, float]) -> None:
        pose, age = frame
        if self._fix is not None and now - age < self._fix[0]:
            self._counts["late"] += 1  # an older one than that which is known
        else:
            self._fix, self._received_at, self._fresh = (now - age, pose), now, True

    # AddOn

    def missing(self, now: float) -> dict[str, str]:
        words = ""
        if self._fix is None:
            words = "no position has come"
        elif now - self._fix[0] > self._stale_s:
            words = f"no position has come for {now - self._received_at:.0f} s"
            if now - self._received_at <= self._stale_s:
                words = "the positions that come are too old"
        elif self._watch.stuck:
            words = f"the position {STANDS_STILL}"
        return {"positioning": words} if words else {}

    def complete(self, now: float, senses: Senses) -> Senses:
        """See `AddOn`; the wheels show whether a position that stays the same is a frozen one."""
        wheels = senses.wheels
        if self._fix is not None and self._fresh:
            moves = wheels is not None and moving(wheels.left, wheels.right)
            self._watch.note(now, self._fix[1], moves=moves)
            self._fresh = False
        if self._fix is None or self.missing(now):
            return senses
        ages = dataclasses.replace(senses.ages, pose=now - self._fix[0])
        return dataclasses.replace(senses, pose=self._fix[1], ages=ages)

    def command(self, now: float, command: Command) -> Command:
        return Command()

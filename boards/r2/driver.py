"""The R-2's serial protocol, the computer's side: the mock R-2's, and open to home-made robots.

What stops the wheels when this computer dies: the board itself, once the last command's time is over.
"""

import math
from typing import Any

from pydantic import Field

from boards.driver import Driver, Table
from boards.r2 import frames as wire
from boards.r2.senses import RESOURCES, Identity, R2Reading, read
from boards.stuck import StuckDetector
from robotd.model.command import Command
from robotd.model.senses import Capabilities
from robotd.model.serial import LineSettings


class R2Settings(Table):
    """The board's own table of a robot file."""

    baud: int = Field(115200, ge=19200, le=4_000_000, description="bits per second; senses take 15000")
    silence_s: float = Field(1.0, ge=0.3, le=60, description="a line that is silent for so long is opened anew, s")
    max_speed_m_s: float = Field(10.0, gt=0, le=10, description="a limit below the board's own, m/s of one wheel")


class R2(Driver):
    """The driver of one R-2; its readings are stale after six frames, and a greeting is answered within 10 ms."""

    Settings = R2Settings
    emulator = "boards.r2.emulator:R2Emulator"
    when_computer_dies = "the board itself, once the last command's time is over: within 0.5 s"
    halt, stop, tunes = wire.HALT, wire.HALT, wire.NO_TUNE
    seldom_s = 0.2
    restarted, unanswered = "the board has restarted", "the board has not answered"
    silent = "the board sends no senses"
    _reading: R2Reading | None

    def __init__(self, settings: R2Settings) -> None:
        super().__init__(LineSettings(settings.baud, silence_s=settings.silence_s), wire.FrameParser())
        self._limit = settings.max_speed_m_s
        self._identity: Identity | None = None
        self._foreign: int | None = None  # the version of a board that speaks another
        self._number = 0
        self.reset()

    def reset(self) -> None:
        super().reset()
        self._greeted = False
        self._fix = StuckDetector()

    @property
    def optional_resources(self) -> frozenset[str]:
        """The board itself reports what it has."""
        return RESOURCES

    def connect(self, now: float) -> None:
        self._identity = self._foreign = None
        super().connect(now)

    def _take(self, now: float, frame: tuple[int, Any]) -> None:
        kind, fields = frame
        if kind == wire.IDENTITY:
            self._identify(now, fields)
        elif kind == wire.SENSES and self._greeted and self._identity is not None:
            reading = read(fields, self._identity, now, self._fix)
            if reading is None:
                self._counts["identity"] += 1
                return
            self._reading, self._greeting.tries = reading, 0
            if reading.at_rest:
                self._latch.at_rest()

    def _identify(self, now: float, fields: Any) -> None:
        self._foreign = fields.version if fields.version != wire.VERSION else None
        if self._foreign is not None:
            self.reset()
            self._greeting.reset(now)
        elif fields.started and self._greeted:
            self._restart(now)
        elif fields.started:
            self.reset()
        elif self._greeting.asked is not None:
            self._identity, self._greeted = Identity.of(fields), True

    def _greet(self, now: float) -> bytes:
        self._greeting.ask(now)
        return wire.frame(wire.HELLO, version=wire.VERSION)

    def _drive(self, now: float, command: Command) -> bytes:
        self._number = (self._number + 1) % 256
        self._latch.sent(now, command.left, command.right)
        left, right = round(command.left * 1000), round(command.right * 1000)
        tune = wire.NO_TUNE if command.tune is None else command.tune
        expiry = max(1, math.floor((self._latch.until - now) * 1000))
        return wire.frame(wire.DRIVE, number=self._number, left=left, right=right, opening=_axis(command.opening),
                          lift=_axis(command.lift), tune=tune, expiry=expiry)  # fmt: skip

    def _built(self) -> frozenset[str]:
        return self._reading.built if self._reading is not None else frozenset({"mobile"})

    def _size(self) -> tuple[float, float, float]:
        identity = self._identity
        if identity is None:
            return 0.0, Capabilities().wheel_base, Capabilities().radius
        return min(identity.max_speed, self._limit), identity.wheel_base, identity.radius

    def _trouble(self, now: float) -> str:
        if self._foreign is not None:
            return f"the board speaks version {self._foreign} of the protocol, not {wire.VERSION}"
        return super()._trouble(now)


def _axis(wanted: float | None) -> int:
    if wanted is None or math.isnan(wanted):
        return wire.LEAVE
    return round(min(max(wanted, 0.0), 1.0) * 1000)

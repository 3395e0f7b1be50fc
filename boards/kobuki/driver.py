"""Kobuki, the base of the TurtleBot 2, the computer's side.

What stops the wheels when this computer dies: nothing that is known. No document states that its firmware stops
when commands stay away, so that it must be taken to go on with the last one.
"""

import math
from collections.abc import Iterator

from pydantic import Field

from boards.driver import Driver, Table
from boards.kobuki import frames as wire
from boards.kobuki.senses import MAX_SPEED, RADIUS, WHEEL_BASE, KobukiReading, began_anew, read, wheelset
from robotd.model.command import Command
from robotd.model.serial import LineSettings, SetLine


class KobukiSettings(Table):
    """The board's own table of a robot file."""

    silence_s: float = Field(2.0, ge=1.5, le=60, description="silence before it is opened anew, s; it boots for 1")
    max_speed_m_s: float = Field(0.5, ge=0.1, le=MAX_SPEED, description="greatest speed of one wheel, m/s")
    wheel_base_m: float = Field(WHEEL_BASE, gt=0.2, lt=0.3, description="between the wheels, m")


class Kobuki(Driver):
    """The driver of one robot; its readings are stale after fifteen packets."""

    Settings = KobukiSettings
    emulator = "boards.kobuki.emulator:KobukiEmulator"
    when_computer_dies = "nothing that is known: a Kobuki is taken to go on with its last command"
    halt, stop, tunes = wire.HALT, wire.STOP, wire.SEQUENCES
    built = frozenset({"bumpers", "mobile", "odometry", "sound"})
    _reading: KobukiReading | None

    def __init__(self, settings: KobukiSettings) -> None:
        super().__init__(LineSettings(wire.BAUD, silence_s=settings.silence_s), wire.PacketParser())
        self._settings = settings
        self._base = settings.wheel_base_m * 1000
        self._wheels = wheelset(settings.wheel_base_m, self._counts)
        self.reset()

    def reset(self) -> None:
        super().reset()
        self.firmware = ""  # its version, once reported
        self._wheels.lose_reference()

    @property
    def ready(self) -> bool:
        """Since `connect` the robot has sent senses, which it does unasked, and an answer, so that it receives."""
        return self._reading is not None and bool(self.firmware)

    def _take(self, now: float, frame: list[tuple[int, bytes]]) -> None:
        if self._greeting.asked is None:
            return
        version = wire.data_of(frame, wire.FIRMWARE)
        if version is not None:
            self.firmware = ".".join(str(part) for part in reversed(version[:3]))
        core = wire.data_of(frame, wire.CORE)
        if core is not None:
            self._sense(now, wire.parse_core(core), wire.data_of(frame, wire.CURRENT))

    def _sense(self, now: float, core: wire.Core, currents: bytes | None) -> None:
        if self._reading is not None and began_anew(now, core, self._reading):
            self._restart(now)
            self._greeting.reset(now)
        elif self._reading is not None and now >= self._reading.at + self.stale_s:
            self._wheels.lose_reference()
        self._reading = read(now, core, currents, self._driven, self._wheels)
        if self._wheels.rolling.rests:
            self._latch.at_rest()

    def _send(self, now: float) -> Iterator[bytes | SetLine]:
        sent = list(super()._send(now))
        yield from (wire.PADDING, *sent) if sent else ()

    def _greet(self, now: float) -> bytes:
        self._greeting.ask(now)
        return wire.request(wire.VERSIONS)

    def _ask_at(self, now: float) -> float:
        return math.inf if self.firmware else self._greeting.due_at

    def _drive(self, now: float, command: Command) -> bytes:
        speed, radius = self._course(command.left, command.right)
        self._driven = wire.wheels(speed, radius, self._base)
        self._latch.sent(now, *self._driven)
        song = self._tunes.take()
        return wire.drive(speed, radius) + (wire.play(song) if song is not None else b"")

    def _course(self, left: float, right: float) -> tuple[int, int]:
        return wire.course(round(left * 1000), round(right * 1000), self._base)

    def _size(self) -> tuple[float, float, float]:
        return self._settings.max_speed_m_s, self._settings.wheel_base_m, RADIUS

    def _lost(self, now: float) -> dict[str, str]:
        lost = super()._lost(now)
        if self._reading is not None and self._reading.adapter:
            lost.setdefault("mobile", "the charger's cable is plugged in")
        return lost

    def _feasible(self, left: float, right: float) -> tuple[float, float]:
        left, right = (speed / 1000 for speed in wire.wheels(*self._course(left, right), self._base))
        return left, right

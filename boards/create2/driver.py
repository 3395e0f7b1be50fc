"""iRobot Create 2 and Roomba 500 to 800 by their Open Interface, the computer's side.

What stops the wheels when this computer dies: nothing. The robot has no watchdog and goes on with its last
command. In Safe mode it stops by itself at a cliff, when it is lifted, and when the charger is plugged in.
"""

import math
from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from boards.create2 import frames as wire
from boards.create2.senses import LIGHT_DEG, MAX_SPEED, RADIUS, WHEEL_BASE, Create2Reading, Reader
from boards.driver import SETTLE_S, Driver, Table
from boards.proximity import check
from robotd.model.command import Command
from robotd.model.serial import LineSettings, SetLine

MODE_S = 0.2  # between two requests for the mode: it is reported within a frame
START_S = 1.5  # of silence before a robot is greeted as new; the fault for its silence is then open, after 1 s
CAUSE_S = 0.3  # twenty frames: for so long what it has sensed may be why it leaves its mode
SLOWEST = 0.057  # m/s: two steps of the robot's speed control; below it the two wheels may differ by a whole step
PULSE_S, PULSE_EVERY_S = 1.0, 60.0  # of the wake-up line: three pulses shorter than 0.5 s would set 19200 baud
TUNES = 4  # song slots that all models have
LEFT = "the robot has left its driving mode by itself: was a button pressed?"
NOTES = ((60, 16), (67, 16))  # of tune 0: C and G, a quarter of a second each; the others are a tone higher each


Six = tuple[float, float, float, float, float, float]


class Create2Settings(Table):
    """The board's own table of a robot file."""

    silence_s: float = Field(1.0, ge=0.5, le=60, description="a line that is silent for so long is opened anew, s")
    mode: Literal["safe", "full"] = Field("safe", description="full: it stops neither at cliffs nor when lifted")
    mode_offset: int = Field(0, ge=0, le=1, description="1 for Roombas that report every mode one too high")
    max_speed_m_s: float = Field(MAX_SPEED, ge=0.1, le=MAX_SPEED, description="greatest speed of one wheel, m/s")
    wheel_base_m: float = Field(WHEEL_BASE, gt=0.2, lt=0.3, description="between the wheels, m")
    wake_line: Literal["rts", "dtr", "none"] = Field(
        "none", description="the line of the cable that pulls the robot's BRC pin low when it is asserted"
    )
    light_deg: Six = Field(LIGHT_DEG, description="bearings of the light bumpers from left to right, degrees")
    light_curve: tuple[tuple[int, float], ...] = Field(
        ((3000, 0.01), (1500, 0.03), (600, 0.06), (250, 0.1), (120, 0.15), (70, 0.2)),
        min_length=2,
        description="readings of the light bumpers and the distances that they mean, m, nearest first; "
        "the default is for white card: dark things read as farther off",
    )

    @model_validator(mode="after")
    def _falls(self) -> Self:
        check("light_curve", self.light_curve)
        return self


class Create2(Driver):
    """The driver of one robot; its readings are stale after twenty frames."""

    Settings = Create2Settings
    emulator = "boards.create2.emulator:Create2Emulator"
    identify_first = True  # F9 at 57600 baud, to another board, is read at 115200 as 86: spot cleaning
    when_computer_dies = "nothing: a Create 2 has no watchdog and goes on with its last command"
    halt, stop, tunes = wire.HALT, wire.drive(0, 0), TUNES
    built = frozenset({"bumpers", "front-range", "mobile", "odometry", "sound"})
    unanswered = "the robot has not answered: is it asleep (press Clean), off, or the cable at fault?"
    _parser: wire.StreamParser
    _reading: Create2Reading | None

    def __init__(self, settings: Create2Settings) -> None:
        brc = {"rts": settings.wake_line == "rts", "dtr": settings.wake_line == "dtr"}
        rts, dtr = (False if brc[line] else None for line in ("rts", "dtr"))
        line = LineSettings(wire.BAUD, dtr, rts, settings.silence_s)
        super().__init__(line, wire.StreamParser(wire.Layout(wire.SENSED)))
        self._settings = settings
        self._wanted = wire.FULL_MODE if settings.mode == "full" else wire.SAFE_MODE
        self._reader = Reader(settings.wheel_base_m, settings.light_curve, settings.light_deg, self._counts)
        self._pulse_at: float | None = None  # when the wake-up line was last pulled
        self._pulling = False
        self.reset()

    def reset(self) -> None:
        super().reset()
        self._in_mode = False  # the last frame reported a mode in which it can be driven
        self._hazard_at = -math.inf  # when it last sensed what makes it leave its mode
        self._moded: float | None = None  # when the mode was last asked for
        self._left_until, self._why = 0.0, ""  # nothing is driven after it has left its mode: that is noticed
        self._reader.lose_reference()

    def receive(self, now: float, data: bytes) -> None:
        """See `Driver`; a banner is that of a restart."""
        banners = self._parser.banners
        super().receive(now, data)
        if self._parser.banners > banners and self._reading is not None:
            self._restart(now)
            self._plan(now)

    def _take(self, now: float, frame: dict[int, int]) -> None:
        if self._greeting.asked is None:
            return
        last = self._reading
        if last is not None and not self._is_fresh(now):
            self._reader.lose_reference()
        reading = self._reader.read(now, frame, self._driven)
        if last is not None and self._mode(reading) <= wire.OFF_MODE < self._mode(last):
            self._restart(now)
            return
        self._reading, self._greeting.tries = reading, 0
        if _hazard(reading):
            self._hazard_at = now
        was, self._in_mode = self._in_mode, self._mode(reading) >= wire.SAFE_MODE
        if was and not self._in_mode:
            self.drive_mode_exits += now > self._hazard_at + CAUSE_S
            self._left_until, self._why = now + SETTLE_S, _hazard(reading) or LEFT
            self._latch.clear()
            self._driven = (0.0, 0.0)
        if self._reader.wheels.rolling.rests:
            self._latch.at_rest()

    def _converse(self, now: float) -> Iterator[bytes | SetLine]:
        """The wake-up pulse, the greeting until senses come, and the mode until it is reported."""
        yield from self._wake(now)
        if not self._is_fresh(now):
            yield from super()._converse(now)
        elif self._mode_due(now):
            self._moded = now
            yield bytes([wire.FULL if self._wanted == wire.FULL_MODE else wire.SAFE])

    def _greet(self, now: float) -> bytes:
        """Passive mode, whatever was cut before, and the stream: the wheels rest until the mode is set again.
        While a stream has not been away for long, a stop and the stream alone: a robot that was not away stays
        in its mode, and one that has restarted, which takes only START, stays silent until that is a fault."""
        self._greeting.ask(now)
        self._driven = (0.0, 0.0)
        if self._reading is not None and now < self._reading.at + START_S:
            return wire.PADDING + wire.drive(0, 0) + wire.listed(wire.STREAM, wire.SENSED)
        self._in_mode, self._moded = False, None
        return wire.PADDING + bytes([wire.START]) + wire.listed(wire.STREAM, wire.SENSED)

    def _mode_due(self, now: float) -> bool:
        """The robot is to be put into its mode, and nothing that takes it out again is in the way."""
        reading = self._reading
        if reading is None or self._mode(reading) >= self._wanted or now < max(self._left_until, self._settled):
            return False
        if reading.values.lifted or reading.values.charging:
            return False
        return self._moded is None or now >= self._moded + MODE_S

    def _wake(self, now: float) -> Iterator[SetLine]:
        """A pulse on the wake-up line, where there is one, while the robot sleeps or might fall asleep."""
        line = self._settings.wake_line
        if line == "none":
            return
        if self._pulling and self._pulse_at is not None and now >= self._pulse_at + PULSE_S:
            self._pulling = False
            yield SetLine(**{line: False})
            return
        vain = not self._is_fresh(now) and self._greeting.tries > 1
        due = self._pulse_at is None or now >= self._pulse_at + (2 * PULSE_S if vain else PULSE_EVERY_S)
        if not self._pulling and due and (vain or not self._in_mode):
            self._pulling, self._pulse_at = True, now
            yield SetLine(**{line: True})

    def _mode(self, reading: Create2Reading) -> int:
        return reading.mode - self._settings.mode_offset

    def _times(self, now: float) -> Iterator[float]:
        yield from super()._times(now)
        if self._is_fresh(now) and self._mode_due(now):
            yield now
        if self._pulling and self._pulse_at is not None:
            yield self._pulse_at + PULSE_S

    def _drive(self, now: float, command: Command) -> bytes:
        left, right = round(command.left * 1000), round(command.right * 1000)
        self._latch.sent(now, left, right)
        self._driven = (left, right) if self._in_mode else (0.0, 0.0)
        song = self._tunes.take()
        return wire.drive(left, right) + (_tune(song) if song is not None else b"")

    def _size(self) -> tuple[float, float, float]:
        return self._settings.max_speed_m_s, self._settings.wheel_base_m, RADIUS

    def _lost(self, now: float) -> dict[str, str]:
        reading, lost = self._reading, super()._lost(now)
        idle = "" if self._in_mode else "the robot is not in its driving mode"
        if now < self._left_until:
            idle = self._why
        if reading is not None and reading.values.charging:
            idle = "the charger is plugged in"
        return {"mobile": idle, **lost} if idle else lost

    def _feasible(self, left: float, right: float) -> tuple[float, float]:
        return _doable(left), _doable(right)


def _doable(speed: float) -> float:
    """The nearest speed that the robot's control does well, in whole mm/s: 0, or two of its steps and more."""
    if abs(speed) < SLOWEST / 2:
        return 0.0
    return round(math.copysign(max(abs(speed), SLOWEST), speed), 3)


def _hazard(reading: Create2Reading) -> str:
    """What makes it leave its mode by itself, as far as it senses that; '' for nothing."""
    if reading.values.lifted:
        return "the robot was lifted and has left its driving mode"
    if reading.values.charging:
        return "the charger was plugged in"
    return "the robot has stopped at a cliff" if reading.cliff else ""


def _tune(number: int) -> bytes:
    return wire.song(number, [(note + 2 * number, time) for note, time in NOTES])

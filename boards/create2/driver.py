"""iRobot Create 2 and Roomba 500 to 800 by their Open Interface, the computer's side.

What stops the wheels when this computer dies: nothing. The robot has no watchdog and goes on with its last
command. In Safe mode it stops by itself at a cliff, when it is lifted, and when the charger is plugged in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from boards.create2 import frames as wire
from boards.create2.senses import LIGHT_DEG, MAX_SPEED, RADIUS, WHEEL_BASE, Reader, Reading
from boards.curves import check
from boards.held import Held, granted
from boards.readings import felt
from boards.tunes import Tunes
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine

STALE_S = 0.3  # twenty frames missing: what they said is no longer so
ASK_S, SELDOM_S = 0.2, 0.8  # between two greetings: at first, and once several were in vain
MODE_S = 0.2  # between two requests for the mode: it is told within a frame
START_S = 1.5  # of silence before a robot is greeted as new; the fault for its silence is then open, after 1 s
CAUSE_S = 0.3  # twenty frames: for so long what it has sensed may be why it leaves its mode
SETTLE_S = 0.3  # after the robot has left its mode by itself nothing is driven, so that nobody misses it
SLOWEST = 0.057  # m/s: two steps of the robot's speed control; below it the two wheels may differ by a whole step
PULSE_S, PULSE_EVERY_S = 1.0, 60.0  # of the wake-up line: three pulses shorter than 0.5 s would set 19200 baud
TUNES = 4  # song slots that all models have
LEFT = "the robot has left its driving mode by itself: was a button pressed?"
NOTES = ((60, 16), (67, 16))  # of tune 0: C and G, a quarter of a second each; the others are a tone higher each


class Create2Settings(BaseModel):
    """The board's own table of a robot file."""

    model_config = ConfigDict(extra="forbid")

    silence_s: float = Field(1.0, ge=0.5, le=60, description="a line that is silent for so long is opened anew, s")
    mode: Literal["safe", "full"] = Field(
        "safe", description="full: the robot itself stops neither at cliffs nor when it is lifted"
    )
    mode_offset: int = Field(0, ge=0, le=1, description="1 for Roombas that report every mode one too high")
    max_speed_m_s: float = Field(MAX_SPEED, ge=0.1, le=MAX_SPEED, description="greatest speed of one wheel, m/s")
    wheel_base_m: float = Field(WHEEL_BASE, gt=0.2, lt=0.3, description="between the wheels, m")
    wake_line: Literal["rts", "dtr", "none"] = Field(
        "none", description="the line of the cable that pulls the robot's BRC pin low when it is asserted"
    )
    light_deg: tuple[float, float, float, float, float, float] = Field(
        LIGHT_DEG, description="bearings of the light bumpers from left to right, degrees"
    )
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


class Create2:
    """`SerialDevice` and `Board` of one robot. All times are the loop's clock, s."""

    Settings = Create2Settings
    needs_port = True
    when_computer_dies = "nothing: a Create 2 has no watchdog and goes on with its last command"
    halt = wire.HALT

    def __init__(self, settings: Create2Settings) -> None:
        brc = {"rts": settings.wake_line == "rts", "dtr": settings.wake_line == "dtr"}
        rts, dtr = (False if brc[line] else None for line in ("rts", "dtr"))
        self.line = LineSettings(wire.BAUD, dtr, rts, settings.silence_s)
        self.wake_at: float | None = None
        self.reboots = 0  # of the robot, noticed while connected
        self.departures = 0  # from its driving mode, by itself, for nothing that it senses: its button, say
        self._settings = settings
        self._wanted = wire.FULL_MODE if settings.mode == "full" else wire.SAFE_MODE
        self._counts: Counter[str] = Counter()
        self._splitter = wire.Splitter(wire.Layout(wire.SENSED))
        self._reader = Reader(settings.wheel_base_m, settings.light_curve, settings.light_deg, self._counts)
        self._pulse_at: float | None = None  # when the wake-up line was last pulled
        self._pulling = False
        self._settled, self._why = 0.0, ""
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._held = Held()
        self._void()

    def _void(self) -> None:
        """Forget all that was to be said, and that the robot had answered."""
        self._reading: Reading | None = None
        self._asked: float | None = None  # when it was last greeted
        self._asks = 0
        self._drives = False  # the last frame told a mode in which it can be driven
        self._caused = -math.inf  # when it last sensed what makes it leave its mode
        self._moded: float | None = None  # when the mode was last asked for
        self._told = (0.0, 0.0)
        self._tunes = Tunes()
        self._held = Held()
        self._reader.lose_reference()

    @property
    def counts(self) -> dict[str, int]:
        """What was refused since the start, by reason."""
        return dict(self._splitter.counts + self._counts)

    @property
    def ready(self) -> bool:
        """The robot has sent a frame of senses since `connect`."""
        return self._reading is not None

    # SerialDevice

    def connect(self, now: float) -> None:
        """Greet the robot; its wheels are told nothing until there is a new command."""
        self._splitter.reset()
        self._void()
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged frame costs that frame."""
        banners = self._splitter.banners
        frames = self._splitter.feed(data)
        if self._splitter.banners > banners and self._reading is not None:
            self._restarted(now)
        elif self._asked is not None:
            for frame in frames:
                self._take(now, frame)
        self._plan(now)

    def _restarted(self, now: float) -> None:
        self.reboots += 1
        self._void()
        self._settled, self._why = now + SETTLE_S, "the robot has restarted"

    def _take(self, now: float, frame: dict[int, int]) -> None:
        if self._reading is not None and now >= self._reading.at + STALE_S:
            self._reader.lose_reference()
        reading, last = self._reader.read(now, frame, self._told), self._reading
        if last is not None and self._mode(reading) <= wire.OFF_MODE < self._mode(last):
            self._restarted(now)
            return
        self._reading, self._asks = reading, 0
        if _cause(reading):
            self._caused = now
        drove, self._drives = self._drives, self._mode(reading) >= wire.SAFE_MODE
        if drove and not self._drives:
            self.departures += now > self._caused + CAUSE_S
            self._settled, self._why = now + SETTLE_S, _cause(reading) or LEFT
            self._held.void()
            self._told = (0.0, 0.0)
        if self._reader.wheels.rolling.stands:
            self._held.stands()

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """Greetings until senses come; the mode until it is told; then the newest command, or a stop."""
        said: list[bytes | SetLine] = list(self._wake(now))
        self._held.expire(now)
        if not self._hears(now):
            if self._asked is None or now >= self._asked + self._patience():
                said.append(self._greet(now))
        elif self._mode_due(now):
            self._moded = now
            said.append(bytes([wire.FULL if self._wanted == wire.FULL_MODE else wire.SAFE]))
        if self._held.command is not None and self._held.unsent:
            said.append(self._drive(self._held.command))
        elif self._held.stop_due(now):
            self._told = (0.0, 0.0)
            said.append(wire.drive(0, 0))
        self._plan(now)
        return said

    def _greet(self, now: float) -> bytes:
        """Passive mode, whatever was cut before, and the stream: the wheels stand until the mode is told again.

        While a stream has not been away for long, a stop and the stream alone: a robot that was not away goes on
        in its mode, and one that has restarted, which hears only START, stays silent until that is a fault.
        """
        self._asked, self._asks = now, self._asks + 1
        self._told = (0.0, 0.0)
        if self._reading is not None and now < self._reading.at + START_S:
            return wire.PADDING + wire.drive(0, 0) + wire.listed(wire.STREAM, wire.SENSED)
        self._drives, self._moded = False, None
        return wire.PADDING + bytes([wire.START]) + wire.listed(wire.STREAM, wire.SENSED)

    def _patience(self) -> float:
        return min(ASK_S * 2.0 ** min(self._asks - 1, 10), SELDOM_S)

    def _mode_due(self, now: float) -> bool:
        """The robot is to be put into its mode, and nothing that takes it out again is in the way."""
        reading = self._reading
        if reading is None or self._mode(reading) >= self._wanted or now < self._settled:
            return False
        if reading.values.lifted or reading.values.charging:
            return False
        return self._moded is None or now >= self._moded + MODE_S

    def _wake(self, now: float) -> Sequence[SetLine]:
        """A pulse on the wake-up line, where there is one, while the robot sleeps or might fall asleep."""
        line = self._settings.wake_line
        if line == "none":
            return ()
        if self._pulling and self._pulse_at is not None and now >= self._pulse_at + PULSE_S:
            self._pulling = False
            return (SetLine(**{line: False}),)
        vain = not self._hears(now) and self._asks > 1
        due = self._pulse_at is None or now >= self._pulse_at + (2 * PULSE_S if vain else PULSE_EVERY_S)
        if self._pulling or not due or not (vain or not self._drives):
            return ()
        self._pulling, self._pulse_at = True, now
        return (SetLine(**{line: True}),)

    def _mode(self, reading: Reading) -> int:
        return reading.mode - self._settings.mode_offset

    def _hears(self, now: float) -> bool:
        return self._reading is not None and now < self._reading.at + STALE_S

    def _plan(self, now: float) -> None:
        """Set `wake_at` to the next time that `transmit` has something to say."""
        times = [self._held.wake_at(now)]
        if self._hears(now) and self._reading is not None:
            times.append(self._reading.at + STALE_S)
            if self._mode_due(now):
                times.append(now)
        else:
            times.append(now if self._asked is None else self._asked + self._patience())
        if self._pulling and self._pulse_at is not None:
            times.append(self._pulse_at + PULSE_S)
        self.wake_at = max(now, min(times))

    def _drive(self, command: Command) -> bytes:
        left, right = round(command.left * 1000), round(command.right * 1000)
        self._held.sent(left, right)
        self._told = (left, right) if self._drives else (0.0, 0.0)
        song = self._tunes.take()
        return wire.drive(left, right) + (_tune(song) if song is not None else b"")

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the robot has not answered or its senses are stale."""
        trouble, reading = self._trouble(now), self._reading
        lost = dict(reading.lost) if reading is not None else {}
        if reading is not None and not trouble:
            idle = self._idle(now, reading)
            if idle and "mobile" not in lost:
                lost["mobile"] = idle
        key = (trouble, tuple(sorted(lost.items())), reading is None)
        if self._known[0] != key:
            self._known = (key, self._examine(trouble, lost))
        return self._known[1]

    def _examine(self, trouble: str, lost: dict[str, str]) -> Capabilities:
        built = {"bumpers", "front-range", "mobile", "odometry", "sound"}
        missing = dict.fromkeys(built, trouble) if trouble else lost
        settings = self._settings
        return Capabilities(
            tuple(sorted(built - missing.keys())),
            tuple(sorted(missing.items())),
            settings.max_speed_m_s,
            settings.wheel_base_m,
            RADIUS,
        )

    def _trouble(self, now: float) -> str:
        """Why nothing of the robot can be used now; '' where it can."""
        if now < self._settled and self._reading is None:
            return self._why
        if self._reading is None:
            return "the robot has not answered: is it asleep (press Clean), off, or the cable at fault?"
        return "" if self._hears(now) else "the robot sends no senses: its wheels are out of control until it does"

    def _idle(self, now: float, reading: Reading) -> str:
        """Why it cannot be driven now although it answers; '' where it can."""
        if reading.values.charging:
            return "the charger is plugged in"
        if now < self._settled:
            return self._why
        return "" if self._drives else "the robot is not in its driving mode"

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the robot is not to be trusted."""
        return felt(now, self._reading, hears=self._hears(now), stale_s=STALE_S)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: within what the robot can do; not forward at a cliff, zero while it cannot be driven."""
        driven = granted(command, self.capabilities(now), TUNES)
        left, right = (_doable(speed) for speed in (driven.left, driven.right))
        if self._reading is not None and self._reading.cliff:
            left, right = min(left, 0.0), min(right, 0.0)
        driven = Command(left, right, None, None, driven.tune, driven.expiry_s)
        self._tunes.want(driven.tune)
        if self.ready and driven.expiry_s > 0:
            self._held.take(now, driven)
            self.wake_at = now
        return driven


def _doable(speed: float) -> float:
    """The nearest speed that the robot's control does well, in whole mm/s: 0, or two of its steps and more."""
    if abs(speed) < SLOWEST / 2:
        return 0.0
    return round(math.copysign(max(abs(speed), SLOWEST), speed), 3)


def _cause(reading: Reading) -> str:
    """What makes it leave its mode by itself, as far as its senses tell; '' for nothing."""
    if reading.values.lifted:
        return "the robot was lifted and has left its driving mode"
    if reading.values.charging:
        return "the charger was plugged in"
    return "the robot has stopped at a cliff" if reading.cliff else ""


def _tune(number: int) -> bytes:
    return wire.song(number, [(note + 2 * number, time) for note, time in NOTES])

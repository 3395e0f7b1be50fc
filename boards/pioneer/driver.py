"""Pioneer 1 to 3, AmigoBot and PeopleBot (P2OS, ARCOS), the computer's side; on a serial line or TCP.

What stops the wheels when this computer dies: the robot's firmware, once its watchdog's time without a packet is
over. robotd leaves the watchdog as it is set, and does not drive a robot that tells that it is switched off, nor,
unless its table permits it, one that does not tell.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from boards.greeting import Greeting
from boards.held import Held, granted
from boards.pioneer import frames as wire
from boards.pioneer.senses import Course, Reader, Reading
from boards.pioneer.welcome import Welcome
from boards.readings import felt
from boards.sectors import fitted
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine

STALE_S = 0.5  # five packets missing: what they said is no longer so
ASK_S, SELDOM_S = 0.2, 0.8  # between two greetings: at first, and once several were in vain
TRIES = 5  # of one step of the greeting, before it begins anew
CLOSING_S = 0.25  # without a packet, after a connection of another host is closed: two of the robot's cycles
CLOSES_S = 1.0  # for so long packets that were under way are waited out; then the robot is told again to close
PULSE_S = 0.8  # between packets that keep the firmware's watchdog quiet; it bites after 2 s as delivered
REPEAT_S = 0.2  # a command that holds is said again after: 5 Hz
SETTLE_S = 0.3  # after a restart of the robot nothing is driven, so that nobody misses it
AGAIN_S = 1.0  # the gripper is told again where it was sent, in case that was lost
SURE_MM_S, SURE_DEG_S = 20, 5  # in half a second these are 20 and 28 counts of a P3-DX
DEGREE = math.pi / 180
SONAR_DEG = (90.0, 50.0, 30.0, 10.0, -10.0, -30.0, -50.0, -90.0)  # of the front ring, as its mounts lie
FRONT_DEG, REAR_DEG = (60.0, 30.0, 0.0, -30.0, -60.0), (-120.0, -150.0, 180.0, 150.0, 120.0)
NO_WATCHDOG = "the robot's firmware watchdog is off: nothing would stop it if this computer died; set it"
NOT_YET = "the robot has not told its configuration yet"
UNTOLD = (
    "the robot does not tell its configuration, nor so whether its firmware watchdog is on: perhaps nothing would "
    "stop it if this computer died; untold_watchdog = true permits driving it"
)


class PioneerSettings(BaseModel):
    """The board's own table of a robot file."""

    model_config = ConfigDict(extra="forbid")

    baud: int = Field(
        9600, ge=9600, le=115200, description="bits per second, as the robot's HostBaud; unused on TCP"
    )
    silence_s: float = Field(2.0, ge=1.0, le=60, description="a line that is silent for so long is opened anew, s")
    max_speed_m_s: float = Field(
        0.5, ge=0.1, le=2, description="greatest speed of one wheel, m/s; the robot's own holds"
    )
    wheel_base_m: float = Field(0.33, gt=0.1, lt=1, description="between the wheels, m: P3-DX 0.33, P3-AT 0.40")
    radius_m: float = Field(0.26, gt=0.1, lt=1, description="of the circle round the hull, m")
    distance_factor: float | None = Field(
        None,
        gt=0,
        le=2,
        description="mm of one count of x, y (DistConvFactor); default: by its subclass, where that is known",
    )
    range_factor: float = Field(1.0, gt=0, le=2, description="mm of one count of a sonar (RangeConvFactor)")
    sonar_deg: tuple[float, ...] = Field(
        SONAR_DEG,
        max_length=32,
        description="bearings of the sonars by number, degrees",
    )
    front_bump_deg: tuple[float, ...] = Field(
        FRONT_DEG,
        max_length=7,
        description="bearings of the front bumpers by number, degrees; [] for none",
    )
    rear_bump_deg: tuple[float, ...] = Field(
        REAR_DEG,
        max_length=7,
        description="bearings of the rear bumpers by number; [] for none",
    )
    gripper: Literal["auto", "yes", "no"] = Field("auto", description="auto: as the robot's configuration tells")
    untold_watchdog: bool = Field(
        default=False,
        description="drive also a robot that does not tell whether its firmware's watchdog is on",
    )
    beams_low: bool = Field(default=False, description="the gripper's beams read 0 when they are broken, not 1")


class Pioneer:
    """`SerialDevice` and `Board` of one robot. All times are the loop's clock, s."""

    Settings = PioneerSettings
    needs_port = True
    when_computer_dies = "the robot's firmware watchdog: as delivered 2 s after the last packet"
    halt = wire.HALT

    def __init__(self, settings: PioneerSettings) -> None:
        self.line = LineSettings(settings.baud, silence_s=settings.silence_s)
        self.wake_at: float | None = None
        self.reboots = 0  # of the robot, noticed while connected
        self.names: tuple[str, ...] = ()  # the robot's name, class and subclass
        self._settings = settings
        self._counts: Counter[str] = Counter()
        self._splitter = wire.Splitter()
        course = Course(settings.wheel_base_m, settings.max_speed_m_s, self._counts)
        rings = settings.front_bump_deg, settings.rear_bump_deg
        self._reader = Reader(
            course, settings.sonar_deg, rings, range_factor=settings.range_factor, beams_low=settings.beams_low
        )
        self._settled = 0.0
        self._greeting = Greeting(ASK_S, SELDOM_S)
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._void(wire.SYNC0)

    def _void(self, step: int) -> None:
        """Forget all that was to be said, and that the robot had answered; the greeting is at `step`."""
        self._step = step  # SYNC0 to SYNC2; one more: the connection is open
        self._greeting.reset()
        self._closing: float | None = None  # since when another host's connection is being closed
        self._quiet: float | None = None  # the robot was told so, and has been silent since
        self._welcome = Welcome()
        self._reading: Reading | None = None
        self._said = -math.inf  # when something was last sent
        self._driven = -math.inf  # when a drive was last sent
        self._lift = 1.0  # where the lift was last sent; stored, as it is switched on
        self._grip: dict[int, float] = {}  # gripper commands that hold, and when they were last sent
        self._held = Held()
        self._reader.lose_reference()

    @property
    def _open(self) -> bool:
        return self._step > wire.SYNC2

    @property
    def counts(self) -> dict[str, int]:
        """What was refused since the start, by reason."""
        return dict(self._splitter.counts + self._counts)

    @property
    def ready(self) -> bool:
        """A connection is open, and the robot has said in it what it senses."""
        return self._open and self._reading is not None

    # SerialDevice

    def connect(self, now: float) -> None:
        """Greet the robot; its wheels are told nothing until there is a new command."""
        self._splitter.reset()
        self._void(wire.SYNC0)
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged packet costs that packet."""
        for kind, content in self._splitter.feed(data):
            if kind in (wire.STANDING, wire.MOVING):
                self._sense(now, kind, content)
            elif kind == wire.CONFIGURATION:
                if self._open and self._welcome.config is None:
                    self._configure(content)
            elif self._greeting.asked is not None or self._open:
                self._step_on(now, kind, content)
        self._plan(now)

    def _step_on(self, now: float, kind: int, content: bytes) -> None:
        """An answer to the greeting. In a connection: the robot has begun anew, and takes PULSE for SYNC0."""
        if self._open and kind in (wire.SYNC0, wire.SYNC_ERROR) and not self._hears(now):
            self.reboots += self.ready
            self._void(wire.SYNC1 if kind == wire.SYNC0 else wire.SYNC0)
            self._settled = now + SETTLE_S
        elif self._open:
            return
        elif kind == wire.SYNC_ERROR:
            self._greeting.answer(now)
            self._void(wire.SYNC0)
            self._greeting.reset(now)  # what is still under way answers nothing that is asked later
        elif kind == self._step and self._closing is None:
            self._step += 1
            self._greeting.answer(now)
            self._greeting.reset()
            if self._step > wire.SYNC2:
                self.names = wire.names(content)
                self._welcome.begin(now)

    def _configure(self, content: bytes) -> None:
        try:
            self._welcome.config = wire.parse_configuration(content)
        except ValueError as error:
            self._counts[f"configuration-{error}"] += 1

    def _sense(self, now: float, kind: int, content: bytes) -> None:
        if not self._open:
            if self._closing is None and self._greeting.asked is not None:
                self._closing = now
            elif self._closing is not None and self._quiet is not None and now < self._closing + CLOSES_S:
                self._quiet = now
            return
        try:
            sip = wire.parse_sip(kind, content)
        except ValueError as error:
            self._counts[f"senses-{error}"] += 1
            return
        self._welcome.note(sip)
        if self._reading is not None and not self._hears(now):
            self._reader.lose_reference()
        self._reading = self._reader.read(
            now, sip, self._units(), told=self._rolls(), lift=self._lift, gripper=self._has_gripper()
        )
        if not (sip.moves or sip.left or sip.right):
            self._held.stands()

    def _rolls(self) -> bool:
        """The robot has been told to move so fast that its odometry must show it within half a second."""
        if self._held.command is None or self._held.unsent:
            return False
        speed, turn = self._rounded(self._held.command)
        return abs(speed) >= SURE_MM_S or abs(turn) >= SURE_DEG_S

    def _units(self) -> wire.Units | None:
        """What the robot counts in, by its subclass and the table; None where neither tells."""
        known = wire.units_of(self.names[2].lower() if len(self.names) > 2 else "")
        distance = self._settings.distance_factor
        if distance is None:
            return known
        return wire.Units(distance) if known is None else replace(known, distance=distance)

    def may_have(self, resource: str) -> bool:
        """Of a gripper the robot's own configuration tells, unless the settings do."""
        return resource == "gripper" and self._settings.gripper == "auto"

    def _has_gripper(self) -> bool:
        config = self._welcome.config
        told = config is not None and config.gripper
        return self._settings.gripper == "yes" or (self._settings.gripper == "auto" and told)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """The greeting step by step; then the newest command, a stop, or a pulse."""
        self._held.expire(now)
        said = self._converse(now) if self._open else self._greet(now)
        if said:
            self._said = now
        self._plan(now)
        return [said] if said else []

    def _greet(self, now: float) -> bytes:
        if self._closing is not None:
            if self._quiet is None:
                self._quiet = now
                return wire.say(wire.CLOSE)
            if now < self._quiet + CLOSING_S:
                return b""
            self._splitter.reset()
            self._void(wire.SYNC0)
        if now < self._greeting.due_at:
            return b""
        if self._greeting.tries >= TRIES and self._step != wire.SYNC0:
            self._step = wire.SYNC0
            self._greeting.reset()
        self._greeting.ask(now)
        return wire.say(self._step)

    def _converse(self, now: float) -> bytes:
        said = self._welcome.take(now)
        command = self._held.command
        if command is not None and (self._held.unsent or now >= self._driven + REPEAT_S):
            self._driven = now
            said += self._drive(now, command)
        elif self._held.stop_due(now):
            said += wire.say(wire.STOP)
        if now >= self._pulse_at(now):
            self._greeting.ask(now)
            said += wire.say(wire.PULSE)
        return wire.PADDING + said if said else b""

    def _pulse_at(self, now: float) -> float:
        """When the next pulse is due; a robot that tells nothing is asked so whether it has begun anew."""
        if self._hears(now):
            return self._said + PULSE_S
        return now if self._greeting.asked is None else self._greeting.asked + ASK_S

    def _drive(self, now: float, command: Command) -> bytes:
        speed, turn = self._rounded(command)
        self._held.sent(speed, turn)
        said = wire.say(wire.VEL, speed) + wire.say(wire.RVEL, turn)
        for wanted, high, low in (
            (command.opening, wire.GRIP_OPEN, wire.GRIP_CLOSE), (command.lift, wire.LIFT_UP, wire.LIFT_DOWN)
        ):  # fmt: skip
            if wanted is None or math.isnan(wanted):
                continue
            order, other = (high, low) if wanted >= 0.5 else (low, high)
            self._grip.pop(other, None)
            if high == wire.LIFT_UP:
                self._lift = float(order == high)
            if now >= self._grip.get(order, -math.inf) + AGAIN_S:
                self._grip[order] = now
                said += wire.say(wire.GRIPPER, order)
        return said

    def _rounded(self, command: Command) -> tuple[int, int]:
        """Speed in mm/s and turn in degrees/s, as the robot takes them: never faster than asked."""
        turn = (command.right - command.left) / self._settings.wheel_base_m / DEGREE
        return math.trunc(round((command.left + command.right) * 500, 6)), math.trunc(round(turn, 6))

    def _hears(self, now: float) -> bool:
        return self._reading is not None and now < self._reading.at + STALE_S

    def _plan(self, now: float) -> None:
        """Set `wake_at` to the next time that `transmit` has something to say."""
        if not self._open:
            closes = now if self._quiet is None else self._quiet + CLOSING_S
            self.wake_at = max(now, self._greeting.due_at if self._closing is None else closes)
            return
        times = [self._held.wake_at(now), self._pulse_at(now), self._welcome.at()]
        if self._held.command is not None:
            times.append(self._driven + REPEAT_S)
        if self._hears(now) and self._reading is not None:
            times.append(self._reading.at + STALE_S)
        self.wake_at = max(now, min(times))

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the robot has not answered or its packets are stale."""
        trouble, reading = self._trouble(now), self._reading
        lost = reading.lost if reading is not None else ()
        welcome = self._welcome
        key = (trouble, lost, welcome.config, welcome.unanswered)
        if self._known[0] != key:
            self._known = (key, self._examine(trouble, dict(lost)))
        return self._known[1]

    def _examine(self, trouble: str, lost: dict[str, str]) -> Capabilities:
        settings, config = self._settings, self._welcome.config
        built = {"mobile", "odometry"} | fitted(degrees * DEGREE for degrees in settings.sonar_deg)
        if settings.front_bump_deg or settings.rear_bump_deg:
            built.add("bumpers")
        if self._has_gripper():
            built.add("gripper")
        if config is None:
            self._doubt(built, lost)
        elif not config.watchdog:
            lost.setdefault("mobile", NO_WATCHDOG)
        missing = dict.fromkeys(built, trouble) if trouble else lost
        top = settings.max_speed_m_s
        if config is not None and config.top_speed:
            top = min(top, config.top_speed / 1000)
        return Capabilities(
            tuple(sorted(built - missing.keys())),
            tuple(sorted(missing.items())),
            top,
            settings.wheel_base_m,
            settings.radius_m,
        )

    def _doubt(self, built: set[str], lost: dict[str, str]) -> None:
        """What cannot be used while the robot has not told its configuration."""
        words = UNTOLD if self._welcome.unanswered else NOT_YET
        if not (self._settings.untold_watchdog and self._welcome.unanswered):
            lost.setdefault("mobile", words)
        if self._settings.gripper == "auto":
            built.add("gripper")
            lost.setdefault("gripper", words.partition(",")[0])

    def _trouble(self, now: float) -> str:
        """Why nothing of the robot can be used now; '' where it can."""
        if now < self._settled:
            return "the robot has restarted"
        if not self.ready:
            return "the robot has not answered: is it on, and are cable and baud rate right?"
        return "" if self._hears(now) else "the robot sends no senses"

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the robot is not to be trusted."""
        return felt(now, self._reading, hears=self._hears(now), stale_s=STALE_S)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: within what the robot can do, in its own steps; zero while it cannot be driven."""
        driven = granted(command, self.capabilities(now))
        speed, turn = self._rounded(driven)
        half = turn * DEGREE * self._settings.wheel_base_m / 2
        driven = Command(
            speed / 1000 - half, speed / 1000 + half, driven.opening, driven.lift, None, driven.expiry_s
        )
        if self.ready and driven.expiry_s > 0:
            self._held.take(now, driven)
            self.wake_at = now
        return driven

"""Pioneer 1 to 3, AmigoBot and PeopleBot (P2OS, ARCOS), the computer's side; on a serial line or TCP.

What stops the wheels when this computer dies: the robot's firmware, once its watchdog's time without a packet is
over. robotd leaves the watchdog as it is set, and does not drive a robot that reports it as switched off, nor,
unless its table permits it, one that does not report it.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field

from boards.driver import Driver, Table
from boards.pioneer import frames as wire
from boards.pioneer.senses import Course, Reader
from boards.pioneer.welcome import Welcome
from boards.proximity import fitted
from robotd.model.command import Command
from robotd.model.serial import LineSettings

TRIES = 5  # of one step of the greeting, before it begins anew
CLOSING_S = 0.25  # without a packet, after a connection of another host is closed: two of the robot's cycles
CLOSES_S = 1.0  # for so long packets that were under way are waited out; then the robot is sent again to close
PULSE_S = 0.8  # between packets that keep the firmware's watchdog quiet; it bites after 2 s as delivered
AGAIN_S = 1.0  # the gripper is sent again where it was sent, in case that was lost
SURE_MM_S, SURE_DEG_S = 20, 5  # in half a second these are 20 and 28 counts of a P3-DX
SONAR_DEG = (90.0, 50.0, 30.0, 10.0, -10.0, -30.0, -50.0, -90.0)  # of the front ring, as its mounts lie
FRONT_DEG, REAR_DEG = (60.0, 30.0, 0.0, -30.0, -60.0), (-120.0, -150.0, 180.0, 150.0, 120.0)
NO_WATCHDOG = "the robot's firmware watchdog is off: nothing would stop it if this computer died; set it"
NOT_YET = "the robot has not reported its configuration yet"
UNREPORTED = (
    "the robot does not report its configuration, nor so whether its firmware watchdog is on: perhaps nothing "
    "would stop it if this computer died; unreported_watchdog = true permits driving it"
)


Ring = tuple[float, ...]


class PioneerSettings(Table):
    """The board's own table of a robot file."""

    baud: int = Field(9600, ge=9600, le=115200, description="bits per second, as its HostBaud; unused on TCP")
    silence_s: float = Field(2.0, ge=1.0, le=60, description="a line that is silent for so long is opened anew, s")
    max_speed_m_s: float = Field(0.5, ge=0.1, le=2, description="greatest of one wheel, m/s; its own limit holds")
    wheel_base_m: float = Field(0.33, gt=0.1, lt=1, description="between the wheels, m: P3-DX 0.33, P3-AT 0.40")
    radius_m: float = Field(0.26, gt=0.1, lt=1, description="of the circle round the hull, m")
    distance_factor: float | None = Field(
        None, gt=0, le=2, description="mm of one count of x, y (DistConvFactor); default: by subclass, where known"
    )
    range_factor: float = Field(1.0, gt=0, le=2, description="mm of one count of a sonar (RangeConvFactor)")
    sonar_deg: Ring = Field(SONAR_DEG, max_length=32, description="bearings of the sonars by number, degrees")
    front_bump_deg: Ring = Field(FRONT_DEG, max_length=7, description="bearings of its front bumpers; [] for none")
    rear_bump_deg: Ring = Field(REAR_DEG, max_length=7, description="bearings of its rear bumpers; [] for none")
    gripper: Literal["auto", "yes", "no"] = Field("auto", description="auto: as the robot's configuration reports")
    unreported_watchdog: bool = Field(
        default=False, description="also drive a robot that does not report whether its firmware's watchdog is on"
    )
    beams_low: bool = Field(default=False, description="the gripper's beams read 0 when they are broken, not 1")


class Pioneer(Driver):
    """The driver of one robot; its readings are stale after five packets, and a command is repeated at 5 Hz."""

    Settings = PioneerSettings
    emulator = "boards.pioneer.emulator:PioneerEmulator"
    when_computer_dies = "the robot's firmware watchdog: as delivered 2 s after the last packet"
    halt, stop = wire.HALT, wire.order(wire.STOP)
    stale_s, repeat_s = 0.5, 0.2
    unanswered = "the robot has not answered: is it on, and are cable and baud rate right?"
    silent = "the robot sends no senses"

    def __init__(self, settings: PioneerSettings) -> None:
        super().__init__(LineSettings(settings.baud, silence_s=settings.silence_s), wire.PacketParser())
        self.names: tuple[str, ...] = ()  # the robot's name, class and subclass
        self._settings = settings
        course = Course(settings.wheel_base_m, settings.max_speed_m_s, self._counts)
        rings = settings.front_bump_deg, settings.rear_bump_deg
        self._reader = Reader(course, settings.sonar_deg, rings, settings.range_factor, settings.beams_low)
        self._fitted = {"mobile", "odometry"} | fitted(map(math.radians, settings.sonar_deg))
        if settings.front_bump_deg or settings.rear_bump_deg:
            self._fitted.add("bumpers")
        self.reset()

    def reset(self) -> None:
        """See `Driver`; the greeting begins anew."""
        super().reset()
        self._step = wire.SYNC0  # to SYNC2; one more: the connection is open
        self._closing: float | None = None  # since when another host's connection is being closed
        self._quiet: float | None = None  # the robot was ordered so, and has been silent since
        self._welcome = Welcome()
        self._sent = -math.inf  # when something was last sent
        self._lift = 1.0  # where the lift was last sent; stored, as it is switched on
        self._grip: dict[int, float] = {}  # gripper orders that hold, and when they were last sent
        self._reader.lose_reference()

    @property
    def _open(self) -> bool:
        return self._step > wire.SYNC2

    @property
    def ready(self) -> bool:
        """A connection is open, and the robot has reported in it what it senses."""
        return self._open and self._reading is not None

    @property
    def optional_resources(self) -> frozenset[str]:
        """The robot's own configuration reports a gripper, unless the settings state whether there is one."""
        return frozenset({"gripper"} if self._settings.gripper == "auto" else ())

    def _take(self, now: float, frame: tuple[int, bytes]) -> None:
        kind, content = frame
        if kind in (wire.STANDING, wire.MOVING):
            self._sense(now, kind, content)
        elif kind == wire.CONFIGURATION:
            if self._open and self._welcome.config is None:
                self._configure(content)
        elif self._open:
            if kind in (wire.SYNC0, wire.SYNC_ERROR) and not self._is_fresh(now):
                self._begin_anew(now, kind)
        elif self._greeting.asked is not None:
            self._step_on(now, kind, content)

    def _begin_anew(self, now: float, kind: int) -> None:
        """The robot has restarted: without a connection it takes PULSE for SYNC0."""
        reboots = self.reboots + self.ready
        self._restart(now)
        self.reboots = reboots
        if kind == wire.SYNC0:
            self._step = wire.SYNC1

    def _step_on(self, now: float, kind: int, content: bytes) -> None:
        if kind == wire.SYNC_ERROR:
            self._greeting.answer(now)
            self.reset()
            self._greeting.reset(now)  # what is still under way answers nothing that is asked later
        elif kind == self._step and self._closing is None:
            self._step += 1
            self._greeting.answer(now)
            self._greeting.reset()
            if self._open:
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
        if self._reading is not None and not self._is_fresh(now):
            self._reader.lose_reference()
        units, gripper = self._units(), self._has_gripper()
        self._reading = self._reader.read(
            now, sip, units, commanded=self._rolls(), lift=self._lift, gripper=gripper
        )
        if not (sip.moves or sip.left or sip.right):
            self._latch.at_rest()

    def _rolls(self) -> bool:
        """The robot was commanded to move so fast that its odometry must show it within half a second."""
        if self._latch.command is None or self._latch.unsent:
            return False
        speed, turn = self._rounded(self._latch.command.left, self._latch.command.right)
        return abs(speed) >= SURE_MM_S or abs(turn) >= SURE_DEG_S

    def _units(self) -> wire.Units | None:
        """What the robot counts in, by its subclass and the table; None where neither has it."""
        known = wire.units_of(self.names[2].lower() if len(self.names) > 2 else "")
        distance = self._settings.distance_factor
        if distance is None:
            return known
        return wire.Units(distance) if known is None else replace(known, distance=distance)

    def _has_gripper(self) -> bool:
        config, wanted = self._welcome.config, self._settings.gripper
        return wanted == "yes" or (wanted == "auto" and config is not None and config.gripper)

    def _send(self, now: float) -> Iterator[bytes]:
        """The greeting step by step; then the newest command, a stop, or a pulse, behind padding."""
        opened = self._open
        sent = b"".join(part for part in super()._send(now) if isinstance(part, bytes))
        if sent:
            self._sent = now
            yield wire.PADDING + sent if opened else sent

    def _converse(self, now: float) -> Iterator[bytes]:
        if self._open:
            yield self._welcome.take(now)
            if now >= self._pulse_at(now):
                self._greeting.ask(now)
                yield wire.order(wire.PULSE)
        elif self._closing is None or self._close(now):
            if now >= self._greeting.due_at:
                yield self._greet(now)
        elif self._quiet is None:
            self._quiet = now
            yield wire.order(wire.CLOSE)

    def _close(self, now: float) -> bool:
        """Whether another host's connection is closed, and its last packets have come."""
        if self._quiet is None or now < self._quiet + CLOSING_S:
            return False
        self._parser.reset()
        self.reset()
        return True

    def _greet(self, now: float) -> bytes:
        if self._greeting.tries >= TRIES and self._step != wire.SYNC0:
            self._step = wire.SYNC0
            self._greeting.reset()
        self._greeting.ask(now)
        return wire.order(self._step)

    def _pulse_at(self, now: float) -> float:
        """When the next pulse is due; a silent robot is asked so whether it has restarted."""
        if self._is_fresh(now):
            return self._sent + PULSE_S
        return -math.inf if self._greeting.asked is None else self._greeting.asked + self.ask_s

    def _ask_at(self, now: float) -> float:
        if not self._open:
            if self._closing is None:
                return self._greeting.due_at
            return now if self._quiet is None else self._quiet + CLOSING_S
        return min(self._pulse_at(now), self._welcome.at(), super()._ask_at(now) if self.ready else math.inf)

    def _drive(self, now: float, command: Command) -> bytes:
        speed, turn = self._rounded(command.left, command.right)
        self._latch.sent(now, speed, turn)
        sent = wire.order(wire.VEL, speed) + wire.order(wire.RVEL, turn)
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
                sent += wire.order(wire.GRIPPER, order)
        return sent

    def _rounded(self, left: float, right: float) -> tuple[int, int]:
        """Speed in mm/s and turn in degrees/s, as the robot takes them: never faster than asked."""
        turn = math.degrees((right - left) / self._settings.wheel_base_m)
        return math.trunc(round((left + right) * 500, 6)), math.trunc(round(turn, 6))

    def _feasible(self, left: float, right: float) -> tuple[float, float]:
        speed, turn = self._rounded(left, right)
        half = math.radians(turn) * self._settings.wheel_base_m / 2
        return speed / 1000 - half, speed / 1000 + half

    def _built(self) -> frozenset[str]:
        doubted = self._welcome.config is None and self._settings.gripper == "auto"
        return frozenset(self._fitted | ({"gripper"} if doubted or self._has_gripper() else set()))

    def _size(self) -> tuple[float, float, float]:
        settings, config = self._settings, self._welcome.config
        top = settings.max_speed_m_s
        if config is not None and config.top_speed:
            top = min(top, config.top_speed / 1000)
        return top, settings.wheel_base_m, settings.radius_m

    def _lost(self, now: float) -> dict[str, str]:
        lost = super()._lost(now)
        welcome = self._welcome
        if welcome.config is None:
            words = UNREPORTED if welcome.unanswered else NOT_YET
            if not (self._settings.unreported_watchdog and welcome.unanswered):
                lost.setdefault("mobile", words)
            if self._settings.gripper == "auto":
                lost.setdefault("gripper", words.partition(",")[0])
        elif not welcome.config.watchdog:
            lost.setdefault("mobile", NO_WATCHDOG)
        return lost

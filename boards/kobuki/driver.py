"""Kobuki, the base of the TurtleBot 2, the computer's side.

What stops the wheels when this computer dies: nothing that is known. No document says that its firmware stops when
commands stay away, so that it must be taken to go on with the last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from boards.held import Held, granted
from boards.kobuki import frames as wire
from boards.kobuki.senses import MAX_SPEED, RADIUS, WHEEL_BASE, Reader, Reading, began_anew
from boards.readings import felt
from boards.tunes import Tunes
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine

STALE_S = 0.3  # fifteen packets missing: what they said is no longer so
ASK_S, SELDOM_S = 0.2, 0.8  # between two requests for its versions: at first, and once several were in vain
SETTLE_S = 0.3  # after a restart of the robot nothing is driven, so that nobody misses it
BUILT = ("bumpers", "mobile", "odometry", "sound")


class KobukiSettings(BaseModel):
    """The board's own table of a robot file."""

    model_config = ConfigDict(extra="forbid")

    silence_s: float = Field(
        2.0, ge=1.5, le=60, description="a line that is silent for so long is opened anew, s; it boots for one"
    )
    max_speed_m_s: float = Field(0.5, ge=0.1, le=MAX_SPEED, description="greatest speed of one wheel, m/s")
    wheel_base_m: float = Field(WHEEL_BASE, gt=0.2, lt=0.3, description="between the wheels, m")


class Kobuki:
    """`SerialDevice` and `Board` of one robot. All times are the loop's clock, s."""

    Settings = KobukiSettings
    needs_port = True
    when_computer_dies = "nothing that is known: a Kobuki is taken to go on with its last command"
    halt = wire.HALT

    def __init__(self, settings: KobukiSettings) -> None:
        self.line = LineSettings(wire.BAUD, silence_s=settings.silence_s)
        self.wake_at: float | None = None
        self.reboots = 0  # of the robot, noticed while connected
        self._settings = settings
        self._base = settings.wheel_base_m * 1000
        self._counts: Counter[str] = Counter()
        self._splitter = wire.Splitter()
        self._reader = Reader(settings.wheel_base_m, self._counts)
        self._settled = 0.0
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._void()

    def _void(self) -> None:
        """Forget all that was to be said, and that the robot had answered."""
        self._reading: Reading | None = None
        self.firmware = ""  # its version, once told
        self._asked: float | None = None  # when it was last asked for its versions
        self._asks = 0
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
        """Since `connect` the robot has told senses, which it does unasked, and has answered, so that it hears."""
        return self._reading is not None and bool(self.firmware)

    # SerialDevice

    def connect(self, now: float) -> None:
        """Ask the robot for its versions; its wheels are told nothing until there is a new command."""
        self._splitter.reset()
        self._void()
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged packet costs that packet."""
        for parts in self._splitter.feed(data):
            told = wire.data_of(parts, wire.FIRMWARE)
            if told is not None and self._asked is not None:
                self.firmware = wire.version(told)
            core = wire.data_of(parts, wire.CORE)
            if core is not None and self._asked is not None:
                self._sense(now, wire.parse_core(core), wire.data_of(parts, wire.CURRENT))
        self._plan(now)

    def _sense(self, now: float, core: wire.Core, currents: bytes | None) -> None:
        if self._reading is not None and began_anew(now, core, self._reading):
            self.reboots += 1
            self._void()
            self._asked = now
            self._settled = now + SETTLE_S
        elif self._reading is not None and not self._hears(now):
            self._reader.lose_reference()
        self._reading = self._reader.read(now, core, currents, self._told)
        if self._reader.wheels.rolling.stands:
            self._held.stands()

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """The request until it is answered; then the newest command, or a stop."""
        said = []
        self._held.expire(now)
        if self._ask_at() <= now:
            self._asked, self._asks = now, self._asks + 1
            said.append(wire.request(wire.VERSIONS))
        if self._held.command is not None and self._held.unsent:
            said.append(self._drive(self._held.command))
        elif self._held.stop_due(now):
            self._told = (0.0, 0.0)
            said.append(wire.STOP)
        self._plan(now)
        return [wire.PADDING, *said] if said else []

    def _ask_at(self) -> float:
        """When the versions are asked for next."""
        if self._asked is None:
            return 0.0
        patience = min(ASK_S * 2.0 ** min(self._asks - 1, 10), SELDOM_S) if self._asks else ASK_S
        return self._asked + patience if not self.firmware else float("inf")

    def _drive(self, command: Command) -> bytes:
        speed, radius = self._course(command)
        left, right = wire.wheels(speed, radius, self._base)
        self._held.sent(left, right)
        self._told = left, right
        song = self._tunes.take()
        return wire.drive(speed, radius) + (wire.play(song) if song is not None else b"")

    def _course(self, command: Command) -> tuple[int, int]:
        return wire.course(round(command.left * 1000), round(command.right * 1000), self._base)

    def _hears(self, now: float) -> bool:
        return self._reading is not None and now < self._reading.at + STALE_S

    def _plan(self, now: float) -> None:
        """Set `wake_at` to the next time that `transmit` has something to say."""
        self.wake_at = max(now, min(self._held.wake_at(now), self._ask_at()))

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the robot has not answered or its packets are stale."""
        trouble, reading = self._trouble(now), self._reading
        lost = dict(reading.lost) if reading is not None and not trouble else {}
        if reading is not None and reading.adapter and not trouble:
            lost.setdefault("mobile", "the charger's cable is plugged in")
        key = (trouble, tuple(sorted(lost.items())))
        if self._known[0] != key:
            missing = dict.fromkeys(BUILT, trouble) if trouble else lost
            settings = self._settings
            able = tuple(name for name in BUILT if name not in missing)
            gone = tuple(sorted(missing.items()))
            capabilities = Capabilities(able, gone, settings.max_speed_m_s, settings.wheel_base_m, RADIUS)
            self._known = (key, capabilities)
        return self._known[1]

    def _trouble(self, now: float) -> str:
        """Why nothing of the robot can be used now; '' where it can."""
        if now < self._settled:
            return "the robot has restarted"
        if not self.ready:
            return "the robot has not answered: is it switched on, and is the cable in?"
        return "" if self._hears(now) else "the robot sends no senses: its wheels are out of control until it does"

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the robot is not to be trusted."""
        return felt(now, self._reading, hears=self.ready and self._hears(now), stale_s=STALE_S)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: within what the robot can do; not forward at a cliff, zero while it cannot be driven."""
        driven = granted(command, self.capabilities(now), wire.SEQUENCES)
        if self._reading is not None and self._reading.cliff:
            driven = Command(
                min(driven.left, 0.0), min(driven.right, 0.0), None, None, driven.tune, driven.expiry_s
            )
        left, right = (speed / 1000 for speed in wire.wheels(*self._course(driven), self._base))
        driven = Command(left, right, None, None, driven.tune, driven.expiry_s)
        self._tunes.want(driven.tune)
        if self.ready and driven.expiry_s > 0:
            self._held.take(now, driven)
            self.wake_at = now
        return driven

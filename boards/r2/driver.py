"""The R-2's serial protocol, the computer's side: the mock R-2's, and open to home-made robots.

What stops the wheels when this computer dies: the board itself, once the last command's time is over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from boards.held import granted
from boards.r2 import frames as wire
from boards.r2.senses import Identity, Reading, read
from boards.readings import felt
from boards.standing import Standing
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine

STALE_S = 0.3  # six frames of senses missing: what they said is no longer so
ASK_S = 0.2  # between two greetings: an answer takes 10 ms
REPEAT_S = 0.05  # between two stops until the board says that its motors are told 0
SETTLE_S = 0.3  # after a restart of the board nothing is driven, so that nobody misses it


class R2Settings(BaseModel):
    """The board's own table of a robot file."""

    model_config = ConfigDict(extra="forbid")

    baud: int = Field(115200, ge=19200, le=4_000_000, description="bits per second; senses take 15000")
    silence_s: float = Field(1.0, ge=0.3, le=60, description="a line that is silent for so long is opened anew, s")
    max_speed_m_s: float = Field(10.0, gt=0, le=10, description="a limit below the board's own, m/s of one wheel")


class R2:
    """`SerialDevice` and `Board` of one R-2. All times are the loop's clock, s."""

    Settings = R2Settings
    needs_port = True
    when_computer_dies = "the board itself, once the last command's time is over: within 0.5 s"
    halt = wire.HALT

    def __init__(self, settings: R2Settings) -> None:
        self.line = LineSettings(settings.baud, silence_s=settings.silence_s)
        self.wake_at: float | None = None
        self.reboots = 0  # of the board, noticed while connected
        self._limit = settings.max_speed_m_s
        self._splitter = wire.Splitter()
        self._identity: Identity | None = None
        self._foreign: int | None = None  # the version of a board that speaks another
        self._settled = 0.0
        self._number = 0
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._void()

    def may_have(self, resource: str) -> bool:
        """What it has the board itself tells."""
        return True

    def _void(self) -> None:
        """Forget all that was to be said, and that the board had answered."""
        self._greeted = False
        self._asked: float | None = None  # when a greeting was last sent
        self._reading: Reading | None = None
        self._fix = Standing()
        self._command: Command | None = None
        self._until = 0.0  # the command holds
        self._unsent = False
        self._roused = False  # the wheels were told to turn, and are not known to stand since
        self._stopped: float | None = None  # when a stop was last sent

    @property
    def counts(self) -> dict[str, int]:
        """Frames dropped since the start, by reason."""
        return dict(self._splitter.counts)

    @property
    def ready(self) -> bool:
        """The board has said who it is and what it senses, since `connect`."""
        return self._greeted and self._reading is not None

    # SerialDevice

    def connect(self, now: float) -> None:
        """Greet the board; its wheels are told nothing until there is a new command."""
        self._splitter.reset()
        self._identity = self._foreign = None
        self._void()
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged frame costs that frame."""
        for kind, fields in self._splitter.feed(data):
            if kind == wire.IDENTITY:
                self._identify(now, fields)
            elif kind == wire.SENSES and self._greeted and self._identity is not None:
                self._sense(now, fields, self._identity)
        self._plan(now)

    def _identify(self, now: float, fields: Any) -> None:
        self._foreign = fields.version if fields.version != wire.VERSION else None
        if self._foreign is not None:
            self._void()
            return
        if fields.started:
            self.reboots += self._greeted
            self._settled = now + SETTLE_S if self._greeted else self._settled
            self._void()
        elif self._asked is not None:
            self._identity, self._greeted = Identity.of(fields), True

    def _sense(self, now: float, fields: Any, identity: Identity) -> None:
        reading = read(fields, identity, now, self._fix)
        if reading is None:
            self._splitter.counts["identity"] += 1
            return
        self._reading = reading
        if reading.stands and self._command is None:
            self._roused = False

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """The greeting until it is answered; then the newest command, or a stop where it has run out."""
        said: list[bytes | SetLine] = []
        if self._command is not None and now >= self._until:
            self._command, self._unsent = None, False
        if not self._hears(now) and (self._asked is None or now >= self._asked + ASK_S):
            self._asked = now
            said.append(wire.frame(wire.HELLO, version=wire.VERSION))
        if self._command is not None and self._unsent:
            self._unsent = False
            said.append(self._drive(self._command, self._until - now))
        elif self._command is None and self._roused and (self._stopped is None or now >= self._stopped + REPEAT_S):
            self._stopped = now
            said.append(wire.HALT)
        self._plan(now)
        return said

    def _hears(self, now: float) -> bool:
        return self._greeted and self._reading is not None and now < self._reading.at + STALE_S

    def _plan(self, now: float) -> None:
        """Set `wake_at` to the next time that `transmit` has something to say."""
        times = []
        if self._hears(now) and self._reading is not None:
            times.append(self._reading.at + STALE_S)
        else:
            times.append(now if self._asked is None else self._asked + ASK_S)
        if self._command is not None:
            times.append(now if self._unsent else self._until)
        elif self._roused:
            times.append(now if self._stopped is None else self._stopped + REPEAT_S)
        self.wake_at = max(now, min(times))

    def _drive(self, command: Command, left_s: float) -> bytes:
        self._number = (self._number + 1) % 256
        self._roused = self._roused or bool(command.left or command.right)
        return wire.frame(
            wire.DRIVE,
            number=self._number,
            left=round(command.left * 1000),
            right=round(command.right * 1000),
            opening=_axis(command.opening),
            lift=_axis(command.lift),
            tune=wire.NO_TUNE if command.tune is None else command.tune,
            expiry=max(1, math.floor(left_s * 1000)),
        )

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the board has not answered or its senses are stale."""
        trouble, reading, identity = self._trouble(now), self._reading, self._identity
        working = reading.resources if reading is not None else ()
        missing = reading.missing if reading is not None else ()
        key = (identity, trouble, working, missing)
        if self._known[0] != key:
            if trouble:
                names = {"mobile", *working, *(name for name, _ in missing)}
                working, missing = (), tuple((name, trouble) for name in sorted(names))
            sizes = (identity.max_speed, identity.wheel_base, identity.radius) if identity is not None else (0.0,)
            self._known = (key, Capabilities(working, missing, min(sizes[0], self._limit), *sizes[1:]))
        return self._known[1]

    def _trouble(self, now: float) -> str:
        """Why nothing of the board can be used now; '' where it can."""
        if self._foreign is not None:
            return f"the board speaks version {self._foreign} of the protocol, not {wire.VERSION}"
        if now < self._settled:
            return "the board has restarted"
        if not self.ready:
            return "the board has not answered"
        return "" if self._hears(now) else "the board sends no senses"

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the board is not to be trusted."""
        return felt(now, self._reading, hears=self._hears(now), stale_s=STALE_S)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: clamped, and zero while nothing of the board can be used."""
        driven = granted(command, self.capabilities(now), wire.NO_TUNE)
        if self._greeted and driven.expiry_s > 0:
            self._command, self._until, self._unsent = driven, now + driven.expiry_s, True
            self._stopped = None
            self.wake_at = now
        return driven


def _axis(wanted: float | None) -> int:
    if wanted is None or math.isnan(wanted):
        return wire.LEAVE
    return round(min(max(wanted, 0.0), 1.0) * 1000)

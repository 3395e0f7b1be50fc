"""One port, for boards and modems alike: opened by stable name, pumped, watched for silence, reopened for ever.

The device behind it is sans-I/O (`SerialDevice`). Every time a board's line opens, its descriptor first goes to
the guardian, then `halt` is the first thing written, then the handshake begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from robotd.model.serial import SerialDevice, SetLine
from robotd.transport.address import parse_address
from robotd.transport.tty import SETTLE_S
from robotd.transport.wire import Opener, Wire, open_wire

log = logging.getLogger(__name__)

FIRST_RETRY_S, LAST_RETRY_S = 0.1, 2.0  # a plug wiggled is back at once; a modem away is asked for gently
BODY_RETRY_S = 0.05  # a body that is away may be driving on: a fifth of a second after its return it stands
STUCK_S = 2.0  # nothing leaves for so long: the line is dead though it opens no error
CLOSE_S = 1.0  # how long a close may wait for bytes that do not leave
SOONEST_S = 0.005  # between two calls of a device that always wants to be called at once
MAX_PATIENCE = 3  # doublings of the silence limit for a board that boots slowly when its port is opened

REASONS = {
    errno.ENOENT: "no such device",
    errno.ENXIO: "no such device",
    errno.ENODEV: "no such device",
    errno.ENOTTY: "no serial port",
    errno.EISDIR: "a folder, no serial port",
    errno.EACCES: "no permission: is the user in the device's group?",
    errno.EBUSY: "in use by another program",
    errno.EAGAIN: "in use by another program",
    errno.ECONNREFUSED: "connection refused",
    errno.EIO: "the device hung up",
}


class Keeper(Protocol):
    """Who halts a board when this process no longer can: the guardian."""

    async def hold(self, name: str, fd: int, halt: bytes) -> None:
        """Return when it holds the descriptor; OSError if it cannot."""

    async def release(self, name: str) -> None:
        """Return when it has let go of it, so that the device can be opened again."""


@dataclass(frozen=True, slots=True)
class PortStatus:
    """`word` is closed, opening, handshake, ready, silent (opens, but does not answer) or lost (does not open)."""

    word: str
    detail: str
    since: float
    reopened: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


class Port:
    """Keeps one device connected while `run` runs; cancel `run` to halt the device and close the port.

    `on_change` is called with each new status word, in the moment that it changes: an outage may be over before
    anybody looks. ValueError for an address that is none. All times are the running loop's clock.
    """

    def __init__(
        self,
        name: str,
        address: str,
        device: SerialDevice,
        keeper: Keeper | None = None,
        opener: Opener = open_wire,
    ) -> None:
        self.name = name
        self.device = device
        self._address = parse_address(address)
        self.baud = self._address.baud or device.line.baud
        self._keeper = keeper if device.halt else None
        self._opener = opener
        self._connection: _Connection | None = None
        self._outage: tuple[str, str] | None = None
        self._since = 0.0
        self._word = "closed"
        self._opened = 0
        self._attempts = 0  # since the device was last ready
        self._no_lines = False
        self.on_change: Callable[[PortStatus], None] = lambda _: None
        self.bytes_in = self.bytes_out = 0

    @property
    def status(self) -> PortStatus:
        """The state as people are told it, with its reason, and since when."""
        word, detail = self._outage or (self._word, str(self._address))
        return PortStatus(word, detail, self._since, max(0, self._opened - 1), self.bytes_in, self.bytes_out)

    @property
    def ready(self) -> bool:
        """True while the line is open and the device has answered."""
        return self._word == "ready" and self._connection is not None and self.device.ready

    def fileno(self) -> int:
        """Of the open line; -1 where there is none."""
        return -1 if self._connection is None else self._connection.wire.fileno()

    def poke(self) -> None:
        """The device may have something new to say: look now. Called at the end of each tick."""
        if self._connection is not None:
            self._connection.pump()

    async def run(self) -> None:
        """Open, serve, and open again, until cancelled."""
        self._change("opening")
        try:
            while True:
                if self._attempts or self._opened:
                    await asyncio.sleep(self._pause())
                self._attempts += 1
                connection = await self._open()
                if connection is not None:
                    await self._serve(connection)
        finally:
            self._change("closed")

    def _pause(self) -> float:
        """How long to wait before the line is opened again, s; what opens and is silent may need time to boot."""
        if self.device.halt and self._outage is not None and self._outage[0] == "lost":
            return BODY_RETRY_S
        return min(FIRST_RETRY_S * 2.0 ** min(self._attempts, 10), LAST_RETRY_S)

    async def _open(self) -> _Connection | None:
        """An open line that the guardian holds, or None."""
        connection = _Connection(self)
        try:
            wire = await self._opener(self._address, self.device.line, connection)
        except (OSError, TimeoutError) as error:
            self._lose("lost", _reason(error))
            return None
        connection.wire = wire
        held = False
        try:
            if self._keeper is not None:
                await self._keeper.hold(self.name, wire.fileno(), self.device.halt)
            held = True
        except OSError as error:
            self._lose("lost", f"the guardian cannot hold it: {_reason(error)}")
        finally:
            if not held:
                await self._drop(connection, halt=False)
        return connection if held else None

    async def _serve(self, connection: _Connection) -> None:
        """Pump until the line is lost or this task is cancelled; then leave the device halted and closed."""
        self._connection = connection
        self._opened += 1
        if self._outage is None:
            self._change("handshake")
        try:
            connection.begin()
            word, reason = await connection.lost
            self._lose(word, reason)
        finally:
            self._connection = None
            await self._drop(connection, halt=True)
        if self._keeper is not None:
            with contextlib.suppress(OSError):  # a dead guardian has let go; its death is dealt with elsewhere
                await self._keeper.release(self.name)

    async def _drop(self, connection: _Connection, *, halt: bool) -> None:
        """Halt and close, to the end also if this task is cancelled meanwhile: else the line stays taken."""
        closing = asyncio.ensure_future(self._close(connection, halt=halt))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait([closing])
            raise

    async def _close(self, connection: _Connection, *, halt: bool) -> None:
        """Halt, let that leave, close; never longer than two seconds and a slow line's transmit time."""
        wire = connection.wire
        connection.stop()
        if not connection.gone.done():
            if halt and self.device.halt:
                wire.discard()
                wire.write(self.device.halt)
                await asyncio.sleep(len(self.device.halt) * 10 / self.baud + SETTLE_S)
            wire.close()
            await asyncio.wait([connection.gone], timeout=CLOSE_S)
        if not connection.gone.done():
            wire.abort()
            await asyncio.wait([connection.gone], timeout=CLOSE_S / 2)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(wire.released(), CLOSE_S / 2)

    def _change(self, word: str, outage: tuple[str, str] | None = None) -> None:
        self._word = word
        self._outage = outage
        self._since = asyncio.get_running_loop().time()
        self.on_change(self.status)

    def _lose(self, word: str, reason: str) -> None:
        if self._outage is None:
            log.warning("port %s (%s) %s: %s", self.name, self._address, word, reason)
            self._change(word, (word, reason))
            return
        log.debug("port %s (%s) still %s: %s", self.name, self._address, word, reason)
        before, self._outage = self._outage, (word, reason)
        if before[0] != word:
            self.on_change(self.status)

    def note_ready(self) -> None:
        """The device has answered: an outage, if there was one, is over."""
        if self._word == "ready" and self._outage is None:
            return
        if self._outage is not None:
            away = asyncio.get_running_loop().time() - self._since
            log.warning("port %s (%s) back after %.1f s", self.name, self._address, away)
        self._attempts = 0
        self._change("ready")

    def set_line(self, wire: Wire, lines: SetLine) -> None:
        """Set modem lines; a line without any is not worth more than one word in the log."""
        try:
            wire.set_line(lines)
        except OSError as error:
            if not self._no_lines:
                self._no_lines = True
                log.info("port %s (%s) has no DTR and RTS: %s", self.name, self._address, error.strerror)

    def patience(self) -> float:
        """How long the device may say nothing now, s."""
        silence = self.device.line.silence_s
        return silence * 2.0 ** min(self._attempts - 1, MAX_PATIENCE) if self._attempts > 1 else silence


class _Connection(asyncio.Protocol):
    """One opening of the line: moves bytes until it is lost or stopped."""

    wire: Wire

    def __init__(self, port: Port) -> None:
        self._port = port
        self._device = port.device
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[tuple[str, str]] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()  # connection_lost was called
        self._outbox: deque[bytes | SetLine] = deque()
        self._live = self._asked = False
        self._wake: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._heard = 0.0  # when the device last said something that left it ready, or the line opened
        self._babbles = False  # what it has said since does not
        self._left = (0, 0.0)  # bytes that had left, and when that number last grew
        self._written = 0

    def begin(self) -> None:
        """Halt first, then the handshake."""
        now = self._loop.time()
        self._live = True
        self._heard, self._left = now, (0, now)
        if self._device.halt:
            self._outbox.append(self._device.halt)
        self._device.connect(now)
        self._check_silence()
        self.pump(asked=True)

    def stop(self) -> None:
        """No byte moves any more."""
        self._live = False
        for timer in (self._wake, self._watch):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        """asyncio: bytes came."""
        if not self._live:
            return
        now = self._loop.time()
        self._port.bytes_in += len(data)
        self._device.receive(now, data)
        self._babbles = not self._device.ready
        if not self._babbles:
            self._heard = now
        self.pump(asked=True)

    def resume_writing(self) -> None:
        """asyncio: all that was written is with the kernel."""
        self.pump()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the line is closed."""
        if not self.gone.done():
            self.gone.set_result(None)
        self._give_up("lost", _reason(exc) if isinstance(exc, OSError) else "the device hung up")

    def pump(self, *, asked: bool = False) -> None:
        """Write what is due; `asked`: transmit() is called whatever the device's `wake_at`."""
        if not self._live:
            return
        now = self._loop.time()
        if self._device.ready:
            self._port.note_ready()
        unsent = self._send(now)
        wake = self._device.wake_at
        self._asked |= asked
        if not unsent and (self._asked or (wake is not None and wake <= now)):
            self._asked = False
            self._outbox.extend(self._device.transmit(now))
            unsent = self._send(now)
        self._arm(now, unsent)

    def _send(self, now: float) -> int:
        """Move the outbox to the wire as far as it goes; the bytes unsent, at least 1 while it is not empty."""
        while self._outbox:
            first = self._outbox[0]
            if isinstance(first, SetLine):
                unsent = self.wire.unsent()
                if unsent:
                    break
                self._port.set_line(self.wire, first)
            else:
                self.wire.write(first)
                self._written += len(first)
                self._port.bytes_out += len(first)
            self._outbox.popleft()
        unsent = self.wire.unsent()
        if self._written - unsent > self._left[0] or not unsent:
            self._left = (self._written - unsent, now)
        elif now - self._left[1] > STUCK_S:
            self._give_up("silent", f"takes no bytes for {STUCK_S:g} s")
        return unsent or len(self._outbox)

    def _arm(self, now: float, unsent: int) -> None:
        """Call `pump` again when the device wants it, or when what is unsent should have left."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        wake = self._device.wake_at
        if not self._live:
            return
        if unsent:
            wake = now + max(SOONEST_S, unsent * 10 / self._port.baud)
        elif wake is not None:
            wake = wake if wake > now else now + SOONEST_S
        if wake is not None and wake < math.inf:
            self._wake = self._loop.call_at(wake, self.pump)

    def _check_silence(self) -> None:
        patience = self._port.patience()
        if not self._live or not 0 < patience < math.inf:
            return
        due = self._heard + patience
        if self._loop.time() >= due:
            said = "nothing that can be read" if self._babbles else "nothing"
            self._give_up("silent", f"said {said} for {patience:g} s")
        else:
            self._watch = self._loop.call_at(due, self._check_silence)

    def _give_up(self, word: str, reason: str) -> None:
        self.stop()
        if not self.lost.done():
            self.lost.set_result((word, reason))


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "opening took too long"
    if isinstance(error, OSError) and error.errno is not None:
        return REASONS.get(error.errno, error.strerror or str(error))
    return str(error) or type(error).__name__

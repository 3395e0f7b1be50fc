"""One port, for boards and modems alike: opened by stable name, pumped, watched for silence, reopened for ever.

The device behind it is sans-I/O (`SerialDevice`). Every time a board's line opens, its descriptor first goes to
the guardian, then `halt` is the first thing written, then the handshake begins.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from robotd.model.serial import LineSettings, SerialDevice, SetLine
from robotd.model.value import value
from robotd.transport.address import Address, parse_address
from robotd.transport.connection import Connection, reason_of
from robotd.transport.multicast import open_multicast
from robotd.transport.serial import open_serial
from robotd.transport.tcp import open_tcp
from robotd.transport.tty import SETTLE_S
from robotd.transport.wire import Wire
from robotd.transport.zenoh import open_zenoh

log = logging.getLogger(__name__)

FIRST_RETRY_S, LAST_RETRY_S = 0.1, 2.0  # a plug wiggled is back at once; a modem away is asked for gently
BODY_RETRY_S = 0.05  # a body that is away may be driving on: a fifth of a second after its return it is stopped
OPEN_TIMEOUT_S = 5.0  # a sick USB device may hold its opening for as long as one control transfer, 5 s
CLOSE_S = 1.0  # how long a close may wait for bytes that do not leave
MAX_PATIENCE = 3  # doublings of the silence limit for a board that boots slowly when its port is opened

Opener = Callable[[Address, LineSettings, asyncio.Protocol], Awaitable[Wire]]


async def open_wire(address: Address, line: LineSettings, protocol: asyncio.Protocol) -> Wire:
    """Open a line exclusively; OSError where it cannot be, TimeoutError after `OPEN_TIMEOUT_S`."""
    async with asyncio.timeout(OPEN_TIMEOUT_S):
        if address.path:
            return await open_serial(address, line, protocol)
        if address.endpoints:
            return await open_zenoh(address.endpoints, address.listen, protocol)
        if address.interface:
            return await open_multicast(address.host, address.port, address.interface, protocol)
        return await open_tcp(address.host, address.port, protocol)


class Keeper(Protocol):
    """Halts a board when this process no longer can: the guardian."""

    async def hold(self, name: str, fd: int, halt: bytes) -> None:
        """Return when it holds the descriptor; OSError if it cannot."""

    async def release(self, name: str) -> None:
        """Return when it has let go of it, so that the device can be opened again."""


@value
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
    the next look. ValueError for an address that is none. All times are the running loop's clock.
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
        self._connection: Connection | None = None
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
        """The state, with its reason, and since when."""
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
        """The device may have something new to send: look now. Called at the end of each tick."""
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

    async def _open(self) -> Connection | None:
        """An open line that the guardian holds, or None."""
        connection = Connection(self)
        try:
            wire = await self._opener(self._address, self.device.line, connection)
        except (OSError, TimeoutError) as error:
            self._lose("lost", reason_of(error))
            return None
        connection.wire = wire
        held = False
        try:
            if self._keeper is not None:
                await self._keeper.hold(self.name, wire.fileno(), self.device.halt)
            held = True
        except OSError as error:
            self._lose("lost", f"the guardian cannot hold it: {reason_of(error)}")
        finally:
            if not held:
                await self._drop(connection, halt=False)
        return connection if held else None

    async def _serve(self, connection: Connection) -> None:
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

    async def _drop(self, connection: Connection, *, halt: bool) -> None:
        """Halt and close, to the end also if this task is cancelled meanwhile: else the line stays taken."""
        closing = asyncio.ensure_future(self._close(connection, halt=halt))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait([closing])
            raise

    async def _close(self, connection: Connection, *, halt: bool) -> None:
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
        """How long the device may be silent now, s."""
        silence = self.device.line.silence_s
        return silence * 2.0 ** min(self._attempts - 1, MAX_PATIENCE) if self._attempts > 1 else silence

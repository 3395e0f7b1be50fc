"""An open line: a serial port, pty, TCP connection, multicast group or Zenoh behind one face; none can block."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from robotd.model.serial import LineSettings, SetLine
from robotd.transport.address import Address
from robotd.transport.multicast import open_multicast
from robotd.transport.serial import open_serial
from robotd.transport.tcp import open_tcp
from robotd.transport.zenoh import open_zenoh

OPEN_TIMEOUT_S = 5.0  # a sick USB device may hold its opening for as long as one control transfer, 5 s


class Wire(Protocol):
    """An open line. What comes over it goes to the asyncio.Protocol that it was opened with."""

    def fileno(self) -> int:
        """The descriptor; -1 where there is none."""

    def write(self, data: bytes) -> None:
        """Queue `data`; never blocks, never raises."""

    def unsent(self) -> int:
        """Bytes written that have not left this computer."""

    def discard(self) -> None:
        """Drop what is unsent, as far as the line allows."""

    def set_line(self, lines: SetLine) -> None:
        """Set modem lines; OSError where there are none."""

    def close(self) -> None:
        """Send what is unsent, then close: connection_lost follows, or never if the device is stuck."""

    def abort(self) -> None:
        """Close now: connection_lost follows."""

    async def released(self) -> None:
        """Return when the descriptor is really closed."""


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

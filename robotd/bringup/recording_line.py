"""A hand on the line between a port and its device: what goes over it is noted, and may be held back."""

from __future__ import annotations

import asyncio

from robotd.model.serial import LineSettings, SetLine
from robotd.transport.address import Address
from robotd.transport.port import Opener
from robotd.transport.wire import Wire

KEPT = 4096  # bytes of each direction and opening: the longest halt and the longest greeting several times over


class RecordingLine:
    """`mute`: what the device says does not reach its driver. `cut`: what the driver says does not reach the
    device; its `halt` always does. `came` is what it said first since it was made; `first` and `sent` what it
    was sent first and last since the line was opened.
    """

    def __init__(self, halt: bytes) -> None:
        self.mute = self.cut = False
        self.came, self.sent = bytearray(), bytearray()
        self.first = b""
        self.lines = 0  # opened since it was made
        self.bytes_in = 0  # since it was made
        self.halt = halt

    def through(self, opener: Opener) -> Opener:
        """The same opener, its lines through this hand."""

        async def opened(address: Address, line: LineSettings, protocol: asyncio.Protocol) -> Wire:
            self.sent.clear()
            self.first = b""
            wire = await opener(address, line, _RecordedProtocol(protocol, self))
            self.lines += 1
            return _RecordedWire(wire, self)

        return opened

    def comes(self, data: bytes) -> bool:
        """Note what the device said; whether it is passed on."""
        self.bytes_in += len(data)
        if len(self.came) < KEPT:
            self.came += data
        return not self.mute

    def goes(self, data: bytes) -> bool:
        """Note what the driver said; whether it is passed on."""
        if self.cut and data != self.halt:
            return False
        if len(self.first) < KEPT:
            self.first += data
        self.sent += data
        del self.sent[:-KEPT]
        return True


class _RecordedProtocol(asyncio.Protocol):
    """See `asyncio.Protocol`; hands on what the recording line lets through."""

    def __init__(self, protocol: asyncio.Protocol, line: RecordingLine) -> None:
        self._protocol, self._line = protocol, line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._protocol.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._line.comes(data):
            self._protocol.data_received(data)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)


class _RecordedWire:
    """See `Wire`; writes what the recording line lets through."""

    def __init__(self, wire: Wire, line: RecordingLine) -> None:
        self._wire, self._line = wire, line

    def fileno(self) -> int:
        return self._wire.fileno()

    def write(self, data: bytes) -> None:
        if self._line.goes(data):
            self._wire.write(data)

    def unsent(self) -> int:
        return self._wire.unsent()

    def discard(self) -> None:
        self._wire.discard()

    def set_line(self, lines: SetLine) -> None:
        self._wire.set_line(lines)

    def close(self) -> None:
        self._wire.close()

    def abort(self) -> None:
        self._wire.abort()

    async def released(self) -> None:
        await self._wire.released()

"""The line between a port and its device, recorded and, for tests of the device, interrupted."""

import asyncio
from typing import Any, cast

from robotd.model.serial import LineSettings
from robotd.transport.address import Address
from robotd.transport.port import Opener
from robotd.transport.wire import Wire

KEPT = 4096  # bytes of each direction and opening: the longest halt and the longest greeting several times over


class RecordingLine:
    """`mute`: bytes from the device do not reach its driver. `cut`: bytes from the driver do not reach the device,
    except its `halt`. `came`: the first bytes received since it was made. `first` and `sent`: the first and last
    bytes sent since the line was opened.
    """

    def __init__(self, halt: bytes) -> None:
        self.mute = self.cut = False
        self.came, self.sent = bytearray(), bytearray()
        self.first = b""
        self.lines = 0  # opened since it was made
        self.bytes_in = 0  # since it was made
        self.halt = halt

    def through(self, opener: Opener) -> Opener:
        """The same opener, with its lines recorded."""

        async def opened(address: Address, line: LineSettings, protocol: asyncio.Protocol) -> Wire:
            self.sent.clear()
            self.first = b""
            wire = await opener(address, line, cast(asyncio.Protocol, _RecordedProtocol(protocol, self)))
            self.lines += 1
            return cast(Wire, _RecordedWire(wire, self))

        return opened

    def comes(self, data: bytes) -> bool:
        """Note received bytes; whether they are passed on."""
        self.bytes_in += len(data)
        if len(self.came) < KEPT:
            self.came += data
        return not self.mute

    def goes(self, data: bytes) -> bool:
        """Note sent bytes; whether they are passed on."""
        if self.cut and data != self.halt:
            return False
        if len(self.first) < KEPT:
            self.first += data
        self.sent += data
        del self.sent[:-KEPT]
        return True


class _RecordedProtocol:
    """A protocol that receives the bytes that the recording line passes on."""

    def __init__(self, protocol: asyncio.Protocol, line: RecordingLine) -> None:
        self._protocol, self._line = protocol, line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._protocol, name)

    def data_received(self, data: bytes) -> None:
        if self._line.comes(data):
            self._protocol.data_received(data)


class _RecordedWire:
    """A wire that writes the bytes that the recording line passes on."""

    def __init__(self, wire: Wire, line: RecordingLine) -> None:
        self._wire, self._line = wire, line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    def write(self, data: bytes) -> None:
        if self._line.goes(data):
            self._wire.write(data)

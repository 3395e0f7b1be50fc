"""A UDP multicast group on one network interface, as an open line: a datagram a write, and one a piece read.

Datagrams stay in the local network, and come back to the computer that sent them, for others that share it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import struct

from robotd.model.serial import SetLine

_IP_MULTICAST_ALL = 49  # linux/in.h: 0 keeps out what came to the group on other interfaces
_TTL = 1  # hops: none but the first


def multicast_socket(group: str, port: int, interface: str) -> socket.socket:
    """A socket that hears and sends to `group` on `interface` alone; OSError where it is not there."""
    index = _index_of(interface)
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.settimeout(0)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # several robots on one computer
        made.bind((group, port))
        member = struct.pack("=4s4si", socket.inet_aton(group), bytes(4), index)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
        made.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, _TTL)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    except OSError:
        made.close()
        raise
    return made


def _index_of(interface: str) -> int:
    try:
        return socket.if_nametoindex(interface)
    except OSError as error:
        raise OSError(errno.ENODEV, f"no network interface is called {interface!r}") from error


async def open_multicast(group: str, port: int, interface: str, protocol: asyncio.Protocol) -> MulticastWire:
    """Join; what comes goes to `protocol`, a datagram a call. OSError where the interface is not there."""
    loop = asyncio.get_running_loop()
    made = multicast_socket(group, port, interface)
    transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(protocol), sock=made)
    return MulticastWire(transport, (group, port))


class _Datagrams(asyncio.DatagramProtocol):
    """Hands datagrams on as pieces of a line, and an error of the network as its loss."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol
        self._error: Exception | None = None

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        """asyncio: it is open."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """asyncio: a datagram came."""
        self._protocol.data_received(data)

    def error_received(self, exc: Exception) -> None:
        """asyncio: the interface is down or gone, say; opening it again will tell."""
        self._error = exc
        self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: it is closed."""
        self._protocol.connection_lost(exc or self._error)


class MulticastWire:
    """See `robotd.transport.address.Wire`."""

    def __init__(self, transport: asyncio.DatagramTransport, group: tuple[str, int]) -> None:
        self._transport, self._group = transport, group

    def fileno(self) -> int:
        """See `Wire`."""
        number: int = self._transport.get_extra_info("socket").fileno()
        return number

    def write(self, data: bytes) -> None:
        """See `Wire`: one datagram."""
        if not self._transport.is_closing():
            self._transport.sendto(data, self._group)

    def unsent(self) -> int:
        """See `Wire`."""
        waiting: int = self._transport.get_write_buffer_size()  # type: ignore[attr-defined]  # selector loops have it
        return waiting

    def discard(self) -> None:
        """Nothing can be taken back from a network."""

    def set_line(self, lines: SetLine) -> None:
        """A network has no modem lines."""
        raise OSError(errno.ENOTTY, "a network has no modem lines")

    def close(self) -> None:
        """See `Wire`."""
        self._transport.close()

    def abort(self) -> None:
        """See `Wire`."""
        self._transport.abort()

    async def released(self) -> None:
        """Sockets close at once."""

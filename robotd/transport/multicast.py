"""A UDP multicast group on one network interface, as an open line: a datagram a write, and one a piece read.

Datagrams stay in the local network, and come back to the computer that sent them, for others that share it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import struct

from robotd.transport.pacing import BURST_MESSAGES, ReadBudget
from robotd.transport.wire import Wire

_IP_MULTICAST_ALL = 49  # linux/in.h: 0 keeps out what came to the group on other interfaces
_TTL = 1  # hops: none but the first
LONGEST = 4096  # bytes read of a datagram; a frame has 40


def multicast_socket(group: str, port: int, interface: str) -> socket.socket:
    """A socket that receives from and sends to `group` on `interface` alone; OSError where it is not there."""
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
    return MulticastWire(multicast_socket(group, port, interface), (group, port), protocol)


class MulticastWire(Wire):
    """A socket that is a member of the group; a datagram leaves at once, or not at all."""

    def __init__(self, member: socket.socket, group: tuple[str, int], protocol: asyncio.Protocol) -> None:
        self._socket, self._group, self._protocol = member, group, protocol
        self._loop = asyncio.get_running_loop()
        self._budget = ReadBudget(BURST_MESSAGES, self._pause, self._listen)
        self._closing = False
        self._listen()

    def fileno(self) -> int:
        return self._socket.fileno()

    def write(self, data: bytes) -> None:
        """See `Wire`: one datagram, which is lost where the kernel has no room for it."""
        if self._closing:
            return
        try:
            self._socket.sendto(data, self._group)
        except BlockingIOError:
            return
        except OSError as error:
            self._close(error)

    def close(self) -> None:
        self._close(None)

    def _listen(self) -> None:
        if not self._closing:
            self._loop.add_reader(self._socket, self._receive)

    def _pause(self) -> None:
        if not self._closing:
            self._loop.remove_reader(self._socket)

    def _receive(self) -> None:
        try:
            data = self._socket.recv(LONGEST)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:  # the interface is down or gone, say; opening it again will show
            self._close(error)
            return
        self._protocol.data_received(data)
        self._budget.use(1)

    def _close(self, error: OSError | None) -> None:
        if self._closing:
            return
        self._pause()
        self._closing = True
        self._budget.close()
        self._socket.close()
        self._loop.call_soon(self._protocol.connection_lost, error)

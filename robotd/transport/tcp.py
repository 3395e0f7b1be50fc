"""A TCP connection as an open line."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket

from robotd.transport.pacing import PacedProtocol
from robotd.transport.threads import in_thread
from robotd.transport.tty import queued
from robotd.transport.wire import Wire

UNACKNOWLEDGED_MS = 2000  # a TCP peer that acknowledges nothing for this long is gone
_SIOCOUTQNSD = 0x894B  # linux/sockios.h: bytes that TCP has not sent even once


async def open_tcp(host: str, port: int, protocol: asyncio.Protocol) -> TcpWire:
    """Connect to the first address of `host` that answers; OSError where none does.

    The name is looked up in a thread that never keeps the process from ending, as one of the loop's would.
    """
    loop = asyncio.get_running_loop()
    found = await in_thread(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    failure = OSError(errno.EHOSTUNREACH, "no address")
    for *_, address in found:
        try:
            transport, _ = await loop.create_connection(lambda: PacedProtocol(protocol), *address[:2])
        except OSError as error:
            failure = error
        else:
            return TcpWire(transport)
    raise failure


class TcpWire(Wire):
    """A TCP connection; the kernel's send queue cannot be emptied, so little is let into it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(0)
        self._socket: socket.socket = transport.get_extra_info("socket")
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        with contextlib.suppress(AttributeError, OSError):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)

    def fileno(self) -> int:
        return self._socket.fileno()

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size() + queued(self.fileno(), _SIOCOUTQNSD)

    def close(self) -> None:
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

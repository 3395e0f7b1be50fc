"""Open lines: a serial port, pty, TCP connection, multicast group or Zenoh behind one face; none can block.

Serial lines run on pyserial-asyncio's transport, handed a port of our own making: that transport drains and
closes on the loop (a stuck device would stop it for up to 30 s), spins on a full kernel buffer, and misses
errors that are not pyserial's.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import ipaddress
import os
import re
import socket
import termios
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from robotd.model.serial import LineSettings, SetLine
from robotd.transport.device_names import refuse_shared
from robotd.transport.endpoints import split_endpoints
from robotd.transport.threads import in_thread
from robotd.transport.tty import discard, queued

FORMS = {
    "serial": "/dev/NAME or serial:///dev/NAME?BAUD",
    "tcp": "tcp://HOST:PORT",
    "udp": "udp://GROUP:PORT?interface=NAME, say udp://239.255.77.1:8422?interface=wlan0",
    "zenoh": "zenoh://tcp/HOST:PORT,..., say zenoh://tcp/10.0.0.1:7447",
}
"""What an address of each scheme looks like."""

LINES = ("serial", "tcp")  # schemes of lines of bytes; the others carry whole datagrams
OPEN_TIMEOUT_S = 5.0  # a sick USB device may hold its opening for as long as one control transfer, 5 s
UNACKNOWLEDGED_MS = 2000  # a TCP peer that acknowledges nothing for this long is gone
_SIOCOUTQNSD = 0x894B  # linux/sockios.h: bytes that TCP has not sent even once


@dataclass(frozen=True, slots=True)
class Address:
    """A device file (`path`), a TCP endpoint (`host`, `port`), a UDP multicast group (`host`, `port`) on a network
    `interface`, or Zenoh's `endpoints` and the one to `listen` on; `baud` overrides the device's own."""

    path: str = ""
    host: str = ""
    port: int = 0
    baud: int | None = None
    interface: str = ""
    endpoints: tuple[str, ...] = ()
    listen: str = ""

    @property
    def scheme(self) -> str:
        """A key of `FORMS`."""
        if self.path:
            return "serial"
        if self.endpoints:
            return "zenoh"
        return "udp" if self.interface else "tcp"

    def __str__(self) -> str:
        if self.endpoints:
            return f"zenoh://{','.join(self.endpoints)}" + (f"?listen={self.listen}" if self.listen else "")
        if self.interface:
            return f"udp://{self.host}:{self.port}?interface={self.interface}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.path or f"tcp://{host}:{self.port}"


def parse_address(text: str) -> Address:
    """An address of one of `FORMS`; ValueError that says what was expected."""
    if text.startswith("/"):
        return Address(path=text)
    if text.startswith("zenoh://"):
        endpoints, listen = split_endpoints(text.removeprefix("zenoh://"))
        return Address(endpoints=endpoints, listen=listen)
    parts = urllib.parse.urlsplit(text)
    if parts.scheme == "serial" and not parts.netloc and parts.path.startswith("/"):
        return Address(path=parts.path, baud=_baud(parts.query))
    if parts.scheme == "tcp" and not parts.path and parts.hostname:
        port = parts.port  # ValueError outside 0 to 65535
        if port:
            return Address(host=parts.hostname, port=port)
    if parts.scheme == "udp" and not parts.path and parts.hostname and parts.port:
        return _multicast(parts.hostname, parts.port, parts.query)
    raise ValueError(f"{text!r} is no port: expected {'; '.join(FORMS.values())}")


def scheme_of(text: str) -> str:
    """What an address begins like, a key of `FORMS`, whatever is wrong behind that; '' where it is none."""
    scheme = "serial" if text.startswith("/") else text.partition("://")[0]
    return scheme if scheme in FORMS else ""


def schemes_of(plugin: Any) -> tuple[str, ...]:
    """By which a board, add-on or radio can be reached: keys of `FORMS`."""
    schemes: tuple[str, ...] = getattr(plugin, "schemes", LINES)
    return schemes


def line_address(text: str) -> Address:
    """The address of a line of bytes, as boards need one; ValueError for any other."""
    if scheme_of(text) not in ("", *LINES):
        raise ValueError(f"{text}: no board is reached over a multicast group or Zenoh")
    return parse_address(text)


def _multicast(group: str, port: int, query: str) -> Address:
    interface = query.removeprefix("interface=")
    if interface == query or not re.fullmatch(r"[^\s/&=]{1,15}", interface):  # as Linux has names of interfaces
        raise ValueError(f"{query!r} names no network interface: expected udp://GROUP:PORT?interface=wlan0, say")
    try:
        multicast = ipaddress.IPv4Address(group).is_multicast
    except ValueError:
        multicast = False
    if not multicast:
        raise ValueError(f"{group!r} is no multicast group: expected an address in 224.0.0.0/4, say 239.255.77.1")
    return Address(host=group, port=port, interface=interface)


def _baud(query: str) -> int | None:
    if not query:
        return None
    digits = query.removeprefix("baud=")
    if not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise ValueError(f"{query!r} is no baud rate: expected a whole number, as in ?57600")
    return int(digits)


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
            return await _open_serial(address, line, protocol)
        if address.endpoints:
            from robotd.transport.zenoh import open_zenoh

            return await open_zenoh(address.endpoints, address.listen, protocol)
        if address.interface:
            from robotd.transport.multicast import open_multicast

            return await open_multicast(address.host, address.port, address.interface, protocol)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: protocol, address.host, address.port)
        return TcpWire(transport)


class TcpWire:
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
        """See `Wire`."""
        return self._socket.fileno()

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        self._transport.write(data)

    def unsent(self) -> int:
        """See `Wire`."""
        return self._transport.get_write_buffer_size() + queued(self.fileno(), _SIOCOUTQNSD)

    def discard(self) -> None:
        """Nothing can be taken back from a TCP connection."""

    def set_line(self, lines: SetLine) -> None:
        """A socket has no modem lines."""
        raise OSError(errno.ENOTTY, "a TCP connection has no modem lines")

    def close(self) -> None:
        """See `Wire`."""
        self._transport.close()

    def abort(self) -> None:
        """See `Wire`."""
        self._transport.abort()

    async def released(self) -> None:
        """Sockets close at once."""


class SerialWire:
    """A serial port or pty on pyserial-asyncio's transport."""

    def __init__(self, tty: _Tty, protocol: asyncio.Protocol) -> None:
        import serial_asyncio

        self._loop = asyncio.get_running_loop()
        self._tty = tty
        self._aborted = False
        tty.on_failure = self._fail
        self._transport = serial_asyncio.SerialTransport(self._loop, protocol, tty)
        self._transport.set_write_buffer_limits(0)

    def fileno(self) -> int:
        """See `Wire`."""
        return self._tty.fileno()

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        if not self._tty.failed:
            self._transport.write(data)

    def unsent(self) -> int:
        """See `Wire`."""
        waiting: int = self._transport.get_write_buffer_size()
        return waiting + queued(self.fileno())

    def discard(self) -> None:
        """See `Wire`."""
        self._transport.flush()
        self._tty.drop_output()

    def set_line(self, lines: SetLine) -> None:
        """See `Wire`."""
        self._tty.set_line(lines)

    def close(self) -> None:
        """See `Wire`."""
        self._transport.close()

    def abort(self) -> None:
        """See `Wire`."""
        if not (self._aborted or self._tty.closing):
            self._aborted = True
            self._transport.abort()

    async def released(self) -> None:
        """See `Wire`."""
        await asyncio.shield(self._tty.closed)

    def _fail(self) -> None:
        if not self._transport.is_closing():
            self._loop.call_soon(self.abort)


class _Tty:
    """What pyserial-asyncio's transport sees of a pyserial port: the same calls, none of which can block."""

    def __init__(self, port: Any) -> None:
        import serial

        self._port = port
        self._error = serial.SerialException
        self._fd: int = port.fileno()
        self.timeout: float | None = 0
        self.write_timeout: float | None = 0
        self.on_failure: Callable[[], None] = lambda: None
        self.failed = False
        self.closing = False
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fileno(self) -> int:
        """The descriptor; -1 once closing."""
        return -1 if self.closing else self._fd

    def read(self, size: int) -> bytes:
        """What is there; SerialException once the device is gone."""
        try:
            data = os.read(self._fd, size)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as error:
            raise self._error(error.errno, error.strerror) from error
        if not data:
            raise self._error("the device hung up")
        return data

    def write(self, data: bytes) -> int:
        """As many bytes as fit; BlockingIOError if none does. Errors are told through `on_failure` once."""
        if not self.failed:
            try:
                return os.write(self._fd, data)
            except (BlockingIOError, InterruptedError):
                raise
            except OSError:
                self.failed = True
                self.on_failure()
        return len(data)

    def flush(self) -> None:
        """pyserial would wait here until everything has left; the port has waited as long as it may."""

    def drop_output(self) -> None:
        """Empty the kernel's output queue."""
        if not self.closing:
            discard(self._fd)

    def set_line(self, lines: SetLine) -> None:
        """OSError ENOTTY on a pty."""
        if lines.dtr is not None:
            self._port.dtr = lines.dtr
        if lines.rts is not None:
            self._port.rts = lines.rts

    def close(self) -> None:
        """Close in a thread: the kernel may wait up to 30 s for output that never leaves."""
        if queued(self._fd):
            self.drop_output()
        self.closing = True
        closing = in_thread(self._port.close, lambda _: None)
        closing.add_done_callback(self._is_closed)

    def _is_closed(self, closing: asyncio.Future[Any]) -> None:
        if not closing.cancelled():
            closing.exception()
        if not self.closed.done():
            self.closed.set_result(None)


async def _open_serial(address: Address, line: LineSettings, protocol: asyncio.Protocol) -> Wire:
    def opened() -> Any:
        refuse_shared(address.path)  # a halt is not refused: it harms no other device
        return serial_port(address, line)

    port = await in_thread(opened, _close_late)
    return SerialWire(_Tty(port), protocol)


def _close_late(port: Any) -> None:
    in_thread(port.close, lambda _: None)


def serial_port(address: Address, line: LineSettings, *, exclusive: bool = True) -> Any:
    """Blocking: the opened pyserial port; `exclusive`: locked against other programs by flock and TIOCEXCL."""
    import serial

    port = serial.Serial()
    port.port = address.path
    port.baudrate = address.baud or line.baud
    port.timeout = port.write_timeout = 0
    port.exclusive = exclusive
    if line.dtr is not None:
        port.dtr = line.dtr
    if line.rts is not None:
        port.rts = line.rts
    try:
        port.open()
        if exclusive:
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
    except (OSError, termios.error) as error:
        port.close()
        raise _numbered(error) from error
    return port


def _numbered(error: BaseException) -> OSError:
    """What the system said: pyserial hides its number now and then in a text of its own, or in a cause."""
    cause: BaseException | None = error
    while cause is not None:
        if cause.args and isinstance(cause.args[0], int):
            return OSError(*cause.args)
        cause = cause.__context__
    return OSError(*error.args)

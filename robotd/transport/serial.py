"""A serial port or pty as an open line, which never blocks the loop.

It runs on pyserial-asyncio's transport, handed a port of our own making: that transport drains and closes on the
loop (a stuck device would stop it for up to 30 s), spins on a full kernel buffer, and misses errors that are not
pyserial's.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import termios
from collections.abc import Callable
from typing import Any

from robotd.model.serial import LineSettings, SetLine
from robotd.transport.address import Address
from robotd.transport.device_names import refuse_shared
from robotd.transport.pacing import PacedProtocol
from robotd.transport.threads import in_thread
from robotd.transport.tty import discard, queued
from robotd.transport.wire import Wire


class SerialWire(Wire):
    """A serial port or pty on pyserial-asyncio's transport."""

    def __init__(self, tty: _Tty, protocol: asyncio.Protocol) -> None:
        import serial_asyncio

        self._loop = asyncio.get_running_loop()
        self._tty = tty
        self._aborted = False
        tty.on_failure = self._fail
        self._transport = serial_asyncio.SerialTransport(self._loop, PacedProtocol(protocol), tty)
        self._transport.set_write_buffer_limits(0)

    def fileno(self) -> int:
        return self._tty.fileno()

    def write(self, data: bytes) -> None:
        if not self._tty.failed:
            self._transport.write(data)

    def unsent(self) -> int:
        waiting: int = self._transport.get_write_buffer_size()
        return waiting + queued(self.fileno())

    def discard(self) -> None:
        self._transport.flush()
        self._tty.drop_output()

    def set_line(self, lines: SetLine) -> None:
        self._tty.set_line(lines)

    def close(self) -> None:
        self._transport.close()

    def abort(self) -> None:
        if not (self._aborted or self._tty.closing):
            self._aborted = True
            self._transport.abort()

    async def released(self) -> None:
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
        """As many bytes as fit; BlockingIOError if none does. An error is reported through `on_failure` once."""
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
        closing = in_thread(self._port.close)
        closing.add_done_callback(self._is_closed)

    def _is_closed(self, closing: asyncio.Future[Any]) -> None:
        if not closing.cancelled():
            closing.exception()
        if not self.closed.done():
            self.closed.set_result(None)


async def open_serial(address: Address, line: LineSettings, protocol: asyncio.Protocol) -> SerialWire:
    """Open a device exclusively; OSError where it cannot be."""

    def opened() -> Any:
        refuse_shared(address.path)  # a halt is not refused: it harms no other device
        return serial_port(address, line)

    port = await in_thread(opened, lambda late: in_thread(late.close))
    return SerialWire(_Tty(port), protocol)


def serial_port(address: Address, line: LineSettings, *, exclusive: bool = True) -> Any:
    """Blocking: the opened pyserial port; `exclusive`: locked against other programs by flock and TIOCEXCL.

    OSError where it cannot be opened, or has no such rate.
    """
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
    except (OSError, ValueError, termios.error) as error:
        port.close()
        raise _numbered(error) from error
    return port


def _numbered(error: BaseException) -> OSError:
    """What the system reported: pyserial adds a text of its own, and now and then has the number in a cause."""
    cause: BaseException | None = error
    while cause is not None:
        if cause.args and isinstance(cause.args[0], int):
            return OSError(cause.args[0], os.strerror(cause.args[0]))
        cause = cause.__context__
    return OSError(*error.args)

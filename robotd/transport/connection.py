"""One opening of a line: moves bytes between it and its device until it is lost or stopped."""

import asyncio
import errno
import math
from collections import deque
from typing import Protocol

from robotd.model.serial import SerialDevice, SetLine
from robotd.transport.wire import Wire

STUCK_S = 2.0  # nothing leaves for so long: the line is dead though it opens no error
SOONEST_S = 0.005  # between two calls of a device that always wants to be called at once

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


class Line(Protocol):
    """The port that a connection is one opening of."""

    device: SerialDevice
    baud: int
    bytes_in: int
    bytes_out: int

    def note_ready(self) -> None:
        """The device has answered."""

    def set_line(self, wire: Wire, lines: SetLine) -> None:
        """Set modem lines, where there are any."""

    def patience(self) -> float:
        """How long the device may be silent now, s."""


class Connection(asyncio.Protocol):
    """One opening of the line: moves bytes until it is lost or stopped."""

    wire: Wire

    def __init__(self, line: Line) -> None:
        self._line = line
        self._device = line.device
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[tuple[str, str]] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()  # connection_lost was called
        self._outbox: deque[bytes | SetLine] = deque()
        self._live = self._asked = False
        self._wake: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._answered = 0.0  # when the device last sent something that left it ready, or the line opened
        self._babbles = False  # what it has sent since does not
        self._left = (0, 0.0)  # bytes that had left, and when that number last grew
        self._written = 0

    def begin(self) -> None:
        """Halt first, then the handshake."""
        now = self._loop.time()
        self._live = True
        self._answered, self._left = now, (0, now)
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
        self._line.bytes_in += len(data)
        self._device.receive(now, data)
        self._babbles = not self._device.ready
        if not self._babbles:
            self._answered = now
        self.pump(asked=True)

    def resume_writing(self) -> None:
        """asyncio: all that was written is with the kernel."""
        self.pump()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the line is closed."""
        if not self.gone.done():
            self.gone.set_result(None)
        self._give_up("lost", reason_of(exc) if isinstance(exc, OSError) else "the device hung up")

    def pump(self, *, asked: bool = False) -> None:
        """Write what is due; `asked`: transmit() is called whatever the device's `wake_at`."""
        if not self._live:
            return
        now = self._loop.time()
        if self._device.ready:
            self._line.note_ready()
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
                self._line.set_line(self.wire, first)
            else:
                self.wire.write(first)
                self._written += len(first)
                self._line.bytes_out += len(first)
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
            wake = now + max(SOONEST_S, unsent * 10 / self._line.baud)
        elif wake is not None:
            wake = wake if wake > now else now + SOONEST_S
        if wake is not None and wake < math.inf:
            self._wake = self._loop.call_at(wake, self.pump)

    def _check_silence(self) -> None:
        patience = self._line.patience()
        if not self._live or not 0 < patience < math.inf:
            return
        due = self._answered + patience
        if self._loop.time() >= due:
            sent = "nothing that can be read" if self._babbles else "nothing"
            self._give_up("silent", f"sent {sent} for {patience:g} s")
        else:
            self._watch = self._loop.call_at(due, self._check_silence)

    def _give_up(self, word: str, reason: str) -> None:
        self.stop()
        if not self.lost.done():
            self.lost.set_result((word, reason))


def reason_of(error: BaseException) -> str:
    """The reason that is shown for an error of a line."""
    if isinstance(error, TimeoutError):
        return "opening took too long"
    if isinstance(error, OSError) and error.errno is not None:
        return REASONS.get(error.errno, error.strerror or str(error))
    return str(error) or type(error).__name__

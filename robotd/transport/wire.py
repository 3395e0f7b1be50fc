"""An open line: a serial port, pty, TCP connection, multicast group or Zenoh behind one face; none can block."""

import errno
from typing import Protocol

from robotd.model.serial import SetLine


class Wire(Protocol):
    """An open line. What comes over it goes to the asyncio.Protocol that it was opened with.

    The defaults are those of a member of a network, which takes what is written at once, or drops it.
    """

    def fileno(self) -> int:
        """The descriptor; -1 where there is none."""
        return -1

    def write(self, data: bytes) -> None:
        """Queue `data`; never blocks, never raises."""

    def unsent(self) -> int:
        """Bytes written that have not left this computer."""
        return 0

    def discard(self) -> None:
        """Drop what is unsent, as far as the line allows: nothing can be taken back from a network."""
        return

    def set_line(self, lines: SetLine) -> None:
        """Set modem lines; OSError where there are none."""
        raise OSError(errno.ENOTTY, "a network has no modem lines")

    def close(self) -> None:
        """Send what is unsent, then close: connection_lost follows, or never if the device is stuck."""

    def abort(self) -> None:
        """Close now: connection_lost follows."""
        self.close()

    async def released(self) -> None:
        """Return when the descriptor is really closed; sockets are at once."""
        return

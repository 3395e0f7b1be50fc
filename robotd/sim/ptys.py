"""The device end of a pseudo-terminal: emulators behind real ports that other processes open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import Callable, Sequence

from robotd.model.serial import SetLine
from robotd.sim.lines import End, Line

READ_BYTES = 32  # a long write is heard while it is still on its way: at 9600 baud this is 33 ms


class PtyEnd:
    """What the process at the other side of a pty writes is what this end says; an `End` of a `Line`."""

    wake_at: float | None = None

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self.received = 0  # bytes from the process, since the start
        self.last_at = 0.0  # when the last of them came

    def fileno(self) -> int:
        """The descriptor that becomes readable."""
        return self._master

    def receive(self, now: float, data: bytes) -> None:
        """Pass on what the emulator said; what a process that does not read leaves no room for is lost."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """What the process wrote since the last call."""
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return []
        self.received += len(data)
        self.last_at = now
        return [data] if data else []

    def close(self) -> None:
        """Unplug."""
        os.close(self._master)
        os.close(self._slave)


class EmulatedPort:
    """An emulator on a pty, paced at `baud` on the running loop."""

    def __init__(self, emulator: End, baud: int) -> None:
        self.end = PtyEnd()
        self._line = Line(emulator, self.end, baud)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.end, self._line.kick)
        self._line.kick()

    @property
    def kick(self) -> Callable[[], None]:
        """To be called when the emulator may have something new to say."""
        return self._line.kick

    def close(self) -> None:
        """Unplug the device."""
        self._loop.remove_reader(self.end)
        self._line.close()
        self.end.close()

"""The base of drivers for modems and networks that never answer: nothing but that the line is open can be
known."""

from __future__ import annotations

import math

from radio.modem_buffers import ModemBuffers
from robotd.model.serial import LineSettings


class SilentModem(ModemBuffers):
    """A `SerialDevice` for the port and a `Modem` for the radio, without a handshake.

    A modem that receives nothing sends nothing to its host, so no silence means that it is dead.
    """

    needs_port = True

    def __init__(self, baud: int) -> None:
        super().__init__()
        self.line = LineSettings(baud=baud, silence_s=math.inf)
        self.ready = False
        self.halt = b""

    @property
    def wake_at(self) -> float | None:
        """See `SerialDevice.wake_at`."""
        return self._due_at()

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`. There is no handshake."""
        self._void()
        self.ready = True

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`. A frame that is half a second late is void."""
        frame = self._take_due(now)
        if frame is None:
            return []
        self._gone(now, frame)
        return [self._encode(frame)]

    def alive(self, now: float) -> bool:
        """See `Modem.alive`: the line was opened, and takes frames when they are due."""
        return self.ready and not self._is_stuck(now)

    def _encode(self, frame: bytes) -> bytes:
        """`frame` as it is written to the line."""
        return frame

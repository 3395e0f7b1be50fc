"""The bases of drivers: of modems behind a port, and of those that never answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from radio.framing import FrameParser
from radio.modem_buffers import ModemBuffers
from robotd.model.serial import LineSettings


class SerialModem(ModemBuffers):
    """A `SerialDevice` for the port and a `Modem` for the radio; `parser` finds the frames in what comes."""

    needs_port = True

    def __init__(self, baud: int, silence_s: float, parser: FrameParser[Any] | None = None) -> None:
        super().__init__()
        self.line = LineSettings(baud=baud, silence_s=silence_s)
        self.ready = False
        self.halt = b""
        self._parser_counts = parser.counts if parser is not None else Counter()

    def alive(self, now: float) -> bool:
        """See `Modem.alive`: the module is ready, and takes frames when they are due."""
        return self.ready and not self._is_stuck(now)

    def counts(self) -> Mapping[str, int]:
        """See `Modem.counts`."""
        return self._counts + self._parser_counts


class SilentModem(SerialModem):
    """A modem or network without a handshake: only that its line is open can be known.

    A modem that receives nothing sends nothing to its host, so no silence means that it is dead.
    """

    def __init__(self, baud: int, parser: FrameParser[Any] | None = None) -> None:
        super().__init__(baud, math.inf, parser)

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

    def _encode(self, frame: bytes) -> bytes:
        """`frame` as it is written to the line."""
        return frame

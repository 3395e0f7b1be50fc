"""The bases of modems' drivers: the queues between radio and driver, a port behind them, and no answers at all."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from radio.contract import LATE_S, Modem
from radio.framing import LONGEST, SHORTEST, FrameParser
from robotd.model.serial import LineSettings

MOST_FRAMES = 512  # that wait for the radio: 31 robots at twenty frames a second leave 124 in a decision's 0.2 s
PROBE_S = 2.0  # a module silent for so long is asked whether it is there, and the same
SILENCE_S = 5.0  # two such questions unanswered, and the port is opened anew
DEAF = 3  # questions without an answer, after which a module is not used, whatever noise comes from it


class ModemBuffers(Modem):
    """The half of a driver that is the same for every modem: frames that wait, that came, that left."""

    def __init__(self) -> None:
        self._waiting: tuple[float, bytes] | None = None  # (when to send, frame)
        self._received: list[tuple[float, bytes]] = []
        self._left: list[tuple[float, bytes]] = []  # (when it began to, frame)
        self._rssi: dict[bytes, float] = {}  # of what waits to be received, dBm
        self._given: dict[bytes, float] = {}  # of what the last `received` gave
        self._counts: Counter[str] = Counter()

    def send(self, now: float, frame: bytes, at: float) -> None:
        self._waiting = (at, frame)

    def received(self, now: float) -> list[tuple[float, bytes]]:
        received, self._received = self._received, []
        self._given, self._rssi = self._rssi, {}
        return received

    def left(self, now: float) -> list[tuple[float, bytes]]:
        left, self._left = self._left, []
        return left

    def rssi_dbm(self, frame: bytes) -> float | None:
        return self._given.get(frame)

    def counts(self) -> Mapping[str, int]:
        return self._counts

    def _due_at(self) -> float | None:
        """When the frame that waits is to be sent; None where none waits."""
        return self._waiting[0] if self._waiting is not None else None

    def _take_due(self, now: float) -> bytes | None:
        """The frame to be sent now, which then waits no more; one that is half a second late is void."""
        if self._waiting is None or now < self._waiting[0]:
            return None
        (at, frame), self._waiting = self._waiting, None
        return frame if now <= at + LATE_S else None

    def _put(self, now: float, frame: bytes, rssi_dbm: float | None = None) -> None:
        """A frame came; one of a length that none of ours has is counted and dropped."""
        if not SHORTEST <= len(frame) <= LONGEST:
            self._counts["short" if len(frame) < SHORTEST else "long"] += 1
        elif len(self._received) >= MOST_FRAMES:
            self._counts["flood"] += 1
        else:
            self._received.append((now, frame))
            if rssi_dbm is not None:
                self._rssi[frame] = rssi_dbm


class SerialModem(ModemBuffers):
    """A `SerialDevice` for the port and a `Modem` for the radio; `parser` finds the frames in what comes."""

    needs_port = True
    halt = b""

    def __init__(self, baud: int, silence_s: float, parser: FrameParser[Any] | None = None) -> None:
        super().__init__()
        self.line = LineSettings(baud=baud, silence_s=silence_s)
        self.ready = False
        self._parser_counts = parser.counts if parser is not None else Counter()

    def alive(self, now: float) -> bool:
        """The module is ready, and takes frames when they are due."""
        due = self._due_at()
        return self.ready and (due is None or now <= due + LATE_S)

    def counts(self) -> Mapping[str, int]:
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
        self._waiting = None
        self.ready = True

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`. A frame that is half a second late is void."""
        frame = self._take_due(now)
        if frame is None:
            return []
        self._left.append((now, frame))
        return [self._encode(frame)]

    def _encode(self, frame: bytes) -> bytes:
        """`frame` as it is written to the line."""
        return frame

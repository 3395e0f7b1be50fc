"""The queues between the radio and the driver of a modem: the frame that waits, those that came, those that
left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from radio.contract import LATE_S
from radio.framing import LONGEST, SHORTEST

MOST_FRAMES = 512  # that wait for the radio: 31 robots at twenty frames a second leave 124 in a decision's 0.2 s


class ModemBuffers:
    """The half of a driver that is the same for every modem; see `Modem` for what its calls promise."""

    def __init__(self) -> None:
        self._waiting: tuple[float, bytes] | None = None  # (when to send, frame)
        self._received: list[tuple[float, bytes]] = []
        self._left: list[tuple[float, bytes]] = []
        self._rssi: dict[bytes, float] = {}  # of what waits to be received, dBm
        self._given: dict[bytes, float] = {}  # of what the last `received` gave
        self._counts: Counter[str] = Counter()

    def send(self, now: float, frame: bytes, at: float) -> None:
        """See `Modem.send`."""
        self._waiting = (at, frame)

    def received(self, now: float) -> list[tuple[float, bytes]]:
        """See `Modem.received`."""
        received, self._received = self._received, []
        self._given, self._rssi = self._rssi, {}
        return received

    def left(self, now: float) -> list[tuple[float, bytes]]:
        """See `Modem.left`."""
        left, self._left = self._left, []
        return left

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`: none; a modem that occupies a channel has its own."""
        return 0.0

    def rssi_dbm(self, frame: bytes) -> float | None:
        """See `Modem.rssi_dbm`."""
        return self._given.get(frame)

    def counts(self) -> Mapping[str, int]:
        """See `Modem.counts`."""
        return self._counts

    def advice(self, robots: int, beat_s: float) -> str:
        """See `Modem.advice`."""
        return ""

    def _due_at(self) -> float | None:
        """When the frame that waits is to be sent; None where none waits."""
        return self._waiting[0] if self._waiting is not None else None

    def _take_due(self, now: float) -> bytes | None:
        """The frame to be sent now, which then waits no more; one that is half a second late is void."""
        if self._waiting is None or now < self._waiting[0]:
            return None
        (at, frame), self._waiting = self._waiting, None
        return frame if now <= at + LATE_S else None

    def _is_stuck(self, now: float) -> bool:
        """Whether a frame waits that should have left long ago."""
        return self._waiting is not None and now > self._waiting[0] + LATE_S

    def _void(self) -> None:
        """The frame that waits is not to be sent any more."""
        self._waiting = None

    def _put(self, now: float, frame: bytes, rssi_dbm: float | None = None) -> None:
        """A frame came; one of a length that none of ours has is counted and dropped."""
        if not SHORTEST <= len(frame) <= LONGEST:
            self._counts["short" if len(frame) < SHORTEST else "long"] += 1
            return
        if len(self._received) >= MOST_FRAMES:
            self._counts["flood"] += 1
            return
        self._received.append((now, frame))
        if rssi_dbm is not None:
            self._rssi[frame] = rssi_dbm

    def _gone(self, at: float, frame: bytes) -> None:
        """`frame` began to leave at `at`."""
        self._left.append((at, frame))

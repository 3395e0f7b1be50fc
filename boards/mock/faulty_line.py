"""What can go wrong between a device and its driver, one frame at a time: for emulators.

The kinds are those that drivers of real serial robots have been seen to fail on.
"""

from __future__ import annotations

from collections import deque

from robotd.model.streams import Stream

FAULTS = {
    "mute": "the frame is not sent",
    "garbage": "a few arbitrary bytes before it",
    "drop": "one byte of it is lost",
    "flip": "one bit of it is turned over",
    "insert": "one arbitrary byte within it",
    "cut": "only its first half is sent",
    "split": "its second half comes 10 ms after the first",
    "drip": "it comes byte by byte, 20 ms apart",
    "late": "it comes 0.2 s later, and all after it behind it",
    "twice": "it comes twice",
}
SPLIT_S, DRIP_S, LATE_S = 0.01, 0.02, 0.2


class FaultyLine:
    """A queue of bytes to send; `fault` spoils the next frames put into it."""

    def __init__(self, seed: int, name: str) -> None:
        self._stream = Stream(seed, name, "faulty line")
        self._faults: dict[str, float] = {}
        self._queue: deque[tuple[float, bytes]] = deque()

    def fault(self, kind: str, frames: float = 1) -> None:
        """Spoil the next `frames` frames so (`math.inf`: until `frames` = 0); ValueError for an unknown kind."""
        if kind not in FAULTS:
            raise ValueError(f"a line has no fault {kind!r}; it has: {', '.join(FAULTS)}")
        self._faults[kind] = frames

    @property
    def wake_at(self) -> float | None:
        """When the next bytes are due, s."""
        return self._queue[0][0] if self._queue else None

    def take(self, now: float) -> list[bytes]:
        due = []
        while self._queue and self._queue[0][0] <= now:
            due.append(self._queue.popleft()[1])
        return due

    def send(self, now: float, frame: bytes) -> None:
        """Put a frame into the queue, spoilt by the faults that are set."""
        if not self._faults:
            self._put(now, frame)
            return
        hit = {kind for kind in FAULTS if self._hits(kind)}
        if "mute" in hit:
            return
        at = now + (LATE_S if "late" in hit else 0.0)
        pieces = [self._spoilt(frame, hit)] * (2 if "twice" in hit else 1)
        for piece in pieces:
            if "drip" in hit:
                for k in range(len(piece)):
                    self._put(at + k * DRIP_S, piece[k : k + 1])
            elif "split" in hit:
                self._put(at, piece[: len(piece) // 2])
                self._put(at + SPLIT_S, piece[len(piece) // 2 :])
            else:
                self._put(at, piece)

    def _hits(self, kind: str) -> bool:
        left = self._faults.get(kind, 0)
        if left > 0:
            self._faults[kind] = left - 1
        return left > 0

    def _put(self, at: float, data: bytes) -> None:
        last = self._queue[-1][0] if self._queue else at
        self._queue.append((max(at, last), data))

    def _spoilt(self, frame: bytes, hit: set[str]) -> bytes:
        data = bytearray(frame)
        at = self._below(len(data))
        if "flip" in hit:
            data[at] ^= 1 << self._below(8)
        if "insert" in hit:
            data.insert(at, self._below(256))
        if "drop" in hit:
            del data[at]
        if "cut" in hit:
            del data[len(data) // 2 :]
        if "garbage" in hit:
            data[:0] = bytes(self._below(256) for _ in range(7))
        return bytes(data)

    def _below(self, limit: int) -> int:
        return int(self._stream.uniform(0, limit))

"""Frames on links that carry bare bytes: COBS with a CRC-16 inside, zero bytes between.

Modems that delimit and check by themselves need none of this. A stray byte costs the frame that it hits; the
next zero is a fresh start. Source of the choice: Cheshire and Baker 1999, one byte of overhead whatever the data.
"""

import functools
from collections import Counter
from typing import Generic, TypeVar

from robotd.model.cobs import crc16, decode, encode

SHORTEST = 18  # bytes: a header and an authenticator
LONGEST = 40
OVERHEAD = 5  # bytes on the line beside the frame: two zeros, one of COBS, two of CRC
_CODED = LONGEST + 3  # the longest frame between two zeros


Frame = TypeVar("Frame")


def wrap(frame: bytes) -> bytes:
    """`frame` as it goes down the line. The zero before it ends whatever noise came first."""
    return b"\0" + encode(frame + crc16(frame).to_bytes(2, "big")) + b"\0"


class FrameParser(Generic[Frame]):
    """Never raises, and holds a bounded part of what is incomplete. `counts`: what was dropped, by reason."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._part = bytearray()

    def reset(self) -> None:
        """Forget what was begun: the line was opened anew."""
        self._part.clear()

    def feed(self, data: bytes) -> list[Frame]:
        """What `data` completes, in order."""
        raise NotImplementedError


class CobsParser(FrameParser[bytes]):
    """Finds the frames in whatever bytes come, in whatever pieces; never raises, buffers 43 bytes at most.

    `counts` holds what was dropped by reason: bad-crc, short, long, resync (a frame cut or overrun by another).
    """

    def __init__(self) -> None:
        super().__init__()
        self._over = False  # in an over-long frame, which is dropped up to its end

    def reset(self) -> None:
        """See `FrameParser`."""
        super().reset()
        self._over = False

    def feed(self, data: bytes) -> list[bytes]:
        """See `FrameParser`."""
        *ended, begun = data.split(b"\0")
        frames = []
        for part in ended:
            if not part and not self._part:  # between two frames
                continue
            self._take(part)
            frame = self._frame()
            if frame is not None:
                frames.append(frame)
            self.reset()
        if begun:
            self._take(begun)
        return frames

    def _take(self, part: bytes) -> None:
        room = _CODED - len(self._part)
        if len(part) > room and not self._over:
            self._over = True
            self.counts["long"] += 1
        self._part += part[:room]

    def _frame(self) -> bytes | None:
        if self._over or not self._part:
            return None
        frame, reason = _unwrap(bytes(self._part))
        if reason:
            self.counts[reason] += 1
        return frame


@functools.lru_cache(maxsize=128)  # all radios of a simulated channel receive the same frames
def _unwrap(part: bytes) -> tuple[bytes | None, str]:
    """The frame between two zeros, or None and why there is none."""
    try:
        whole = decode(part)
    except ValueError:
        return None, "resync"
    if len(whole) < SHORTEST + 2:
        return None, "short"
    frame, check = whole[:-2], int.from_bytes(whole[-2:], "big")
    return (frame, "") if crc16(frame) == check else (None, "bad-crc")

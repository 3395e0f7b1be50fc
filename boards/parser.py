"""Frames found in whatever bytes come, in whatever pieces: with a header of two bytes, or a line each."""

from collections import Counter
from typing import Generic, TypeVar

Frame = TypeVar("Frame")


class Parser(Generic[Frame]):
    """What a driver reads its line with; never raises, holds one frame at most. `counts`: what was refused."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._held = bytearray()  # of a frame that was begun

    def reset(self) -> None:
        """Forget a frame that was begun."""
        self._held.clear()

    def feed(self, data: bytes) -> list[Frame]:
        """The whole frames that `data` completes."""
        raise NotImplementedError


def halves(value: int) -> bytes:
    """A number of 14 bits as two bytes of 7, low part first, as in MIDI."""
    return bytes([value & 0x7F, value >> 7 & 0x7F])


class FrameParser(Parser[Frame]):
    """`Parser` of frames with a header, a length and a checksum; a subclass has `size` and `parse`. A damaged
    frame may announce more than it has, and so take the next header along: the search continues `step` bytes
    behind its first one. `counts`: frames refused by reason, bytes skipped."""

    header: bytes
    step = 1

    def size(self, begun: bytes) -> int:
        """The length of the frame whose first three bytes are `begun`; ValueError, its message the reason."""
        raise NotImplementedError

    def parse(self, whole: bytes) -> Frame | None:
        """A frame of that length, None for one without content; ValueError, its message the reason."""
        raise NotImplementedError

    def skip(self, junk: bytes) -> None:
        """Bytes between frames."""
        self.counts["skipped"] += len(junk)

    def feed(self, data: bytes) -> list[Frame]:
        found: list[Frame] = []
        held, at = self._held, 0
        held += data
        while at < len(held):
            start = held.find(self.header, at)
            if start < 0:
                start = len(held) - (held[-1] == self.header[0])
            if start > at:
                self.skip(bytes(held[at:start]))
            at = start
            if len(held) - at < 3:
                break
            try:
                end = at + self.size(bytes(held[at : at + 3]))
                if len(held) < end:
                    break
                frame = self.parse(bytes(held[at:end]))
            except ValueError as error:
                self.counts[str(error)] += 1
                self.damaged(bytes(held[at : at + self.step]))
                at += self.step
            else:
                at = end
                if frame is not None:
                    found.append(frame)
        del held[:at]
        return found

    def damaged(self, begun: bytes) -> None:
        """The bytes of a damaged frame behind which the search continues."""


class LineParser(Parser[Frame]):
    """`Parser` of lines that end with `end`, one byte; a subclass has `parse`, and `longest`, bytes of a line.
    `counts`: lines refused by reason, `long` among them. A line of white space is none."""

    longest = 512
    end = b"\n"

    def parse(self, line: bytes) -> Frame | None:
        """A line without its end, None for one without content; ValueError, its message the reason."""
        raise NotImplementedError

    def feed(self, data: bytes) -> list[Frame]:
        *lines, begun = bytes(self._held + data).split(self.end)
        self._held = bytearray(begun[: self.longest + 1])  # what is too long is so at its end, too
        found = (self._parsed(line) for line in lines if line.strip())
        return [frame for frame in found if frame is not None]

    def _parsed(self, line: bytes) -> Frame | None:
        try:
            if len(line) > self.longest:
                raise ValueError("long")
            return self.parse(line)
        except ValueError as error:
            self.counts[str(error)] += 1
            return None

"""Packets as firmware gathers them: the bytes that a packet announces belong to it, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator

LENGTH = 2  # the index of the length in a packet, behind a header of two bytes


class Gathered:
    """The packets in what comes. `around`: how many bytes of a packet its length does not count.

    So a packet that was cut takes as many of the next bytes as it lacks; a driver has to stand that.
    """

    def __init__(self, header: bytes, around: int) -> None:
        self._header, self._around = header, around
        self._begun = bytearray()

    def clear(self) -> None:
        """Forget a packet that was begun."""
        self._begun.clear()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Each packet that `data` completes, header, length and checksum included."""
        for byte in data:
            self._begun.append(byte)
            if len(self._begun) <= LENGTH:
                if byte != self._header[len(self._begun) - 1]:
                    self._begun.clear()
            elif len(self._begun) >= self._around + self._begun[LENGTH]:
                whole, self._begun = bytes(self._begun), bytearray()
                yield whole

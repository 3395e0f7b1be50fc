"""Where packets that begin with a header of two bytes may begin, for every splitter of such."""

from __future__ import annotations


def seek(held: bytearray, at: int, header: bytes) -> int:
    """From `at` on, where in `held` (not empty) a packet begins, or may: a last byte may be half of a header."""
    start = held.find(header, at)
    return start if start >= 0 else len(held) - (held[-1] == header[0])

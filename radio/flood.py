"""A bound on the frames that are judged in one call, so that no flood of them stops the thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from radio.codec import HEADER, MAC, RECORDS, decode_header
from radio.reservation import Stamp

MAX_JUDGED = 128  # frames in a call, 5 ms of work: 31 robots at 20 Hz send 124 in a decision's 0.2 s

Arrival = tuple[float, bytes]  # when a frame came (own clock, s), and the frame


def has_length(frame: bytes) -> bool:
    """Whether `frame` is as long as one with a header, records and an authenticator may be."""
    return HEADER + MAC <= len(frame) <= HEADER + RECORDS + MAC


def limit_frames(frames: Sequence[Arrival], newest_of: Callable[[int], Stamp | None]) -> Sequence[Arrival]:
    """At most `MAX_JUDGED` of `frames` in the order given: those first that claim, not verified yet, to be newer
    than the newest stamp of their sender."""
    if len(frames) <= MAX_JUDGED:
        return frames

    def is_old(arrival: Arrival) -> bool:
        if not has_length(arrival[1]):
            return True
        header = decode_header(arrival[1])
        newest = newest_of(header.sender)
        return newest is not None and header.stamp <= newest

    return sorted(sorted(frames, key=is_old)[:MAX_JUDGED], key=lambda arrival: arrival[0])

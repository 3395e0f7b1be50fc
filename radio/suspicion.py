"""Frames and senders that authentication alone cannot clear: floods, senders that lag, recordings at line rate."""

from collections.abc import Callable, Iterable, Sequence

from radio.codec import HEADER, MAC, RECORDS, decode_header
from radio.reservation import Stamp

MAX_JUDGED = 128  # frames in a call, 5 ms of work: 31 robots at 20 Hz send 124 in a decision's 0.2 s
PROOF_BEATS = 0.5  # between two frames of a sender that must prove that it is no recording

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


class LaggingSenders:
    """Senders far behind what was taken of their number: they lost their memory, or recordings of them are played.

    `received_at`: when each was last received with such a frame.
    """

    def __init__(self) -> None:
        self.received_at: dict[int, float] = {}
        self._reported_at: dict[int, float] = {}

    def next(self, at: float, is_recent: Callable[[float], bool]) -> int | None:
        """The sender to report to in the frame of `at`: by turns of those received recently; None: none was."""
        recent = [number for number, last in self.received_at.items() if is_recent(last)]
        if not recent:
            return None
        number = min(recent, key=lambda number: (self._reported_at.get(number, -1.0), number))
        self._reported_at[number] = at
        return number


class Probation:
    """A sender never received before, of an epoch before `first_epoch` (the own start), and one whose stored stamp
    is too old, are believed with a second, newer frame, half a beat later at least."""

    def __init__(self, beat_s: float, first_epoch: int) -> None:
        self._beat_s, self._first_epoch = beat_s, first_epoch
        self._first_frames: dict[int, tuple[Stamp, float]] = {}  # by sender: newest stamp, first arrival
        self._suspects: frozenset[int] = frozenset()
        self._has_suspected = False

    def suspect(self, senders: Iterable[int]) -> bool:
        """The stored stamps of all `senders` are too old. False where that was known already."""
        if self._has_suspected:
            return False
        self._suspects, self._has_suspected = frozenset(senders), True
        return True

    def is_proven(self, at: float, number: int, stamp: Stamp, *, known: bool) -> bool:
        """Whether a sender, of which a stamp is `known` or not, may be believed with this frame."""
        if number not in self._suspects and (known or stamp[0] >= self._first_epoch):
            return True
        first = self._first_frames.get(number)
        if first is None:
            self._first_frames[number] = (stamp, at)
            return False
        if stamp <= first[0] or at < first[1] + PROOF_BEATS * self._beat_s:
            self._first_frames[number] = (max(stamp, first[0]), first[1])
            return False
        del self._first_frames[number]
        self._suspects -= {number}
        return True

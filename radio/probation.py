"""Senders that must prove that they are alive, since their first frames may be recordings played at line rate."""

from __future__ import annotations

from collections.abc import Iterable

from radio.reservation import Stamp

PROOF_BEATS = 0.5  # between two frames of a sender that must prove that it is no recording


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

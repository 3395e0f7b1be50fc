"""Which frames of a sender are taken for good: counters are reserved on the disk in blocks, ahead of use."""

from __future__ import annotations

import math

from robotd.model.value import value

BLOCK = 4  # least frames of a reservation: a restart may miss so many, against one write of the state in two
LANDS_S = 0.5  # a small file and its fsync take tens of milliseconds on an SD card, seldom some hundreds
MAX_COUNTER = (1 << 16) - 1

Stamp = tuple[int, int]  # (epoch, counter), compared as such


@value
class Sender:
    """What is remembered of one sender: the newest stamp taken, and up to which stamp it is reserved.

    `persisted` is on the disk; `pending` are reservations on their way there, each with when it was made.
    """

    taken: Stamp
    persisted: Stamp
    pending: tuple[tuple[Stamp, float], ...] = ()

    @property
    def reserved(self) -> Stamp:
        """The last stamp that the newest `memory()` covers."""
        return self.pending[-1][0] if self.pending else self.persisted

    def is_covered(self, margin: int) -> bool:
        """Whether the next `margin` frames are reserved too; none follows the last counter of an epoch."""
        (epoch, last), (taken_epoch, counter) = self.reserved, self.taken
        return taken_epoch == epoch and (counter < last - margin or last == MAX_COUNTER)

    def take(self, stamp: Stamp) -> Sender:
        """The sender with a newer stamp taken."""
        return Sender(stamp, self.persisted, self.pending)

    def settle(self, now: float) -> Sender:
        """The sender as of `now`: what has been pending for long enough is persisted."""
        if not self.pending or now < self.pending[0][1] + LANDS_S:
            return self
        persisted = max(stamp for stamp, since in self.pending if now >= since + LANDS_S)
        return Sender(self.taken, persisted, tuple([x for x in self.pending if now < x[1] + LANDS_S]))

    def reserve(self, now: float, block: int) -> Sender:
        """The sender with the block after `taken` reserved."""
        reserved = (self.taken[0], min(self.taken[1] + block, MAX_COUNTER))
        return Sender(self.taken, self.persisted, (*self.pending, (reserved, now)))


def block_of(beat_s: float) -> int:
    """How many frames of a sender a reservation covers: half of them take longer than it takes to the disk."""
    return max(BLOCK, 2 * math.ceil(LANDS_S / beat_s) + 2)


def margin_of(beat_s: float) -> int:
    """How many frames of a sender come while a reservation is pending: so many before its end the next is made."""
    return math.ceil(LANDS_S / beat_s + 0.5)

"""The own number on the air: the stamps with which a robot signs, and whether a second robot sends under it.

Frames under the own number are recordings of this robot, or come from a duplicate: a second robot with the number.
Every own epoch is stored before it is used, so every former life lies at or below the stored epoch, unless the
memory was lost, or restored from an older copy. Teammates report up to which stamp they took frames of its number.
"""

import math

from radio.reservation import MAX_COUNTER, Stamp, block_of
from robotd.model.beliefs import silence_s

MAX_EPOCH = (1 << 24) - 1
STRIKES = 3  # frames past all that teammates took under our number, which no recording of theirs can be
OWN_FRAMES = 256  # own authenticators kept: a clone started within ten minutes is detected by its first frame
DOUBT_BEATS = 8.0  # a frame ahead of us may be a recording for so long; teammates report within three beats
STEP_BEATS = 1.5  # a living robot with our number is received within a beat; then we do not step past it
ALARMS = 3  # frames in which a robot that falls silent reports that its number is taken, for the other to stop too
_AHEAD = 16  # own counters before the last at which the next epoch is reserved


class OwnNumber:
    """Epoch and counter of the next own frame, and the evidence for a duplicate.

    `stored_epoch` is the newest epoch of the former lives; `fresh`: there was no memory, so that a recording of a
    former life may be ahead of us. `minutes` since 2026-01-01, None where the clock is not set.
    """

    def __init__(self, beat_s: float, stored_epoch: int, minutes: int | None, *, fresh: bool) -> None:
        self.epoch = max(stored_epoch + 1, minutes if minutes is not None and minutes <= MAX_EPOCH else 0)
        self.counter = 0
        self.first, self._former = self.epoch, stored_epoch
        self.is_outdated = False  # whether the memory is known to be older than the last life
        self.stored_epoch, self._persisted_epoch = self.epoch, -1
        self.version = 1  # grows whenever `stored_epoch` must be saved
        self.fresh = fresh
        self.duplicate_at: float | None = None  # when a duplicate was last received; None: never
        self._alarms = 0  # sent since the number was last found to be taken
        self._beat_s, self._block = beat_s, block_of(beat_s)
        self._macs: dict[int, bytes] = {}  # by counter: authenticators of own frames of this epoch
        self._reported: Stamp | None = None  # the newest that teammates report to have taken under our number
        self._contested: tuple[float, float, int] | None = None  # frames ahead of us: first, last, how many
        self._reported_at: float | None = None  # when such a stamp ahead of us was reported, which is to step past
        self._newest: Stamp | None = None  # of the frames that came under our number and were no known recordings

    @property
    def current(self) -> Stamp:
        """The (epoch, counter) that the next own frame will bear."""
        return (self.epoch, self.counter)

    @property
    def spent(self) -> bool:
        """Whether no own frame can be signed any more: after 2**24 epochs. Only a new team key helps."""
        return self.epoch > MAX_EPOCH

    @property
    def may_sign(self) -> bool:
        """Whether the next own frame has an epoch, and that epoch is on the disk."""
        return self.epoch <= min(self._persisted_epoch, MAX_EPOCH)

    @property
    def contested_at(self) -> float:
        """When a frame under our number last came that a living robot may have sent; -inf: never."""
        return self._contested[1] if self._contested is not None else -math.inf

    def mark_persisted(self) -> None:
        """`stored_epoch` is on the disk."""
        self._persisted_epoch = self.stored_epoch

    def take_stamp(self) -> Stamp:
        """The (epoch, counter) of the next own frame, which is thereby used up."""
        stamp = self.current
        self.counter += 1
        if self.counter > MAX_COUNTER - _AHEAD and self.stored_epoch == self.epoch:
            self._store_epoch(self.epoch + 1)
        if self.counter > MAX_COUNTER:
            self.epoch, self.counter = self.epoch + 1, 0
        return stamp

    def note_sealed(self, counter: int, mac: bytes) -> None:
        """An own frame of this epoch got this authenticator."""
        if counter == 0:
            self._macs.clear()
        self._macs[counter] = mac
        if len(self._macs) > OWN_FRAMES:
            del self._macs[next(iter(self._macs))]

    def is_ahead(self, stamp: Stamp) -> bool:
        """Whether `stamp` is past every own stamp by more than receivers reserve."""
        return stamp > (self.epoch, self.counter + self._block)

    def report(self, at: float, stamp: Stamp) -> None:
        """A teammate reports `stamp` as the newest taken under our number: no living robot sends one up to it."""
        self._reported = stamp if self._reported is None else max(self._reported, stamp)
        if self.is_ahead(stamp):
            self.is_outdated |= not self.fresh
            self._reported_at = at if self._reported_at is None else self._reported_at

    def step(self, now: float, beat_s: float) -> None:
        """Step past what teammates reported, once a living duplicate would have been received; and past other
        frames under our number that are no older, once a living robot would have been received again."""
        if (
            self._reported_at is not None
            and now >= max(self._reported_at, self.contested_at) + STEP_BEATS * beat_s
        ):
            if not self.is_duplicate(now, beat_s) and self._reported is not None:
                self.step_past(self._reported)
            self._reported_at = None
        if self._newest is not None and now > max(self.contested_at, self.duplicate_at or 0.0) + silence_s(beat_s):
            self._leave_behind(self._newest)
            self._newest = None

    def step_past(self, stamp: Stamp) -> None:
        """Go on from the epoch after `stamp`, where it is ahead of us."""
        if self.is_ahead(stamp):
            self._leave_behind(stamp)

    def _leave_behind(self, stamp: Stamp) -> None:
        """Count `stamp` and all before it as former lives."""
        if self.epoch <= stamp[0] < MAX_EPOCH:
            self.is_outdated |= not self.fresh and stamp[0] > self.epoch
            self._former, self.epoch, self.counter = stamp[0], stamp[0] + 1, 0
            self.first = self.epoch
            self.fresh, self._contested = False, None
            self._macs.clear()
            self._store_epoch(self.epoch)

    def is_duplicate(self, now: float, beat_s: float) -> bool:
        """Whether a duplicate was received recently."""
        return self.duplicate_at is not None and now <= self.duplicate_at + silence_s(beat_s)

    def may_send(self, now: float, beat_s: float) -> bool:
        """Call once for each regular frame. A robot whose number is taken is silent, but for some frames that show
        the duplicate that it exists; while a living robot seems to send under our number, one frame more of ours
        would settle nothing."""
        if not self.is_duplicate(now, beat_s):
            self._alarms = 0
            return self._reported is None or now > self.contested_at + silence_s(beat_s)
        self._alarms += 1
        return self._alarms <= ALARMS

    def judge(self, at: float, stamp: Stamp, mac: bytes) -> str:
        """Why an authentic frame under the own number is refused: `replay` or `duplicate-id`."""
        if stamp[0] == self.epoch and self._macs.get(stamp[1], mac) != mac:  # our frame was another one
            self.duplicate_at = at
            self._newest = max(stamp, self._newest or stamp)
            return "duplicate-id"
        if stamp < self.current or (self._reported is not None and stamp <= self._reported):
            self.is_outdated |= not self.fresh and self._former < stamp[0] < self.first  # no epoch of ours
            return "replay"
        since, until, strikes = self._contested or (at, at, 0)
        if at > until + DOUBT_BEATS / 2 * self._beat_s:  # long after the last one: another occasion
            since, strikes = at, 0
        strikes += self._reported is not None
        self._contested = (since, at, strikes)
        self._newest = max(stamp, self._newest or stamp)
        doubtful = self.fresh or self.is_ahead(stamp)
        if not doubtful or strikes >= STRIKES or at >= since + DOUBT_BEATS * self._beat_s:
            self.duplicate_at = at
        return "duplicate-id"

    def _store_epoch(self, epoch: int) -> None:
        self.stored_epoch = max(epoch, self.stored_epoch)
        self.version += 1

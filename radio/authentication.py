"""Who may be believed: a keyed authenticator on every frame, and each frame taken once.

Keyed BLAKE2s of eight bytes over all that stands before it, with the team number as `person` (RFC 7693). Whoever
holds a key can speak for all whose frames bear it: it keeps strangers and recordings out, nobody within the team.

Nothing is read of a frame whose authenticator fails. Of each sender only strictly newer (epoch, counter) are
taken. What was taken is remembered across restarts without a write for each frame: counters are *reserved* in
blocks of four, and a frame past what is reserved waits until the reservation has had time to reach the disk. A
restart takes up at the end of the reserved block: no recording is ever taken, four frames at most go unheard.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from radio.codec import HEADER, RECORDS, VERSION, Header, decode_header, encode_header
from radio.keys import Keys
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.table import MAX_ROBOT, NumberTable

MAC = 8  # bytes: 5e-12 a year for a forger who sends three frames a second
BLOCK = 4  # frames that a restart may leave unheard, against one write of memory in so many
LANDS_S = 0.5  # a small file and its fsync take tens of milliseconds on an SD card, seldom some hundreds
MAX_EPOCH = (1 << 24) - 1
MAX_COUNTER = (1 << 16) - 1
STRIKES = 3  # frames past all that mates took under our number, which no recording of theirs can be
DOUBT_BEATS = 8.0  # how long a frame ahead of us may be a recording that nobody tells us of; mates tell in three
_AHEAD = 16  # own counters before the last at which the next epoch is reserved

Stamp = tuple[int, int]  # (epoch, counter), compared as such


@dataclass(frozen=True, slots=True)
class Sender:
    """What is remembered of one sender: the newest stamp taken, and up to which stamp it is reserved.

    `landed` is surely saved; `asked` are reservations on their way to the disk, each with when it was asked for.
    """

    taken: Stamp
    landed: Stamp
    asked: tuple[tuple[Stamp, float], ...] = ()

    @property
    def reserved(self) -> Stamp:
        """The last stamp that the newest `memory()` covers."""
        return self.asked[-1][0] if self.asked else self.landed

    def settled(self, now: float) -> Sender:
        """The same at `now`: what was asked for long enough ago has landed."""
        if not self.asked or now < self.asked[0][1] + LANDS_S:
            return self
        landed = max(stamp for stamp, since in self.asked if now >= since + LANDS_S)
        return replace(self, landed=landed, asked=tuple(x for x in self.asked if now < x[1] + LANDS_S))

    def asking(self, now: float) -> Sender:
        """The same with the block after `taken` reserved."""
        reserved = (self.taken[0], min(self.taken[1] + BLOCK, MAX_COUNTER))
        return replace(self, asked=(*self.asked, (reserved, now)))


@dataclass(frozen=True, slots=True)
class Taken:
    """An authentic frame, newer than any before of its sender; `at` is when it arrived."""

    at: float
    header: Header
    records: bytes


@dataclass(frozen=True, slots=True)
class Memory:
    """What outlives the process: the newest own epoch that may be in use, and what is reserved by sender."""

    epoch: int = 0
    seen: Mapping[int, Stamp] = field(default_factory=dict)


@dataclass(slots=True)
class _State:
    epoch: int
    counter: int  # of the next own frame
    stored_epoch: int
    persisted_epoch: int = -1
    version: int = 1
    senders: dict[int, Sender] = field(default_factory=dict)
    behind: dict[int, float] = field(default_factory=dict)
    duplicate_at: float | None = None
    fresh: bool = False  # without a memory: a recording of a former life may be ahead of us
    told: Stamp | None = None  # the newest that teammates say they took under our number
    contested: tuple[float, float, int] | None = None  # frames ahead of us: since when, until when, how many
    refused: dict[str, int] = field(default_factory=dict)


class Authentication:
    """Signs own frames and judges those of others.

    No own frame is signed with an epoch before `mark_persisted` says that it is on the disk.
    """

    def __init__(
        self, table: NumberTable, me: int, keys: Keys, team: int, memory: Json, minutes: int | None
    ) -> None:
        if not keys.of(me):
            raise ValueError(f"no key for robot {me}, which is this one")
        self._hashes = {
            number: [hashlib.blake2s(key=key, digest_size=MAC, person=team.to_bytes(8, "big")) for key in of]
            for number, of in ((None, keys.team), *keys.own.items())
        }
        self._digest, self._numbers, self._me = table.digest, frozenset(table.robots), me
        stored = from_plain(Memory, memory) if memory is not None else Memory()
        epoch = max(stored.epoch + 1, minutes if minutes is not None and minutes <= MAX_EPOCH else 0)
        self._state = _State(epoch, 0, epoch, fresh=memory is None)
        self._beat_s = table.beat_s
        self._state.senders = {number: Sender(stamp, stamp) for number, stamp in stored.seen.items()}
        self._waiting: list[Taken] = []

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._state.version

    @property
    def refused(self) -> Mapping[str, int]:
        """Frames refused so far, by reason."""
        return self._state.refused

    @property
    def behind(self) -> Mapping[int, float]:
        """Senders that lag far behind what was taken of their number, and when they were last heard to."""
        return self._state.behind

    @property
    def duplicate_at(self) -> float | None:
        """When another robot was last heard under our number with a stamp ahead of ours; None: never."""
        return self._state.duplicate_at

    @property
    def current(self) -> Stamp:
        """The (epoch, counter) that the next own frame will bear."""
        return (self._state.epoch, self._state.counter)

    @property
    def spent(self) -> bool:
        """Whether no own frame can be signed any more: after 2**24 epochs. Only a new team key helps."""
        return self._state.epoch > MAX_EPOCH

    @property
    def may_sign(self) -> bool:
        """Whether the next own frame has an epoch, and that epoch is on the disk."""
        return self._state.epoch <= min(self._state.persisted_epoch, MAX_EPOCH)

    def mark_persisted(self) -> None:
        """The newest `memory()` is on the disk."""
        self._state.persisted_epoch = self._state.stored_epoch

    def memory(self) -> Json:
        """What to save, as the constructor takes it back."""
        state = self._state
        return to_plain(Memory(state.stored_epoch, {n: state.senders[n].reserved for n in sorted(state.senders)}))

    def freeze(self) -> Json:
        """The whole state."""
        waiting = [[x.at, (encode_header(x.header) + x.records).hex()] for x in self._waiting]
        return [to_plain(self._state), waiting]

    def thaw(self, state: Json) -> None:
        """Take up a frozen state."""
        assert isinstance(state, list | tuple)
        own, waiting = state
        self._state = from_plain(_State, own)
        self._waiting = [_taken(at, bytes.fromhex(body)) for at, body in waiting]

    def stamp(self) -> Stamp:
        """The (epoch, counter) of the next own frame; it is used up by the asking."""
        state = self._state
        stamp = (state.epoch, state.counter)
        state.counter += 1
        if state.counter > MAX_COUNTER - _AHEAD and state.stored_epoch == state.epoch:
            self._store_epoch(state.epoch + 1)
        if state.counter > MAX_COUNTER:
            state.epoch, state.counter = state.epoch + 1, 0
        return stamp

    def seal(self, body: bytes) -> bytes:
        """`body` (header and records) with its authenticator."""
        return body + _mac(self._hashes_of(self._me)[0], body)

    def is_ahead(self, stamp: Stamp) -> bool:
        """Whether `stamp` is past every own stamp by more than receivers reserve."""
        return stamp > (self._state.epoch, self._state.counter + BLOCK)

    def tell(self, stamp: Stamp) -> None:
        """A teammate says that `stamp` is the newest it took under our number: none up to it can be alive."""
        known = self._state.told
        self._state.told = stamp if known is None else max(known, stamp)

    @property
    def is_told(self) -> bool:
        """Whether a teammate has said what it took under our number."""
        return self._state.told is not None

    @property
    def contested_at(self) -> float:
        """When a frame under our number last came that may be of a robot alive; -inf: never."""
        return self._state.contested[1] if self._state.contested is not None else -math.inf

    def step_past(self, stamp: Stamp) -> None:
        """Go on from the epoch after `stamp`, which teammates took under our number."""
        if self.is_ahead(stamp) and stamp[0] < MAX_EPOCH:
            self._state.epoch, self._state.counter = stamp[0] + 1, 0
            self._state.fresh, self._state.contested = False, None
            self._store_epoch(self._state.epoch)

    def newest_of(self, number: int) -> Stamp | None:
        """The newest stamp taken of a sender (after a restart: reserved), or None."""
        sender = self._state.senders.get(number)
        return sender.taken if sender is not None else None

    def forget(self, number: int) -> None:
        """Take the next authentic frame of a sender, whatever was taken of it; until then recordings are too."""
        self._state.behind.pop(number, None)
        if self._state.senders.pop(number, None) is not None:
            self._waiting = [taken for taken in self._waiting if taken.header.sender != number]
            self._state.version += 1

    def judge(self, at: float, frame: bytes) -> str | None:
        """Take the frame that arrived at `at`, or count and return why not. `ready` gives those taken."""
        reason = self._judge(at, frame)
        if reason is not None:
            self._state.refused[reason] = self._state.refused.get(reason, 0) + 1
        return reason

    def ready(self, now: float) -> list[Taken]:
        """The frames taken whose reservation has had time to be saved, by (time, sender); each once."""
        if not self._waiting:
            return []
        out = [taken for taken in self._waiting if self._landed(now, taken.header)]
        if len(out) == len(self._waiting):
            self._waiting = []
        else:
            self._waiting = [taken for taken in self._waiting if not self._landed(now, taken.header)]
        return sorted(out, key=lambda taken: (taken.at, taken.header.sender))

    def _judge(self, at: float, frame: bytes) -> str | None:
        if not HEADER + MAC <= len(frame) <= HEADER + RECORDS + MAC:
            return "length"
        if frame[0] != VERSION << 4:
            return "version"
        body, mac = frame[:-MAC], frame[-MAC:]
        if not any(hmac.compare_digest(_mac(keyed, body), mac) for keyed in self._hashes_of(body[1])):
            return "mac"
        taken = _taken(at, body)
        header = taken.header
        stranger = header.digest == self._digest and header.sender not in self._numbers and header.sender != 0
        if stranger or header.sender > MAX_ROBOT:
            return "unknown-sender"
        stamp = (header.epoch, header.counter)
        if header.sender == self._me:
            return self._own_number(at, stamp)
        newest = self.newest_of(header.sender)
        if newest is not None and stamp <= newest:
            return self._lags(at, header.sender, stamp, newest)
        self._take(at, header.sender, stamp)
        self._waiting.append(taken)
        return None

    def _own_number(self, at: float, stamp: Stamp) -> str:
        """Of a robot whose memory was lost, recordings may be ahead; teammates tell up to which they must be."""
        state = self._state
        if stamp < self.current or (state.told is not None and stamp <= state.told):
            return "replay"
        since, until, strikes = state.contested or (at, at, 0)
        if at > until + DOUBT_BEATS / 2 * self._beat_s:  # long after the last one: another occasion
            since, strikes = at, 0
        strikes += state.told is not None
        state.contested = (since, at, strikes)
        doubtful = state.fresh or self.is_ahead(stamp)
        if not doubtful or strikes >= STRIKES or at >= since + DOUBT_BEATS * self._beat_s:
            state.duplicate_at = at
        return "duplicate-id"

    def _lags(self, at: float, number: int, stamp: Stamp, newest: Stamp) -> str:
        if (stamp[0], stamp[1] + BLOCK) < newest:  # not merely within the block that a restart of ours skipped
            self._state.behind[number] = at
        return "old-epoch" if stamp[0] < newest[0] else "replay"

    def _take(self, at: float, number: int, stamp: Stamp) -> None:
        known = self._state.senders.get(number)
        sender = Sender(stamp, (-1, 0)) if known is None else replace(known, taken=stamp).settled(at)
        if stamp >= sender.reserved:
            sender = sender.asking(at)
            self._reserve_others(at, number)
            self._state.version += 1
        self._state.senders[number] = sender

    def _reserve_others(self, at: float, number: int) -> None:
        """Extend the blocks of others that are half used too: one write then serves them all."""
        for other, sender in self._state.senders.items():
            (epoch, last), (taken_epoch, taken) = sender.reserved, sender.taken
            if other != number and taken_epoch == epoch and last - BLOCK // 2 <= taken < last:
                self._state.senders[other] = sender.settled(at).asking(at)

    def _landed(self, now: float, header: Header) -> bool:
        return (header.epoch, header.counter) <= self._state.senders[header.sender].settled(now).landed

    def _store_epoch(self, epoch: int) -> None:
        self._state.stored_epoch = max(epoch, self._state.stored_epoch)
        self._state.version += 1

    def _hashes_of(self, sender: int) -> Sequence[hashlib.blake2s]:
        """The keyed hashes under which frames of a sender are believed."""
        return self._hashes.get(sender, self._hashes[None])


def _mac(keyed: hashlib.blake2s, body: bytes) -> bytes:
    digest = keyed.copy()
    digest.update(body)
    return digest.digest()


def _taken(at: float, body: bytes) -> Taken:
    return Taken(at, decode_header(body), body[HEADER:])

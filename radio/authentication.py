"""Who may be believed: a keyed authenticator on every frame, and each frame taken once.

Keyed BLAKE2s of eight bytes over all that stands before it, with the team number as `person` (RFC 7693). Whoever
holds a key can speak for all whose frames bear it: it keeps strangers and recordings out, nobody within the team.

Nothing is read of a frame whose authenticator fails. Of each sender only strictly newer (epoch, counter) are
taken. What was taken is kept across restarts without a write for each frame: counters are *reserved* in blocks. A
frame past what is reserved waits until the reservation has had time to reach the disk. A block is reserved anew
while some of it is left, so that only a sender's first frame waits. A restart continues at the end of the reserved
block: no recording is taken, and no more than a block's frames are missed.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from radio.codec import HEADER, RECORDS, VERSION, Header, decode_header, encode_header
from radio.keys import Keys
from radio.reservation import MAX_COUNTER, Sender, Stamp, block_of, margin_of
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.table import MAX_ROBOT, NumberTable

MAC = 8  # bytes: 5e-12 a year for a forger who sends three frames a second
MAX_EPOCH = (1 << 24) - 1
MOST_JUDGED = 128  # frames in a call, 5 ms of work: 31 robots at 20 Hz send 124 in a decision's 0.2 s
STRIKES = 3  # frames past all that mates took under our number, which no recording of theirs can be
OWN_FRAMES = (
    256  # own authenticators kept: a clone that started within ten minutes is known by the first of its frames
)
PROOF_BEATS = 0.5  # between two frames of a sender that must prove that it is no recording played at line rate
DOUBT_BEATS = 8.0  # how long a frame ahead of us may be a recording that nobody tells us of; mates tell in three
_AHEAD = 16  # own counters before the last at which the next epoch is reserved

Arrival = tuple[float, bytes]  # when a frame came (own clock, s), and the frame


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

    def __post_init__(self) -> None:
        """ValueError for numbers that no frame can bear."""
        stamps = [(0, 0), *self.seen.values()]
        sound = all(0 <= epoch <= MAX_EPOCH and 0 <= counter <= MAX_COUNTER for epoch, counter in stamps)
        if not (sound and 0 <= self.epoch <= MAX_EPOCH + 1 and all(0 <= n <= MAX_ROBOT for n in self.seen)):
            raise ValueError("epochs, counters or numbers are out of range")


@dataclass(slots=True)
class _State:
    epoch: int
    counter: int  # of the next own frame
    stored_epoch: int
    persisted_epoch: int = -1
    version: int = 1
    senders: dict[int, Sender] = field(default_factory=dict)
    behind: dict[int, float] = field(default_factory=dict)
    unproven: dict[int, tuple[Stamp, float]] = field(default_factory=dict)  # senders on probation: first frame
    distrusted: bool = False
    suspects: tuple[int, ...] = ()  # senders whose stored stamps are older than what was taken of them
    own: dict[int, str] = field(default_factory=dict)  # by counter: authenticators of own frames of this epoch
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
        self._beat_s, self._block = table.beat_s, block_of(table.beat_s)
        self._margin = margin_of(table.beat_s)
        self._first, self._former = epoch, stored.epoch  # the first own epoch, and the last of the life before
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
        mac, own = _mac(self._hashes_of(self._me)[0], body), self._state.own
        header = decode_header(body)
        if header.counter == 0:
            own.clear()
        own[header.counter] = mac.hex()
        if len(own) > OWN_FRAMES:
            del own[next(iter(own))]
        return body + mac

    def is_ahead(self, stamp: Stamp) -> bool:
        """Whether `stamp` is past every own stamp by more than receivers reserve."""
        return stamp > (self._state.epoch, self._state.counter + self._block)

    def distrust(self) -> bool:
        """The stored state is older than this robot's last life: each known sender must prove that it is alive.

        False on a robot without a stored state, which knows of no sender.
        """
        if self._state.fresh or self._state.distrusted:
            return False
        self._state.suspects, self._state.distrusted = tuple(sorted(self._state.senders)), True
        return True

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
        out = [taken for taken in self._waiting if self._is_persisted(now, taken.header)]
        if len(out) == len(self._waiting):
            self._waiting = []
        else:
            self._waiting = [taken for taken in self._waiting if not self._is_persisted(now, taken.header)]
        return sorted(out, key=lambda taken: (taken.at, taken.header.sender))

    def choose(self, frames: Sequence[Arrival]) -> Sequence[Arrival]:
        """At most `MOST_JUDGED` of `frames`, first those that look newer than what was taken; counts the rest."""
        if len(frames) <= MOST_JUDGED:
            return frames
        by_age = sorted(frames, key=lambda arrival: not self._looks_new(arrival[1]))  # stable: by time
        self._state.refused["flood"] = self._state.refused.get("flood", 0) + len(frames) - MOST_JUDGED
        return sorted(by_age[:MOST_JUDGED], key=lambda arrival: arrival[0])

    def _looks_new(self, frame: bytes) -> bool:
        """Whether a frame, not verified yet, claims to be newer than what was taken of its sender."""
        if not HEADER + MAC <= len(frame) <= HEADER + RECORDS + MAC:
            return False
        header = decode_header(frame)
        newest = self.newest_of(header.sender)
        return newest is None or (header.epoch, header.counter) > newest

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
            return self._own_number(at, stamp, mac)
        newest = self.newest_of(header.sender)
        if newest is not None and stamp <= newest:
            return self._lags(at, header.sender, stamp, newest)
        if not self._is_proven(at, header.sender, stamp):
            return "unproven"
        self._take(at, header.sender, stamp)
        self._waiting.append(taken)
        return None

    def _is_proven(self, at: float, number: int, stamp: Stamp) -> bool:
        """Whether a sender may be believed, and not be a recording.

        One never heard, of an epoch before the own start, and one whose stored stamp is too old, move nothing
        until a second fresh frame comes, half a beat later at least.
        """
        state = self._state
        if not (number in state.suspects or (number not in state.senders and stamp[0] < self._first)):
            return True
        first = state.unproven.get(number)
        if first is None or stamp <= first[0] or at < first[1] + PROOF_BEATS * self._beat_s:
            state.unproven[number] = (stamp, at) if first is None else (max(stamp, first[0]), first[1])
            return False
        del state.unproven[number]
        state.suspects = tuple(other for other in state.suspects if other != number)
        return True

    def _is_clone(self, stamp: Stamp, mac: bytes) -> bool:
        """Whether a frame under the own number, of no epoch ahead, cannot be a recording of this robot.

        Every own epoch was stored before it was used, so that all former lives lie at or below the stored one.
        """
        state = self._state
        if stamp[0] == state.epoch and stamp[1] in state.own:
            return state.own[stamp[1]] != mac.hex()
        return not state.fresh and self._former < stamp[0] < self._first

    def _own_number(self, at: float, stamp: Stamp, mac: bytes) -> str:
        """Of a robot whose memory was lost, recordings may be ahead; teammates tell up to which they must be."""
        state = self._state
        if self._is_clone(stamp, mac):
            state.duplicate_at = at
            return "duplicate-id"
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
        if (
            stamp[0],
            stamp[1] + self._block,
        ) < newest:  # more than a restart of ours skips
            self._state.behind[number] = at
        return "old-epoch" if stamp[0] < newest[0] else "replay"

    def _take(self, at: float, number: int, stamp: Stamp) -> None:
        known = self._state.senders.get(number)
        sender = Sender(stamp, (-1, 0)) if known is None else replace(known, taken=stamp).settled(at)
        epoch, last = sender.reserved
        if stamp >= (epoch, last - self._margin) and last < MAX_COUNTER:
            sender = sender.reserve(at, self._block)
            self._reserve_others(at, number)
            self._state.version += 1
        self._state.senders[number] = sender

    def _reserve_others(self, at: float, number: int) -> None:
        """Extend the blocks of others that are half used too: one write then serves them all."""
        for other, sender in self._state.senders.items():
            (epoch, last), (taken_epoch, taken) = sender.reserved, sender.taken
            if other != number and taken_epoch == epoch and last - self._block // 2 <= taken < last:
                self._state.senders[other] = sender.settled(at).reserve(at, self._block)

    def _is_persisted(self, now: float, header: Header) -> bool:
        return (header.epoch, header.counter) <= self._state.senders[header.sender].settled(now).persisted

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

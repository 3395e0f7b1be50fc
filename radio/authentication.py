"""Who may be believed: a keyed authenticator on every frame, and each frame taken once.

Keyed BLAKE2s of eight bytes over all that precedes it, with the team number as `person` (RFC 7693). Whoever holds
a key can send for all whose frames bear it: it keeps strangers and recordings out, but no member of the team.

Nothing is read of a frame whose authenticator fails. Of each sender only strictly newer (epoch, counter) are
taken. What was taken is kept across restarts without a write for each frame: counters are *reserved* in blocks. A
frame past what is reserved waits until the reservation has had time to reach the disk. A block is reserved anew
while some of it is left, so that only a sender's first frame waits. A restart continues at the end of the reserved
block: no recording is taken, and no more than a block's frames are missed.
"""

import hashlib
import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from radio.codec import HEADER, MAC, VERSION, Header, codec_of, decode_header, encode_header
from radio.keys import Keys
from radio.own_number import MAX_EPOCH, OwnNumber
from radio.reservation import MAX_COUNTER, Sender, Stamp, block_of, margin_of
from radio.suspicion import Arrival, LaggingSenders, Probation, has_length, limit_frames
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.table import MAX_ROBOT, NumberTable
from robotd.model.value import value


@value
class AcceptedFrame:
    """An authentic frame, newer than any before of its sender; `at` is when it arrived, `rssi_dbm` how strong."""

    at: float
    header: Header
    records: bytes
    rssi_dbm: float | None = None


@value
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


class Authentication:
    """Signs own frames and judges those of others. `own` is the own number; no own frame is signed with an epoch
    before `mark_persisted` reports it to be on the disk.

    `refused` counts refused frames by reason.
    """

    def __init__(
        self, table: NumberTable, me: int, keys: Keys, team: int, memory: Json, minutes: int | None
    ) -> None:
        if not keys.of(me):
            raise ValueError(f"no key for robot {me}, which is this one")
        self._hashes = {
            number: [keyed_hash(key, team) for key in of] for number, of in ((None, keys.team), *keys.own.items())
        }
        self._digest, self._numbers, self._me = table.digest, frozenset(table.robots), me
        self._block, self._margin = block_of(table.beat_s), margin_of(table.beat_s)
        stored = from_plain(Memory, memory) if memory is not None else Memory()
        self.own = OwnNumber(table.beat_s, stored.epoch, minutes, fresh=memory is None)
        self._probation = Probation(table.beat_s, self.own.first)
        self._senders = {number: Sender(stamp, stamp) for number, stamp in stored.seen.items()}
        self._waiting: list[AcceptedFrame] = []
        self._version = 0
        self.lagging = LaggingSenders()
        self.refused: Counter[str] = Counter()

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._version + self.own.version

    def memory(self) -> Json:
        """What to save, as the constructor takes it back."""
        return to_plain(
            Memory(self.own.stored_epoch, {n: self._senders[n].reserved for n in sorted(self._senders)})
        )

    def sign(self, records: bytes, run: int = 0, *, running: bool = False) -> bytes:
        """The next own frame, with these records."""
        epoch, counter = self.own.take_stamp()
        return self.seal(encode_header(Header(self._me, run, running, self._digest, epoch, counter)) + records)

    def seal(self, body: bytes) -> bytes:
        """`body` (header and records) with its authenticator."""
        mac = mac_of(self._hashes_of(self._me)[0], body)
        self.own.note_sealed(decode_header(body).counter, mac)
        return body + mac

    def distrust(self) -> bool:
        """The stored state is older than this robot's last life: each known sender must prove that it is alive.

        False where that is known already.
        """
        return self._probation.suspect(self._senders)

    def newest_of(self, number: int) -> Stamp | None:
        """The newest stamp taken of a sender (after a restart: reserved), or None."""
        sender = self._senders.get(number)
        return sender.taken if sender is not None else None

    def forget(self, number: int) -> None:
        """Take the next authentic frame of a sender, whatever was taken of it; until then recordings are too."""
        self.lagging.received_at.pop(number, None)
        if self._senders.pop(number, None) is not None:
            self._waiting = [frame for frame in self._waiting if frame.header.sender != number]
            self._version += 1

    def judge(self, at: float, frame: bytes, rssi_dbm: float | None = None) -> str | None:
        """Accept the frame that arrived at `at`, or count and return why not. `take_ready` returns the
        accepted."""
        reason = self._judge(at, frame, rssi_dbm)
        if reason is not None:
            self.refused[reason] += 1
        return reason

    def take_ready(self, now: float) -> list[AcceptedFrame]:
        """The accepted frames whose reservation has had time to be saved, by (time, sender); each once."""
        if not self._waiting:
            return []
        waiting, self._waiting = self._waiting, []
        ready: list[AcceptedFrame] = []
        for frame in waiting:
            (ready if self._is_persisted(now, frame.header) else self._waiting).append(frame)
        return sorted(ready, key=lambda frame: (frame.at, frame.header.sender))

    def limit(self, frames: Sequence[Arrival]) -> Sequence[Arrival]:
        """At most `MAX_JUDGED` of `frames`, those first that look newer than what was taken; counts the rest."""
        kept = limit_frames(frames, self.newest_of)
        if len(kept) < len(frames):
            self.refused["flood"] += len(frames) - len(kept)
        return kept

    def _judge(self, at: float, frame: bytes, rssi_dbm: float | None) -> str | None:
        if not has_length(frame):
            return "length"
        if frame[0] != VERSION << 4:
            return "version"
        body, mac = frame[:-MAC], frame[-MAC:]
        if not any(hmac.compare_digest(mac_of(keyed, body), mac) for keyed in self._hashes_of(body[1])):
            return "mac"
        header = decode_header(body)
        stranger = header.digest == self._digest and header.sender not in self._numbers and header.sender != 0
        if stranger or header.sender > MAX_ROBOT:
            return "unknown-sender"
        if header.sender == self._me:
            return self.own.judge(at, header.stamp, mac)
        newest = self.newest_of(header.sender)
        if newest is not None and header.stamp <= newest:
            return self._refuse_old(at, header, newest)
        if not self._probation.is_proven(at, header.sender, header.stamp, known=header.sender in self._senders):
            return "unproven"
        self._accept(at, header.sender, header.stamp)
        self._waiting.append(AcceptedFrame(at, header, body[HEADER:], rssi_dbm))
        return None

    def _refuse_old(self, at: float, header: Header, newest: Stamp) -> str:
        if (header.epoch, header.counter + self._block) < newest:  # more than a restart of ours skips
            self.lagging.received_at[header.sender] = at
        return "old-epoch" if header.epoch < newest[0] else "replay"

    def _accept(self, at: float, number: int, stamp: Stamp) -> None:
        known = self._senders.get(number)
        sender = Sender(stamp, (-1, 0)) if known is None else known.take(stamp).settle(at)
        if not sender.is_covered(self._margin):
            sender = sender.reserve(at, self._block)
            self._reserve_others(at, number)
            self._version += 1
        self._senders[number] = sender

    def _reserve_others(self, at: float, number: int) -> None:
        """Extend the blocks of others that are half used too: one write then serves them all."""
        for other, sender in self._senders.items():
            (epoch, last), (taken_epoch, taken) = sender.reserved, sender.taken
            if other != number and taken_epoch == epoch and last - self._block // 2 <= taken < last:
                self._senders[other] = sender.settle(at).reserve(at, self._block)

    def _is_persisted(self, now: float, header: Header) -> bool:
        return header.stamp <= self._senders[header.sender].settle(now).persisted

    def _hashes_of(self, sender: int) -> Sequence[hashlib.blake2s]:
        """The keyed hashes under which frames of a sender are believed."""
        return self._hashes.get(sender, self._hashes[None])


class Station:
    """What a robot's radio and a base station share: the own number on the air, and what outlives the process.

    `memory()` is to be saved before the first tick, and whenever `memory_version` has grown.
    """

    _now = 0.0
    _version = 0  # grows with what a kind of station itself remembers

    def __init__(
        self, table: NumberTable, me: int, keys: Keys, team: int, memory: Json, minutes: int | None
    ) -> None:
        self._table, self._codec = table, codec_of(table)
        self._authentication = Authentication(table, me, keys, team, memory, minutes)
        self._own = self._authentication.own

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._authentication.memory_version + self._version

    def mark_persisted(self, version: object) -> None:
        """`memory()` as of that `memory_version` is on the disk; until the own epoch is, no frame bears it."""
        if version == self.memory_version:
            self._own.mark_persisted()


def keyed_hash(key: bytes, team: int) -> hashlib.blake2s:
    """The hash of nothing yet, for `mac_of`."""
    return hashlib.blake2s(key=key, digest_size=MAC, person=team.to_bytes(8, "big"))


def mac_of(keyed: hashlib.blake2s, body: bytes) -> bytes:
    """The authenticator of a frame's body."""
    digest = keyed.copy()
    digest.update(body)
    return digest.digest()

"""The simulated channel: one slow channel that all radios of a team share.

Its outcome does not depend on the order in which robots ask at one instant. A frame handed over at c begins
at s >= c, ends at e > s and is received from e on. Whether another frame meets it is settled by frames that begin
before e, hence were handed over before e; a receiver asks about it at e or later, when all of those are known.
Switches and losses that change at t hold after t. The fate of a frame on a link is a function of seed, link and
slot alone.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from radio.authentication import keyed_hash, mac_of
from radio.base_station import NUMBER as BASE
from radio.codec import Codec, Header, encode_header
from radio.framing import wrap
from radio.mock.loss import A_SLOT, Bernoulli, LossModel
from radio.pacing import STRETCH
from radio.slots import PARTS
from robotd.model.statements import Statement
from robotd.model.streams import draw
from robotd.model.table import NumberTable

BIT_RATE = 15_000.0  # on the air, bit/s: an HC-12 as delivered, at 9600 baud on its line
STRONGEST_DBM, SPREAD_DB = -40.0, 40.0  # of links in a room: metres apart, walls and bodies between
KEPT_S = 60.0  # how far back a radio that did not ask for long still receives

T = TypeVar("T")
Reaches = Callable[[int, int, float], bool]
"""(sender, receiver, time) -> whether the one is in reach of the other; a function of these alone."""
Losing = Callable[[int, int, bool], None]
"""(sender, receiver, collided) of a frame that was lost between radios that work and reach each other."""


class History(Generic[T]):
    """What a setting was at each instant. A change made at t holds for all after t, and not yet at t itself:
    so a reader at t reads the same, whether before or after `set` is called."""

    def __init__(self, first: T) -> None:
        self._times: list[float] = []
        self._values = [first]

    def set(self, value: T, now: float) -> None:
        """From `now` on, which is no earlier than any change before, the setting is `value`."""
        self._times.append(now)
        self._values.append(value)

    def at(self, time: float) -> T:
        """The setting at `time`."""
        return self._values[bisect_left(self._times, time)]


@dataclass(frozen=True, slots=True, order=True)
class Transmission:
    """Bytes on the air from `start` to `end`; `slot` numbers it on its sender's links."""

    end: float
    sender: int
    start: float
    slot: int
    data: bytes


class Beacons:
    """What a base station that does nothing else sends, authentic under `key` and `team`: a pure function of k."""

    def __init__(self, table: NumberTable, key: bytes, team: int) -> None:
        self.period = table.beat_s * STRETCH
        self._keyed, self._digest = keyed_hash(key, team), table.digest
        hundredths = math.ceil(round(table.beat_s * PARTS, 6))  # no beacon may promise less than a beat
        self._record = Codec(table).encode(Statement("beacon", (len(table.team), hundredths)))

    def frame(self, k: int) -> bytes:
        """The k-th, as it is on the air."""
        epochs, counter = divmod(k, 1 << 16)
        header = Header(BASE, 0, running=False, digest=self._digest, epoch=1 + epochs, counter=counter)
        body = encode_header(header) + self._record
        return wrap(body + mac_of(self._keyed, body))


class Channel:
    """The channel of one team. `loss` is the share of frames lost on every link at the start.

    Numbers are those of radios: a robot's own, as a rule, but a stranger or a clone has a radio too.
    """

    def __init__(
        self,
        seed: int,
        table: NumberTable,
        *,
        key: bytes,
        team: int,
        loss: float = 0.0,
        base_station: bool = False,
        bit_rate: float = BIT_RATE,
        reaches: Reaches | None = None,
        model: LossModel | None = None,
    ) -> None:
        self._base = Beacons(table, key, team) if base_station else None
        self._beacons = 0  # how many were put on the air
        self._period = table.beat_s * STRETCH  # of slots, whether or not there are beacons
        self._seed, self._bit_rate, self._reaches = seed, bit_rate, reaches
        self._model: LossModel = model if model is not None else Bernoulli(seed)
        self._loss: defaultdict[int, History[float]] = defaultdict(lambda: History(loss), {BASE: History(0.0)})
        self._on: defaultdict[int, History[bool]] = defaultdict(lambda: History(first=True))
        self._sent: list[Transmission] = []  # sorted by (end, sender)
        self._ends: list[float] = []  # of these
        self._longest = 0.0
        self._counts = dict.fromkeys(("sent", "delivered", "lost", "collided", "bytes"), 0)
        self._watchers: list[Callable[[], None]] = []
        self.on_loss: Losing | None = None  # for an onlooker that changes nothing

    def airtime(self, size: int) -> float:
        """How long `size` bytes, framing included, are on the air, s."""
        return 8.0 * size / self._bit_rate

    def switch(self, number: int, on: bool, now: float) -> None:
        """A radio (0: the base station's) works no more, or again."""
        self._on[number].set(on, now)

    def is_on(self, number: int, now: float) -> bool:
        """Whether that radio works."""
        return self._on[number].at(now)

    def set_loss(self, number: int, share: float, now: float) -> None:
        """From `now` on `share` of the frames to and from `number` is lost; a link has the greater of its two."""
        self._loss[number].set(share, now)

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` whenever something is put on the air, so that lines can wake for its arrival."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], None]) -> None:
        """No longer."""
        self._watchers.remove(watcher)

    def submit(self, now: float, sender: int, data: bytes, at: float, airtime: float | None = None) -> float:
        """Put `data` on the air at `at`, or when `sender` has sent what it had before; returns when it begins.

        It takes `airtime` seconds, or as long as its bytes do at the channel's rate.
        """
        own = [x.end for x in self._sent[self._first_after(now) :] if x.sender == sender]
        start = max([at, now, *own])
        self._count_sent(self._put(sender, data, start, airtime), 1)
        for watcher in self._watchers:
            watcher()
        return start

    def withdraw(self, now: float, sender: int) -> None:
        """Take back what `sender` has not begun to send."""
        for x in [x for x in self._sent[self._first_after(now) :] if x.sender == sender and x.start > now]:
            place = self._sent.index(x)
            del self._sent[place], self._ends[place]
            self._count_sent(x, -1)

    def arrivals(self, receiver: int, since: float, now: float) -> list[Transmission]:
        """What reaches `receiver`, of all that ended after `since` and until `now`, in order."""
        self._advance(now)
        ended = self._sent[self._first_after(since) : self._first_after(now)]
        return [x for x in ended if x.sender != receiver and self._arrives(x, receiver)]

    def rssi_dbm(self, sender: int, receiver: int) -> float:
        """How strong the one comes in at the other, dBm: the same at all times, and both ways."""
        low, high = sorted((sender, receiver))
        return round(STRONGEST_DBM - SPREAD_DB * draw(self._seed, f"robot {low}", f"strength to {high}", 0))

    def next_end(self, receiver: int, since: float) -> float | None:
        """When the next transmission of another, of those known, ends after `since`."""
        self._advance(since + self._period)
        return next((x.end for x in self._sent[self._first_after(since) :] if x.sender != receiver), None)

    def statistics(self) -> dict[str, int]:
        """Of robots' frames: sent, bytes (framing included); and on links to radios that listened: delivered,
        lost, and how many of these collided."""
        return dict(self._counts)

    def _arrives(self, x: Transmission, receiver: int) -> bool:
        collided = self._collides(x, receiver)
        sender_on, receiver_on = self._on[x.sender], self._on[receiver]
        on = sender_on.at(x.start) and sender_on.at(x.end) and receiver_on.at(x.start) and receiver_on.at(x.end)
        share = max(self._loss[x.sender].at(x.start), self._loss[receiver].at(x.start))
        reached = self._is_reached(x, receiver)
        arrives = on and reached and not collided and not self._model.loses(x.sender, receiver, x.slot, share)
        if x.sender != BASE:
            self._counts["delivered" if arrives else "lost"] += 1
            self._counts["collided"] += collided
            if self.on_loss is not None and on and reached and not arrives:
                self.on_loss(x.sender, receiver, collided)
        return arrives

    def _collides(self, x: Transmission, receiver: int) -> bool:
        """Whether another frame overlaps `x` at the receiver, be it its own: radios are half duplex."""
        stop = self._first_after(x.end + self._longest)
        for other in self._sent[self._first_after(x.start) : stop]:
            if other is x or other.start >= x.end or other.sender == x.sender:
                continue
            if self._on[other.sender].at(other.start) and self._is_reached(other, receiver):
                return True
        return False

    def _is_reached(self, x: Transmission, receiver: int) -> bool:
        return self._reaches is None or x.sender == receiver or self._reaches(x.sender, receiver, x.start)

    def _put(self, sender: int, data: bytes, start: float, airtime: float | None = None) -> Transmission:
        airtime = self.airtime(len(data)) if airtime is None else airtime
        self._longest = max(self._longest, airtime)
        k = int(start // self._period)
        earlier = [x.slot for x in self._sent[self._first_after(k * self._period) :] if x.sender == sender]
        slot = max([k * A_SLOT, *(number + 1 for number in earlier if number // A_SLOT == k)])
        transmission = Transmission(start + airtime, sender, start, slot, data)
        place = bisect_right(self._sent, transmission)
        self._sent.insert(place, transmission)
        self._ends.insert(place, transmission.end)
        return transmission

    def _advance(self, now: float) -> None:
        """Put all beacons that begin by `now` on the air, and forget what is long past."""
        if self._base is not None:
            while (self._beacons + 1) * self._base.period <= now:
                self._beacons += 1
                start = self._beacons * self._base.period
                if start > now - KEPT_S:
                    self._put(BASE, self._base.frame(self._beacons), start)
        if self._sent and self._sent[0].end < now - 2 * KEPT_S:
            past = self._first_after(now - KEPT_S)
            del self._sent[:past], self._ends[:past]

    def _first_after(self, time: float) -> int:
        return bisect_right(self._ends, time)

    def _count_sent(self, x: Transmission, sign: int) -> None:
        if x.sender != BASE:
            self._counts["sent"] += sign
            self._counts["bytes"] += sign * len(x.data)


class Channels:
    """`by_kind` holds the channel of each kind of modem; other kinds share `shared`, where there is one."""

    def __init__(self, shared: Channel | None = None, by_kind: Mapping[str, Channel] | None = None) -> None:
        self._by_kind, self._shared = dict(by_kind or {}), shared
        self._all = [*([shared] if shared is not None else []), *self._by_kind.values()]

    def of(self, kind: str) -> Channel:
        """The channel of a kind of modem; KeyError where it has none."""
        found = self._by_kind.get(kind, self._shared)
        if found is None:
            raise KeyError(f"no channel for modems of the kind {kind!r}")
        return found

    def switch(self, number: int, on: bool, now: float) -> None:
        """See `Channel.switch`."""
        for channel in self._all:
            channel.switch(number, on, now)

    def set_loss(self, number: int, share: float, now: float) -> None:
        """See `Channel.set_loss`."""
        for channel in self._all:
            channel.set_loss(number, share, now)

    def report_losses(self, to: Losing) -> None:
        """Call `to` for each frame of a robot that is lost from now on."""
        for channel in self._all:
            channel.on_loss = to

    def statistics(self) -> dict[str, int]:
        """See `Channel.statistics`: of all channels together."""
        total: Counter[str] = Counter()
        for channel in self._all:
            total.update(channel.statistics())
        return dict(total)

"""A base station: beacons that assign TDMA slots, and a bridge between radios that do not receive each other.

It is no robot: it has number 0, no board and no part in the mission, and a team works without it too, with more
collisions. Each of its radios has a channel of its own. An authentic frame received by one is repeated by all
others, verbatim, so that receivers judge it as if they had received its sender. Pure: every call is handed `now`
(own clock, s).
"""

import contextlib
import math
from collections.abc import Iterable, Sequence

from radio.authentication import AcceptedFrame, Station
from radio.codec import HEADER, MAC, Codec
from radio.contract import LATE_S, Modem
from radio.duty_cycle import Airtime, DutyCycleLimiter
from radio.framing import LONGEST
from radio.keys import Keys
from radio.regulations import SubBand
from radio.repeater import LEAD_S, Repeater
from radio.slots import PARTS, SlotPlan, plan_slots
from radio.statistics import Contact, Contacts
from robotd.model.beliefs import MOST_BEATS, Beliefs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Statement, Value
from robotd.model.table import NumberTable
from robotd.model.value import value

NUMBER = 0
MAX_STOPS = 64  # remembered, so that each is repeated at once only once


@value
class BaseRadio:
    """One radio of a base station: its name for people, its modem, the sub-band that limits it (None: none)."""

    name: str
    modem: Modem
    band: SubBand | None = None


@value
class ChannelStatus:
    """One radio's share in the work. `counts` as of `Repeater`; `held`: regulations have put some frame off."""

    name: str
    alive: bool
    held: bool
    counts: tuple[tuple[str, int], ...]
    airtime_s: float
    limit: Airtime
    contacts: tuple[Contact, ...]
    framing: tuple[tuple[str, int], ...]


@value
class BaseStatus:
    """A snapshot for people. `silent`: why nothing is sent, in words; '' where it is."""

    slot_plan: SlotPlan
    silent: str
    channels: tuple[ChannelStatus, ...]
    refused: tuple[tuple[str, int], ...]


@value
class _Memory:
    authentication: Json
    unpaced: tuple[int, ...]  # by radio: frames of the last hour that did not wait for their turn


class _Channel:
    """One radio, its repeater and the senders that it receives."""

    def __init__(self, radio: BaseRadio, repeater: Repeater) -> None:
        self.modem, self.repeater, self.contacts = radio.modem, repeater, Contacts()
        self._name = radio.name

    def status(self, now: float) -> ChannelStatus:
        """A snapshot."""
        return ChannelStatus(
            name=self._name,
            alive=self.modem.alive(now),
            held=self.repeater.held,
            counts=tuple(sorted(self.repeater.counts.items())),
            airtime_s=self.repeater.airtime_s,
            limit=self.repeater.limiter.airtime(now),
            contacts=self.contacts.by_number(),
            framing=tuple(sorted(self.modem.counts().items())),
        )


class BaseStation(Station):
    """The base station of a team. `memory` is what `memory()` returned before, None on a new one; `minutes` since
    2026-01-01, None where the clock is not set. ValueError where no beat can hold the team's slots on its radios.
    """

    def __init__(
        self,
        table: NumberTable,
        keys: Keys,
        team: int,
        radios: Sequence[BaseRadio],
        memory: Json,
        minutes: int | None,
    ) -> None:
        stored = from_plain(_Memory, memory) if memory is not None else _Memory(None, ())
        super().__init__(table, NUMBER, keys, team, stored.authentication, minutes)
        self.slot_plan = _plan_slots(table, self._codec, radios)
        self._places = places = {number: place for place, number in enumerate(sorted(table.robots))}
        self._channels = [_Channel(r, Repeater(r.modem, r.band, self.slot_plan, places)) for r in radios]
        self._unpaced = stored.unpaced
        fields = (self.slot_plan.slots, round(self.slot_plan.beat_s * PARTS))
        self._record = self._codec.encode(Statement("beacon", fields))
        self.beliefs = Beliefs(table, NUMBER)  # what robots state: for people, nothing is decided by it
        self._newest: dict[int, bytes] = {}  # by sender: the last frame taken
        self._stops: dict[tuple[Value, ...], None] = {}
        self._origin, self._next = math.inf, 1  # when beacons are counted from; the number of the next
        self._listens, self._offset_s = True, 0.0  # in the first period; what the slots that robots keep then add

    def begin(self, now: float) -> None:
        """Start: the first period is for listening, from when a radio can be used; the first beacon leaves at its
        end, or as much later as the slots that robots keep require."""
        self._origin, self._next, self._now = math.inf, 1, now
        self._listens, self._offset_s = True, 0.0
        self._await_radio(now)
        for i, channel in enumerate(self._channels):
            channel.repeater.limiter.begin(now, self._unpaced[i] if i < len(self._unpaced) else None)

    def memory(self) -> Json:
        """What must outlive the process."""
        unpaced = tuple(channel.repeater.limiter.memory() for channel in self._channels)
        return to_plain(_Memory(self._authentication.memory(), unpaced))

    def step(self, now: float) -> None:
        """Take what came, and hand over what is due; call every 0.02 s."""
        self._now = now
        self._await_radio(now)
        for channel in self._channels:
            for at, frame in self._authentication.limit(channel.modem.received(now)):
                self._receive(channel, now, at, frame)
        self._read_reports(self._authentication.take_ready(now))
        self._own.step(now, self.slot_plan.beat_s)
        if self._is_duplicate():
            for channel in self._channels:
                channel.repeater.silence()
        self._send_beacon(now)
        for channel in self._channels:
            channel.repeater.step(now)

    def _await_radio(self, now: float) -> None:
        if self._origin == math.inf and any(channel.modem.alive(now) for channel in self._channels):
            self._origin = now

    @property
    def silent(self) -> str:
        """Why nothing is sent, in words; '' where it is."""
        if self._is_duplicate():
            return "another base station of this team is on the air"
        if self._own.spent:
            return "no boot epoch is left under this team key; make a new key"
        return "" if self._own.may_sign else "its boot epoch is not saved yet"

    def status(self) -> BaseStatus:
        """A snapshot as of the last step."""
        channels = tuple(channel.status(self._now) for channel in self._channels)
        refused = tuple(sorted(self._authentication.refused.items()))
        return BaseStatus(self.slot_plan, self.silent, channels, refused)

    def _receive(self, channel: _Channel, now: float, at: float, frame: bytes) -> None:
        """Judge a frame received on `channel`, and pass it on to the others if it is new."""
        reason, sender = self._authentication.judge(at, frame), frame[1] if len(frame) > 1 else -1
        if self._listens and reason in (None, "replay", "old-epoch"):  # after a start robots' frames are refused
            self._adopt_slots(channel, at, frame)
        if reason is not None:
            if reason == "replay" and self._newest.get(sender) == frame:
                channel.repeater.note_received(sender)
            return
        self._newest[sender] = frame
        stamp = self._authentication.newest_of(sender)
        assert stamp is not None
        channel.contacts.note(at, sender, stamp, channel.modem.rssi_dbm(frame))
        channel.repeater.note_received(sender)
        urgent = self._has_new_stop(frame)
        for other in self._channels:
            if other is not channel and not (urgent and other.repeater.interrupt(now, sender, frame)):
                other.repeater.pass_on(at, sender, frame)
        self._version += urgent

    def _adopt_slots(self, channel: _Channel, at: float, frame: bytes) -> None:
        """Count beacons so that they fit the slot which the sender of a received frame uses."""
        airtime, place = channel.modem.airtime, self._places.get(frame[1])
        if place is not None and self._origin < math.inf:
            ahead_s = airtime(len(frame)) + airtime(HEADER + len(self._record) + MAC)
            head = self.slot_plan.find_head(at - ahead_s, place)
            self._offset_s = (head - self._origin) % self.slot_plan.period_s

    def _has_new_stop(self, frame: bytes) -> bool:
        """Whether the frame states a team stop that none before it did."""
        stops = [stop.fields for stop in self._codec.find_stops(frame) if stop.fields not in self._stops]
        self._stops.update(dict.fromkeys(stops))
        while len(self._stops) > MAX_STOPS:
            del self._stops[next(iter(self._stops))]
        return bool(stops)

    def _read_reports(self, frames: Iterable[AcceptedFrame]) -> None:
        """Take in what robots state, for people; and what they took of us: a station that lost its memory steps
        past that."""
        for accepted in frames:
            header, same = accepted.header, accepted.header.digest == self.beliefs.table.digest
            statements = self._codec.decode(accepted.records, same_mission=same)
            heard = Heard(accepted.at, header.sender, header.run, header.running, same, statements)
            with contextlib.suppress(OverflowError):  # more facts than a run has room for: robots report that
                self.beliefs = self.beliefs.learn([heard])
            for statement in statements:
                if statement.kind == "epoch" and statement.fields[0] == NUMBER:
                    epoch, counter = (int(value) for value in statement.fields[1:] if isinstance(value, int))
                    self._own.report(accepted.at, (epoch, counter))

    def _send_beacon(self, now: float) -> None:
        period_s = self.slot_plan.period_s
        if self._listens and now >= self._origin + period_s - LEAD_S:
            self._origin += self._offset_s
            self._listens = False
        at = self._origin + self._next * period_s
        if now < at - LEAD_S:
            return
        self._next = max(self._next, math.floor((now - self._origin) / period_s)) + 1
        late = now > at + LATE_S
        at = max(at, now)
        free = [channel.repeater for channel in self._channels if channel.repeater.can_beacon(now, at)]
        if not free or late or self.silent:
            return
        frame = self._authentication.sign(self._record)
        for repeater in free:
            repeater.beacon(now, at, frame)

    def _is_duplicate(self) -> bool:
        return self._own.is_duplicate(self._now, self.slot_plan.beat_s)


def _plan_slots(table: NumberTable, codec: Codec, radios: Sequence[BaseRadio]) -> SlotPlan:
    """The slots that the slowest of the radios can hold; ValueError where none can."""
    if not radios:
        raise ValueError("a base station needs a radio")
    size = HEADER + codec.size("beacon") + MAC
    frame_s = max(radio.modem.airtime(LONGEST) for radio in radios)
    beacon_s = max(radio.modem.airtime(size) for radio in radios)
    legal_s = 0.0
    for radio in radios:
        period_s = DutyCycleLimiter(radio.band, radio.modem.airtime(LONGEST), table.beat_s).period_s
        if period_s == math.inf and radio.band is not None:
            raise ValueError(f"{radio.name}: {radio.band.words} permits no frame of {frame_s:.3g} s")
        legal_s = max(legal_s, period_s)
    plan = plan_slots(len(table.robots), table.beat_s, frame_s, beacon_s, legal_s)
    most_s = MOST_BEATS * table.beat_s
    if plan.beat_s > most_s:
        raise ValueError(f"{plan.why}: a beat of {plan.beat_s:g} s; robots follow none above {most_s:g} s")
    return plan

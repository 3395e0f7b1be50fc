"""A base station: beacons that slice the channel, and a bridge between radios that do not hear each other.

It is no robot: it has number 0, no board and no say in the mission, and a team does without it whatever it does
with it, only less well. Each of its radios heads an air of its own. An authentic frame that comes in by one is
repeated by all others, verbatim, so that receivers judge it as if they had heard its sender. Pure: every call is
handed `now` (own clock, s).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from radio.authentication import MAC, Authentication
from radio.codec import HEADER, Codec, Header, encode_header
from radio.contract import LATE_S, Modem
from radio.duty_cycle import Airtime, DutyCycleLimiter
from radio.framing import LONGEST
from radio.keys import Keys
from radio.link import STEP_BEATS
from radio.regulations import SubBand
from radio.repeater import LEAD_S, Repeater
from radio.reservation import Stamp
from radio.slot_phase import SlotPhaseEstimator
from radio.slots import PARTS, SlotPlan, plan_slots
from radio.statistics import Contact
from robotd.model.beliefs import MOST_BEATS, silence_s
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Statement, Value
from robotd.model.table import NumberTable

NUMBER = 0
STOPS = 64  # remembered, so that each is repeated at once but once

Stop = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class BaseRadio:
    """One radio of a base station: its name for people, its modem, and the law that limits it (None: none)."""

    name: str
    modem: Modem
    band: SubBand | None = None


@dataclass(frozen=True, slots=True)
class AirStatus:
    """One radio's share in the work. `counts` as of `Repeater`; `held`: the law has put some frame off."""

    name: str
    alive: bool
    held: bool
    counts: tuple[tuple[str, int], ...]
    airtime_s: float
    law: Airtime
    heard: tuple[Contact, ...]
    framing: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class BaseStatus:
    """A snapshot for people. `silent`: why nothing is sent, in words; '' where it is."""

    slot_plan: SlotPlan
    silent: str
    airs: tuple[AirStatus, ...]
    refused: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Memory:
    authentication: Json
    unpaced: tuple[int, ...]  # by radio: frames of the last hour that did not wait for their turn
    lag_s: float | None  # see `SlotPhaseEstimator`


class BaseStation:
    """The base station of a team. `memory` is what `memory()` gave before, None on a new one; `minutes` since
    2026-01-01, None where the clock is not set. Save `memory()` before the first step, and whenever
    `memory_version` has grown. ValueError where no beat can hold the team's slots on these radios.
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
        stored = from_plain(_Memory, memory) if memory is not None else _Memory(None, (), None)
        self._table, self._radios, self._codec = table, tuple(radios), Codec(table)
        self._authentication = Authentication(table, NUMBER, keys, team, stored.authentication, minutes)
        self.slot_plan = _plan_slots(table, self._codec, radios)
        self._places = places = {number: place for place, number in enumerate(sorted(table.robots))}
        self._airs = [Repeater(radio.modem, radio.band, self.slot_plan, places) for radio in radios]
        self._unpaced = stored.unpaced
        fields = (self.slot_plan.slots, round(self.slot_plan.beat_s * PARTS))
        self._record = self._codec.encode(Statement("beacon", fields))
        self._contacts: list[dict[int, Contact]] = [{} for _ in radios]
        self._newest: dict[int, bytes] = {}  # by sender: the last frame taken
        self._stops: dict[Stop, None] = {}
        self._version = 0
        self._ahead: tuple[float, Stamp] | None = None  # what robots took under our number, and since when we know
        self._origin, self._next, self._now = math.inf, 1, 0.0
        self._phase = SlotPhaseEstimator(self.slot_plan, stored.lag_s)
        self._listens = True  # until the phase of the beacons is found

    def begin(self, now: float) -> None:
        """Start: a period is listened for from when a radio can be used; the first beacon leaves then, or as much
        later as robots' slots ask."""
        self._origin, self._next, self._now = math.inf, 1, now
        self._listens = True
        self._await_radio(now)
        for i, air in enumerate(self._airs):
            air.begin(now, self._unpaced[i] if i < len(self._unpaced) else None)

    def memory(self) -> Json:
        """What must outlive the process."""
        unpaced = tuple(air.memory() for air in self._airs)
        return to_plain(_Memory(self._authentication.memory(), unpaced, self._phase.lag_s))

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._authentication.memory_version + self._version

    def mark_persisted(self, version: object) -> None:
        """`memory()` as of that `memory_version` is on the disk; until the own epoch is, no beacon is sent."""
        if version == self.memory_version:
            self._authentication.mark_persisted()

    def step(self, now: float) -> None:
        """Take what came, and hand over what is due; call every 0.02 s."""
        self._now = now
        self._await_radio(now)
        for i, radio in enumerate(self._radios):
            for at, frame in self._authentication.choose(radio.modem.received(now)):
                self._hear(i, now, at, frame)
        self._heed(now)
        if self._is_duplicate():
            for air in self._airs:
                air.silence()
        self._beacon(now)
        for air in self._airs:
            air.step(now)

    def _await_radio(self, now: float) -> None:
        if self._origin == math.inf and any(radio.modem.alive(now) for radio in self._radios):
            self._origin = now

    @property
    def silent(self) -> str:
        """Why nothing is sent, in words; '' where it is."""
        if self._is_duplicate():
            return "another base station of this team is on the air"
        if self._authentication.spent:
            return "no boot epoch is left under this team key; make a new key"
        return "" if self._authentication.may_sign else "its boot epoch is not saved yet"

    def status(self) -> BaseStatus:
        """A snapshot as of the last step."""
        airs = tuple(self._air_status(i) for i in range(len(self._radios)))
        return BaseStatus(self.slot_plan, self.silent, airs, tuple(sorted(self._authentication.refused.items())))

    def _air_status(self, i: int) -> AirStatus:
        radio, air, contacts = self._radios[i], self._airs[i], self._contacts[i]
        return AirStatus(
            name=radio.name,
            alive=radio.modem.alive(self._now),
            held=air.held,
            counts=tuple(sorted(air.counts.items())),
            airtime_s=air.airtime_s,
            law=air.airtime(self._now),
            heard=tuple(contacts[number] for number in sorted(contacts)),
            framing=tuple(sorted(radio.modem.counts().items())),
        )

    def _hear(self, i: int, now: float, at: float, frame: bytes) -> None:
        """Judge a frame that radio `i` received, and pass it on to the others if it is new."""
        reason = self._authentication.judge(at, frame)
        if reason is None or (self._listens and reason in ("replay", "old-epoch")):
            self._place(i, at, frame)  # just after a start some frames of our own robots are refused
        if reason is not None:
            if reason == "replay" and self._newest.get(frame[1]) == frame:
                self._airs[i].heard(frame[1])
            return
        sender = frame[1]
        self._newest[sender] = frame
        self._meet(i, at, sender, frame)
        self._airs[i].heard(sender)
        others = [air for j, air in enumerate(self._airs) if j != i]
        urgent = self._stops_anew(frame)
        for air in others:
            if not (urgent and air.interrupt(now, sender, frame)):
                air.pass_on(at, sender, frame)
        self._version += urgent

    def _place(self, i: int, at: float, frame: bytes) -> None:
        """A frame of a robot came in by radio `i`: it tells where the robot's slot lies."""
        airtime, place = self._radios[i].modem.airtime, self._places.get(frame[1])
        if place is not None and self._origin < math.inf:
            ahead_s = airtime(len(frame)) + airtime(HEADER + len(self._record) + MAC)
            self._phase.hear(at - ahead_s - self._origin, place)

    def _meet(self, i: int, at: float, sender: int, frame: bytes) -> None:
        stamp = self._authentication.newest_of(sender)
        assert stamp is not None
        known = self._contacts[i].get(sender, Contact(sender, 0, at))
        self._contacts[i][sender] = known.met(at, stamp, self._radios[i].modem.rssi_dbm(frame))

    def _stops_anew(self, frame: bytes) -> bool:
        """Whether the frame states a team stop that none before it did."""
        said = self._codec.decode(frame[HEADER:-MAC], same_mission=False, skipped=Counter())
        fresh = [s.fields for s in said if s.kind == "stop" and s.fields not in self._stops]
        for stop in fresh:
            self._stops[stop] = None
        while len(self._stops) > STOPS:
            del self._stops[next(iter(self._stops))]
        return bool(fresh)

    def _heed(self, now: float) -> None:
        """Step past what robots say that they took of us: a station that lost its memory lags behind that."""
        for taken in self._authentication.ready(now):
            for said in self._codec.decode(taken.records, same_mission=False, skipped=Counter()):
                if said.kind == "epoch" and said.fields[0] == NUMBER:
                    epoch, counter = (int(value) for value in said.fields[1:] if isinstance(value, int))
                    self._authentication.tell((epoch, counter))
                    if self._authentication.is_ahead((epoch, counter)) and self._ahead is None:
                        self._ahead = (taken.at, (epoch, counter))
        if self._ahead is None:
            return
        since = max(self._ahead[0], self._authentication.contested_at)
        if now >= since + STEP_BEATS * self.slot_plan.beat_s:
            if not self._is_duplicate():
                self._authentication.step_past(self._ahead[1])
            self._ahead = None

    def _beacon(self, now: float) -> None:
        if self._listens and now >= self._origin + self.slot_plan.period_s - LEAD_S:
            self._origin += self._phase.found()
            self._listens = False
        at = self._origin + self._next * self.slot_plan.period_s
        if now < at - LEAD_S:
            return
        self._phase.follow()
        self._next = max(self._next, math.floor((now - self._origin) / self.slot_plan.period_s)) + 1
        late = now > at + LATE_S
        at = max(at, now)
        free = [air for air in self._airs if air.can_beacon(now, at)]
        if not free or late or self.silent:
            return
        epoch, counter = self._authentication.stamp()
        header = Header(NUMBER, run=0, running=False, digest=self._table.digest, epoch=epoch, counter=counter)
        frame = self._authentication.seal(encode_header(header) + self._record)
        for air in free:
            air.beacon(now, at, frame)

    def _is_duplicate(self) -> bool:
        at = self._authentication.duplicate_at
        return at is not None and self._now <= at + silence_s(self.slot_plan.beat_s)


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
    sliced = plan_slots(len(table.robots), table.beat_s, frame_s, beacon_s, legal_s)
    if sliced.beat_s > MOST_BEATS * table.beat_s:
        most_s = MOST_BEATS * table.beat_s
        raise ValueError(f"{sliced.why}: a beat of {sliced.beat_s:g} s; robots follow none above {most_s:g} s")
    return sliced

"""One robot's radio: codec, authentication, pacing, team stop and a modem behind what the tick calls.

Pure: every call is handed `now` (own clock, s). The modem does its own waiting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from radio.authentication import MAC, Authentication, Taken
from radio.codec import HEADER, Codec, Header, encode_header
from radio.contract import Modem
from radio.duty_cycle import DutyCycleLimiter
from radio.framing import LONGEST
from radio.keys import Keys
from radio.memory import RadioMemory, read_memory
from radio.outbox import Outbox
from radio.pacing import Pacing
from radio.regulations import SubBand
from radio.reservation import Stamp
from radio.statistics import Contact, RadioStatistics
from radio.team_stop import Stop, TeamStop
from robotd.model.beliefs import Beliefs, silence_s
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.streams import Stream
from robotd.model.table import NumberTable

BASE_STATION = "base-station"  # its name, where people name senders
STEP_BEATS = 1.5  # a robot with our number that still lives is heard within a beat; then we do not step past it
ALARMS = 3  # frames in which a robot that falls silent says that its number is taken, for the other to stop too
STRENGTH_S = 1.0  # a frame is taken half a second after its arrival at the latest
_FLIGHTS = 4  # composed frames remembered until the modem says which left: one regular, one stop, and their next


@dataclass(frozen=True, slots=True)
class _Flight:
    """A frame handed to the modem, as hexadecimal, and its statements as rounded on the air."""

    frame: str
    statements: tuple[Statement, ...]
    paced: bool


@dataclass(slots=True)
class _State:
    now: float = 0.0
    flights: tuple[_Flight, ...] = ()
    left: tuple[Sent, ...] = ()
    contacts: Mapping[int, Contact] = field(default_factory=dict)
    mismatched: Mapping[int, float] = field(default_factory=dict)  # sender: last heard with another table
    doubt: str = ""  # why a team stop may have been lost, in words
    doubts: int = 0  # changes of it
    ahead: Stamp | None = None  # what teammates say that they took under our number, past our own
    ahead_since: float = 0.0
    told_at: Mapping[int, float] = field(default_factory=dict)  # sender: when we last stated its epoch
    alarms: int = 0  # sent since the number was last found to be taken
    sent: int = 0
    bytes_sent: int = 0
    airtime_s: float = 0.0
    skipped: Mapping[str, int] = field(default_factory=dict)


class Radio:
    """Robot number `me`'s voice and ears. `team` is the number that keeps teams apart.

    `memory` is what `memory()` gave before, None on a new robot; `minutes` since 2026-01-01, None where the clock
    is not set; `band` the law that limits the transmitter, None where none does. Save `memory()` before the first
    tick, and after every tick that changed `memory_version`.
    """

    def __init__(
        self,
        table: NumberTable,
        me: int,
        keys: Keys,
        team: int,
        modem: Modem,
        phase: Stream,
        memory: Json,
        minutes: int | None,
        band: SubBand | None = None,
        doubt: str = "",
    ) -> None:
        if me not in table.robots:
            raise ValueError(f"the mission's number table holds no robot {me}")
        stored = read_memory(memory)
        self._table, self._me, self._modem = table, me, modem
        self._codec = Codec(table)
        self._authentication = Authentication(table, me, keys, team, stored.authentication, minutes)
        self._limiter = DutyCycleLimiter(band, modem.airtime(LONGEST), table.beat_s)
        self._pacing = Pacing(table.beat_s, sorted(table.robots).index(me), phase, self._limiter)
        self._unpaced = stored.unpaced
        self._state = _State(doubt=doubt or stored.doubt)
        self._stop = TeamStop(stored.stop)
        self._outbox = Outbox(table, self._codec)
        self._given: Sequence[Statement] | None = None
        self._snapshot: RadioStatistics | None = None
        self._rssi: dict[tuple[float, int], float] = {}  # dBm, by (arrival, claimed sender), until taken

    def begin(self, now: float) -> None:
        """Start: the first frame leaves a beat later at the earliest, whatever a former life sent."""
        self._state.now = now
        self._pacing.begin(now, self._unpaced)

    def memory(self) -> Json:
        """What must outlive the process."""
        parts = self._authentication.memory(), self._stop.memory(), self._limiter.memory()
        return to_plain(RadioMemory(*parts, self._state.doubt))

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._authentication.memory_version + self._stop.memory_version + self._state.doubts

    def mark_persisted(self, version: object) -> None:
        """`memory()` as of that `memory_version` is on the disk; until the own epoch is, no frame bears it."""
        if version == self.memory_version:
            self._authentication.mark_persisted()

    def heard(self, now: float) -> tuple[Heard, ...]:
        """The authentic frames since the last call, by (time, sender).

        The first frame of a reserved block comes up to half a second after its arrival, which `at` still tells.
        """
        self._state.now = now
        for at, frame in self._authentication.choose(self._modem.received(now)):
            rssi_dbm = self._modem.rssi_dbm(frame)
            if rssi_dbm is not None:
                self._rssi[at, frame[1]] = rssi_dbm
            if self._authentication.judge(at, frame) == "unproven":
                self._obey_stop(frame)
            self._snapshot = None
        heard = tuple([self._take(taken) for taken in self._authentication.ready(now)])
        if self._rssi:
            self._rssi = {key: dbm for key, dbm in self._rssi.items() if key[0] > now - STRENGTH_S}
        self._step_past(now)
        if heard:
            self._snapshot = None
        return heard

    def sent(self, now: float) -> tuple[Sent, ...]:
        """Own frames that left since the last call, as rounded on the air, by time."""
        self._collect(now)
        left, self._state.left = self._state.left, ()
        return left

    def say(self, now: float, statements: Sequence[Statement] | None, beliefs: Beliefs) -> None:
        """Call at every tick; composes and hands over the frame whose instant comes before the next tick.

        `statements` are all that the robot states from now on: what is not among them is no longer said. None, or
        the very sequence of the last call, changes nothing. StatementRefusedError as `Outbox.state`.
        """
        self._state.now = now
        if self._state.flights:
            self._collect(now)
        if statements is not None and statements is not self._given:
            self._outbox.state(now, statements)
            self._given = statements
        if not self._pacing.is_due(now) or not self._authentication.may_sign:
            return
        at = self._pacing.take(now)
        if at is not None and self._may_speak():
            self._send(now, at, beliefs, paced=True)

    def stop_team(self, now: float, beliefs: Beliefs) -> None:
        """Stop every robot of the team: said at once, outside slot and pacing, then until acknowledged.

        Where the law leaves no airtime for that, it is said in the next frame.
        """
        self._state.now = now
        epoch, _ = self._authentication.current
        ordered = self._stop.order(now, self._me, epoch, self._table.beat_s)
        if ordered and self._limiter.may_interrupt(now):
            self._send(now, now, beliefs, paced=False)

    def acknowledge_stop(self, now: float) -> None:
        """People acknowledge the team stop on this robot."""
        self._state.now = now
        self._stop.acknowledge()
        if self._state.doubt:
            self._state.doubt, self._state.doubts = "", self._state.doubts + 1

    def forget(self, names: Sequence[str]) -> None:
        """People ask to take the next authentic frame of these senders, whatever was taken of them before."""
        numbers = {member.name: member.number for member in self._table.team} | {BASE_STATION: 0}
        for name in names:
            if name in numbers:
                self._authentication.forget(numbers[name])

    @property
    def stopped_by(self) -> Stop | None:
        """(robot number, stop number) of the team stop that holds here, or None."""
        return self._stop.stopped_by

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """What is wrong now, as (fault, detail), by fault; of one fault by the number of whom it is about."""
        found = [("state-lost", self._state.doubt)] if self._state.doubt else []
        if self._is_duplicate():
            found.append(("duplicate-id", f"another robot sends as {self._name(self._me)}; this one is silent"))
        if self._authentication.spent:
            found.append(("epochs-spent", "no boot epoch is left under this team key; make a new key"))
        for number in sorted(self._state.mismatched):
            if self._is_recent(self._state.mismatched[number]):
                found.append(("mission-mismatch", f"{self._name(number)} runs another mission file"))
        if self._pacing.is_held:
            found.append(("airtime-limited", self._limit()))
        return tuple(sorted(found, key=lambda fault: fault[0]))  # by name; of one, by number

    def _limit(self) -> str:
        """What the law leaves, in words."""
        airtime = self._limiter.airtime(self._state.now)
        if airtime.period_s == math.inf:
            return f"{airtime.band} permits no frame of {self._modem.airtime(LONGEST):.3g} s: nothing is sent"
        beat_s = self._table.beat_s
        return f"{airtime.band} permits a frame every {airtime.period_s:.1f} s, not every {beat_s:g} s"

    @property
    def advice(self) -> str:
        """What a person should change about the modem, in words; '' if nothing."""
        return self._modem.advice(len(self._table.team), self._table.beat_s)

    @property
    def statistics(self) -> RadioStatistics:
        """A snapshot as of the last call; the same one while nothing changed."""
        known, now = self._snapshot, self._state.now
        if (
            known is None
            or known.pending != self._outbox.pending
            or known.alive != self._modem.alive(now)
            or known.pacing != self._pacing.mode(now)
        ):
            self._snapshot = known = self._count()
        return known

    def _count(self) -> RadioStatistics:
        state = self._state
        return RadioStatistics(
            alive=self._modem.alive(state.now),
            pacing=self._pacing.mode(state.now),
            sent=state.sent,
            bytes_sent=state.bytes_sent,
            airtime_s=state.airtime_s,
            law=self._limiter.airtime(state.now),
            pending=self._outbox.pending,
            heard=tuple(state.contacts[number] for number in sorted(state.contacts)),
            refused=tuple(sorted(self._authentication.refused.items())),
            skipped=tuple(sorted(state.skipped.items())),
            framing=tuple(sorted(self._modem.counts().items())),
        )

    def freeze(self) -> Json:
        """The whole state but the modem's."""
        parts = (self._authentication, self._pacing, self._stop, self._outbox)
        return [to_plain(self._state), *(part.freeze() for part in parts)]

    def thaw(self, state: Json) -> None:
        """Take up a frozen state."""
        assert isinstance(state, list | tuple)
        own, authentication, pacing, stop, outbox = state
        self._state = from_plain(_State, own)
        self._authentication.thaw(authentication)
        self._pacing.thaw(pacing)
        self._stop.thaw(stop)
        self._outbox.thaw(outbox)
        self._given = None

    def _take(self, taken: Taken) -> Heard:
        state, header = self._state, taken.header
        same = header.digest == self._table.digest
        skipped = Counter(state.skipped)
        statements = self._codec.decode(taken.records, same_mission=same, skipped=skipped)
        state.skipped = dict(skipped)
        state.contacts = {**state.contacts, header.sender: self._met(taken)}
        mismatched = {number: at for number, at in state.mismatched.items() if number != header.sender}
        state.mismatched = mismatched if same or header.sender == 0 else {**mismatched, header.sender: taken.at}
        for statement in statements:
            self._obey(taken.at, header.sender, statement)
        return Heard(taken.at, header.sender, header.run, header.running, same, statements)

    def _obey_stop(self, frame: bytes) -> None:
        """Of an authentic frame that may be a recording a stop holds all the same: that is safe."""
        for statement in self._codec.decode(frame[HEADER:-MAC], same_mission=False, skipped=Counter()):
            if statement.kind == "stop":
                self._stop.hear(statement)

    def _met(self, taken: Taken) -> Contact:
        """The sender of a frame, as known with that frame."""
        header = taken.header
        known = self._state.contacts.get(header.sender, Contact(header.sender, 0, taken.at))
        strength_dbm = self._rssi.get((taken.at, header.sender))
        return known.met(taken.at, (header.epoch, header.counter), strength_dbm)

    def _obey(self, at: float, sender: int, statement: Statement) -> None:
        """What the radio itself does about what it hears."""
        numbers = [int(value) for value in statement.fields if isinstance(value, int)]
        if statement.kind == "stop":
            self._stop.hear(statement)
        elif statement.kind == "beacon" and sender == 0:
            self._pacing.beacon(at, numbers[0], numbers[1] / 100.0)
        elif statement.kind == "epoch" and numbers[0] == self._me:
            stamp = (numbers[1], numbers[2])
            self._authentication.tell(stamp)
            if self._authentication.is_ahead(stamp) and self._state.ahead is None:
                self._state.ahead, self._state.ahead_since = stamp, at
                self._suspect_state()

    def _suspect_state(self) -> None:
        """Teammates took frames of this robot that its stored state does not know: the state is an older copy."""
        if self._authentication.distrust() and not self._state.doubt:
            self._state.doubt = "its state is older than its last life (restored from a backup?)"
            self._state.doubts += 1

    def _step_past(self, now: float) -> None:
        state = self._state
        waits_since = max(state.ahead_since, self._authentication.contested_at)
        if state.ahead is None or now < waits_since + STEP_BEATS * self._pacing.beat_s(now):
            return
        if not self._is_duplicate():
            self._authentication.step_past(state.ahead)
        state.ahead = None

    def _send(self, now: float, at: float, beliefs: Beliefs, *, paced: bool) -> None:
        if not self._authentication.may_sign or not self._modem.alive(now):
            return
        records = self._outbox.pack(at, self._urgent(at), beliefs)
        epoch, counter = self._authentication.stamp()
        header = Header(self._me, beliefs.run, beliefs.running, self._table.digest, epoch, counter)
        frame = self._authentication.seal(encode_header(header) + b"".join(records))
        flight = _Flight(frame.hex(), self._codec.rounded(records), paced)
        self._state.flights = (*self._state.flights, flight)[-_FLIGHTS:]
        self._modem.send(now, frame, at)

    def _urgent(self, at: float) -> list[Statement]:
        """The radio's own statements: the stop that holds, and the stamp of one sender that lags behind its own.

        One such sender a frame, by turns, so that recordings played on the air cannot crowd out the activity.
        """
        stop = self._stop.statement
        urgent = [stop] if stop is not None else []
        if self._is_duplicate():  # the other has sent no such frame, and so takes it for no recording
            return [*urgent, Statement("epoch", (self._me, *self._authentication.current))]
        told = self._state.told_at
        behind = [number for number, last in self._authentication.behind.items() if self._is_recent(last)]
        if behind:
            number = min(behind, key=lambda number: (told.get(number, -1.0), number))
            stamp = self._authentication.newest_of(number)
            assert stamp is not None
            urgent.append(Statement("epoch", (number, *stamp)))
            self._state.told_at = {**told, number: at}
        return urgent

    def _collect(self, now: float) -> None:
        state = self._state
        for at, frame in self._modem.left(now):
            hexed = frame.hex()
            place = next((i for i, flight in enumerate(state.flights) if flight.frame == hexed), None)
            if place is None:
                continue
            flight = state.flights[place]
            state.flights = state.flights[place + 1 :]  # what was handed over before it was replaced
            state.left += (Sent(at, flight.statements),)
            state.sent += 1
            state.bytes_sent += len(frame)
            airtime_s = self._modem.airtime(len(frame))
            state.airtime_s += airtime_s
            self._snapshot = None
            self._pacing.left(at, airtime_s, paced=flight.paced)

    def _is_duplicate(self) -> bool:
        at = self._authentication.duplicate_at
        return at is not None and self._is_recent(at)

    def _may_speak(self) -> bool:
        """A robot whose number is taken is silent, but for some frames that show the other that it is there."""
        state = self._state
        if not self._is_duplicate():
            state.alarms = 0
            return not self._is_contested()
        state.alarms += 1
        return state.alarms <= ALARMS

    def _is_contested(self) -> bool:
        """Whether a robot alive seems to send under our number: one frame of ours more would teach nothing."""
        return self._authentication.is_told and self._is_recent(self._authentication.contested_at)

    def _is_recent(self, at: float) -> bool:
        now = self._state.now
        return now <= at + silence_s(self._pacing.beat_s(now))

    def _name(self, number: int) -> str:
        return f"{self._table.name(number)} (number {number})"

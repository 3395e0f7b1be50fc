"""One robot's radio: codec, authentication, pacing, team stop and a modem behind what the tick calls.

Pure: every call is handed `now` (own clock, s). The modem does its own waiting.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from radio.authentication import AcceptedFrame, Station
from radio.contract import Modem
from radio.duty_cycle import DutyCycleLimiter
from radio.flights import Flight, Flights
from radio.framing import LONGEST
from radio.keys import Keys
from radio.outbox import Outbox
from radio.pacing import Pacing
from radio.regulations import SubBand
from radio.statistics import Contacts, RadioStatistics
from radio.team_stop import Stop, TeamStop
from robotd.model.beliefs import Beliefs, silence_s
from robotd.model.plain import OMIT_DEFAULT, Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.streams import Stream
from robotd.model.table import NumberTable
from robotd.model.value import value

BASE_STATION = "base-station"  # its name, where people name senders


@value
class RadioMemory:
    """What a radio keeps over a restart: states of the parts, and of the whole."""

    authentication: Json
    stop: Json
    unpaced: int | None = field(default=None, metadata=OMIT_DEFAULT)  # frames of the hour that did not wait
    doubt: str = field(default="", metadata=OMIT_DEFAULT)  # why a stop may be lost, until people acknowledge it


class Radio(Station):
    """The radio of robot `me`. `team` is the number that keeps teams apart.

    `memory` is what `memory()` returned before, None on a new robot; `minutes` since 2026-01-01, None where the
    clock is not set; `band` the sub-band whose regulations limit the transmitter, None where none do; `doubt` why
    a team stop may have been lost, in words. ValueError for a number that the table does not hold.
    """

    _stated: Sequence[Statement] | None = None
    _snapshot: RadioStatistics | None = None

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
        stored = from_plain(RadioMemory, memory) if memory is not None else RadioMemory(None, None)
        super().__init__(table, me, keys, team, stored.authentication, minutes)
        self._me, self._modem = me, modem
        self._limiter = DutyCycleLimiter(band, modem.airtime(LONGEST), table.beat_s)
        self._pacing = Pacing(table.beat_s, sorted(table.robots).index(me), phase, self._limiter)
        self._unpaced = stored.unpaced
        self._stop = TeamStop(stored.stop)
        self._outbox = Outbox(table, self._codec)
        self._flights = Flights(modem)
        self._contacts = Contacts()
        self._doubt = doubt or stored.doubt  # in words
        self._skipped: Counter[str] = Counter()

    def begin(self, now: float) -> None:
        """Start: the first frame leaves a beat later at the earliest, whatever a former life sent."""
        self._now = now
        self._pacing.begin(now, self._unpaced)

    def memory(self) -> Json:
        """What must outlive the process."""
        parts = self._authentication.memory(), self._stop.memory(), self._limiter.memory()
        return to_plain(RadioMemory(*parts, self._doubt))

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved."""
        return self._authentication.memory_version + self._version + self._stop.memory_version

    def receive(self, now: float) -> tuple[Heard, ...]:
        """The authentic frames since the last call, by (time, sender).

        The first frame of a reserved block is returned up to half a second after its arrival, which `at` still is.
        """
        self._now = now
        for at, frame in self._authentication.limit(self._modem.received(now)):
            if self._authentication.judge(at, frame, self._modem.rssi_dbm(frame)) == "unproven":
                for stop in self._codec.find_stops(frame):  # in a recording too: that is safe
                    self._stop.obey(stop)
            self._snapshot = None
        received = tuple([self._read(accepted) for accepted in self._authentication.take_ready(now)])
        self._own.step(now, self._pacing.beat_s(now))
        if self._own.is_outdated and self._authentication.distrust() and not self._doubt:
            self._set_doubt("its state is older than its last life (a backup?), or a second robot has its number")
        if received:
            self._snapshot = None
        return received

    def take_sent(self, now: float) -> tuple[Sent, ...]:
        """Own frames that left since the last call, as rounded on the air, by time."""
        self._collect(now)
        return self._flights.take_sent()

    def transmit(self, now: float, statements: Sequence[Statement] | None, beliefs: Beliefs) -> None:
        """Call at every tick; composes and hands over the frame whose instant comes before the next tick.

        `statements` are all that the robot states from now on: what is not among them is no longer sent. None, or
        the very sequence of the last call, changes nothing. StatementRefusedError as `Outbox.state`.
        """
        self._now = now
        if self._flights:
            self._collect(now)
        if statements is not None and statements is not self._stated:
            self._outbox.state(now, statements)
            self._stated = statements
        if not self._pacing.is_due(now) or not self._own.may_sign:
            return
        at = self._pacing.take(now)
        if at is not None and self._own.may_send(now, self._pacing.beat_s(now)):
            self._send(now, at, beliefs, paced=True)

    def stop_team(self, now: float, beliefs: Beliefs) -> None:
        """Stop every robot of the team: sent at once, outside slot and pacing, then until acknowledged.

        Where the regulations leave no airtime for that, it is sent in the next frame.
        """
        self._now = now
        ordered = self._stop.order(now, self._me, self._own.epoch, self._table.beat_s)
        if ordered and self._limiter.may_interrupt(now):
            self._send(now, now, beliefs, paced=False)

    def acknowledge_stop(self, now: float) -> None:
        """People acknowledge the team stop on this robot."""
        self._now = now
        self._stop.acknowledge()
        self._set_doubt("")

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
        """What is wrong now, as (fault, detail), by fault; of one fault by the number of the robot it is about."""
        found = [("state-lost", self._doubt)] if self._doubt else []
        if self._is_duplicate():
            found.append(("duplicate-id", f"another robot sends as {self._name(self._me)}; this one is silent"))
        if self._own.spent:
            found.append(("epochs-spent", "no boot epoch is left under this team key; make a new key"))
        for number in self._contacts.find_mismatched(self._is_recent):
            found.append(("mission-mismatch", f"{self._name(number)} runs another mission file"))
        if self._pacing.is_held:
            found.append(("airtime-limited", self._limiter.format_limit(self._now)))
        return tuple(sorted(found, key=lambda fault: fault[0]))  # by name; of one, by number

    @property
    def advice(self) -> str:
        """What a person should change about the modem, in words; '' if nothing."""
        return self._modem.advice(len(self._table.team), self._table.beat_s)

    @property
    def statistics(self) -> RadioStatistics:
        """A snapshot as of the last call; the same one while nothing changed."""
        known, now = self._snapshot, self._now
        live = (self._outbox.pending, self._modem.alive(now), self._pacing.mode(now))
        if known is None or (known.pending, known.alive, known.pacing) != live:
            self._snapshot = known = self._count()
        return known

    def _count(self) -> RadioStatistics:
        return RadioStatistics(
            alive=self._modem.alive(self._now),
            pacing=self._pacing.mode(self._now),
            sent=self._flights.frames,
            bytes_sent=self._flights.bytes,
            airtime_s=self._flights.airtime_s,
            limit=self._limiter.airtime(self._now),
            pending=self._outbox.pending,
            contacts=self._contacts.by_number(),
            refused=tuple(sorted(self._authentication.refused.items())),
            skipped=tuple(sorted(self._skipped.items())),
            framing=tuple(sorted(self._modem.counts().items())),
        )

    def _read(self, accepted: AcceptedFrame) -> Heard:
        """What an accepted frame states; the radio's own statements in it are obeyed."""
        header, at = accepted.header, accepted.at
        same = header.digest == self._table.digest
        statements = self._codec.decode(accepted.records, same_mission=same, skipped=self._skipped)
        self._contacts.note(at, header.sender, header.stamp, accepted.rssi_dbm, same_mission=same)
        for statement in statements:
            self._obey(at, header.sender, statement)
        return Heard(at, header.sender, header.run, header.running, same, statements)

    def _obey(self, at: float, sender: int, statement: Statement) -> None:
        """What the radio itself does about a statement."""
        numbers = [int(value) for value in statement.fields if isinstance(value, int)]
        if statement.kind == "stop":
            self._stop.obey(statement)
        elif statement.kind == "beacon" and sender == 0:
            self._pacing.follow_beacon(at, numbers[0], numbers[1] / 100.0)
        elif statement.kind == "epoch" and numbers[0] == self._me:
            self._own.report(at, (numbers[1], numbers[2]))

    def _set_doubt(self, doubt: str) -> None:
        if doubt != self._doubt:
            self._doubt = doubt
            self._version += 1

    def _send(self, now: float, at: float, beliefs: Beliefs, *, paced: bool) -> None:
        if not self._own.may_sign or not self._modem.alive(now):
            return
        records = self._outbox.pack(at, self._urgent(at), beliefs)
        frame = self._authentication.sign(b"".join(records), beliefs.run, running=beliefs.running)
        self._flights.hand_over(now, at, Flight(frame, self._codec.round(records), paced))

    def _urgent(self, at: float) -> list[Statement]:
        """The radio's own statements: the stop that holds, and the stamp of one sender that lags behind its own.

        One such sender a frame, by turns, so that recordings played on the air cannot crowd out the activity.
        """
        stop = self._stop.statement
        urgent = [stop] if stop is not None else []
        if self._is_duplicate():  # the other has sent no such frame, and so takes it for no recording
            return [*urgent, Statement("epoch", (self._me, *self._own.current))]
        number = self._authentication.lagging.next(at, self._is_recent)
        if number is not None:
            stamp = self._authentication.newest_of(number)
            assert stamp is not None
            urgent.append(Statement("epoch", (number, *stamp)))
        return urgent

    def _collect(self, now: float) -> None:
        for at, airtime_s, paced in self._flights.collect(now):
            self._snapshot = None
            self._pacing.note_sent(at, airtime_s, paced=paced)

    def _is_duplicate(self) -> bool:
        return self._own.is_duplicate(self._now, self._pacing.beat_s(self._now))

    def _is_recent(self, at: float) -> bool:
        return self._now <= at + silence_s(self._pacing.beat_s(self._now))

    def _name(self, number: int) -> str:
        return f"{self._table.name(number)} (number {number})"

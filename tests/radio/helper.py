"""A team of radios on one simulated air, ticked as daemons tick them, without boards or coordinators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from radio.authentication import Authentication
from radio.codec import Header, encode_header
from radio.contract import Modem
from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from radio.modem_buffers import ModemBuffers
from radio.regulations import SubBand
from robotd.model.beliefs import Beliefs
from robotd.model.facts import FactKind
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent, Statement, StatementKind
from robotd.model.streams import Stream
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

KEY = bytes(range(32))
KEYS = Keys((KEY,))
TICK = 0.05
OWN_KINDS = (
    StatementKind("cobos-task", 13, (("task", "task"), ("state", "u16")), key=1),
    StatementKind("suitability", 14, (("page", "u8"), ("shares", "page9")), key=1),
)


K = TypeVar("K", bound=Any)


def saved(made: K) -> K:
    """`made`, a radio or a base station, with its memory on the disk."""
    made.mark_persisted(made.memory_version)
    return made


def table(robots: int = 3, facts: int = 4, beat_s: float = 3.0) -> NumberTable:
    """A mission of `robots`, three tasks and as many facts, of all kinds by turns."""
    kinds = ("flag", "count", "place", "scalar")
    return NumberTable(
        tuple(Member(f"robot-{n}", n, "r2") for n in range(1, robots + 1)),
        tuple(TaskEntry(Task("job", (), f"task-{n}"), n) for n in range(1, 4)),
        tuple(FactKind(f"fact-{n}", n, kinds[(n - 1) % 4]) for n in range(1, facts + 1)),
        OWN_KINDS,
        beat_s=beat_s,
    )


def activity(task: str = "task-1", claimed: float = 0.0) -> Statement:
    """The statement every coordinator makes."""
    return Statement("activity", (task, "", claimed))


def sealed(authentication: Authentication, sender: int, digest: int, records: bytes = b"", run: int = 1) -> bytes:
    """The next frame of `sender`."""
    epoch, counter = authentication.own.take_stamp()
    header = Header(sender, run, running=True, digest=digest, epoch=epoch, counter=counter)
    return authentication.seal(encode_header(header) + records)


@dataclass
class Desk:
    """`robots` radios on `channel`; `run` ticks them all to a time. `heard` and `sent` keep all, by robot."""

    table: NumberTable
    channel: Channel
    seed: int = 1
    order: Callable[[Sequence[int]], Sequence[int]] = sorted
    same_phase: bool = False
    states: Callable[[int, float], Sequence[Statement]] = lambda _number, _now: (activity(),)
    modem: Callable[[Channel, int], Modem] = MockModem
    radios: dict[int, Radio] = field(default_factory=dict)
    beliefs: dict[int, Beliefs] = field(default_factory=dict)
    saved: dict[int, Json] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    heard: dict[int, list[Heard]] = field(default_factory=dict)
    sent: dict[int, list[Sent]] = field(default_factory=dict)
    ticks: int = 0

    def boot(
        self, number: int, table: NumberTable | None = None, minutes: int | None = None, radio: int | None = None
    ) -> Radio:
        """Switch a robot on (again), with what was saved of it; on the channel it is `radio`, or its number."""
        mission = table or self.table
        phase = Stream(self.seed, f"robot-{number}", f"radio-phase-{self.now:.3f}")
        modem = self.modem(self.channel, radio or number)
        made = Radio(mission, number, KEYS, 1, modem, phase, self.saved.get(number), minutes)
        made.begin(self.now)
        self.saved[number], self.versions[number] = made.memory(), made.memory_version
        made.mark_persisted(made.memory_version)
        self.radios[number] = made
        self.beliefs[number] = Beliefs(mission, number, 1, running=True)
        self.heard.setdefault(number, [])
        self.sent.setdefault(number, [])
        return made

    @property
    def now(self) -> float:
        """When the last tick was."""
        return self.ticks * TICK

    def run(self, until: float) -> Desk:
        """Tick to `until`; robots of one instant in `order`."""
        while self.now < until:
            self.ticks += 1
            for number in self.order(list(self.radios)):
                phase = 0.0 if self.same_phase else number * TICK / 40.0
                self.tick(number, self.now + phase)
        return self

    def tick(self, number: int, now: float) -> None:
        """What a daemon does with its radio in one tick."""
        radio, states = self.radios[number], None
        if self.ticks % 4 == 0:
            heard, sent = radio.receive(now), radio.take_sent(now)
            self.heard[number] += heard
            self.sent[number] += sent
            self.beliefs[number] = self.beliefs[number].learn(heard)
            states = self.states(number, now)
        radio.transmit(now, states, self.beliefs[number])
        if radio.memory_version != self.versions[number]:
            self.saved[number], self.versions[number] = radio.memory(), radio.memory_version
            saved(radio)


def desk(robots: int = 3, *, seed: int = 1, facts: int = 4, own: Sequence[FactKind] = (), **air: object) -> Desk:
    """A team that has just been switched on."""
    mission = table(robots, facts).extended(OWN_KINDS, own)
    made = Desk(mission, Channel(seed, mission, key=KEY, team=1, **air), seed)  # type: ignore[arg-type]
    for number in mission.robots:
        made.boot(number)
    return made


class HandModem(ModemBuffers):
    """A modem worked by hand: `inbox` is received at the next call, `sends` keeps what was handed over."""

    def __init__(self) -> None:
        super().__init__()
        self.inbox: list[tuple[float, bytes]] = []
        self.sends: list[tuple[float, bytes, float]] = []
        self.works = True

    def send(self, now: float, frame: bytes, at: float) -> None:
        self.sends.append((now, frame, at))

    def leave(self, late: float = 0.0) -> None:
        """The newest frame leaves, `late` seconds after its instant."""
        _, frame, at = self.sends[-1]
        self._left.append((at + late, frame))

    def received(self, now: float) -> list[tuple[float, bytes]]:
        inbox, self.inbox = self.inbox, []
        return inbox

    def alive(self, now: float) -> bool:
        return self.works

    def airtime(self, size: int) -> float:
        return size / 1000.0


M = TypeVar("M", bound=HandModem)


def alone(
    modem: M,
    memory: Json = None,
    *,
    mission: NumberTable | None = None,
    me: int = 1,
    minutes: int | None = None,
    band: SubBand | None = None,
    now: float = 0.0,
) -> tuple[Radio, M]:
    """A radio that has just started, with a modem worked by hand; its memory is on the disk."""
    phase = Stream(1, "robot", "phase")
    radio = saved(Radio(mission or table(), me, KEYS, 1, modem, phase, memory, minutes, band))
    radio.begin(now)
    return radio, modem

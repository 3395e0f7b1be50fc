"""A team in two airs that do not hear each other, and a base station with a radio in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from radio.base_station import BaseRadio, BaseStation
from radio.framing import CobsParser
from radio.mock.channel import Channel, Transmission
from radio.mock.modem import MockModem
from radio.pacing import STRETCH
from radio.regulations import SubBand
from robotd.model.beliefs import Beliefs, fact_of
from robotd.model.plain import Json
from robotd.model.statements import Statement
from robotd.model.table import NumberTable
from tests.radio.helper import KEY, KEYS, TICK, Desk, HandModem, activity, saved, table

STEP = 0.02
EAST, WEST = "east", "west"


def facts_of(beliefs: Beliefs) -> set[tuple[str, tuple[float, ...]]]:
    """What a robot knows."""
    return {(name, fact.value) for name, fact in beliefs.facts.items()}


@dataclass
class Bridged:
    """Robots 1 and 2 are in the east, 3 and 4 in the west; the station is off until `start`, and after `kill`."""

    beat_s: float = 3.0
    states: Mapping[int, Sequence[Statement]] = field(default_factory=dict)
    memory: Json = None
    station: BaseStation | None = None
    steps: int = 0

    def __post_init__(self) -> None:
        self.table: NumberTable = table(4, beat_s=self.beat_s)
        self.channels = {name: Channel(1, self.table, key=KEY, team=1) for name in (EAST, WEST)}
        said = lambda number, now: self.states.get(number, (activity(),))  # noqa: E731
        self.desks = {name: Desk(self.table, channel, states=said) for name, channel in self.channels.items()}
        for number in self.table.robots:
            self.side(number).boot(number)

    def side(self, number: int) -> Desk:
        return self.desks[EAST if number < 3 else WEST]

    @property
    def now(self) -> float:
        return self.steps * STEP

    def start(self) -> BaseStation:
        radios = [BaseRadio(name, MockModem(channel, 0)) for name, channel in self.channels.items()]
        self.station = saved(BaseStation(self.table, KEYS, 1, radios, self.memory, None))
        self.station.begin(self.now)
        return self.station

    def kill(self) -> None:
        assert self.station is not None
        self.memory, self.station = self.station.memory(), None

    def run(self, until: float) -> Bridged:
        while self.now < until:
            self.steps += 1
            if self.station is not None:
                self.station.step(self.now)
                saved(self.station)
            for desk in self.desks.values():
                if desk.now + TICK <= self.now:
                    desk.run(desk.now + TICK)
        return self

    def know(self, number: int, *facts: Statement) -> None:
        """Robot `number` learns facts by itself."""
        desk = self.side(number)
        for statement in facts:
            desk.beliefs[number] = desk.beliefs[number].joined(fact_of(statement, self.table, self.now))

    def on_air(self, name: str, number: int) -> list[Transmission]:
        """What radio `number` has put on the air lately."""
        return [x for x in self.channels[name]._sent if x.sender == number]

    def repeated(self, name: str) -> list[bytes]:
        """The frames of robots that the station has put on the air lately, in that air."""
        frames = [frame for x in self.on_air(name, 0) for frame in CobsParser().feed(x.data)]
        return [frame for frame in frames if frame[1]]


class Alone:
    """A base station whose radios are worked by hand."""

    def __init__(self, robots: int = 3, radios: int = 2, band: SubBand | None = None) -> None:
        self.table = table(robots)
        self.modems = [HandModem() for _ in range(radios)]
        made = [BaseRadio(f"radio-{i}", modem, band) for i, modem in enumerate(self.modems)]
        self.station = saved(BaseStation(self.table, KEYS, 1, made, None, None))
        self.steps = 0
        self.station.begin(0.0)

    @property
    def now(self) -> float:
        return self.steps * STEP

    @property
    def period_s(self) -> float:
        return self.station.slot_plan.beat_s * STRETCH

    def hear(self, radio: int, *frames: bytes) -> None:
        self.modems[radio].inbox += [(self.now, frame) for frame in frames]

    def run(self, until: float) -> Alone:
        while self.now < until - 1e-9:
            self.steps += 1
            sent = [len(modem.sends) for modem in self.modems]
            self.station.step(self.now)
            saved(self.station)
            for modem, before in zip(self.modems, sent, strict=True):
                if len(modem.sends) > before:
                    modem.leave()
        return self

    def frames(self, radio: int) -> list[bytes]:
        """Robots' frames that a radio was given to send."""
        return [frame for _, frame, _ in self.modems[radio].sends if frame[1]]

    def beacons(self, radio: int) -> list[bytes]:
        return [frame for _, frame, _ in self.modems[radio].sends if not frame[1]]

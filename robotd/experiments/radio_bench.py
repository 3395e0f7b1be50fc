"""A team of robots that are nothing but their radios: drivers of LoRa modules that talk to emulated ones, on one
simulated air and virtual time, with or without a base station that slices it.

Each robot has the whole radio of a real one, a clock of its own and the frames of a mission under way: an
activity, and more facts than fit one frame. Now and then one of them comes to know a new fact.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from radio.base_station import NUMBER as BASE
from radio.base_station import BaseRadio, BaseStation
from radio.keys import KEY, Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.loss import Bernoulli, GilbertElliott
from radio.regulations import band_at
from radio.reyax.emulator import ReyaxEmulator
from radio.reyax.modem import BAUD, Reyax
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.serial import SetLine
from robotd.model.statements import Statement
from robotd.model.streams import Stream, draw
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task
from robotd.sim.lines import Line
from robotd.timing.virtual_loop import run_virtual

BAND_HZ = 869_525_000  # where Europe allows 10 % of the time
BEAT_S = 3.0  # Parker 2000, section 3.1: one message in three seconds
TICK_S, DECISION_TICKS = 0.05, 4  # of a daemon as delivered
LATENCY_S = 0.005, 0.06  # between a driver's command and the air; modules differ, and so do their hosts
OWN_LATENCY_S = 0.005  # by so much modules of one kind differ
CLOCK = 100e-6  # a cheap crystal is off by so much
KEYS, TEAM = Keys((bytes(KEY),)), 1
NEWS = tuple(f"news-{k}" for k in range(1, 5))
BACKGROUND = (("left", "place"), ("right", "place"), ("goal", "place"), ("reports", "count"))
FIRST, APART, REST = 8, 10, 24  # periods before the first news, between two, and after the last
BAND = band_at("eu868", BAND_HZ / 1e6)
STEP_S = 0.02  # of a base station
DRAIN_S = 2.0  # after the last frame, until it has arrived everywhere


@dataclass(frozen=True)
class ChannelConditions:
    """`loss` is the share of frames lost on each link, in bursts or each by itself. `alike`: modules of one kind
    and one latency, give or take `OWN_LATENCY_S`; otherwise each has any of `LATENCY_S`."""

    robots: int
    base_station: bool
    loss: float = 0.0
    bursts: bool = False
    alike: bool = True


@dataclass(frozen=True)
class RadioResult:
    """What became of a run. `received` is of all statements the share that each other robot took, `collided` of
    all arrivals of frames those that met another one; `known_s` when all knew each new fact (nan: never)."""

    period_s: float
    received: float
    collided: float
    frames: int
    known_s: Sequence[float]


def run_radios(seed: int, conditions: ChannelConditions) -> RadioResult:
    """One run, a function of its arguments alone."""
    return run_virtual(_run_radios(seed, conditions))


def mission(robots: int) -> NumberTable:
    """The number table of such a team."""
    facts = [*BACKGROUND, *((name, "flag") for name in NEWS)]
    return NumberTable(
        tuple(Member(f"robot-{n}", n, "r2") for n in range(1, robots + 1)),
        (TaskEntry(Task("work", (), "work"), 1),),
        tuple(FactKind(name, n, kind) for n, (name, kind) in enumerate(facts, 1)),
        beat_s=BEAT_S,
    )


class _OwnClock:
    """A driver as seen from true time, while its own clock runs `rate` times as fast."""

    def __init__(self, driver: Reyax, rate: float) -> None:
        self._driver, self._rate = driver, rate

    @property
    def wake_at(self) -> float | None:
        wake = self._driver.wake_at
        return None if wake is None else wake / self._rate

    def receive(self, now: float, data: bytes) -> None:
        self._driver.receive(now * self._rate, data)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        return self._driver.transmit(now * self._rate)


def _plug_in(channel: Channel, number: int, latency_s: float, rate: float) -> tuple[Reyax, Line]:
    now = asyncio.get_running_loop().time()
    driver = Reyax(Reyax.Settings(band_hz=BAND_HZ))
    driver.connect(now * rate)
    line = Line(_OwnClock(driver, rate), ReyaxEmulator(channel, number, now, latency_s=latency_s), BAUD)
    channel.watch(line.kick)
    line.kick()
    return driver, line


class BenchRobot:
    """One robot, switched on within a beat from `start`; `known`: when it came to know each of the news."""

    def __init__(
        self, seed: int, table: NumberTable, number: int, channel: Channel, latency_s: float, start: float
    ) -> None:
        self._loop, self._name = asyncio.get_running_loop(), f"robot {number}"
        self._rate = 1.0 + CLOCK * (2.0 * draw(seed, self._name, "clock", 0) - 1.0)
        self._driver, self._line = _plug_in(channel, number, latency_s, self._rate)
        phase = Stream(seed, self._name, "radio-phase")
        self.radio = Radio(table, number, KEYS, TEAM, self._driver, phase, None, None, BAND)
        self.radio.mark_persisted(self.radio.memory_version)
        self.beliefs = Beliefs(table, number, 1, running=True).learn(_background())
        self.known: dict[str, float] = {}
        self.sent = self.received = 0  # statements
        self.frames = 0
        self._speaks, self._ticks = True, 0
        self._origin = start + BEAT_S * draw(seed, self._name, "start", 0)
        self._loop.call_at(self._origin, self._start)

    @property
    def now(self) -> float:
        """Its own clock, s."""
        return self._loop.time() * self._rate

    def learn(self, name: str) -> None:
        """It comes to know a new fact."""
        self.beliefs = self.beliefs.learn([Fact(name, (), self.now)])
        self._note()

    def silence(self) -> None:
        """It states nothing more, and still receives."""
        self._speaks = False

    def _start(self) -> None:
        self.radio.begin(self.now)
        self._tick()

    def _tick(self) -> None:
        now, statements = self.now, None
        if self._ticks % DECISION_TICKS == 0:
            heard, sent = self.radio.receive(now), self.radio.take_sent(now)
            self.received += sum(len(frame.statements) for frame in heard if frame.sender != BASE)
            self.sent += sum(len(frame.statements) for frame in sent)
            self.frames += len(sent)
            self.beliefs = self.beliefs.learn(heard)
            self._note()
            statements = (Statement("activity", ("work", "", now / BEAT_S)),)
        if self._speaks:
            alarm = self._driver.wake_at
            self.radio.transmit(now, statements, self.beliefs)
            if self._driver.wake_at != alarm:
                self._line.kick()
        self._ticks += 1
        self._loop.call_at(self._origin + self._ticks * TICK_S / self._rate, self._tick)

    def _note(self) -> None:
        news = (name for name in NEWS if name not in self.known and self.beliefs.flag(name))
        self.known |= dict.fromkeys(news, self._loop.time())


class BenchStation:
    """The base station, a program of its own on a true clock."""

    def __init__(self, table: NumberTable, channel: Channel, latency_s: float) -> None:
        self._loop = asyncio.get_running_loop()
        driver, self._line = _plug_in(channel, BASE, latency_s, 1.0)
        self._driver = driver
        self._station = BaseStation(table, KEYS, TEAM, [BaseRadio("reyax", driver, BAND)], None, None)
        self._station.mark_persisted(self._station.memory_version)
        self._station.begin(self._loop.time())
        self.period_s = self._station.slot_plan.beat_s
        self._steps = 0
        self._step()

    def _step(self) -> None:
        alarm = self._driver.wake_at
        self._station.step(self._loop.time())
        if self._driver.wake_at != alarm:
            self._line.kick()
        self._steps += 1
        self._loop.call_at(self._steps * STEP_S, self._step)


def _background() -> Sequence[Fact]:
    values = {"place": ((1.0, 2.0), 0.0, 1, 1), "count": ((3.0,), 0.0, 0, 0)}
    return [Fact(name, *values[kind]) for name, kind in BACKGROUND]


def latencies(seed: int, conditions: ChannelConditions) -> Mapping[int, float]:
    """Of each module, that of the base station too, s."""
    low, high = LATENCY_S
    common = low + (high - low - OWN_LATENCY_S) * draw(seed, "team", "latency", 0)
    least, span = (common, OWN_LATENCY_S) if conditions.alike else (low, high - low)
    return {n: least + span * draw(seed, f"robot {n}", "latency", 0) for n in range(conditions.robots + 1)}


async def _run_radios(seed: int, conditions: ChannelConditions) -> RadioResult:
    table = mission(conditions.robots)
    model = GilbertElliott(seed) if conditions.bursts else Bernoulli(seed)
    channel = Channel(seed, table, key=bytes(KEY), team=TEAM, loss=conditions.loss, model=model)
    latency = latencies(seed, conditions)
    station = BenchStation(table, channel, latency[BASE]) if conditions.base_station else None
    period = station.period_s if station is not None else BEAT_S
    start = period if station is not None else 0.0  # its beacons come by then
    team = [BenchRobot(seed, table, n, channel, latency[n], start) for n in sorted(table.robots)]
    introduced: list[float] = []
    loop = asyncio.get_running_loop()
    for k, name in enumerate(NEWS):
        at = start + period * (FIRST + APART * k + draw(seed, "team", "news", k))
        await asyncio.sleep(at - loop.time())
        team[int(draw(seed, "team", "teller", k) * len(team))].learn(name)
        introduced.append(loop.time())
    await asyncio.sleep(period * REST)
    for robot in team:
        robot.silence()
    await asyncio.sleep(DRAIN_S)
    return _outcome(period, team, channel.statistics(), introduced)


def _outcome(
    period: float, team: Sequence[BenchRobot], counts: Mapping[str, int], introduced: Sequence[float]
) -> RadioResult:
    sent, received = (sum(getattr(robot, what) for robot in team) for what in ("sent", "received"))
    times = [[robot.known[name] for robot in team if name in robot.known] for name in NEWS]
    ended = zip(times, introduced, strict=True)
    known = [max(own) - at if len(own) == len(team) else math.nan for own, at in ended]
    collided = counts["collided"] / (counts["delivered"] + counts["lost"])
    frames = sum(robot.frames for robot in team)
    return RadioResult(period, received / (sent * (len(team) - 1)), collided, frames, known)

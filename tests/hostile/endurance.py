"""`python -m tests.hostile.endurance`: a day of restarts, unplugs and clock steps; no robot exceeds beat or law.

Four radios under four laws share one air. Each has a crystal of its own, a hundred parts per million off, and a
clock that begins anywhere at each restart; its memory is what had reached the disk. Team stops are ordered now and
then. What counts is when frames begin to leave by true time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from radio.airtime import lora_airtime
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from radio.regulations import HOUR_S, SubBand, band_at
from radio.reservation import LANDS_S
from robotd.model.beliefs import Beliefs
from robotd.model.plain import Json
from robotd.model.streams import Stream
from tests.radio.helper import KEY, KEYS, TICK, HandModem, activity, table

SKEWS = (-100e-6, 100e-6, 50e-6, 0.0)  # of the robots' crystals
BEAT = 3.0


@dataclass(frozen=True)
class Law:
    """What one robot sends under: the band and its LoRa spreading factor."""

    band: SubBand | None
    sf: int


LAWS: Mapping[int, Law] = {
    1: Law(band_at("eu868", 869.525), 7),  # a third of what is permitted
    2: Law(band_at("eu868", 869.525), 9),  # just more than is permitted at 1/3 Hz
    3: Law(band_at("eu868", 868.1), 7),  # three times as much
    4: Law(None, 7),
}


@dataclass
class Life:
    """A robot between two restarts: its own clock is `begun` + (true time - `since`) * (1 + skew)."""

    radio: Radio
    modem: SkewedModem
    beliefs: Beliefs
    since: float
    begun: float
    skew: float

    def own(self, true: float) -> float:
        """True time as its clock shows it."""
        return self.begun + (true - self.since) * (1.0 + self.skew)


class SkewedModem(HandModem):
    """A modem on the simulated air for a robot whose clock is its own; notes what it is given, by true time."""

    def __init__(self, channel: Channel, number: int, sf: int) -> None:
        super().__init__()
        self._channel, self._number, self._sf = channel, number, sf
        self._inner = MockModem(channel, number)
        self.life: Life | None = None
        self.true = 0.0
        self.spans: list[tuple[float, float]] = []  # (beginning, airtime) of what left
        self.next: tuple[float, float, bytes] | None = None  # true and own instant, frame

    def _true(self, own: float) -> float:
        assert self.life is not None
        return self.life.since + (own - self.life.begun) / (1.0 + self.life.skew)

    def send(self, now: float, frame: bytes, at: float) -> None:
        self.next = (self._true(at), at, frame)

    def step(self, true: float) -> None:
        """Let what is due leave, unless the modem is unplugged, which voids it."""
        self.true = true
        if self.next is None or self.next[0] > true + TICK:
            return
        (start, own, frame), self.next = self.next, None
        if self._channel.is_on(self._number, start):
            self._inner.send(true, frame, start)
            self.spans.append((start, self.airtime(len(frame))))
            self._left.append((own, frame))

    def received(self, now: float) -> list[tuple[float, bytes]]:
        assert self.life is not None
        return [(self.life.own(end), frame) for end, frame in self._inner.received(self.true)]

    def alive(self, now: float) -> bool:
        return self._channel.is_on(self._number, self.true)

    def airtime(self, size: int) -> float:
        return lora_airtime(size + 8, self._sf, 125_000, 1, 12)


@dataclass
class Day:
    """The air, the robots, what their disks hold, and every frame that left: (beginning, airtime), stops apart."""

    seed: int = 1
    now: float = 0.0
    ticks: int = 0
    lives: dict[int, Life] = field(default_factory=dict)
    disks: dict[int, list[tuple[float, Json]]] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    paced: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    stops: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    restarts: int = 0

    def __post_init__(self) -> None:
        self.table = table(len(LAWS))
        self.channel = Channel(self.seed, self.table, key=KEY, team=1, base_station=True, loss=0.1)
        self.chance = Stream(self.seed, "test", "endurance")
        for number in LAWS:
            self.paced[number], self.stops[number] = [], []
            self.boot(number)

    def boot(self, number: int) -> None:
        """Start a robot with what its disk holds by now, a wall clock that shows anything, or none."""
        before = self.lives.get(number)
        saves = self.disks.get(number, [])
        late = self.now - LANDS_S * self.chance.uniform()
        landed = [memory for at, memory in saves if at <= late]
        minutes = int(self.chance.uniform(0, 600_000)) if self.chance.uniform() < 0.3 else None
        modem = before.modem if before is not None else SkewedModem(self.channel, number, LAWS[number].sf)
        modem.next = None
        phase = Stream(self.seed, f"robot-{number}", f"phase-{self.now:.3f}")
        memory = landed[-1] if landed else (saves[0][1] if saves else None)  # the first is saved before the start
        radio = Radio(self.table, number, KEYS, 1, modem, phase, memory, minutes, LAWS[number].band)
        begun = self.chance.uniform(0.0, 1e6)
        life = Life(radio, modem, Beliefs(self.table, number, 1, running=True), self.now, begun, SKEWS[number - 1])
        modem.life = life
        radio.begin(begun)
        self.lives[number] = life
        self.disks[number] = [(self.now - 1.0, radio.memory())]  # at the start the daemon waits for the disk
        self.versions[number] = radio.memory_version
        radio.mark_persisted(radio.memory_version)
        self.restarts += before is not None

    def stop(self, number: int) -> None:
        """People stop the team from this robot, and acknowledge it everywhere soon after."""
        life = self.lives[number]
        paced, before = life.modem.next, len(life.modem.spans)
        life.modem.next = None
        life.radio.stop_team(life.own(self.now), life.beliefs)
        life.modem.step(self.now)
        self.stops[number] += life.modem.spans[before:]
        del life.modem.spans[before:]
        life.modem.next = paced
        self._save(number, life)

    def run(self, until: float) -> None:
        """Tick all robots."""
        while self.now < until:
            self.ticks += 1
            self.now = self.ticks * TICK
            for number, life in self.lives.items():
                self._tick(number, life)

    def _tick(self, number: int, life: Life) -> None:
        own = life.own(self.now)
        states = None
        if self.ticks % 4 == 0:
            life.modem.true = self.now
            life.beliefs = life.beliefs.learn(life.radio.receive(own))
            life.radio.take_sent(own)
            if life.radio.stopped_by is not None:
                life.radio.acknowledge_stop(own)
            states = (activity(),)
        life.radio.transmit(own, states, life.beliefs)
        before = len(life.modem.spans)
        life.modem.step(self.now)
        self.paced[number] += life.modem.spans[before:]
        self._save(number, life)

    def _save(self, number: int, life: Life) -> None:
        if life.radio.memory_version != self.versions[number]:
            self.versions[number] = life.radio.memory_version
            self.disks[number] = [*self.disks[number][-4:], (self.now, life.radio.memory())]
        elif self.disks[number][-1][0] <= self.now - LANDS_S:
            life.radio.mark_persisted(life.radio.memory_version)


@dataclass(frozen=True)
class Finding:
    """One robot's day: frames and stops, the least time between two paced frames, the worst hour, its budget."""

    number: int
    frames: int
    stops: int
    closest_s: float
    worst_hour_s: float
    budget_s: float

    @property
    def legal(self) -> bool:
        """Whether neither the beat nor the law was ever exceeded."""
        return self.closest_s >= BEAT and self.worst_hour_s <= self.budget_s


def live(hours: float, restarts: int, seed: int) -> list[Finding]:
    """Run a day, or as much of it, with as many restarts, unplugs and stops spread over it."""
    day = Day(seed)
    end = hours * HOUR_S
    for n in range(restarts):
        day.run(end * (n + day.chance.uniform()) / restarts)
        number = 1 + int(day.chance.uniform(0, len(LAWS)))
        if day.chance.uniform() < 0.3:
            day.channel.switch(number, on=False, now=day.now)
            day.run(day.now + day.chance.uniform(0.1, 20.0))
            day.channel.switch(number, on=True, now=day.now)
        if day.chance.uniform() < 0.3:
            day.channel.switch(0, day.chance.uniform() < 0.7, day.now)  # the base station too
        if day.chance.uniform() < 0.5:
            day.stop(number)
            day.run(day.now + day.chance.uniform(0.0, 1.0))
        day.boot(number)
    day.run(end)
    return [_found(day, number) for number in LAWS]


def _found(day: Day, number: int) -> Finding:
    paced, stops, band = day.paced[number], day.stops[number], LAWS[number].band
    gaps = [b[0] - a[0] for a, b in pairwise(paced)]
    budget = HOUR_S * band.duty if band is not None and band.duty is not None else HOUR_S
    return Finding(number, len(paced), len(stops), min(gaps), worst_hour(sorted(paced + stops)), budget)


def worst_hour(frames: list[tuple[float, float]]) -> float:
    """The most airtime of any hour of (beginning, airtime), by time; a frame that begins in it counts whole."""
    worst = total = 0.0
    first = 0
    for start, airtime in frames:
        total += airtime
        while frames[first][0] <= start - HOUR_S:
            total -= frames[first][1]
            first += 1
        worst = max(worst, total)
    return worst


def main() -> int:
    """Exit status 0 where no robot exceeded beat or law."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.endurance", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="of virtual time (default 24)")
    parser.add_argument("--restarts", type=int, default=200, help="spread over it (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = live(options.hours, options.restarts, options.seed)
    for each in found:
        verdict = "legal" if each.legal else "EXCEEDED"
        sys.stdout.write(
            f"robot {each.number}: {each.frames} frames and {each.stops} stops, closest {each.closest_s:.4f} s, "
            f"worst hour {each.worst_hour_s:.2f} s of {each.budget_s:g} s: {verdict}\n"
        )
    return 0 if all(each.legal for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())

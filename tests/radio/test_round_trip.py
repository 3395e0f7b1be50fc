"""Request and reply at a beat of 0.1 s over UDP: real datagrams on a simulated air, in virtual time."""

import math
from collections.abc import Sequence
from statistics import mean

import pytest

from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.udp.emulator import UdpEmulator
from radio.udp.modem import Udp
from robotd.model.beliefs import Beliefs
from robotd.model.statements import Heard, Statement
from robotd.model.streams import Stream
from tests.radio.helper import KEY, activity, saved, table

BEAT, TICK = 0.1, 0.05  # a tick is a decision: one that answers within a beat cannot wait longer
TRIPS, PAUSE = 60, 0.73  # s between two requests: no multiple of a beat, so that every phase is met


class Pair:
    """Robot 1 asks (an announcement with a number), robot 2 answers (a bid with that number)."""

    def __init__(self, seed: int, loss: float) -> None:
        self.table = table(2, beat_s=BEAT)
        self.channel = Channel(seed, self.table, key=KEY, team=1, loss=loss)
        self.drivers = {n: Udp(Udp.Settings()) for n in (1, 2)}
        self.ends = {n: UdpEmulator(self.channel, n, 0.0) for n in (1, 2)}
        self.radios = {n: self._radio(n, seed) for n in (1, 2)}
        self.beliefs = {n: Beliefs(self.table, n, 1, running=True) for n in (1, 2)}
        self.asked, self.answer, self.since = 0, 0, math.inf
        self.trips: list[float] = []
        self.due = 2.0

    def _radio(self, number: int, seed: int) -> Radio:
        phase = Stream(seed, f"robot-{number}", "phase")
        radio = saved(Radio(self.table, number, Keys((KEY,)), 1, self.drivers[number], phase, None, None))
        self.drivers[number].connect(0.0)
        radio.begin(0.0)
        return radio

    def run(self) -> list[float]:
        """The times of `TRIPS` trips, s."""
        ticks = {1: 1, 2: 1}
        for _ in range(200_000):
            due = {n: (k + n / 10) * TICK for n, k in ticks.items()}
            ports = [*self.drivers.values(), *self.ends.values()]
            now = min([*due.values(), *(port.wake_at for port in ports if port.wake_at is not None)])
            for n in ticks:
                if due[n] <= now:
                    ticks[n] += 1
                    self._tick(n, now)
            for n, driver in self.drivers.items():
                for piece in driver.transmit(now):
                    self.ends[n].receive(now, piece)
                for piece in self.ends[n].transmit(now):
                    driver.receive(now, piece)
            if len(self.trips) >= TRIPS:
                return self.trips
        raise AssertionError("the answers did not come")

    def _tick(self, n: int, now: float) -> None:
        heard = self.radios[n].receive(now)
        self.radios[n].take_sent(now)
        saved(self.radios[n])
        states = self._ask(now, heard) if n == 1 else self._reply(heard)
        self.radios[n].transmit(now, (activity(), *states), self.beliefs[n])

    def _ask(self, now: float, heard: Sequence[Heard]) -> list[Statement]:
        answers = {x.fields[1] for frame in heard for x in frame.statements if x.kind == "bid"}
        if self.asked in answers and self.since < math.inf:
            self.trips.append(now - self.since)
            self.since, self.due = math.inf, now + PAUSE
        if self.since == math.inf and now >= self.due:
            self.asked, self.since = self.asked + 1, now
        call = Statement("announcement", (self.asked, "task-1", 0, 30.0, 0.0, 0.0, 0))
        return [call] if self.asked else []

    def _reply(self, heard: Sequence[Heard]) -> list[Statement]:
        for statement in (s for x in heard for s in x.statements if s.kind == "announcement"):
            number = statement.fields[0]
            assert isinstance(number, int)
            self.answer = number
        return [Statement("bid", (1, self.answer, 0.5, 0))] if self.answer else []


@pytest.mark.parametrize("seed", [1, 2])
def test_a_round_trip_at_a_beat_of_a_tenth_of_a_second_takes_at_most_six(seed) -> None:
    trips = Pair(seed, loss=0.0).run()
    assert max(trips) <= 0.6
    assert mean(trips) > BEAT / 2  # it did wait for its turn


def test_with_losses_the_same_states_come_in_later_frames() -> None:
    clear, lossy = Pair(4, loss=0.0).run(), Pair(4, loss=0.3).run()
    assert mean(lossy) > mean(clear)
    assert mean(lossy) < 3 * mean(clear)

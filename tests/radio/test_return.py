"""A base station that was away for a while comes back to robots that still keep to its slots.

Nineteen robots, slots of 0.15 s, modems that are 5 to 60 ms late, each in its own way.
"""

import pytest

from radio.base_station import BaseRadio, BaseStation
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from robotd.model.plain import Json
from robotd.model.streams import draw
from tests.radio.helper import KEY, KEYS, TICK, Desk, saved, table

ROBOTS, LORA = 19, 3900.0  # bit/s: forty bytes take a little less than a tenth of a second
STEP, DIES = 0.02, 40.0


class Late(MockModem):
    """A modem whose frames leave later than they are told to; it can be used from `opens` on."""

    def __init__(self, channel: Channel, number: int, opens: float = 0.0) -> None:
        super().__init__(channel, number)
        self._lag, self._opens = 0.005 + 0.055 * draw(7, f"robot {number}", "lag", 0), opens

    def send(self, now: float, frame: bytes, at: float) -> None:
        super().send(now, frame, at + self._lag)

    def received(self, now: float) -> list[tuple[float, bytes]]:
        heard = super().received(now)
        return heard if self.alive(now) else []

    def alive(self, now: float) -> bool:
        return now >= self._opens


def collided(loss: float, away: float, deaf: float) -> float:
    """Of the arrivals in the 30 s after the station's return the share that met another frame."""
    mission = table(ROBOTS)
    desk = Desk(mission, Channel(3, mission, key=KEY, team=1, loss=loss, bit_rate=LORA), modem=Late)
    desk.channel.set_loss(0, loss, 0.0)
    for number in mission.robots:
        desk.boot(number)

    def started(memory: Json, now: float, opens: float) -> BaseStation:
        radios = [BaseRadio("lora", Late(desk.channel, 0, opens))]
        made = saved(BaseStation(mission, KEYS, 1, radios, memory, None))
        made.begin(now)
        return made

    def run(station: BaseStation | None, since: float, until: float) -> None:
        for step in range(round(since / STEP) + 1, round(until / STEP) + 1):
            if station is not None:
                station.step(step * STEP)
                saved(station)
            if desk.now + TICK <= step * STEP:
                desk.run(desk.now + TICK)

    station = started(None, 0.0, 0.0)
    run(station, 0.0, DIES)
    run(None, DIES, DIES + away)
    before = desk.channel.statistics()
    back = DIES + away
    run(started(station.memory(), back, back + deaf), back, back + 30.0)
    after = desk.channel.statistics()
    met, arrived = (
        sum(after[kind] - before[kind] for kind in kinds) for kinds in (("collided",), ("delivered", "lost"))
    )
    assert arrived > 5 * ROBOTS * ROBOTS
    return met / arrived


@pytest.mark.parametrize(
    ("loss", "away", "deaf", "most"), [(0.0, 8.1, 0.0, 0.02), (0.0, 9.9, 3.2, 0.02), (0.5, 9.9, 0.0, 0.05)]
)
def test_few_frames_collide_after_its_return(loss, away, deaf, most) -> None:
    assert collided(loss, away, deaf) < most

"""Who is who on the air: two robots of one number, robots that lost their memory, and recordings of either."""

from __future__ import annotations

import pytest

from radio.link import ALARMS
from tests.radio.helper import TICK, Desk, desk

BEAT = 3.0


def test_of_two_robots_with_one_number_both_say_so_and_the_older_epoch_is_silent() -> None:
    team = desk(2, base_station=True)
    team.boot(2, minutes=1000)
    newer, clone = team.radios[2], Desk(team.table, team.channel, seed=9, ticks=team.ticks)
    clone.boot(2, minutes=500, radio=9)
    for _ in range(800):
        team.run(team.now + TICK)
        clone.run(team.now)
    assert [name for name, _ in clone.radios[2].faults] == ["duplicate-id"]
    assert len(clone.sent[2]) <= 2 + ALARMS  # with the second it is informed that another was heard since
    assert len(team.sent[2]) > 10
    assert newer.statistics.refused[0][0] == "duplicate-id"
    del team.radios[2]
    for _ in range(300):
        team.run(team.now + TICK)
        clone.run(team.now)
    assert clone.radios[2].faults == ()


@pytest.mark.parametrize("minutes", [None, 3])
@pytest.mark.parametrize("from_the_start", [True, False])
def test_recordings_of_its_former_life_neither_stop_nor_silence_a_reimaged_robot(minutes, from_the_start) -> None:
    team = desk(3, base_station=True)
    team.boot(2, minutes=minutes)
    team.run(60.0)
    recorded = [x.data for x in team.channel._sent if x.sender == 2]
    assert len(recorded) > 15
    team.saved[2] = None
    team.boot(2)
    start = team.now
    for k in range(40):
        at = start + (0.0 if from_the_start else 4.0) + 2.1 * k
        team.channel.submit(start, 9, recorded[k % len(recorded)], at)
    while team.now < start + 90.0:
        team.run(team.now + TICK)
        assert "duplicate-id" not in [name for radio in team.radios.values() for name, _ in radio.faults]
    again = [x.at for x in team.heard[1] if x.sender == 2 and x.at > start]
    assert again[0] - start < 6 * BEAT
    assert len(again) > 15
    assert dict(team.radios[2].statistics.refused)["replay"] > 10


@pytest.mark.parametrize("clocked", [False, True])
def test_a_reimaged_robot_is_heard_again_within_five_beats(clocked: bool) -> None:
    team = desk(3, base_station=True)
    team.boot(2, minutes=1000)
    team.run(40.0)
    team.saved[2] = None
    team.boot(2, minutes=2000 if clocked else None)
    start = team.now
    team.run(start + 25.0)
    again = [x.at for x in team.heard[1] if x.sender == 2 and x.at > start]
    assert again[0] - start < (2.5 if clocked else 5) * BEAT
    assert not any(radio.faults for radio in team.radios.values())

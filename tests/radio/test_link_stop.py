"""The team stop through whole radios on one desk."""

from __future__ import annotations

import pytest

from tests.radio.helper import desk

BEAT = 3.0


def test_a_team_stop_stops_all_at_once_and_is_stated_until_acknowledged_there() -> None:
    team = desk(4, base_station=True).run(30.0)
    start = team.now
    team.radios[2].stop_team(start, team.beliefs[2])
    stop = team.radios[2].stopped_by
    team.run(start + 0.5)
    assert {radio.stopped_by for radio in team.radios.values()} == {stop}
    team.run(start + 10.0)
    for number in (1, 2, 3, 4):
        stated = [x.statements[0] for x in team.sent[number] if x.at > start + 1.0]
        assert {x.fields for x in stated if x.kind == "stop"} == {stop}
    for number in (1, 3, 4):
        team.radios[number].acknowledge_stop(team.now)
    team.run(team.now + 15.0)
    assert [team.radios[n].stopped_by for n in (1, 2, 3, 4)] == [None, stop, None, None]
    last = {n: [x.kind for x in team.sent[n][-1].statements] for n in (1, 2)}
    assert "stop" not in last[1]
    assert "stop" in last[2]


def test_a_team_stop_gets_through_at_nine_tenths_lost() -> None:
    team = desk(5, base_station=True, loss=0.9).run(12.0)
    start = team.now
    team.radios[1].stop_team(start, team.beliefs[1])
    while team.now < start + 300.0 and any(r.stopped_by is None for r in team.radios.values()):
        team.run(team.now + BEAT)
    assert team.now < start + 100.0


def test_the_immediate_stop_is_one_frame_more_and_leaves_the_pacing_as_it_is() -> None:
    def times(*, stopping: bool) -> list[float]:
        team = desk(2, base_station=True).run(31.0)
        if stopping:
            for _ in range(10):
                team.radios[1].stop_team(team.now, team.beliefs[1])
        return [x.at for x in team.run(60.0).sent[1]]

    quiet, stopped = times(stopping=False), times(stopping=True)
    (extra,) = set(stopped) - set(quiet)
    assert extra == pytest.approx(31.0, abs=0.1)
    assert set(quiet) < set(stopped)


def test_a_stop_and_its_acknowledgement_outlive_a_reboot() -> None:
    team = desk(2, base_station=True).run(12.0)
    team.radios[1].stop_team(team.now, team.beliefs[1])
    team.run(13.0)
    team.boot(2)
    assert team.radios[2].stopped_by == team.radios[1].stopped_by
    team.radios[2].acknowledge_stop(team.now)
    team.run(14.0)
    team.boot(2)
    team.run(40.0)
    assert team.radios[1].stopped_by is not None
    assert team.radios[2].stopped_by is None

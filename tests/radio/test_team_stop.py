"""The stop that stops all: said at once, stated until acknowledged, obeyed once."""

import pytest

from radio.team_stop import KEPT, MAX_OPEN, TeamStop
from robotd.model.statements import Statement
from tests.radio.helper import desk


def stop(origin: int = 3, number: int = 7) -> Statement:
    return Statement("stop", (origin, number))


def test_a_stop_heard_holds_and_is_stated_until_it_is_acknowledged_and_is_not_obeyed_again() -> None:
    one = TeamStop(None)
    assert (one.stopped_by, one.statement) == (None, None)
    one.obey(stop())
    assert one.stopped_by == (3, 7)
    assert one.statement == stop()
    one.acknowledge()
    assert (one.stopped_by, one.statement) == (None, None)
    one.obey(stop())
    assert one.stopped_by is None
    one.obey(stop(number=8))
    assert one.stopped_by == (3, 8)


def test_one_acknowledgement_covers_all_that_were_heard_and_the_first_is_the_one_named() -> None:
    one = TeamStop(None)
    one.obey(stop(3, 7))
    one.obey(stop(0, 1))
    assert one.stopped_by == (3, 7)
    one.acknowledge()
    one.obey(stop(0, 1))
    one.obey(stop(3, 7))
    assert one.stopped_by is None


def test_an_own_stop_leaves_at_once_and_not_twice_within_a_beat() -> None:
    one = TeamStop(None)
    assert one.order(10.0, 2, 5, 3.0)
    number = one.stopped_by
    assert not one.order(11.0, 2, 5, 3.0)
    assert one.stopped_by == number  # the same stop
    one.acknowledge()
    assert one.order(20.0, 2, 5, 3.0)
    assert one.stopped_by not in (None, number)


def test_a_stop_ordered_again_also_stops_robots_that_have_acknowledged_the_last() -> None:
    one, teammate = TeamStop(None), TeamStop(None)
    for k in range(2 * MAX_OPEN):
        assert one.order(10.0 * k, 2, 5, 3.0)
        assert one.statement is not None
        teammate.obey(one.statement)
        assert teammate.stopped_by == one.statement.fields
        teammate.acknowledge()
        teammate.obey(one.statement)
        assert teammate.stopped_by is None
    assert len(one._state.open) == 1


def test_a_robot_that_another_has_stopped_says_its_own_stop_all_the_same() -> None:
    one, teammate = TeamStop(None), TeamStop(None)
    for each in (one, teammate):
        each.obey(stop())
    teammate.acknowledge()
    one.order(10.0, 2, 5, 3.0)
    assert one.statement is not None
    teammate.obey(one.statement)
    assert teammate.stopped_by == (2, one.statement.fields[1])
    assert one.stopped_by == (3, 7)  # the first is the one named


def test_a_restarted_or_reimaged_robot_orders_stops_that_no_robot_has_acknowledged() -> None:
    teammate = TeamStop(None)
    memory, seen = None, set()
    for boot in range(4):
        one = TeamStop(memory)
        one.order(0.0, 2, boot + 1, 3.0)
        assert one.stopped_by is not None
        seen.add(one.stopped_by)
        teammate.obey(Statement("stop", one.stopped_by))
        assert teammate.stopped_by == one.stopped_by
        teammate.acknowledge()
        one.acknowledge()
        memory = one.memory() if boot < 2 else None
    assert len(seen) == 4


def test_every_change_that_must_be_remembered_raises_the_version_and_nothing_else_does() -> None:
    one = TeamStop(None)
    versions = [one.memory_version]
    for change in (lambda: one.obey(stop()), one.acknowledge, lambda: one.order(0.0, 1, 1, 3.0)):
        change()
        versions.append(one.memory_version)
    assert versions == sorted(set(versions))
    one.obey(stop())
    one.order(0.1, 1, 1, 3.0)
    assert one.memory_version == versions[-1]


def test_what_is_remembered_is_bounded_and_covers_all_that_one_acknowledgement_can() -> None:
    one = TeamStop(None)
    for number in range(100):
        one.obey(stop(number=number))
    assert len(one._state.open) == MAX_OPEN
    one.acknowledge()
    assert len(one._state.acknowledged[3]) == KEPT
    for number in range(MAX_OPEN):  # a robot that acknowledges all that may hold obeys none of them again
        one.obey(stop(number=number))
    assert one.stopped_by is None


# -- through whole radios


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

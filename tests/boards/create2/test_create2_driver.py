"""What the Create 2's driver says and believes: greeting, commands, modes, sleep and restarts."""

from __future__ import annotations

import itertools

import pytest

from boards.create2 import frames as wire
from boards.create2.driver import SLOWEST
from boards.create2.emulator import Create2Emulator
from boards.mock.r2 import MockR2
from robotd.model.command import Command
from robotd.model.serial import SetLine
from tests.boards.bench import Create2Bench, fast_world, ready
from tests.boards.create2.create2_talk import FORWARD, Talk, answered


@pytest.fixture
def talk():
    return answered()


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(Create2Bench)


# Greeting


def test_a_stream_that_stops_in_mid_run_is_told_and_greeted_again(talk):
    """A4."""
    talk.board.command(0.1, FORWARD)
    assert talk.sent(0.1) == wire.drive(100, 100)
    assert "out of control" in talk.missing(0.31)["mobile"]
    assert talk.board.command(0.31, FORWARD).left == 0
    assert talk.sent(0.31).startswith(wire.PADDING + wire.drive(0, 0) + wire.listed(wire.STREAM, wire.SENSED))
    sent = [(n / 10, talk.sent(n / 10)) for n in range(4, 40)]
    started = [at for at, data in sent if data.startswith(wire.PADDING + b"\x80")]
    assert started[0] == pytest.approx(1.7, abs=0.2)
    assert not any(wire.START in data[len(wire.PADDING) :][:1] for at, data in sent if at < 1.5)


# Commands


@pytest.mark.parametrize(
    ("asked", "driven"), [(0.03, SLOWEST), (-0.03, -SLOWEST), (0.02, 0.0), (0.1, 0.1), (9, 0.5)]
)
def test_speeds_that_the_robot_does_badly_are_raised_or_refused(talk, asked, driven):
    """A10."""
    assert talk.board.command(0.1, Command(asked, asked)).left == driven


# Modes


@pytest.mark.parametrize("mode", [2, 3, 4])
def test_every_mode_in_which_it_steers_counts_as_one(talk, mode):
    """A3."""
    talk.hear(0.1, p35=mode)
    assert "mobile" in talk.board.capabilities(0.1).resources
    assert talk.board.drive_mode_exits == 0


def test_a_robot_that_reports_modes_one_too_high_is_understood_when_told_so():
    """A3."""
    talk = Talk(mode_offset=1)
    talk.sent(0.0)
    talk.hear(0.0, p35=2)
    assert "driving mode" in talk.missing(0.0)["mobile"]
    assert talk.sent(0.01) == bytes([wire.SAFE])
    talk.hear(0.02, p35=3)
    assert "mobile" in talk.board.capabilities(0.02).resources


@pytest.mark.parametrize(
    ("changes", "words"), [({"p7": 12}, "lifted"), ({"p21": 2}, "charger"), ({"p10": 1}, "cliff"), ({}, "button")]
)
def test_a_mode_that_ends_by_itself_is_noticed_at_once_with_its_cause(talk, changes, words):
    talk.board.command(0.1, FORWARD)
    talk.sent(0.1)
    talk.hear(0.12, p35=wire.PASSIVE_MODE, **changes)
    assert words in talk.missing(0.12)["mobile"]
    assert talk.board.drive_mode_exits == (words == "button")
    assert talk.board.command(0.13, FORWARD).left == 0
    assert bytes([wire.SAFE]) not in talk.sent(0.14)


@pytest.mark.parametrize(("ago", "departures"), [(0.05, 0), (0.25, 0), (0.4, 1)])
def test_a_cliff_that_was_sensed_just_before_explains_the_end_of_the_mode_and_an_older_one_not(
    talk, ago, departures
):
    talk.hear(1.0, p10=1)
    for n in range(1, round(ago * 100)):
        talk.hear(1.0 + n / 100)
    talk.hear(1.0 + ago, p35=wire.PASSIVE_MODE)
    assert talk.board.drive_mode_exits == departures


def test_a_mode_that_ended_while_the_stream_was_away_is_noticed(talk):
    talk.hear(0.1)
    talk.sent(0.5)
    talk.hear(0.6, p35=wire.PASSIVE_MODE)
    assert talk.board.drive_mode_exits == 1


def test_a_mode_that_the_driver_itself_has_ended_is_no_departure(talk):
    talk.hear(0.1)
    assert bytes([wire.START]) in talk.sent(1.8)
    talk.hear(1.9, p35=wire.PASSIVE_MODE)
    assert (talk.board.drive_mode_exits, talk.board.reboots) == (0, 0)


def test_a_robot_that_tells_that_it_is_off_has_restarted(talk):
    talk.hear(0.1, p35=wire.OFF_MODE)
    assert (talk.board.reboots, talk.board.drive_mode_exits) == (1, 0)
    assert "restarted" in talk.missing(0.1)["mobile"]
    assert talk.sent(0.11).startswith(wire.PADDING + bytes([wire.START]))
    talk.hear(0.12, p35=wire.PASSIVE_MODE)
    assert talk.board.reboots == 1


@pytest.mark.parametrize("cause", ["charger", "button"])
def test_it_is_driven_again_only_once_the_cause_is_gone(bench, cause):
    bench.run(0.5, FORWARD)
    bench.emulator.charger = cause == "charger"
    bench.emulator.clean(bench.now)
    bench.run(0.2, FORWARD)
    assert bench.wheels() == pytest.approx((0, 0), abs=0.01)
    assert "mobile" not in bench.board.capabilities(bench.now).resources
    if cause == "charger":
        bench.run(2.0, FORWARD)
        assert bench.board.senses(bench.now).charging
        assert bench.wheels() == pytest.approx((0, 0), abs=0.01)
        bench.emulator.charger = False
    bench.run(1.0, FORWARD)
    assert min(bench.wheels()) > 0.05


def test_full_mode_is_asked_for_where_it_is_wanted():
    talk = Talk(mode="full")
    talk.sent(0.0)
    talk.hear(0.01)
    assert talk.sent(0.02) == bytes([wire.FULL])


# Sleep, restarts


def test_a_robot_that_fell_asleep_is_reported_and_comes_back_when_clean_is_pressed(bench):
    """A7."""
    bench.emulator.asleep, bench.emulator._layout = True, None
    bench.run(1.0, FORWARD)
    assert "sends no senses" in dict(bench.board.capabilities(bench.now).missing)["mobile"]
    bench.board.connect(bench.now)
    bench.run(3.0, FORWARD)
    assert "asleep (press Clean)" in dict(bench.board.capabilities(bench.now).missing)["mobile"]
    bench.emulator.clean(bench.now)
    bench.run(2.0, FORWARD)
    assert min(bench.wheels()) > 0.05


def test_a_robot_left_in_passive_sleeps_after_five_minutes_and_one_that_is_driven_never():
    emulator = Create2Emulator(MockR2(fast_world(), "green"))
    emulator.receive(0.0, b"\x80")
    emulator.transmit(299.0)
    assert not emulator.asleep
    emulator.transmit(301.0)
    assert emulator.asleep
    awake = Create2Emulator(MockR2(fast_world(), "green"))
    awake.receive(0.0, b"\x80\x83")
    awake.transmit(301.0)
    assert not awake.asleep


def test_where_a_cable_has_a_wake_up_line_it_is_pulsed_for_long_enough_to_set_no_baud_rate():
    """A7."""
    talk = Talk(wake_line="rts")
    assert talk.board.line.rts is False
    pulses = [
        (n / 20, part.rts) for n in range(100) for part in talk.board.transmit(n / 20) if isinstance(part, SetLine)
    ]
    assert [level for _, level in pulses[:4]] == [True, False, True, False]
    assert all(b[0] - a[0] >= 1.0 for a, b in itertools.pairwise(pulses))
    assert not any(isinstance(part, SetLine) for n in range(100) for part in Talk().board.transmit(n / 20))

"""What the Create 2's driver sends and believes: greeting, commands, modes, sleep, restarts, bumpers."""

import itertools

import pytest

from boards.create2 import frames as wire
from boards.create2.driver import SLOWEST, Create2, Create2Settings
from boards.create2.emulator import Create2Emulator
from boards.mock.driver import MockR2
from boards.proximity import metres
from robotd.model.command import Command
from robotd.model.serial import SetLine
from tests.boards.bench import Create2Bench, fast_world
from tests.boards.hand import BaseTalk

LAYOUT = wire.Layout(wire.SENSED)
RESTING = dict.fromkeys(wire.SENSED, 0) | dict.fromkeys(wire.LIGHTS, 33) | {wire.CHARGE: 2300, wire.CAPACITY: 2696}
FORWARD = Command(0.1, 0.1)
BENCH = Create2Bench


def frame(**changes):
    """A frame of a robot in Safe mode at rest, with packets changed by number (p7 = 1)."""
    values = {**RESTING, wire.MODE: wire.SAFE_MODE, **{int(name[1:]): value for name, value in changes.items()}}
    return LAYOUT.build([values[packet] for packet in wire.SENSED])


class Talk(BaseTalk):
    driver = Create2

    def receive(self, now, **changes):
        self.board.receive(now, frame(**changes))

    def greet(self):
        """The robot answers at 0 s and is in Safe mode."""
        self.sent(0.0)
        self.receive(0.0)


def test_a_stream_that_stops_in_mid_run_is_reported_and_greeted_again(talk):
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


@pytest.mark.parametrize(
    ("asked", "driven"), [(0.03, SLOWEST), (-0.03, -SLOWEST), (0.02, 0.0), (0.1, 0.1), (9, 0.5)]
)
def test_speeds_that_the_robot_does_badly_are_raised_or_refused(talk, asked, driven):
    """A10."""
    assert talk.board.command(0.1, Command(asked, asked)).left == driven


@pytest.mark.parametrize("mode", [2, 3, 4])
def test_every_mode_in_which_it_steers_counts_as_one(talk, mode):
    """A3."""
    talk.receive(0.1, p35=mode)
    assert "mobile" in talk.board.capabilities(0.1).resources
    assert talk.board.drive_mode_exits == 0


def test_a_robot_that_reports_modes_one_too_high_is_understood_when_its_table_sets_that():
    """A3."""
    talk = Talk(mode_offset=1)
    talk.sent(0.0)
    talk.receive(0.0, p35=2)
    assert "driving mode" in talk.missing(0.0)["mobile"]
    assert talk.sent(0.01) == bytes([wire.SAFE])
    talk.receive(0.02, p35=3)
    assert "mobile" in talk.board.capabilities(0.02).resources


@pytest.mark.parametrize(
    ("changes", "words"), [({"p7": 12}, "lifted"), ({"p21": 2}, "charger"), ({"p10": 1}, "cliff"), ({}, "button")]
)
def test_a_mode_that_ends_by_itself_is_noticed_at_once_with_its_cause(talk, changes, words):
    talk.board.command(0.1, FORWARD)
    talk.sent(0.1)
    talk.receive(0.12, p35=wire.PASSIVE_MODE, **changes)
    assert words in talk.missing(0.12)["mobile"]
    assert talk.board.drive_mode_exits == (words == "button")
    assert talk.board.command(0.13, FORWARD).left == 0
    assert bytes([wire.SAFE]) not in talk.sent(0.14)


@pytest.mark.parametrize(("ago", "departures"), [(0.05, 0), (0.25, 0), (0.4, 1)])
def test_a_cliff_that_was_sensed_just_before_explains_the_end_of_the_mode_and_an_older_one_not(
    talk, ago, departures
):
    talk.receive(1.0, p10=1)
    for n in range(1, round(ago * 100)):
        talk.receive(1.0 + n / 100)
    talk.receive(1.0 + ago, p35=wire.PASSIVE_MODE)
    assert talk.board.drive_mode_exits == departures


def test_a_mode_that_ended_while_the_stream_was_away_is_noticed(talk):
    talk.receive(0.1)
    talk.sent(0.5)
    talk.receive(0.6, p35=wire.PASSIVE_MODE)
    assert talk.board.drive_mode_exits == 1


def test_a_mode_that_the_driver_itself_has_ended_is_no_departure(talk):
    talk.receive(0.1)
    assert bytes([wire.START]) in talk.sent(1.8)
    talk.receive(1.9, p35=wire.PASSIVE_MODE)
    assert (talk.board.drive_mode_exits, talk.board.reboots) == (0, 0)


def test_a_robot_that_reports_that_it_is_off_has_restarted(talk):
    talk.receive(0.1, p35=wire.OFF_MODE)
    assert (talk.board.reboots, talk.board.drive_mode_exits) == (1, 0)
    assert "restarted" in talk.missing(0.1)["mobile"]
    assert talk.sent(0.11).startswith(wire.PADDING + bytes([wire.START]))
    talk.receive(0.12, p35=wire.PASSIVE_MODE)
    assert talk.board.reboots == 1


@pytest.mark.parametrize("cause", ["charger", "button"])
def test_it_is_driven_again_only_once_the_cause_is_gone(bench, cause):
    bench.run(0.5, FORWARD)
    bench.emulator.charger = cause == "charger"
    bench.emulator.clean(bench.now)
    bench.run(0.2, FORWARD)
    assert bench.wheels() == pytest.approx((0, 0), abs=0.01)
    assert "mobile" not in bench.able
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
    talk.receive(0.01)
    assert talk.sent(0.02) == bytes([wire.FULL])


def test_a_robot_that_fell_asleep_is_reported_and_comes_back_when_clean_is_pressed(bench):
    """A7."""
    bench.emulator.asleep, bench.emulator._layout = True, None
    bench.run(1.0, FORWARD)
    assert "sends no senses" in bench.missing["mobile"]
    bench.board.connect(bench.now)
    bench.run(3.0, FORWARD)
    assert "asleep (press Clean)" in bench.missing["mobile"]
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
    sent = [(n / 20, part) for n in range(100) for part in talk.board.transmit(n / 20)]
    pulses = [(at, part.rts) for at, part in sent if isinstance(part, SetLine)]
    assert [level for _, level in pulses[:4]] == [True, False, True, False]
    assert all(b[0] - a[0] >= 1.0 for a, b in itertools.pairwise(pulses))
    assert not any(isinstance(part, SetLine) for n in range(100) for part in Talk().board.transmit(n / 20))


def test_a_jump_is_refused_reported_and_over_after_a_moment(talk):
    talk.receive(0.1)
    talk.receive(0.115, p43=20000)
    assert "jumped by 20000" in talk.missing(0.115)["odometry"]
    assert talk.board.counts["encoder-jump"] == 1
    assert talk.board.senses(0.115).odometry is None
    for n in range(9, 40):
        talk.receive(n / 66, p43=20000)
    senses = talk.board.senses(0.6)
    assert (senses.odometry.x, talk.missing(0.6)) == (0.0, {})


@pytest.mark.parametrize(("bits", "left", "right"), [(1, False, True), (2, True, False), (3, True, True)])
def test_the_right_bumper_is_the_lowest_bit(talk, bits, left, right):
    """A6."""
    talk.receive(0.1, p7=bits)
    pressed = {bump.bearing > 0: bump.pressed for bump in talk.board.senses(0.1).bumps}
    assert pressed == {True: left, False: right}


def test_overcurrent_of_the_left_wheel_is_bit_four(talk):
    """A6."""
    talk.board.command(0.1, FORWARD)
    talk.sent(0.1)
    for n in range(1, 50):
        if n % 6 == 0:
            talk.board.command(0.1 + n / 66, FORWARD)
            talk.sent(0.1 + n / 66)
        talk.receive(0.1 + n / 66, p14=0x10, p54=150, p55=150, p44=7 * n)
    assert talk.board.senses(0.1 + 49 / 66).stalled


def test_a_light_bumper_beyond_its_range_takes_its_resource_along(talk):
    """A5."""
    talk.receive(0.1, p48=5000)
    assert "out of its range" in talk.missing(0.1)["front-range"]
    talk.receive(0.12, p48=4095)
    assert talk.missing(0.12) == {}
    assert min(one.distance for one in talk.board.senses(0.12).ranges if one.distance is not None) == 0.01


def test_readings_become_metres_by_the_curve_and_faint_ones_nothing_seen():
    curve = Create2Settings().light_curve
    assert [metres(value, curve) for value, _ in curve] == [distance for _, distance in curve]
    assert metres(curve[-1][0] - 1, curve) is None
    falling = [metres(value, curve) for value in range(70, 4096)]
    assert falling == sorted(falling, reverse=True)


@pytest.mark.parametrize(("level", "frozen"), [(0, False), (5, False), (69, False), (70, True), (900, True)])
def test_a_light_bumper_that_sees_nothing_may_read_the_same_for_long(talk, level, frozen):
    for n in range(1, 100):
        now = n / 66
        talk.board.command(now, FORWARD)
        talk.sent(now)
        talk.receive(now, p43=4 * n, p44=4 * n, p54=150, p55=150, p48=level)
    assert ("front-range" in talk.missing(now)) == frozen

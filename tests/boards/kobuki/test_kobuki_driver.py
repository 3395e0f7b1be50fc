"""What the Kobuki's driver says and believes: greeting, commands, cliffs, encoders, restarts."""

from __future__ import annotations

import dataclasses
import math

import pytest

from boards.kobuki import frames as wire
from boards.kobuki.driver import Kobuki, KobukiSettings
from boards.kobuki.senses import EMPTY_V, FULL_V, KobukiReading, began_anew
from robotd.model.command import Command
from robotd.model.senses import Senses
from tests.boards.bench import KobukiBench, fast_world, ready

FORWARD = Command(0.1, 0.1)
RESTING = wire.Core(stamp=0, bumpers=0, drops=0, cliffs=0, left=0, right=0, battery=160)
VERSION = wire.packet((wire.FIRMWARE, bytes([0, 2, 1, 0])))


def senses(now, currents=(0, 0), **changes):
    """A packet of a robot whose clock began at 0 s, with changed fields."""
    core = dataclasses.replace(RESTING, stamp=round(now * 1000) % wire.STAMP, **changes)
    return wire.packet((wire.CORE, wire.build_core(core)), (wire.CURRENT, bytes(currents)))


class Talk:
    """A driver at instants given by hand."""

    def __init__(self, **table):
        self.board = Kobuki(KobukiSettings(**table))
        self.board.connect(0.0)

    def sent(self, now):
        return (b"".join(self.board.transmit(now))).removeprefix(wire.PADDING)

    def hear(self, now, **changes):
        self.board.receive(now, senses(now, **changes))

    def missing(self, now):
        return dict(self.board.capabilities(now).missing)


@pytest.fixture
def talk():
    """A driver whose robot has answered at 0 s."""
    talk = Talk()
    talk.sent(0.0)
    talk.board.receive(0.0, VERSION)
    talk.hear(0.0)
    return talk


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(KobukiBench)


# Greeting


def test_it_is_ready_only_when_the_robot_both_tells_and_answers():
    """D5."""
    talk = Talk()
    talk.sent(0.0)
    talk.board.receive(0.1, bytes(range(256)) + senses(0.1)[:-1] + b"\0" + VERSION)
    assert not talk.board.ready
    other = Talk()
    other.sent(0.0)
    other.hear(0.1)
    assert not other.board.ready
    assert other.board.command(0.1, FORWARD).left == 0
    other.board.receive(0.1, VERSION)
    assert other.board.ready
    assert other.board.firmware == "1.2.0"


# Commands


def test_it_drives_arcs_and_turns_as_it_says(bench):
    for command in (Command(0.2, 0.1), Command(-0.05, -0.2), Command(-0.1, 0.12), Command(0.1, -0.1)):
        driven = bench.run(1.0, command)
        assert (driven.left, driven.right) == pytest.approx((command.left, command.right), abs=0.002)
        assert bench.wheels() == pytest.approx((driven.left, driven.right), abs=0.005)


def test_a_robot_that_begins_to_move_200_ms_late_is_neither_stuck_nor_stalled(bench):
    """D16."""
    bench.emulator.dead_s = 0.2
    for command in (FORWARD, Command(-0.1, -0.1), Command(-0.1, 0.1), Command()):
        for _ in range(20):
            bench.run(0.05, command)
            assert bench.board.capabilities(bench.now).missing == ()
            assert not bench.board.senses(bench.now).stalled


# Senses


@pytest.mark.parametrize(("bit", "degrees"), [(wire.LEFT, 45), (wire.CENTRE, 0), (wire.RIGHT, -45)])
def test_bumpers_and_cliffs_lie_where_their_bits_say(talk, bit, degrees):
    talk.hear(0.1, bumpers=bit)
    assert [round(math.degrees(b.bearing)) for b in talk.board.senses(0.1).bumps if b.pressed] == [degrees]
    assert not any(cliff.pressed for cliff in talk.board.senses(0.1).cliffs)
    talk.hear(0.2, cliffs=bit)
    assert [round(math.degrees(b.bearing)) for b in talk.board.senses(0.2).cliffs if b.pressed] == [degrees]


@pytest.mark.parametrize(("charger", "mobile"), [(0, True), (6, True), (22, False)])
def test_it_leaves_the_dock_by_itself_but_pulls_at_no_cable(talk, charger, mobile):
    talk.hear(0.1, charger=charger)
    assert ("mobile" in talk.board.capabilities(0.1).resources) == mobile
    assert talk.board.senses(0.1).charging == (charger > 0)
    assert mobile or "cable" in talk.missing(0.1)["mobile"]


@pytest.mark.parametrize(("volts", "share"), [(EMPTY_V - 2, 0.0), (FULL_V, 1.0), ((EMPTY_V + FULL_V) / 2, 0.5)])
def test_the_battery_is_told_as_a_share_of_its_voltages(talk, volts, share):
    talk.hear(0.1, battery=round(volts * 10))
    assert talk.board.senses(0.1).battery == pytest.approx(share, abs=0.02)


def test_a_robot_whose_packets_tell_no_currents_drives_and_stalls_by_overcurrent(talk):
    for n in range(1, 60):
        now = n / 50
        talk.board.command(now, FORWARD)
        talk.sent(now)
        core = dataclasses.replace(RESTING, stamp=round(now * 1000), left=23 * n, right=0, over=wire.OVER_RIGHT)
        talk.board.receive(now, wire.packet((wire.CORE, wire.build_core(core))))
    assert talk.board.senses(now).stalled
    assert talk.missing(now) == {}


# Restarts and silence


@pytest.mark.parametrize("gone", [0.02, 0.5, 3.0, 65.536, 200.0])
def test_packets_that_stay_away_are_no_restart_and_a_clock_that_begins_anew_is_one(talk, gone):
    talk.hear(20.0)
    now = 20.0 + gone
    talk.hear(now)
    assert (talk.board.reboots, talk.board.ready) == (0, True)
    talk.board.receive(now + 1.0, senses(0.3))
    assert (talk.board.reboots, talk.board.ready) == (1, False)


FAR = 30000  # counts: nobody takes them for those of a robot that has just begun


def began(before, away, stamp, count, was=FAR):
    """Whether a packet after `away` s, with a clock of `stamp` ms and both encoders at `count`, tells a restart;
    the last one before it told a clock of `before` ms and encoders at `was`."""
    last = KobukiReading(100.0, Senses(), stamp=before, counts=(was, was))
    core = dataclasses.replace(RESTING, stamp=stamp, left=count, right=count)
    return began_anew(100.0 + away, core, last)


@pytest.mark.parametrize("boot", [0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize(("first", "rolled"), [(0, 0), (20, 65036), (200, 3000)])
def test_a_restart_is_noticed_wherever_the_clock_stood(boot, first, rolled):
    away = boot + first / 1000 + 0.02
    assert all(began(before, away, first, rolled) for before in range(0, wire.STAMP, 7))


@pytest.mark.parametrize("away", [0.02, 0.1, 0.25, 0.5, 1.0, 2.0])
def test_a_line_that_is_away_while_the_clock_stands_anywhere_is_no_restart(away):
    step = round(away * 1000)
    for before in range(0, wire.STAMP, 19):
        assert not began(before, away + 0.01, (before + step) % wire.STAMP, FAR)
        assert not began(before, away + 0.01, (before + 20) % wire.STAMP, FAR)


def test_a_clock_that_wraps_between_two_packets_is_no_restart_where_the_wheels_never_turned():
    for late in (0.0, 0.15):
        assert not any(began(wire.STAMP - 20 + k, 0.02 + late, k, 0, 0) for k in range(20))


@pytest.mark.parametrize("at", [64.0, 64.6, 65.2])
def test_a_robot_that_restarts_while_its_clock_wraps_is_held(at):
    bench = KobukiBench(fast_world())
    bench.emulator._started = -at
    bench.run(2.0, FORWARD)
    bench.emulator.reboot(bench.now)
    bench.run(1.1, FORWARD)
    assert bench.board.reboots == 1


def test_packets_that_come_late_all_at_once_are_no_restart(talk):
    for n in range(1, 100):
        talk.board.receive(2.0, senses(n / 50))
    assert talk.board.reboots == 0

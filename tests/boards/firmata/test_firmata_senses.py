"""What Firmata's driver makes of what a board tells: switches, infrared, the beam between the fingers."""

from __future__ import annotations

import math

import pytest

from boards.firmata import frames as wire
from boards.firmata.senses import BOUNCE_S, Switch
from robotd.model.command import Command
from tests.boards.bench import FirmataBench, ready
from tests.boards.hand import move

FORWARD = Command(0.1, 0.1)


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(FirmataBench)


def missing(bench):
    return dict(bench.board.capabilities(bench.now).missing)


def test_a_switch_is_pressed_at_once_and_open_only_after_its_bounces():
    switch = Switch()
    switch.note(0.0, down=False)
    assert not switch.pressed(0.0)
    for n in range(10):
        switch.note(1.0 + n / 1000, down=n % 2 == 0)
        assert switch.pressed(1.0 + n / 1000)
    assert switch.pressed(1.009 + BOUNCE_S / 2)
    assert not switch.pressed(1.009 + BOUNCE_S)


def test_bumps_lie_where_the_robot_file_says_and_switches_to_supply_count_the_other_way(bench):
    move(bench.world, "green", 3.0, 7.7)
    bench.run(2.0, FORWARD)
    bumps = {round(math.degrees(b.bearing)): b.pressed for b in bench.board.senses(bench.now).bumps}
    assert bumps == {40: True, 0: True, -40: True, 180: False}
    bench.run(1.0, Command(-0.1, -0.1))
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)


def test_a_damaged_report_of_a_switch_is_mended_by_the_next(bench):
    bench.board.receive(bench.now, wire.port(0, 0))
    assert bench.board.senses(bench.now).bumps[0].pressed
    bench.run(0.25)
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)


# Infrared


def test_infrared_readings_become_metres_by_the_curve(bench):
    move(bench.world, "green", 3.0, 7.4)
    bench.run(0.5)
    ahead = next(one for one in bench.board.senses(bench.now).ranges if one.bearing == 0)
    assert ahead.distance == pytest.approx(8.0 - 7.4 - 0.155, abs=0.03)
    assert (ahead.low, ahead.high) == (0.1, 0.8)
    move(bench.world, "green", 3.0, 3.0)
    bench.run(0.5)
    assert [one.distance for one in bench.board.senses(bench.now).ranges] == [None] * 5


def test_a_sensor_that_rests_in_front_of_something_while_it_moves_is_lost(bench):
    move(bench.world, "green", 3.0, 7.4)
    bench.run(0.5)
    bench.event("frozen", "front-range")
    bench.run(1.2, Command(-0.05, 0.05))
    assert "stands still" in missing(bench)["front-range"]
    bench.event("restore", "front-range")
    bench.run(0.5)
    assert missing(bench) == {}


def test_a_channel_that_falls_silent_is_lost_alone(bench):
    bench.emulator._reported.discard(2)
    receive = bench.emulator.receive
    bench.emulator.receive = lambda now, data: receive(now, data.replace(wire.report_analogue(2), b""))
    bench.run(0.8)
    assert missing(bench) == {"front-range": "infrared sensor at 0 degrees has no fresh reading"}


# Setting up


def test_the_beam_between_the_fingers_is_seen(bench):
    assert not bench.emulator.chassis.beam
    bench.run(1.5, Command(opening=1.0))
    assert bench.board.senses(bench.now).grip.beam is False
    type(bench.emulator.chassis).beam, kept = property(lambda self: True), type(bench.emulator.chassis).beam
    try:
        bench.run(0.3, Command(opening=1.0))
        assert bench.board.senses(bench.now).grip.beam is True
    finally:
        type(bench.emulator.chassis).beam = kept

"""What the Pioneer's driver makes of what a robot tells: odometry, stalls and bumpers, sonar."""

from __future__ import annotations

import math

import pytest

from robotd.model.command import Command
from tests.boards.bench import PioneerBench, fast_world, ready
from tests.boards.hand import move
from tests.boards.pioneer.pioneer_talk import DRIVING, FORWARD, answered


@pytest.fixture
def talk():
    return answered()


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(PioneerBench)


def test_a_jump_is_refused_told_and_over_after_a_moment(talk):
    talk.hear(0.1, x=5000)
    assert "jumped by 2.4" in talk.missing(0.1)["odometry"]
    assert talk.board.senses(0.1).odometry is None
    for n in range(2, 6):
        talk.hear(n / 10, x=5000)
    assert talk.missing(0.5) == {}
    assert talk.board.senses(0.5).odometry.x == 0.0
    assert talk.board.senses(0.5).odometry.accuracy > 0


@pytest.mark.parametrize(("speed", "lost"), [(0.1, True), (0.01, False)])
def test_odometry_that_stands_while_the_robot_is_told_to_drive_is_lost_until_it_counts_again(talk, speed, lost):
    for n in range(1, 12):
        talk.board.command(n / 10, Command(speed, speed))
        talk.sent(n / 10)
        talk.hear(n / 10 + 0.05, DRIVING)  # at 0.1 m/s, it says, and stays at one place
    assert ("odometry" in talk.missing(1.15)) == lost
    talk.hear(1.25, DRIVING, x=110)
    assert talk.missing(1.25) == {}


@pytest.mark.parametrize(
    ("stall", "pressed", "stalled"),
    [(0x0000, [], False), (0x0001, [], True), (0x0100, [], True), (0x0200, [60], False), (0x2000, [-60], False),
     (0x0002, [-120], False), (0x0301, [60], True)],
)  # fmt: skip
def test_the_stall_word_holds_stalls_and_both_rings_of_bumpers(talk, stall, pressed, stalled):
    talk.hear(0.1, stall=stall)
    senses = talk.board.senses(0.1)
    assert [round(math.degrees(bump.bearing)) for bump in senses.bumps if bump.pressed] == pressed
    assert senses.stalled == stalled


def test_a_sonar_that_tells_nothing_for_long_is_missing_and_named(talk):
    for n in range(1, 9):
        talk.hear(n / 10, sonar=tuple((k, 5000) for k in range(8) if k != 3))
    assert talk.missing(0.8) == {"front-range": "sonar at 10 degrees has no fresh reading"}


def test_a_sonar_that_stands_still_before_something_is_missing_and_one_that_sees_nothing_is_not(talk):
    for n in range(1, 12):
        sonar = tuple((k, 800 if k == 0 else 5000) for k in range(8))
        talk.hear(n / 10, DRIVING, x=10 * n, sonar=sonar)
    assert "sonar at 90 degrees stands still" in talk.missing(1.1)["side-range"]
    assert "front-range" not in talk.missing(1.1)


def test_a_sonar_that_has_something_nearer_than_it_can_measure_reads_its_least_for_long_and_works(talk):
    for n in range(1, 12):
        sonar = tuple((k, 170 if k == 0 else 5000) for k in range(8))
        talk.hear(n / 10, DRIVING, x=10 * n, sonar=sonar)
    assert talk.missing(1.1) == {}
    assert min(one.distance for one in talk.board.senses(1.1).ranges if one.distance is not None) == 0.17


def test_a_sonar_beside_a_wall_that_is_driven_along_wavers_and_is_believed():
    bench = PioneerBench(fast_world())
    move(bench.world, "green", bench.world.settings.width_m - 0.36, 1.0)
    bench.run(1.0)
    for _ in range(120):
        bench.run(0.25, FORWARD)
        assert "side-range" in bench.board.capabilities(bench.now).resources


# Gripper


@pytest.mark.parametrize("reading", [0, 5000, 6000])
def test_a_sonar_without_an_echo_detects_nothing_and_works(talk, reading):
    for n in range(1, 30):
        talk.hear(n / 10, DRIVING, x=41 * n, sonar=tuple((k, reading if k == 3 else 800 + n) for k in range(8)))
    seen = {round(math.degrees(r.bearing)): r.distance for r in talk.board.senses(2.9).ranges}
    assert (seen[10], seen[30]) == (None, pytest.approx(0.829))
    assert talk.missing(2.9) == {}

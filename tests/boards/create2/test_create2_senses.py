"""What the Create 2's driver believes of encoders, motors, bumps and light bumpers."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from boards.create2.driver import Create2Settings
from boards.create2.senses import COUNT_M, GAUGE, IDLE_MA, MAX_SPEED, STALL_MA
from boards.odometry import CLUMP_S, Rolling
from boards.proximity import metres
from boards.wheelset import Motor
from robotd.model.command import Command
from tests.boards.bench import Create2Bench, ready
from tests.boards.create2.create2_talk import FORWARD, answered
from tests.boards.hand import move


@pytest.fixture
def talk():
    return answered()


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(Create2Bench)


# Encoders


def rolled(*counts, passed=0.015):
    """A `Rolling` that was given counts of the left encoder, the right one standing."""
    rolling = Rolling(0.235, GAUGE, Counter())
    for n, count in enumerate(counts):
        rolling.take(n * passed, count, 0)
    return rolling


@pytest.mark.parametrize(("first", "second", "counts"), [(5, 65530, -11), (65530, 5, 11), (0, 65535, -1)])
def test_an_encoder_that_wraps_either_way_has_made_a_small_step(first, second, counts):
    """A1, RB13, D13."""
    pose = rolled(first, second).pose
    assert math.hypot(pose.x, pose.y) == pytest.approx(abs(counts) * COUNT_M / 2, abs=1e-4)
    assert (pose.x > 0) == (counts > 0)


def test_small_jumps_in_each_frame_are_refused_as_much_as_one_large():
    rolling, counts = Rolling(0.235, GAUGE, Counter()), 160  # in 15 ms: 4.7 m/s
    for n in range(67):
        rolling.take(n * 0.015, n * counts, n * counts)
        assert n < 3 or rolling.unsure_until > n * 0.015
    assert rolling.pose.x < 1.5 * MAX_SPEED * (66 * 0.015 + CLUMP_S)


@pytest.mark.parametrize("held_s", [0.0, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("apart_s", [0.0, 0.004])
def test_frames_of_top_speed_that_were_held_back_are_believed_although_they_come_at_once(held_s, apart_s):
    rolling = Rolling(0.235, GAUGE, (refused := Counter()))
    last = 0.0
    for n in range(400):
        taken = n * 0.015
        arrives = math.ceil(taken / held_s - 1e-9) * held_s if held_s else taken
        last = max(arrives, last + apart_s)
        count = round(taken * MAX_SPEED / COUNT_M)
        rolling.take(last, count % GAUGE.wrap, count % GAUGE.wrap)
    assert not refused
    assert rolling.pose.x == pytest.approx(399 * 0.015 * MAX_SPEED, abs=1e-3)


def test_after_a_loss_all_that_was_held_back_meanwhile_is_believed_at_once():
    rolling = Rolling(0.235, GAUGE, (refused := Counter()))
    rolling.take(0.0, 0, 0)
    rolling.lose_reference()
    for n in range(1, 60):
        count = round(n * 0.015 * MAX_SPEED / COUNT_M)
        rolling.take(1.0, count, count)
    assert not refused


def test_a_jump_is_refused_told_and_over_after_a_moment(talk):
    talk.hear(0.1)
    talk.hear(0.115, p43=20000)
    assert "jumped by 20000" in talk.missing(0.115)["odometry"]
    assert talk.board.counts["encoder-jump"] == 1
    assert talk.board.senses(0.115).odometry is None
    for n in range(9, 40):
        talk.hear(n / 66, p43=20000)
    senses = talk.board.senses(0.6)
    assert (senses.odometry.x, talk.missing(0.6)) == (0.0, {})


def test_the_doubt_grows_with_the_way_and_with_what_was_not_seen():
    steps = [rolled(*range(0, 1000 * far, 10)).pose.accuracy for far in (1, 2, 4)]
    assert steps == sorted(steps)
    assert steps[0] > 0
    rolling = rolled(0, 0)
    rolling.lose_reference()
    rolling.take(2.0, 30000, 0)
    assert rolling.pose.accuracy == pytest.approx(MAX_SPEED * 1.985, abs=0.001)
    assert rolling.pose.x == 0.0


# Motors, bumps, light bumpers


@pytest.mark.parametrize(
    ("current", "over", "found"),
    [(900, False, "stalled"), (150, True, "stalled"), (5, False, "dead"), (150, False, "stuck")],
)
def test_the_current_tells_a_held_wheel_a_dead_motor_and_a_frozen_encoder_apart(current, over, found):
    motor = Motor(STALL_MA, IDLE_MA)
    for n in range(60):
        motor.note(n / 66, commanded=True, counted=False, current=current, over=over)
    now = 59 / 66
    assert (motor.stalled, motor.dead_until > now, motor.stuck) == tuple(
        found == word for word in ("stalled", "dead", "stuck")
    )
    motor.note(now, commanded=True, counted=True, current=150, over=False)
    assert not motor.stalled
    assert not motor.stuck


def tried(motor, frames, first):
    """The holds, s, of a motor that takes no current, told to turn whenever it is not held to be dead."""
    holds = []
    for n in range(first, first + frames):
        now, before = n / 66, motor.dead_until
        motor.note(now, commanded=now >= before, counted=False, current=5, over=False)
        if motor.dead_until != before:
            holds.append(round(motor.dead_until - now, 3))
    return holds


def test_a_motor_that_stays_dead_is_tried_ever_less_often_until_it_has_turned():
    motor = Motor(STALL_MA, IDLE_MA)
    assert tried(motor, 40 * 66, 0) == [1, 2, 4, 8, 16, 16]
    motor.note(70.0, commanded=True, counted=True, current=150, over=False)
    assert tried(motor, 3 * 66, 71 * 66)[0] == 1


def test_a_wheel_that_is_told_nothing_is_judged_by_nothing():
    motor = Motor(STALL_MA, IDLE_MA)
    for n in range(200):
        motor.note(n / 66, commanded=False, counted=False, current=0, over=False)
    assert not motor.stalled
    assert not motor.stuck
    assert motor.dead_until < 0


@pytest.mark.parametrize(("bits", "left", "right"), [(1, False, True), (2, True, False), (3, True, True)])
def test_the_right_bumper_is_the_lowest_bit(talk, bits, left, right):
    """A6."""
    talk.hear(0.1, p7=bits)
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
        talk.hear(0.1 + n / 66, p14=0x10, p54=150, p55=150, p44=7 * n)
    assert talk.board.senses(0.1 + 49 / 66).stalled


def test_a_light_bumper_beyond_its_range_takes_its_resource_along(talk):
    """A5."""
    talk.hear(0.1, p48=5000)
    assert "out of its range" in talk.missing(0.1)["front-range"]
    talk.hear(0.12, p48=4095)
    assert talk.missing(0.12) == {}
    assert min(one.distance for one in talk.board.senses(0.12).ranges if one.distance is not None) == 0.01


def test_readings_become_metres_by_the_curve_and_faint_ones_nothing_seen():
    curve = Create2Settings().light_curve
    assert [metres(value, curve) for value, _ in curve] == [distance for _, distance in curve]
    assert metres(curve[-1][0] - 1, curve) is None
    falling = [metres(value, curve) for value in range(70, 4096)]
    assert falling == sorted(falling, reverse=True)


def test_a_light_bumper_that_rests_in_front_of_something_while_it_moves_is_lost(bench):
    move(bench.world, "green", 3.0, 7.75)
    bench.run(0.5)
    assert any(one.distance is not None for one in bench.board.senses(bench.now).ranges)
    bench.event("frozen", "front-range")
    bench.run(1.2, Command(-0.06, 0.06))
    assert "stands still" in dict(bench.board.capabilities(bench.now).missing)["front-range"]
    bench.event("restore", "front-range")
    bench.run(0.5)
    assert bench.board.capabilities(bench.now).missing == ()


@pytest.mark.parametrize(("level", "frozen"), [(0, False), (5, False), (69, False), (70, True), (900, True)])
def test_a_light_bumper_that_sees_nothing_may_read_the_same_for_long(talk, level, frozen):
    for n in range(1, 100):
        now = n / 66
        talk.board.command(now, FORWARD)
        talk.sent(now)
        talk.hear(now, p43=4 * n, p44=4 * n, p54=150, p55=150, p48=level)
    assert ("front-range" in talk.missing(now)) == frozen

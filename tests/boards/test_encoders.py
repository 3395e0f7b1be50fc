"""Encoders and motors of wheels: speeds and odometry however samples arrive; what the current shows of a motor."""

import math
from collections import Counter

import pytest

from boards.create2.senses import COUNT_M, GAUGE, IDLE_MA, MAX_SPEED, STALL_MA
from boards.kobuki.senses import GAUGE as KOBUKI
from boards.odometry import CLUMP_S, Motor, Rolling

LOSS = 5  # every fifth sample


def arrivals(period, gap, apart, seconds=4.0):
    """(arrival, number) of samples that are held back for `gap` s and then come `apart` s from each other."""
    found, number, t, last = [], 1, 0.0, 0.0
    while t < seconds:
        t += gap
        at = t
        while number * period <= t + 1e-9:
            last = max(last, at)
            found.append((last, number))
            number, at = number + 1, at + apart
    return found


def speeds(gauge, samples, speed):
    """Left wheel's speeds after one second."""
    rolling, found = Rolling(0.23, gauge, Counter()), []
    for at, number in samples:
        count = int(speed * gauge.period_s * number / gauge.count_m) % gauge.wrap
        rolling.take(at, count, count)
        if at > 1.0:
            found.append(rolling.speeds[0])
    return found


@pytest.mark.parametrize("gauge", [GAUGE, KOBUKI], ids=["create2", "kobuki"])
@pytest.mark.parametrize(("gap", "apart"), [(0.08, 0.003), (0.15, 0.0), (0.2, 0.003), (0.25, 0.0), (0.28, 0.003)])
def test_samples_in_clumps_give_the_same_speed_as_evenly_spaced_ones(gauge, gap, apart):
    for speed in (0.3, 0.5):
        found = speeds(gauge, arrivals(gauge.period_s, gap, apart), speed)
        assert found == pytest.approx([speed] * len(found), rel=0.1)


@pytest.mark.parametrize("gauge", [GAUGE, KOBUKI], ids=["create2", "kobuki"])
def test_lost_samples_change_no_speed(gauge):
    even = [(number * gauge.period_s, number) for number in range(1, 200)]
    found = speeds(gauge, [one for one in even if one[1] % LOSS], 0.3)
    assert found == pytest.approx([0.3] * len(found), rel=0.1)


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


def test_the_doubt_grows_with_the_way_and_with_what_was_not_seen():
    steps = [rolled(*range(0, 1000 * far, 10)).pose.accuracy for far in (1, 2, 4)]
    assert steps == sorted(steps)
    assert steps[0] > 0
    rolling = rolled(0, 0)
    rolling.lose_reference()
    rolling.take(2.0, 30000, 0)
    assert rolling.pose.accuracy == pytest.approx(MAX_SPEED * 1.985, abs=0.001)
    assert rolling.pose.x == 0.0


@pytest.mark.parametrize(
    ("current", "over", "found"),
    [(900, False, "stalled"), (150, True, "stalled"), (5, False, "dead"), (150, False, "stuck")],
)
def test_the_current_distinguishes_a_held_wheel_a_dead_motor_and_a_frozen_encoder(current, over, found):
    motor = Motor(STALL_MA, IDLE_MA)
    for n in range(60):
        motor.note(n / 66, commanded=True, counted=False, current=current, over=over)
    now = 59 / 66
    states = {"stalled": motor.stalled, "dead": motor.dead_until > now, "stuck": motor.stuck}
    assert [state for state, holds in states.items() if holds] == [found]
    motor.note(now, commanded=True, counted=True, current=150, over=False)
    assert not motor.stalled
    assert not motor.stuck


def tried(motor, frames, first):
    """The holds, s, of a motor that takes no current, commanded to turn whenever it is not held to be dead."""
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


def test_a_wheel_that_is_commanded_nothing_is_judged_by_nothing():
    motor = Motor(STALL_MA, IDLE_MA)
    for n in range(200):
        motor.note(n / 66, commanded=False, counted=False, current=0, over=False)
    assert not motor.stalled
    assert not motor.stuck
    assert motor.dead_until < 0

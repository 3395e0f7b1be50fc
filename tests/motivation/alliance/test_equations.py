"""Impatience and choice: equation (1) of Parker 1998, each reading as a sentence."""

import math

from .lone_robot import THETA, Robot


def test_a_set_becomes_active_when_its_motivation_reaches_the_threshold() -> None:
    robot = Robot()
    assert robot.until(4.5).active == []
    assert robot.level == 9.0
    assert robot.until(5.0).active == [0]
    assert robot.result.activated.tolist() == [True]
    assert robot.until(20.0).level == THETA


def test_a_set_that_does_not_apply_has_no_motivation() -> None:
    robot = Robot().applies()
    assert robot.until(20.0).level == 0.0
    assert robot.applies(0).until(22.0).level == 4.0
    assert robot.applies().until(22.5).level == 0.0


def test_only_one_set_is_active_and_it_suppresses_the_others() -> None:
    robot = Robot(2).until(30.0)
    assert robot.active == [0]
    assert robot.state.level.tolist() == [THETA, 0.0]
    assert robot.result.suppressed.tolist() == [False, True]


def test_the_timing_does_not_depend_on_the_tick() -> None:
    for tick in (0.05, 0.1, 0.25, 1.0):
        robot = Robot(tick=tick).until(4.0)
        assert math.isclose(robot.level, 8.0)
        assert robot.until(5.0).active == [0]


# -- ties


def test_of_two_sets_that_reach_the_threshold_at_once_the_higher_uncapped_level_wins() -> None:
    assert Robot(3, fast_rate=[5.1, 5.3, 5.2]).until(2.0).active == [1]


def test_at_equal_levels_the_first_declared_wins() -> None:
    assert Robot(3, fast_rate=[1.0, 5.3, 5.3]).until(2.0).active == [1]
    assert Robot(2, fast_rate=[5.0, 5.0 + 4e-10]).until(2.0).active == [0]
    assert Robot(2, fast_rate=[5.0, 5.0 + 4e-9]).until(2.0).active == [1]


# -- impatience: slowed, held, reset


def test_a_teammate_heard_on_the_task_slows_the_growth() -> None:
    robot = Robot().hears().until(0.5)
    assert robot.level == 0.0
    assert robot.until(4.5).level == 2.0
    assert robot.result.held_by.tolist() == [[True, False]]


def test_a_teammate_heard_on_another_task_does_not_slow_the_growth() -> None:
    robot = Robot(2).applies(0).hears(sets=1).until(4.5)
    assert robot.level == 9.0


def test_sets_of_one_task_are_held_back_together() -> None:
    robot = Robot(3).hears(sets=[0, 2]).until(4.5)
    assert robot.state.level.tolist() == [2.0, 9.0, 2.0]


def test_the_slowest_rate_among_the_teammates_heard_counts() -> None:
    robot = Robot(slow_rate=[[0.5, 0.2]]).hears(0).until(0.5)
    assert robot.hears(1).until(1.0).level == 0.0
    assert math.isclose(robot.until(6.0).level, 1.0)


def test_each_teammate_resets_a_motivation_once() -> None:
    robot = Robot().until(2.0).hears(0).until(2.5)
    assert robot.level == 0.0
    assert robot.result.reset_by.tolist() == [[True, False]]
    assert robot.until(4.5).hears(0).until(5.0).level == 1.25
    assert robot.hears(1).until(5.5).level == 0.0
    assert robot.result.reset_by.tolist() == [[False, True]]


def test_a_reset_is_not_held_for_the_silence_window() -> None:
    assert Robot().hears().until(1.0).level == 0.25


def test_a_teammate_silent_for_the_timeout_no_longer_slows_the_growth() -> None:
    robot = Robot().hears().until(11.5)
    assert robot.level == 5.5
    assert robot.result.heard.tolist() == [[True, False]]
    assert robot.until(12.0).level == 6.5
    assert robot.result.heard.tolist() == [[False, False]]


def test_a_teammate_that_says_it_does_something_else_holds_its_old_task_until_the_timeout() -> None:
    robot = Robot(2).applies(0).hears(sets=0).until(3.0).hears(sets=1)
    assert robot.until(11.5).level == 5.5


def test_patience_runs_out_on_a_teammate_that_continues_to_announce() -> None:
    robot = Robot(patience=6.0).hears().until(6.0, states_every=3.0)
    assert robot.level == 5.5 * 0.5
    assert robot.until(6.5).level == 5.5 * 0.5 + 1.0
    assert robot.result.heard[0, 0]
    assert not robot.result.held_by[0, 0]


def test_a_teammate_whose_patience_ran_out_does_not_hide_another_whose_has_not() -> None:
    robot = Robot(patience=[[6.0, 30.0]]).hears(0).hears(1).until(10.0)
    assert robot.level == 9.5 * 0.5


# -- occasions


def test_completion_lets_the_same_teammate_reset_again() -> None:
    robot = Robot().hears().until(4.0).done().until(4.5)
    assert robot.level == 2.0
    assert robot.hears().until(5.0).level == 0.0


def test_without_a_completion_silence_does_not_let_a_teammate_reset_again() -> None:
    robot = Robot(slow_rate=0.1).hears().until(14.0)
    before = robot.level
    assert robot.hears().until(14.5).level > before


def test_a_healthy_teammate_still_inhibits_after_its_own_completion() -> None:
    robot = Robot().hears().until(4.0).done().until(11.5)
    assert robot.level == 5.5
    assert robot.until(12.0).level == 6.5


def test_completion_restarts_patience_until_the_teammate_is_heard_again() -> None:
    robot = Robot(patience=4.0).hears().until(4.0).done().until(8.0)
    assert robot.level == 7.5 * 0.5
    assert robot.until(8.5).level == 7.5 * 0.5 + 1.0

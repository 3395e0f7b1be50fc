"""Sets that interrupt, and sets that leave a task to the robot on it."""

import math
from typing import Any

import numpy as np

from motivation.alliance.equations import hear, step

from .lone_robot import THETA, TICK, Robot


def preempting(**changed: Any) -> Robot:
    """Set 0 works; set 1 interrupts it for a report every 20 s."""
    robot = Robot(2, fast_rate=[2.0, 0.5], slow_rate=[0.5, 0.1], preempts=[False, True], **changed)
    return robot.until(20.0)


def test_a_preempting_set_grows_beside_an_ordinary_one_and_takes_over_at_the_threshold() -> None:
    robot = preempting()
    assert robot.active == [1]
    assert robot.state.level.tolist() == [THETA, THETA]
    assert robot.result.suspended.tolist() == [True, False]
    assert robot.until(20.5).state.level.tolist() == [0.0, THETA]


def test_a_set_that_does_not_preempt_waits() -> None:
    assert Robot(2, fast_rate=[2.0, 0.5], slow_rate=0.1).until(40.0).active == [0]


def test_the_interrupted_set_resumes_in_the_same_tick() -> None:
    robot = preempting().until(24.0).applies(0).until(24.5)
    assert robot.active == [0]
    assert robot.result.resumed.tolist() == [True, False]
    assert robot.state.level.tolist() == [THETA, 0.0]


def test_active_time_counts_on_after_an_interruption_so_a_stuck_robot_still_gives_up() -> None:
    robot = preempting(give_up_time=[20.0, math.inf]).until(24.0).applies(0).until(24.5)
    assert robot.state.activated_at[0] == 9.5  # 5 s, and 4.5 s of suspension
    assert robot.state.claimed_at[0] == 5.0
    assert robot.until(29.5).active == [0]
    assert robot.until(30.0).active == []


def test_a_set_that_may_not_be_interrupted_finishes_its_phase_first() -> None:
    robot = Robot(2, fast_rate=[2.0, 0.5], slow_rate=0.1, preempts=[False, True]).until(19.5)
    held = np.array([True, False])
    step(robot.state, robot.params, 20.0, TICK, robot.applicable, held)
    assert robot.active == [0]
    step(robot.state, robot.params, 20.5, TICK, robot.applicable)
    assert robot.active == [1]


# -- exclusive sets


def test_an_exclusive_set_does_not_apply_while_a_teammate_holds_it_back() -> None:
    robot = Robot(exclusive=True).until(2.0).hears().until(2.5)
    assert robot.until(13.5).level == 0.0
    assert robot.until(14.5).level == 2.0


def test_an_exclusive_set_is_taken_over_when_patience_runs_out() -> None:
    robot = Robot(exclusive=True, patience=6.0).hears().until(6.0, states_every=3.0)
    assert robot.level == 0.0
    assert robot.until(11.0, states_every=3.0).active == [0]


def beside_one_that_fails(until: float, **changed: Any) -> Robot:
    """A teammate works for 20 s, gives up, tries again after 5 s, and so on; patience is 30 s."""
    robot = Robot(patience=30.0, slow_rate=0.2, **changed)
    while robot.now < until and not robot.active:
        worked = robot.now % 25.0
        if worked < 20.0 and worked % 3.0 == 0.0:
            robot.hears(elapsed=worked)
        robot.until(robot.now + TICK)
    return robot


def test_an_exclusive_set_is_taken_over_in_the_end_from_one_that_gives_up_and_tries_again_without_end() -> None:
    assert beside_one_that_fails(60.0, exclusive=True).level == 0.0  # as long as both teammates' patience lasts
    robot = beside_one_that_fails(200.0, exclusive=True)
    assert robot.active == [0]
    assert robot.now <= 60.0 + THETA / 0.2 + 2 * TICK
    assert beside_one_that_fails(200.0).now < robot.now


def test_a_completion_and_a_time_of_being_inapplicable_begin_the_wait_of_an_exclusive_set_anew() -> None:
    for anew in (lambda robot: robot.done(), lambda robot: robot.applies().until(50.5).applies(0)):
        robot = anew(beside_one_that_fails(50.0, exclusive=True))
        assert robot.hears().until(51.0).state.waiting_since[0] > 50.0


def newer_claim(**changed: bool) -> Robot:
    """Active from 5 s on with a yield time of 10 s; a teammate that began at 12 s says so once, at 13 s."""
    return Robot(yield_time=10.0, **changed).until(13.0).hears(elapsed=1.0).until(15.5)


def test_an_exclusive_set_keeps_its_task_from_a_newer_claim_that_may_have_been_let_go_since() -> None:
    assert newer_claim(exclusive=True).until(24.0).active == [0]


def test_an_exclusive_set_yields_to_a_newer_claim_that_is_stated_after_the_yield_time() -> None:
    robot = newer_claim(exclusive=True).until(16.0).hears(elapsed=4.0).until(16.5)
    assert robot.active == []
    assert robot.result.yields_to[0].tolist() == [True, False]


def test_a_set_that_is_not_exclusive_yields_to_any_newer_claim_as_soon_as_the_yield_time_has_passed() -> None:
    assert newer_claim().active == []


def test_a_statement_at_the_very_end_of_the_yield_time_is_one_before_it() -> None:
    for late, active in ((5e-10, [0]), (5e-9, [])):
        robot = Robot(exclusive=True, yield_time=10.0).until(15.0)
        hear(robot.state, robot.params, robot.mask(0, 0), 15.0 + late, 1.0)
        assert robot.until(15.5).active == active


def test_literal_paper_rule_an_exclusive_set_too_yields_to_whoever_is_heard() -> None:
    assert newer_claim(exclusive=True, literal_paper_rule=True).active == []

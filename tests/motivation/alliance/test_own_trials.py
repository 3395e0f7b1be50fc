"""A robot's own attempts at tasks: which of them are trials, and how they are sent."""

import pytest

from tests.motivation.alliance.one_alliance import BEAT_S, activity, reported
from tests.motivation.alliance.one_learner import DONE, LACKS, TWO, Learner


def test_an_own_completion_is_a_trial_of_the_time_spent() -> None:
    robot = Learner().works(7.5)
    assert robot.trials("red") == [7.5]
    assert "red needed 7.5 s; 1 trial of at most 5 make 7.5 s" in robot.causes("learned")[0]


def test_an_own_trial_counts_as_rounded_on_the_air() -> None:
    robot = Learner()
    robot.until(5.0).step()
    robot.applies(push=DONE).step(now=robot.now + 0.57)
    (took,) = robot.trials("red")
    assert took == pytest.approx(round(took / BEAT_S * 20) / 20 * BEAT_S)


def test_giving_up_counts_with_the_time_spent() -> None:
    robot = Learner({"push": {"give_up_time_s": 10.0}})
    robot.until(20.0)
    (took,) = robot.trials("red")
    assert 10.0 < took < 11.0
    assert "red gave up after" in robot.causes("learned")[0]
    assert robot.trial_stated is not None
    assert robot.trial_stated[1] == 1


def test_yielding_after_psi_counts_as_given_up() -> None:
    robot = Learner({"push": {"yield_time_s": 10.0}})
    robot.until(12.0)
    robot.hears(activity("push", 0.5)).until(20.0)
    assert "yielded" in robot.kinds()
    assert len(robot.trials("red")) == 1


def test_losing_what_the_set_needs_counts_as_given_up_and_a_task_that_vanishes_does_not() -> None:
    robot = Learner()
    robot.until(8.0)
    robot.applies(push=LACKS).step()
    assert len(robot.trials("red")) == 1
    other = Learner()
    other.until(8.0)
    other.applies(push=False).step()
    assert other.trials("red") == []


def test_a_claim_that_crossed_and_the_completion_by_a_teammate_are_no_trials() -> None:
    robot = Learner()
    robot.until(5.5)
    robot.hears(activity("push", 3.0)).step()
    assert "yielded" in robot.kinds()
    assert robot.trials("red") == []
    other = Learner()
    other.until(8.0)
    other.hears(reported("pushes", 1)).step()
    assert other.trials("red") == []


def test_an_interruption_is_no_end_and_its_time_does_not_count() -> None:
    robot = Learner({"push": {}, "report": {"preempts": True, "fast_rate": 1.0}})
    robot.applies(report=False).until(6.0)
    robot.applies(report=True).until(30.0)
    assert "suspended" in robot.kinds()
    assert robot.trials("red") == []
    robot.applies(report=DONE).step()
    robot.applies(report=False).until(33.0)
    robot.applies(push=DONE).step()
    (took,) = robot.trials("red")
    assert took < 16.0  # 5 to 16 s, then 3 s more; the report took about 14


# -- what is sent


def test_a_trial_is_said_in_four_frames_and_then_no_more() -> None:
    robot = Learner().works(7.5)
    sent = 0
    while robot.trial_stated is not None:
        robot.sends(*robot.choice.statements).step()
        sent += 1
    assert sent == 4
    assert robot.until(robot.now + 2.0).trial_stated is None


def test_of_several_trials_the_one_said_least_often_comes_next() -> None:
    robot = Learner(TWO).applies(push=False).works(4.5, "find")
    robot.sends(*robot.choice.statements).applies(find=False, push=True).works(6.0, "push")
    assert robot.trial_stated is not None
    assert robot.trial_stated[0] == "push"
    robot.sends(*robot.choice.statements).step()
    assert robot.trial_stated[0] == "find"


def test_the_next_run_says_the_last_trials_again_and_forgets_nothing() -> None:
    robot = Learner().works(7.5)
    before = robot.memory["trials"]
    robot.coordinator.begin(robot.now, 1, robot.coordinator._tasks.values(), robot.coordinator._table.team, 0)
    robot.step()
    assert robot.trial_stated == ("push", 0, 2.5)
    assert robot.memory["trials"] == before

"""What a robot learns of its teammates: trials that they report, and nothing else."""

import pytest

from tests.motivation.alliance.one_alliance import BEAT_S, activity, reported
from tests.motivation.alliance.one_learner import Learner, trial


def test_a_teammates_trial_is_what_it_says() -> None:
    robot = Learner()
    robot.hears(trial("push", 30.0)).step()
    assert robot.trials("blue") == [30.0]
    assert robot.trials("gold") == []
    assert "blue needed 30.0 s" in robot.causes("learned")[0]


def test_repetitions_are_one_trial_and_a_new_serial_or_time_is_another() -> None:
    robot = Learner()
    for _ in range(5):
        robot.hears(trial("push", 30.0)).until(robot.now + BEAT_S)
    assert robot.trials("blue") == [30.0]
    robot.hears(trial("push", 30.0, serial=1)).step()
    robot.hears(trial("push", 45.0, serial=1)).step()  # it lost its memory, and counts afresh
    assert robot.trials("blue") == [30.0, 30.0, 45.0]


def test_a_repetition_of_the_trial_before_the_last_is_no_trial() -> None:
    """Its sender lost power before the newest was on its disk."""
    robot = Learner()
    for serial, took in ((4, 30.0), (5, 33.0), (4, 30.0)):
        robot.hears(trial("push", took, serial)).step()
    assert robot.trials("blue") == [30.0, 33.0]


def test_a_silent_disappearance_is_no_trial() -> None:
    robot = Learner()
    robot.until(30.0, sends=activity("push", 0.5)).until(120.0)
    assert robot.trials("blue") == []


def test_lost_frames_make_no_trials_whatever_is_lost() -> None:
    """Blue works, completes and begins again; of its frames red hears some."""
    for lost in range(8):
        robot = Learner()
        frames = (
            (activity("push", 2.0),),
            (activity(""), reported("pushes", 1), trial("push", 30.0)),
            (activity("push", 0.5), trial("push", 30.0)),
        )
        heard = [frame for k, frame in enumerate(frames) if not lost >> k & 1]
        for frame in heard:
            robot.hears(*frame).until(robot.now + BEAT_S)
        received = any(statement.kind == "trial" for frame in heard for statement in frame)
        assert robot.trials("blue") == ([30.0] if received else [])


def test_what_strangers_other_runs_and_other_missions_say_is_no_trial() -> None:
    robot = Learner()
    robot.hears(trial("push", 30.0), sender="stranger").hears(trial("push", 30.0), run=127, sender="gold")
    robot.hears(trial("push", 30.0), same_mission=False).hears(trial("report", 30.0)).step()
    assert all(robot.trials(name) == [] for name in ("red", "blue", "gold"))


def test_no_time_is_too_short_or_too_long_to_be_heard() -> None:
    """Public code gave up on durations below the threshold over the fast rate."""
    robot = Learner()
    for serial, took in enumerate((0.0, 0.15, 9828.75)):
        robot.hears(trial("push", took, serial)).step()
    robot.until(20.0)
    assert robot.trials("blue") == pytest.approx([0.0, 0.15, 9828.75])


def test_nothing_is_shared_but_statements() -> None:
    """Public code let all robots read one matrix."""
    one, other = Learner(), Learner()
    one.works(7.5)
    other.until(one.now)
    assert other.trials("red") == []

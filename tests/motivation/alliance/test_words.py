"""Why a motivation moves, and why something happened: words that people read, with the numbers that decided."""

from __future__ import annotations

from robotd.model.tasks import Feedback

from .one_alliance import TABLE, Lone, activity, told

REPORT = {"fast_rate": 0.5, "slow_rate": 0.1, "preempts": True}


def pusher(**changes: object) -> Lone:
    return Lone({"push": changes})


# -- what moves a motivation now


def test_nobody_is_on_it() -> None:
    assert pusher().until(1.0).why() == "fast: nobody is on it"


def test_a_set_that_lacks_something_names_it_and_one_that_merely_does_not_apply_does_not() -> None:
    missing = Feedback(applicable=False, missing=("gripper", "side-range"))
    assert pusher().applies(push=missing).until(1.0).why() == "lacks gripper, side-range"
    assert pusher().applies(push=False).until(1.0).why() == "not applicable"


def test_a_set_says_that_it_is_active_then_done() -> None:
    robot = pusher().until(6.0)
    assert robot.why() == "active"
    assert robot.applies(push=Feedback(applicable=True, done=True)).until(6.5).why() == "done"


def test_a_teammate_resets_then_slows_and_its_patience_runs_out() -> None:
    robot = pusher(patience_s=6.0).until(3.0).hears(activity("push")).until(3.5)
    assert robot.why() == "reset: blue began push"
    assert robot.until(9.0, says=activity("push")).why() == "slow: blue is on push"
    assert robot.until(9.5).why() == "fast: patience with blue has run out"


def test_two_teammates_are_both_named() -> None:
    robot = pusher().hears(activity("push")).hears(activity("push"), sender="gold").until(1.0)
    assert robot.why() == "slow: blue, gold is on push"


def test_a_completion_by_a_teammate_says_so() -> None:
    assert pusher().until(3.0).hears(told("pushes", 1)).until(3.5).why() == "push was completed"


def test_a_set_that_does_not_apply_says_whether_all_tasks_are_done() -> None:
    robot = Lone({"push": {}, "find": {}}).applies(push=False, find=False).until(1.0)
    assert (robot.why("push"), robot.why("find")) == ("not applicable", "not applicable")
    done = [entry.completion for entry in TABLE.tasks if entry.completion and not entry.recurring]
    for fact in done:
        robot.asserts(fact, 1.0)
    assert robot.until(2.0).why("push") == "all tasks done"


def test_a_suppressed_set_names_the_set_that_acts() -> None:
    robot = Lone({"push": {}, "find": {"fast_rate": 1.0}}).until(7.0)
    assert (robot.active, robot.why("find")) == ("push", "suppressed by push")


def test_impatience_goes_on_growing_while_another_set_acts_and_motivation_does_not() -> None:
    robot = Lone({"push": {}, "find": {"fast_rate": 1.0}}).until(8.0)
    level = next(level for level in robot.choice.levels if level.set == "find")
    assert (level.scores["impatience"], level.scores["motivation"], level.limit) == (8.0, 0.0, 10.0)


# -- events


def test_an_activation_says_what_it_reached_and_beside_whom() -> None:
    assert pusher().until(5.0).causes("activated") == ["motivation reached 10; nobody was heard on push"]
    robot = pusher(slow_rate=1.5).hears(activity("push")).until(8.0)
    assert robot.causes("activated") == ["motivation reached 10 although blue is on push"]
    robot = pusher(patience_s=3.0).hears(activity("push")).until(9.0)
    assert robot.causes("activated") == ["motivation reached 10; patience with blue had run out"]


def test_a_reset_says_who_began_how_long_ago_and_what_it_cost() -> None:
    robot = pusher().until(3.0).hears(activity("push", 0.5)).until(3.5)
    assert robot.causes("reset") == ["push was begun by blue 2.0 s ago; motivation was 6.0"]


def test_a_set_that_does_not_apply_is_not_told_to_be_reset() -> None:
    assert pusher().applies(push=False).until(3.0).hears(activity("push")).until(3.5).events == []


def test_a_robot_that_yields_says_to_whom_and_after_what_time() -> None:
    robot = pusher(yield_time_s=6.0).until(10.0).hears(activity("push")).until(11.5)
    assert robot.causes("yielded") == ["push was begun by blue 1.5 s ago; active for 6.5 s, yield time 6 s"]


def test_claims_that_crossed_on_the_air_are_told_as_such() -> None:
    robot = pusher().until(8.0).hears(activity("push", 1.5)).until(8.5)  # blue began at 3.5 s, red at 5 s
    assert robot.causes("yielded") == [
        "push was begun by blue 5.0 s ago; active for 3.5 s: claims crossed on the air"
    ]
    assert robot.kinds() == ["activated", "reset", "yielded"]


def test_a_robot_that_gives_up_says_after_what_time() -> None:
    robot = pusher(give_up_time_s=6.0).until(11.5)
    assert robot.causes("gave-up") == ["active for 6.5 s, give-up time 6 s"]


def test_an_end_says_whether_the_task_was_done_or_no_longer_applied() -> None:
    robot = pusher().until(8.0).applies(push=Feedback(applicable=True, done=True)).until(8.5)
    assert robot.causes("done") == ["after 3.5 s of work"]
    assert robot.causes("ended") == ["done; active for 3.5 s"]
    robot = pusher().until(8.0).applies(push=False).until(8.5)
    assert (robot.causes("done"), robot.causes("ended")) == ([], ["no longer applicable; active for 3.5 s"])


def test_an_interruption_says_by_what_and_for_how_long_and_what_became_of_the_task() -> None:
    robot = Lone({"push": {}, "report": REPORT}).until(24.0).applies(report=False).until(24.5)
    assert robot.causes("suspended") == ["interrupted by report; active for 15.0 s"]
    assert robot.causes("resumed") == ["the interruption has ended after 4.5 s and nobody took the task"]
    robot = Lone({"push": {}, "report": REPORT}).until(24.0).applies(report=False, push=False).until(24.5)
    assert robot.causes("forgotten") == [
        "the interruption has ended after 4.5 s; it no longer applies, or a teammate took its task meanwhile"
    ]

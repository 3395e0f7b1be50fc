"""Why a motivation moves, and why something happened: each cause once, with the numbers that decided."""

import pytest

from robotd.model.tasks import Feedback

from .one_alliance import TABLE, Lone, activity, reported

REPORT = {"fast_rate": 0.5, "slow_rate": 0.1, "preempts": True}
LACKS = Feedback(applicable=False, missing=("gripper", "side-range"))
DONE = Feedback(applicable=True, done=True)
FOUND = Feedback(applicable=False, why="the task is done: found is known")


def pusher(**changes: object) -> Lone:
    return Lone({"push": changes})


def reporter(**applies: Feedback | bool) -> Lone:
    return Lone({"push": {}, "report": REPORT}).until(24.0).applies(**applies).until(24.5)


@pytest.mark.parametrize(
    ("robot", "why"),
    [
        (pusher().until(1.0), "rises fast: no teammate is on it"),
        (pusher().applies(push=LACKS).until(1.0), "lacks gripper, side-range"),
        (pusher().applies(push=False).until(1.0), "not applicable"),
        (pusher().applies(push=FOUND).until(1.0), "the task is done: found is known"),
        (pusher().until(6.0), "active"),
        (pusher().until(6.0).applies(push=DONE).until(6.5), "done"),
        (pusher().until(3.0).hears(activity("push")).until(3.5), "set to 0: blue began push"),
        (pusher(patience_s=6.0).hears(activity("push")).until(6.0), "rises slowly: blue is on push"),
        (pusher(patience_s=6.0).hears(activity("push")).until(6.5), "rises fast: patience with blue has run out"),
        (pusher().hears(activity("push")).hears(activity("push"), sender="gold").until(1.0),
         "rises slowly: blue, gold are on push"),
        (pusher(slow_rate=0.1).hears(activity("push")).until(13.5),
         "rises fast: blue, which was on it, is silent"),
        (pusher(slow_rate=0.1).hears(activity("push")).until(12.0).hears(activity()).until(13.5),
         "rises fast: blue, which was on it, has left it"),
        (pusher().until(3.0).hears(reported("pushes", 1)).until(3.5), "push was completed"),
        (Lone({"find": {}, "push": {"fast_rate": 1.0}}).until(7.0), "suppressed by find"),
    ],
)  # fmt: skip
def test_each_motivation_says_what_moves_it_now(robot: Lone, why: str) -> None:
    assert robot.why() == why


def test_a_set_that_does_not_apply_says_when_all_tasks_are_done() -> None:
    robot = pusher().applies(push=False)
    for fact in (entry.completion for entry in TABLE.tasks if entry.completion and not entry.recurring):
        robot.asserts(fact, 1.0)
    assert robot.until(2.0).why() == "all tasks done"


@pytest.mark.parametrize(
    ("robot", "kind", "causes"),
    [
        (pusher().until(5.0), "activated", ["motivation reached 10; no teammate reported push"]),
        (pusher(slow_rate=1.5).hears(activity("push")).until(8.0), "activated",
         ["motivation reached 10 although blue is on push"]),
        (pusher(patience_s=3.0).hears(activity("push")).until(9.0), "activated",
         ["motivation reached 10; patience with blue (3 s) had run out"]),
        (pusher(slow_rate=0.1).hears(activity("push")).until(19.0), "activated",
         ["motivation reached 10; blue, which was on push, has been silent for 17.5 s, time-out 13.5 s"]),
        (pusher(slow_rate=0.1).hears(activity("push")).until(12.0).hears(activity("find")).until(19.0),
         "activated", ["motivation reached 10; blue, which last reported push 17.5 s ago, is on find now"]),
        (pusher().until(3.0).hears(activity("push", 0.5)).until(3.5), "reset",
         ["push was begun by blue 2.0 s ago; motivation was 6.0"]),
        (pusher().applies(push=False).until(3.0).hears(activity("push")).until(3.5), "reset", []),
        (pusher(yield_time_s=6.0).until(10.0).hears(activity("push")).until(11.5), "yielded",
         ["push was begun by blue 1.5 s ago; active for 6.5 s, yield time 6 s"]),
        (pusher().until(8.0).hears(activity("push", 1.5)).until(8.5), "yielded",  # blue at 3.5 s, red at 5 s
         ["push was begun by blue 5.0 s ago; active for 3.5 s: claims crossed on the air"]),
        (pusher(give_up_time_s=6.0).until(11.5), "gave-up", ["active for 6.5 s, give-up time 6 s"]),
        (pusher().until(8.0).applies(push=DONE).until(8.5), "done", ["after 3.5 s of work"]),
        (pusher().until(8.0).applies(push=DONE).until(8.5), "ended", ["done; active for 3.5 s"]),
        (pusher().until(8.0).applies(push=False).until(8.5), "ended",
         ["it applies no longer; active for 3.5 s"]),
        (pusher().until(8.0).applies(push=FOUND).until(8.5), "ended",
         ["the task is done: found is known; active for 3.5 s"]),
        (pusher().until(8.0).applies(push=LACKS).until(8.5), "ended",
         ["lacks gripper, side-range; active for 3.5 s"]),
        (pusher().until(8.0).hears(reported("pushes", 1)).until(8.5), "ended",
         ["push was completed; active for 3.5 s"]),
        (reporter(report=False), "suspended", ["interrupted by report; active for 15.0 s"]),
        (reporter(report=False), "resumed",
         ["the interruption has ended after 4.5 s and no teammate took the task"]),
        (reporter(report=False, push=False), "forgotten",
         ["the interruption has ended after 4.5 s; it no longer applies, or a teammate took its task meanwhile"]),
    ],
)  # fmt: skip
def test_each_event_says_its_cause_and_numbers(robot: Lone, kind: str, causes: list[str]) -> None:
    assert robot.causes(kind) == causes


def test_a_teammate_that_falls_silent_and_one_that_is_back_are_events_once_each() -> None:
    robot = pusher().hears(activity("push")).until(30.0)
    assert robot.causes("teammate-silent") == [
        "nothing received from blue for 13.5 s, time-out 13.5 s; it was on push, free from now on"
    ]
    assert robot.causes("teammate-back") == []
    robot.hears(activity("find")).until(31.0)
    assert robot.causes("teammate-back") == ["blue is received again after 30.5 s, on find"]
    robot.until(60.0)
    assert len(robot.causes("teammate-silent")) == 2


def test_a_teammate_that_was_never_received_or_continues_to_send_is_no_event() -> None:
    robot = pusher().until(30.0, sends=activity("push"))
    assert robot.causes("teammate-silent") == robot.causes("teammate-back") == []


def test_a_robot_that_continues_from_a_frozen_state_reports_no_silence_twice() -> None:
    robot = pusher().hears(activity("push")).until(14.0)
    robot.rethought()
    assert len(robot.until(20.0).causes("teammate-silent")) == 1
    robot.hears(activity("push")).until(21.0)
    assert len(robot.causes("teammate-back")) == 1

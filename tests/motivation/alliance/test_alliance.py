"""One robot's ALLIANCE as a coordinator: what it receives, decides and sends."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.model.statements import Statement
from robotd.model.tasks import Feedback

from .one_alliance import APPLIES, BEAT_S, DECISION_S, NOT, NUMBERS, TABLE, THETA, Lone, activity, reported

REPORT = {"fast_rate": 0.5, "slow_rate": 0.1, "preempts": True}  # 20 s to the threshold
HOLDING = Feedback(applicable=True, holding=True)
DONE = Feedback(applicable=True, done=True)


def pusher(**changes: Any) -> Lone:
    """Red with the one set `push`, which takes 5 s to the threshold."""
    return Lone({"push": changes})


def reporter() -> Lone:
    """Red pushes, and interrupts that for a report 20 s after the last."""
    return Lone({"push": {}, "report": REPORT})


# -- what it sends


def test_the_statement_names_the_active_task_if_any_and_for_how_many_beats_it_is_claimed() -> None:
    robot = pusher().until(4.5)
    assert (robot.active, robot.stated) == ("", ("", "", 0.0))
    assert (robot.until(5.0).active, robot.stated) == ("push", ("push", "", 0.0))
    assert robot.until(11.0).stated == ("push", "", 2.0)


def test_the_task_active_last_is_stated_until_a_frame_has_stated_it_and_no_longer() -> None:
    robot = pusher().until(8.0).applies(push=False).until(9.0)
    assert (robot.active, robot.stated[0]) == ("", "push")
    assert robot.until(20.0).stated[0] == "push"
    robot.sends(activity("push", 5.0)).until(20.5)
    assert robot.stated == ("", "", 0.0)


def test_a_task_that_continues_after_the_frame_is_stated_again_when_it_ends() -> None:
    robot = pusher().until(6.0).sends(activity("push", 0.35)).until(7.0).applies(push=False).until(7.5)
    assert robot.stated[0] == "push"


def test_a_robot_that_did_not_act_when_its_frame_left_does_not_state_what_it_did_before_that() -> None:
    robot = pusher().until(8.0).applies(push=False).until(8.5)
    assert robot.stated[0] == "push"
    assert robot.sends().until(9.0).stated == ("", "", 0.0)  # a frame without an activity


def test_a_suspended_task_is_stated_as_held_and_after_its_resumption_as_active() -> None:
    robot = reporter().until(20.0)
    assert (robot.active, robot.stated[:2]) == ("report", ("report", "push"))
    assert robot.choice.held is not None
    assert robot.choice.held.id == "push"
    robot.applies(report=False).until(20.5)
    assert (robot.active, robot.stated[:2], robot.choice.held) == ("push", ("push", ""), None)


def test_a_robot_reasons_about_itself_with_the_claim_that_it_last_sent() -> None:
    robot = pusher().until(9.0).sends(activity("push", 1.35)).until(12.0)  # in truth 4/3 of a beat
    assert robot.stated[2] == pytest.approx((3.0 + 1.35 * BEAT_S) / BEAT_S, abs=1e-12)


@pytest.mark.parametrize(
    ("sent", "at"), [(activity("find", 0.5), 9.0), (activity("push", 3000.0), 9.0), (activity("push", 1.0), 4.5)]
)
def test_frames_about_another_task_or_saturated_or_older_than_the_claim_leave_it_alone(sent, at) -> None:
    robot = pusher().until(9.0).sends(sent, at=at).until(11.0)
    assert robot.stated[2] == 2.0


# -- what it receives


def test_a_teammates_first_statement_resets_once_and_its_next_ones_do_not() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(3.5)
    assert robot.level() == 0.0
    assert robot.until(6.0).level() == 5 * 0.25
    assert robot.hears(activity("push", 1.0)).until(6.5).level() == 6 * 0.25
    assert robot.kinds() == ["reset"]


def test_another_teammate_resets_once_more() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(6.0)
    assert robot.hears(activity("push"), sender="gold").until(6.5).level() == 0.0


def test_a_held_task_is_heard_as_well_as_the_active_one() -> None:
    robot = Lone({"push": {}, "find": {}}).until(3.0).hears(activity("find", held="push")).until(3.5)
    assert (robot.level("push"), robot.level("find")) == (0.0, 0.0)


@pytest.mark.parametrize(
    "other",
    [{"run": 127}, {"run": 0}, {"same_mission": False}, {"sender": 0}, {"sender": NUMBERS["red"]}, {"sender": 9}],
)
def test_frames_of_another_run_or_mission_or_of_no_teammate_are_never_read_as_tasks(other) -> None:
    assert pusher().until(3.0).hears(activity("push"), **other).until(3.5).level() == 7.0
    assert pusher().until(3.0).hears(activity("push")).until(3.5).level() == 0.0


def test_where_a_base_station_lengthens_the_beat_the_time_out_follows() -> None:
    def slower(robot: Lone) -> Lone:
        return robot.hears(Statement("beacon", (31, 600)), sender="base station")

    robot = pusher(patience_s=1000.0, slow_rate=0.01).hears(activity("push")).until(13.0)
    assert slower(robot).until(26.0).why() == "rises slowly: blue is on push"  # four beats and a half of 6 s: 27 s
    assert slower(robot).until(28.0).why() == "rises fast: blue, which was on it, is silent"


def test_a_robot_that_hears_no_teammate_does_everything_alone() -> None:
    robot = Lone({"find": {}, "push": {"fast_rate": 1.0}, "report": {"fast_rate": 1.5}})
    done: list[str] = []
    for _ in range(200):
        robot.step()
        worked = robot.active and robot.now - next(at for at, e in reversed(robot.events) if e.kind == "activated")
        if worked and worked >= 10.0:
            done.append(robot.active)
            robot.applies(**{robot.active: DONE}).step()
            robot.applies(**{done[-1]: False})
    assert done == ["find", "report", "push"]


# -- occasions


def test_a_completion_stated_by_a_teammate_lets_it_reset_once_more() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(6.0)
    robot.hears(reported("pushes", 1)).until(9.0).hears(activity("push", 0.5)).until(9.5)
    assert robot.level() == 0.0
    assert robot.kinds() == ["reset", "reset"]


def test_without_a_completion_or_with_one_known_already_it_does_not() -> None:
    robot = pusher().until(3.0).hears(reported("pushes", 4)).until(3.5).hears(activity("push")).until(6.0)
    for value in (4, 3):
        robot.hears(reported("pushes", value)).until(robot.now + 1.0)
        robot.hears(activity("push", 1.0)).until(robot.now + 0.5)
    assert robot.level() > 0.0
    assert robot.kinds() == ["reset"]


def test_an_own_completion_lets_teammates_reset_once_more() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(6.0).asserts("pushes", 1.0).until(9.0)
    assert robot.hears(activity("push", 0.5)).until(9.5).kinds() == ["reset", "reset"]


def test_a_count_of_nothing_completes_nothing_and_one_does() -> None:
    for value, level in ((0, 7.0), (1, 0.0)):
        assert pusher().until(3.0).hears(reported("pushes", value)).until(3.5).level() == level
        assert pusher().until(3.0).asserts("pushes", value).until(3.5).level() == level


def test_a_recurring_task_begins_again_from_nothing_after_each_completion() -> None:
    robot = pusher().until(8.0)
    for k in (1, 2, 3):
        robot.asserts("pushes", float(k)).applies(push=DONE).step()
        assert (robot.active, robot.level()) == ("", 0.0)
        assert [task.id for task in robot.choice.finished] == ["push"]
        robot.applies(push=True).until(robot.now + 4.5)
        assert (robot.active, robot.level()) == ("", 9.0)
        assert robot.until(robot.now + 0.5).active == "push"
    assert robot.kinds().count("done") == 3


def test_within_a_frame_facts_come_before_the_activity() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(9.0)
    robot.hears(activity("push", 0.3), reported("pushes", 1, 0.5)).until(9.5)  # it began after it was done
    assert robot.kinds() == ["reset", "reset"]
    assert robot.until(12.0).hears(activity("push", 1.3)).until(12.5).kinds() == ["reset", "reset"]


def test_a_claim_older_than_the_completion_belongs_to_the_occasion_that_ended_whichever_robot_reports_it() -> None:
    robot = pusher().until(3.0).hears(activity("push")).until(9.0)
    assert robot.hears(activity("push", 2.0), reported("pushes", 1, 0.5)).until(9.5).kinds() == ["reset"]
    robot = pusher().until(3.0).hears(activity("push")).until(9.0)
    robot.hears(reported("pushes", 1, 0.5), sender="gold").until(10.0)
    robot.hears(activity("push", 2.4), reported("pushes", 1, 0.8)).until(10.5)  # began at 2.8 s, done at 7.6 s
    assert robot.kinds() == ["reset"]
    assert robot.why() == "rises slowly: blue is on push"  # it counts as received
    assert robot.until(12.0).hears(activity("push", 0.5)).until(12.5).kinds() == ["reset", "reset"]


# -- exclusive sets and preemption


def test_a_set_that_is_not_exclusive_grows_slowly_beside_the_teammate() -> None:
    assert pusher().until(3.0).hears(activity("push")).until(13.0).level() > 4.0


def test_a_preempting_set_waits_at_the_threshold_while_an_object_is_in_hand() -> None:
    robot = reporter().until(10.0).applies(push=HOLDING).until(30.0)
    assert (robot.active, robot.level("report")) == ("push", THETA)
    assert robot.why("report") == "waits until push may be interrupted"
    robot.applies(push=True).until(30.5)
    assert (robot.active, robot.kinds("push")) == ("report", ["activated", "suspended"])


# -- time and beginnings


def test_after_a_pause_a_decision_counts_for_two_periods_at_most() -> None:
    robot = pusher().until(2.0)
    robot.step(now=100.0)
    assert robot.level() == 4.0 + 2.0 * 2 * DECISION_S
    robot = pusher().until(2.0)
    robot.step(now=2.75)
    assert robot.level() == 4.0 + 2.0 * 0.75


def test_to_begin_is_to_forget_everything() -> None:
    robot = reporter().until(10.0)
    robot.hears(activity("push"), reported("pushes", 3)).sends(activity("push", 1.5)).until(25.0)
    robot.coordinator.begin(0.0, 1, [entry.task for entry in TABLE.tasks], TABLE.team, 0)
    assert robot.coordinator.freeze() == reporter().coordinator.freeze()


# -- whatever happens

TASKS = st.sampled_from(["", "find", "push", "report", "push", "report"])
FACTS = st.tuples(st.sampled_from(["found", "pushes", "reports"]), st.integers(0, 3), st.integers(0, 80))
MATES = st.sampled_from(["blue", "gold"])
FRAMES = st.tuples(st.just("hears"), MATES, TASKS, st.integers(0, 200), TASKS, st.lists(FACTS, max_size=2))
OWN = st.tuples(st.just("sends"), st.booleans())
LACKS = Feedback(applicable=False, missing=("gripper",))
FEEDBACK = st.tuples(
    st.just("applies"),
    st.sampled_from(["find-a", "find-b", "push", "report"]),
    st.sampled_from([APPLIES, APPLIES, NOT, HOLDING, DONE, LACKS]),
)
KNOWN = st.tuples(st.just("asserts"), st.sampled_from(["pushes", "reports"]), st.integers(0, 4))
WAIT = st.tuples(st.just("waits"), st.integers(1, 12))
SCRIPTS = st.lists(st.one_of(FRAMES, FRAMES, OWN, FEEDBACK, KNOWN, WAIT, WAIT), max_size=30)


def any_robot() -> Lone:
    """Red with two sets for one task, an exclusive one, and one that preempts; everything happens fast."""
    quick = {"fast_rate": 4.0, "patience_s": 6.0, "yield_time_s": 4.0, "give_up_time_s": 12.0}
    return Lone({
        "find-a": {**quick, "task": "find"},
        "find-b": {**quick, "task": "find", "fast_rate": 3.0},
        "push": {**quick, "exclusive": True},
        "report": {**quick, "fast_rate": 2.0, "preempts": True},
    })  # fmt: skip


def play(robot: Lone, line: tuple[Any, ...]) -> None:
    match line:
        case ("hears", sender, task, age, held, facts):
            sent = [reported(name, 0 if name == "found" else value, at / 20) for name, value, at in facts]
            robot.hears(*sent, activity(task, age / 20, held), sender=sender)
        case ("sends", acting):
            task, held, claimed = robot.stated if robot.choice.statements else ("", "", 0.0)
            robot.sends(*([activity(task, round(claimed * 20) / 20, held)] if acting else []))
        case ("applies", name, feedback):
            robot.feedback[name] = feedback
        case ("asserts", fact, value):
            robot.asserts(fact, float(value))
        case ("waits", decisions):
            robot.until(robot.now + decisions * DECISION_S)
    robot.step()


@given(script=SCRIPTS, cut=st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_a_thawed_coordinator_continues_exactly_like_the_one_that_was_frozen(script, cut) -> None:
    one, other = any_robot(), any_robot()
    for k, line in enumerate(script):
        if k == cut:
            other.rethought()
        play(one, line)
        play(other, line)
        assert one.choice == other.choice
    assert json.dumps(one.coordinator.freeze()) == json.dumps(other.coordinator.freeze())
    assert one.events == other.events


@given(script=SCRIPTS)
@settings(max_examples=40, deadline=None)
def test_whatever_happens_one_set_acts_at_most_and_each_event_says_why_in_numbers(script) -> None:
    robot = any_robot()
    for line in script:
        play(robot, line)
        active = [level.set for level in robot.choice.levels if level.why == "active"]
        assert active == [step.set for step in robot.choice.run]
        assert len(active) <= 1
        for level in robot.choice.levels:
            assert all(0.0 <= score <= level.limit for score in level.scores.values())
        task, _, claimed = robot.stated
        assert robot.choice.run == () or task == robot.choice.run[0].task.id
        assert claimed >= 0.0
    for _, event in robot.events:
        assert re.search(r"\d", event.cause), event

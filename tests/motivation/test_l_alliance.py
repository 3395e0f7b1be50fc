"""L-ALLIANCE as a coordinator: what it notices, what that changes, what it says, and what lasts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from motivation.l_alliance import LAllianceSettings
from robotd.model.choice import Coordinator
from robotd.model.choice import Learner as LearnerContract
from tests.motivation.one_alliance import BEAT_S, Lone, activity, told
from tests.motivation.one_learner import DONE, LACKS, Learner, copied, trial

TWO: dict[str, Any] = {"push": {}, "find": {}}


def test_it_is_a_coordinator_that_learns_and_alliance_is_none() -> None:
    coordinator: Coordinator = Learner().coordinator
    assert isinstance(coordinator, LearnerContract)
    assert not isinstance(Lone().coordinator, LearnerContract)


def scripted(robot: Lone) -> list[Any]:
    """A stretch with resets, a takeover, a yield, and completions by mates; no own attempt ends."""
    seen = []
    for n in range(160):
        if n % 6 == 0 and n < 60:
            robot.hears(activity("push", n / 6))
        if n == 70:
            robot.hears(activity("find", 0.2), sender="gold")
        if n == 100:
            robot.hears(told("found"))
        seen.append(robot.step())
    return seen


def test_with_nothing_learned_it_decides_as_alliance_does() -> None:
    assert scripted(Learner({"push": {}, "find": {}}, boredom_s=20.0)) == scripted(Lone(TWO))


# -- trials: own ones


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
    assert robot.told is not None
    assert robot.told[1] == 1


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
    other.hears(told("pushes", 1)).step()
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


# -- trials: those of teammates


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
    robot.until(30.0, says=activity("push", 0.5)).until(120.0)
    assert robot.trials("blue") == []


def test_lost_frames_make_no_trials_whatever_is_lost() -> None:
    """Blue works, completes and begins again; of its frames red hears some."""
    for lost in range(8):
        robot = Learner()
        frames = (
            (activity("push", 2.0),),
            (activity(""), told("pushes", 1), trial("push", 30.0)),
            (activity("push", 0.5), trial("push", 30.0)),
        )
        heard = [frame for k, frame in enumerate(frames) if not lost >> k & 1]
        for frame in heard:
            robot.hears(*frame).until(robot.now + BEAT_S)
        said = any(statement.kind == "trial" for frame in heard for statement in frame)
        assert robot.trials("blue") == ([30.0] if said else [])


def test_what_strangers_other_runs_and_other_missions_say_is_no_trial() -> None:
    robot = Learner()
    robot.hears(trial("push", 30.0), sender="stranger").hears(trial("push", 30.0), run=127, sender="gold")
    robot.hears(trial("push", 30.0), same_mission=False).hears(trial("report", 30.0)).step()
    assert all(robot.trials(name) == [] for name in ("red", "blue", "gold"))


def test_in_which_order_teammates_are_heard_is_irrelevant() -> None:
    one, other = Learner(TWO), Learner(TWO)
    said = [("blue", trial("push", 30.0)), ("gold", trial("push", 20.0)), ("gold", trial("find", 9.0))]
    for robot, order in ((one, said), (other, said[::-1])):
        for sender, statement in order:
            robot.hears(statement, sender=sender)
        robot.step()
    assert one.memory == other.memory


def test_no_time_is_too_short_or_too_long_to_be_heard() -> None:
    """Public code gave up on durations below the threshold over the fast rate."""
    robot = Learner()
    for serial, took in enumerate((0.0, 0.15, 9828.75)):
        robot.hears(trial("push", took, serial)).step()
    robot.until(20.0)
    assert robot.trials("blue") == pytest.approx([0.0, 0.15, 9828.75])


# -- what is said


def test_a_trial_is_said_in_four_frames_and_then_no_more() -> None:
    robot = Learner().works(7.5)
    said = 0
    while robot.told is not None:
        robot.sends(*robot.choice.statements).step()
        said += 1
    assert said == 4
    assert robot.until(robot.now + 2.0).told is None


def test_what_never_left_is_said_on() -> None:
    robot = Learner().works(7.5)
    assert robot.until(robot.now + 3.0).told == ("push", 0, 2.5)


def test_of_several_trials_the_one_said_least_often_comes_next() -> None:
    robot = Learner(TWO).applies(push=False).works(4.5, "find")
    robot.sends(*robot.choice.statements).applies(find=False, push=True).works(6.0, "push")
    assert robot.told is not None
    assert robot.told[0] == "push"
    robot.sends(*robot.choice.statements).step()
    assert robot.told[0] == "find"


def test_the_next_run_says_the_last_trials_again_and_forgets_nothing() -> None:
    robot = Learner().works(7.5)
    before = robot.memory["trials"]
    robot.coordinator.begin(robot.now, 1, robot.coordinator._tasks.values(), robot.coordinator._table.team, 0)
    robot.step()
    assert robot.told == ("push", 0, 2.5)
    assert robot.memory["trials"] == before


def test_nothing_is_shared_but_statements() -> None:
    """Public code let all robots read one matrix."""
    one, other = Learner(), Learner()
    one.works(7.5)
    other.until(one.now)
    assert other.trials("red") == []


# -- what follows


def test_a_robot_that_is_best_takes_the_task_sooner_than_one_that_is_not() -> None:
    best, worse = Learner(boredom_s=6.0), Learner(boredom_s=6.0)
    best.works(10.0).hears(trial("push", 40.0)).step()
    worse.works(40.0).hears(trial("push", 10.0)).step()
    assert (best.value("category"), worse.value("category")) == (1, 2)

    def waited(robot: Learner) -> float:
        robot.step()
        since = robot.now
        robot.until_active()
        return robot.now - since

    for robot in (best, worse):
        robot.applies(push=False).until(robot.now + 1.0)
        robot.applies(push=True)
    assert waited(best) < waited(worse)


def test_while_somebody_performs_a_task_it_is_in_category_2() -> None:
    robot = Learner().works(10.0)
    robot.hears(trial("push", 40.0)).step()
    robot.step()
    assert "category 1" in robot.why()
    robot.hears(activity("push")).until(robot.now + 1.0)
    assert "category 2" in robot.why()
    robot.until(robot.now + 0.5)
    assert "slow: blue is on push; category 2, own time 10.1 s, best teammate" in robot.why()


def test_category_2_waits_for_boredom_and_then_grows() -> None:
    robot = Learner(boredom_s=6.0)
    robot.works(10.0).applies(push=True)
    robot.until(robot.now + 5.5)
    assert robot.level() == 0.0
    assert "waits until idle for 6 s" in robot.why()
    robot.until(robot.now + 1.5)
    assert robot.level() > 0.0
    assert "waits" not in robot.why()


def test_category_1_does_not_wait() -> None:
    robot = Learner(boredom_s=60.0)
    robot.hears(trial("push", 40.0)).step()
    robot.until(61.0).works(10.0)
    since = robot.now
    robot.until_active()
    assert robot.now - since < 10.0


def test_a_preempting_set_does_not_wait_for_idleness_that_never_comes() -> None:
    robot = Learner({"push": {}, "report": {"preempts": True}}, boredom_s=60.0)
    robot.hears(trial("report", 40.0)).until(66.0)
    assert "report" in {event.set for _, event in robot.events if event.kind == "activated"}


@pytest.mark.parametrize(("strategy", "phi", "psi"), [
    ("distrust", 30.0, 30.0), ("best-wins", 12.0, 12.0), ("fighting-chance", 12.0, 30.0),
])  # fmt: skip
def test_patience_and_yield_time_go_by_the_strategy(strategy, phi, psi) -> None:
    robot = Learner(strategy=strategy).works(30.0)
    robot.hears(trial("push", 12.0)).step()
    assert robot.value("patience_s", robot="blue") == phi
    assert robot.value("yield_time_s") == psi
    assert robot.value("slow_rate", robot="blue") == pytest.approx(10.0 / phi, rel=0.3)


def test_takeover_from_a_teammate_that_keeps_announcing_falls_at_phi() -> None:
    robot = Learner(max_delay_s=3.0).works(12.0)
    robot.until(robot.now + 0.5)
    robot.applies(push=False).until(30.0)
    robot.applies(push=True).hears(activity("push")).step()
    reset, n = robot.now, 0
    while not robot.active:
        robot.step()
        n += 1
        if n % 6 == 0:
            robot.hears(activity("push", n / 6))
    assert robot.now - reset == pytest.approx(12.0, abs=0.5)


def test_each_teammate_is_waited_for_as_long_as_it_needs_higher_numbers_too() -> None:
    """Public code had one slow rate for all, and none for robots of a higher number."""
    robot = Learner(strategy="fighting-chance", max_delay_s=3.0)
    robot.hears(trial("push", 20.0)).hears(trial("push", 50.0), sender="gold").step()
    assert robot.value("slow_rate", robot="blue") == pytest.approx(0.5)
    assert robot.value("slow_rate", robot="gold") == pytest.approx(0.2)


def test_a_robot_that_fails_loses_its_category_1_tasks_within_mu_trials() -> None:
    robot = Learner({"push": {"give_up_time_s": 60.0}}, trials=3)
    robot.hears(trial("push", 40.0)).works(10.0).works(10.0).works(10.0)
    assert robot.value("category") == 1
    failures = 0
    while robot.value("category") == 1:
        failures += 1
        while len(robot.causes("learned")) < 4 + failures:
            robot.step()
    assert failures <= 3


def test_a_task_for_which_something_is_missing_is_in_no_category_until_it_is_back() -> None:
    robot = Learner().works(10.0)
    robot.hears(trial("push", 40.0)).step()
    version = robot.coordinator.memory_version
    robot.applies(push=LACKS).until(robot.now + 1.0)
    assert robot.value("category") is None
    assert robot.coordinator.memory_version > version
    assert robot.why() == "lacks gripper"
    robot.applies(push=True).until(robot.now + 1.0)
    assert robot.value("category") == 1


def test_the_longest_of_category_1_comes_first_and_the_shortest_of_category_2() -> None:
    both = Learner(TWO)
    both.applies(find=False).works(20.0, "push").applies(push=False, find=True).works(10.0, "find")
    first = copied(both, sets=TWO)
    first.hears(trial("push", 40.0)).hears(trial("find", 40.0)).until(20.0)
    assert first.active == "push"
    second = copied(both, sets=TWO)
    second.hears(trial("push", 5.0)).hears(trial("find", 5.0)).until(20.0)
    assert second.active == "find"


def test_a_recurring_task_keeps_its_rhythm_unless_asked() -> None:
    robot = Learner({"push": {"learns": None}, "find": {"learns": None}})
    robot.hears(trial("push", 30.0)).hears(trial("find", 30.0)).step()
    assert robot.trials("blue") == [30.0]
    assert "its parameters stay as shipped" in robot.causes("learned")[0]
    assert (robot.value("learns"), robot.value("learns", "find")) == (False, True)
    assert robot.value("fast_rate") == 2.0


# -- active learning


def drawn(robot: Learner, count: int) -> list[str]:
    """What it takes up, so many times, with each attempt done after a second."""
    found = []
    for _ in range(count):
        robot.until_active()
        name = robot.active
        found.append(name)
        robot.applies(**{name: DONE}).step()
        robot.applies(**{name: True})
    return found


def test_active_learning_chooses_at_random_and_as_the_seed_says() -> None:
    sets = {"push": {}, "find": {}, "report": {}}
    one = drawn(Learner(sets, phase="active"), 24)
    assert {one.count(name) > 2 for name in sets} == {True}
    assert one == drawn(Learner(sets, phase="active"), 24)
    assert one != drawn(Learner(sets, phase="active", seed=1), 24)


def test_active_learning_leaves_alone_what_somebody_does() -> None:
    robot = Learner(TWO, phase="active")
    for n in range(40):
        if n % 6 == 0:
            robot.hears(activity("push", n / 6))
        robot.step()
    assert robot.active == "find"


def test_active_learning_is_endlessly_patient_and_never_yields_but_gives_up() -> None:
    patient = Learner(phase="active")
    patient.hears(activity("push")).step()
    patient.until(600.0, says=activity("push", 60.0))
    assert not patient.active
    stubborn = Learner({"push": {"give_up_time_s": 200.0}}, phase="active")
    stubborn.until(20.0)
    stubborn.until(150.0, says=activity("push", 0.3))
    assert stubborn.active == "push"
    stubborn.until(230.0, says=activity("push", 0.3))
    assert "gave-up" in stubborn.kinds()


def test_active_learning_says_so_and_a_silent_teammate_does_not_hold_it_for_ever() -> None:
    robot = Learner(phase="active")
    robot.hears(activity("push")).until(30.0)
    assert robot.active == "push"
    assert robot.why() == "active; active learning: drawn"


# -- what lasts


def busy(**changes: Any) -> Learner:
    robot = Learner(TWO, **changes)
    robot.works(6.0).hears(trial("push", 9.0)).hears(trial("find", 30.0), sender="gold")
    return robot


@pytest.mark.parametrize("changes", [{}, {"phase": "active"}, {"order": "modified-random"}, {"boredom_s": 7.0}])
def test_a_thawed_coordinator_goes_on_as_the_frozen_one_would(changes) -> None:
    one, other = busy(**changes), busy(**changes)
    for n in range(120):
        if n % 13 == 5:
            other.rethought()
        if n % 31 == 7:
            for robot in (one, other):
                robot.hears(trial("push", float(n), serial=n % 5))
        if n % 40 == 39:
            for robot in (one, other):
                robot.applies(push=DONE, find=DONE)
        assert one.step() == other.step(), n
        for robot in (one, other):
            robot.applies(push=True, find=True)
    assert one.memory == other.memory


def test_what_was_learned_is_recalled_and_repetitions_are_still_known() -> None:
    robot = busy()
    robot.step()
    other = copied(robot, sets=TWO)
    assert other.memory == robot.memory
    other.hears(trial("push", 9.0)).step()
    assert other.trials("blue") == [9.0]
    assert other.told == ("push", 0, 2.0)


def test_a_shorter_window_takes_the_newest_trials() -> None:
    robot = Learner()
    for serial, took in enumerate((3.0, 6.0, 9.0)):
        robot.hears(trial("push", took, serial)).step()
    assert copied(robot, trials=2).trials("blue") == [6.0, 9.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"digest": 1}, "another number table of the mission: 1, and now it is"),
        ({"threshold": 50.0}, "another threshold: 50.0, and now it is 10.0"),
        ({"sets": [["push", "shove"]]}, "other behavior sets"),
        ({"robot": "blue"}, "another robot: 'blue', and now it is 'red'"),
        ({"format": 2}, "another format: 2"),
        ({"coordinator": "murdoch"}, "not what l-alliance writes down"),
        ({"trials": {}}, "not what a robot writes down"),
        ({"trials": {"push": {"red": [-1.0], "blue": [], "gold": []}}}, "not a length of time"),
        ({"trials": {"push": {"red": [float("nan")], "blue": [], "gold": []}}}, "not a length of time"),
        ({"trials": {"push": {"red": 3, "blue": [], "gold": []}}}, "not what a robot writes down"),
        ({"told": {"push": [256, 1.0]}}, "no trial can be told"),
        ({"told": {"shove": [0, 1.0]}}, "tasks that this robot has not"),
        ({"heard": [[2, "push"]]}, "not what a robot writes down|unpack"),
    ],
)
def test_a_foreign_or_spoilt_memory_is_refused_in_words_and_changes_nothing(change, words) -> None:
    memory = {**Learner().works(6.0).memory, **change}
    robot = Learner()
    before = robot.memory
    with pytest.raises(ValueError, match=words):
        robot.coordinator.recall(memory)
    assert robot.memory == before


@pytest.mark.parametrize("memory", [None, 3, "learned", [], {}, {"coordinator": "l-alliance"}])
def test_anything_else_is_refused_too(memory) -> None:
    with pytest.raises(ValueError, match=r"learned|writes down"):
        Learner().coordinator.recall(memory)


WORDS = st.sampled_from(["push", "red", "9", "inf"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["push", "red"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["trials", "told", "heard", "sets", "threshold"]), JSON)
@settings(max_examples=60)
def test_whatever_stands_in_a_memory_it_is_recalled_or_refused(key, value) -> None:
    robot = Learner()
    try:
        robot.coordinator.recall({**robot.memory, key: value})
    except ValueError:
        assert robot.memory == Learner().memory
    robot.until(1.0)


def test_the_version_grows_with_each_trial_and_not_with_time() -> None:
    robot = Learner()
    versions = []
    for took in (6.0, 9.0):
        robot.until(robot.now + 20.0)
        versions.append(robot.coordinator.memory_version)
        robot.hears(trial("push", took)).step()
    assert versions == [0, 1]
    assert robot.coordinator.memory_version == 2


def test_the_memory_does_not_grow_with_time() -> None:
    robot = Learner()
    for serial in range(40):
        robot.hears(trial("push", 10.0 + serial, serial)).works(3.0)
    sizes = {len(str(robot.memory)) // 100}
    for serial in range(40, 80):
        robot.hears(trial("push", 10.0 + serial, serial)).works(3.0)
    sizes.add(len(str(robot.memory)) // 100)
    assert len(sizes) == 1


# -- settings


def test_a_least_delay_above_the_longest_is_refused() -> None:
    with pytest.raises(ValidationError, match="min_delay_s must be below max_delay_s, 60"):
        LAllianceSettings(min_delay_s=60.0)
    assert LAllianceSettings(min_delay_s=59.0).trials == 5

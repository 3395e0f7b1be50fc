"""What an L-ALLIANCE robot has learned lasts: frozen, written down, recalled or refused."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.motivation.alliance.one_learner import DONE, TWO, Learner, copied, trial


def busy(**changes: Any) -> Learner:
    robot = Learner(TWO, **changes)
    robot.works(6.0).hears(trial("push", 9.0)).hears(trial("find", 30.0), sender="gold")
    return robot


@pytest.mark.parametrize("changes", [{}, {"phase": "active"}, {"order": "modified-random"}, {"boredom_s": 7.0}])
def test_a_thawed_coordinator_continues_as_the_frozen_one_would(changes) -> None:
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
    assert other.trial_stated == ("push", 0, 2.0)


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
        (None, "not what l-alliance writes down"),
        ([], "not what l-alliance writes down"),
        ({"trials": {}}, "not what a robot writes down"),
        ({"trials": {"push": {"red": [-1.0], "blue": [], "gold": []}}}, "not a length of time"),
        ({"trials": {"push": {"red": [float("nan")], "blue": [], "gold": []}}}, "not a length of time"),
        ({"trials": {"push": {"red": 3, "blue": [], "gold": []}}}, "not what a robot writes down"),
        ({"told": {"push": [256, 1.0]}}, "no statement reports a trial"),
        ({"told": {"shove": [0, 1.0]}}, "tasks that this robot has not"),
        ({"heard": [[2, "push"]]}, "not what a robot writes down|unpack"),
    ],
)
def test_a_foreign_or_spoilt_memory_is_refused_in_words_and_changes_nothing(change, words) -> None:
    memory = {**Learner().works(6.0).memory, **change} if isinstance(change, dict) else change
    robot = Learner()
    before = robot.memory
    with pytest.raises(ValueError, match=words):
        robot.coordinator.recall(memory)
    assert robot.memory == before


WORDS = st.sampled_from(["push", "red", "9", "inf"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["push", "red"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["trials", "told", "heard", "sets", "threshold"]), JSON)
@settings(max_examples=40)
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
    sizes = []
    for serial in range(24):
        robot.hears(trial("push", 10.0 + serial, serial)).works(3.0)
        sizes.append(len(str(robot.memory)) // 100)
    assert sizes[11] == sizes[23]

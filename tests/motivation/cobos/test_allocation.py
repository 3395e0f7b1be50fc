"""Algorithm 1, line by line, as functions of what a network knows; and that all robots decide alike."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motivation.cobos import allocation
from motivation.cobos.allocation import Knowledge
from motivation.cobos.models import HOLDS, KEEPS, ON_THE_WAY, PERFORMED, STARTED, Record
from motivation.cobos.pages import Report
from motivation.cobos.settings import CobosSettings

ROOT = Path(__file__).parents[3]
TAKEN = Record(open=False)
PAPER: dict[str, Any] = {
    "evidence": "none", "breaker": "never", "restores": "holder", "late": "back-off", "unseen": "adapts",
    "absent": "ignore", "performers": "compete", "completion": "keeps",
}  # fmt: skip
LITERAL, DEFAULT = CobosSettings(**PAPER), CobosSettings()


def on(
    task: int, status: int = STARTED, *, recruits: bool = False, home: bool = True,
    values: tuple[int, ...] = (230, 230, 230),
) -> Report:  # fmt: skip
    return Report(task, status, recruits, home, (), values)


def known(
    members: Mapping[int, Report], *records: Record, ready: tuple[int, ...] = (1, 2, 3), **absent: int
) -> Knowledge:
    all_records = (*records, *(TAKEN,) * (3 - len(records)))
    return Knowledge(members, all_records, frozenset(ready), {int(k[1:]): n for k, n in absent.items()})


def allocated(k: Knowledge, own: CobosSettings = DEFAULT) -> tuple[dict[int, int], set[int], int]:
    found = allocation.allocate(k, allocation.considered(k), own)
    return dict(found.tasks), set(found.short), found.next


# -- lines 1 to 5: what is considered


def test_in_the_home_network_open_tasks_are_considered_and_those_of_its_robots() -> None:
    k = known({1: on(2), 2: on(0)}, Record(), TAKEN, TAKEN)
    assert allocation.considered(k) == (1, 2)


def test_elsewhere_only_the_tasks_of_its_robots_are() -> None:
    k = known({1: on(2, home=False), 2: on(0, home=False)}, Record(), TAKEN, TAKEN)
    assert allocation.considered(k) == (2,)


def test_a_task_that_is_not_introduced_waits_for_others_or_is_archived_is_not_considered() -> None:
    assert allocation.considered(known({1: on(2)}, Record(), ready=(3,))) == ()


def test_outside_the_home_network_passers_by_take_no_part_and_recruiters_and_newcomers_do() -> None:
    members = {
        1: on(2, home=False), 2: on(3, ON_THE_WAY, home=False), 3: on(0, home=False),
        4: on(1, recruits=True, home=False), 5: on(2, ON_THE_WAY, home=False),
    }  # fmt: skip
    assert sorted(allocation.settled(known(members))) == [1, 4, 5]
    assert sorted(allocation.settled(known(members | {6: on(0)}))) == [1, 2, 3, 4, 5, 6]


# -- lines 7 to 18: backing off


@pytest.mark.parametrize(
    ("team", "record", "own", "after", "back"),
    [
        # the first robot fails: let another try (line 15, 16)
        ({1: on(1)}, TAKEN, LITERAL, TAKEN.changed(tried=True), True),
        # two have: it needs more (line 11), and its robots are restored
        (
            {1: on(1), 2: on(0)},
            Record(1, tried=True, open=False),
            LITERAL,
            Record(2, 2, tried=True, open=False),
            False,
        ),
        # no robot is on it (line 9)
        ({2: on(0)}, TAKEN, LITERAL, TAKEN.changed(tried=True, open=True), True),
        ({2: on(0)}, TAKEN, DEFAULT, TAKEN.changed(open=True), False),
        # one of them has not started (line 18)
        ({1: on(1), 2: on(1, ON_THE_WAY)}, TAKEN, LITERAL, TAKEN, True),
        ({1: on(1), 2: on(1, ON_THE_WAY)}, TAKEN, DEFAULT, TAKEN, False),
        # one that recruits has started
        ({1: on(1, recruits=True)}, TAKEN, LITERAL, TAKEN.changed(tried=True), True),
        # by evidence: one more than hold an object; else as many as before
        ({1: on(1, HOLDS), 2: on(1)}, TAKEN, DEFAULT, TAKEN.changed(tried=True, required=2), True),
        ({1: on(1, HOLDS), 2: on(1)}, Record(1, 3, tried=True), DEFAULT, Record(2, 2, tried=True), True),
        ({1: on(1)}, Record(1, 1, tried=True), DEFAULT, Record(1, 1, tried=True), True),
    ],
)
def test_a_lapse(team: dict[int, Report], record: Record, own: CobosSettings, after: Record, back: bool) -> None:
    assert allocation.lapse(known(team, record), 1, own) == (after, back)


@pytest.mark.parametrize("own", [DEFAULT, LITERAL])
def test_a_known_number_is_never_adapted_and_a_robot_without_a_task_backs_off_at_each_lapse(
    own: CobosSettings,
) -> None:
    for record in (Record(1, 2, open=False), Record(1, 2, tried=True, open=False)):
        k = replace(known({1: on(1, HOLDS), 2: on(1)}, record), fixed=frozenset({1}))
        assert allocation.lapse(k, 1, own) == (record.changed(tried=True), True)
    loose = replace(k, fixed=frozenset({2}))
    assert allocation.lapse(loose, 1, own)[0].required == (3 if own is LITERAL else 2)


def test_where_recruitment_is_off_a_task_for_which_too_few_are_left_is_tried_anew() -> None:
    team = {1: on(1, HOLDS), 2: on(0, values=(0, 230, 230)), 3: on(0, values=(0, 230, 230))}
    able, off = ((1, 2, 3), (1, 2, 3), (1, 2, 3)), CobosSettings(recruits=False)
    for required, found in ((2, [1]), (1, [])):
        k = known(team, Record(1, required, tried=True, open=False))
        assert allocation.stuck(k, (1,), able, off) == found
        assert allocation.stuck(k, (1,), able, DEFAULT) == []  # robot 1 recruits
    willing = known({n: on(0) for n in (1, 2)}, Record(1, 3))
    assert allocation.stuck(willing, (1,), able, off) == []  # too few, but not for having backed off


def test_a_recruiter_that_does_not_count_as_started_backs_off() -> None:
    own = CobosSettings(**PAPER | {"recruiters_started": False})
    assert allocation.lapse(known({1: on(1, recruits=True)}), 1, own) == (TAKEN, True)


def test_a_task_that_all_free_robots_backed_off_is_tried_anew_where_the_key_says() -> None:
    team = {1: on(0, values=(0, 230, 230)), 2: on(0, values=(0, 230, 230)), 3: on(2, PERFORMED)}
    k, able = known(team), ((1, 2, 3), (1, 2, 3), (1, 2, 3))
    assert allocation.stuck(k, (1, 2), able, DEFAULT) == [1]
    held = known(team | {1: on(1, values=(0, 230, 230))})
    assert allocation.stuck(held, (1, 2), able, DEFAULT) == []  # that robot recruits first
    assert allocation.stuck(held, (1, 2), able, CobosSettings(breaker="contact")) == [1]
    assert allocation.stuck(k, (1, 2), able, LITERAL) == []
    assert allocation.stuck(k, (1, 2), ((3,), (), ()), DEFAULT) == []  # no free robot could do it at all
    away = {1: on(1, home=False, values=(0, 0, 0))}
    assert allocation.stuck(known(away), (1,), able, DEFAULT) == []
    assert allocation.stuck(known(away), (1,), able, CobosSettings(breaker="contact")) == [1]
    tried = Record(1, 2, tried=True)
    for own, fixed in ((DEFAULT, False), (LITERAL, True)):
        assert allocation.freed(tried, own, fixed=fixed) == Record(2, 2)
    assert allocation.freed(tried, LITERAL, fixed=False) == Record(2, 3, tried=True)
    assert allocation.freed(Record(0, 2), DEFAULT, fixed=False) == tried  # and then as above


# -- lines 19 to 34: the allocation


def test_the_tasks_of_highest_priority_that_the_robots_can_fill_are_active_and_the_next_recruits() -> None:
    k = known({n: on(0) for n in (1, 2, 3)}, Record(0, 2), Record(0, 2), Record(0, 1))
    found = allocation.allocate(k, (1, 2, 3), DEFAULT)
    assert (found.active, found.next, found.short) == ((1,), 2, frozenset())
    assert sorted(found.tasks.values()) == [0, 1, 1]


def test_a_task_with_too_few_suitable_robots_is_short() -> None:
    k = known({1: on(1), 2: on(0, values=(0, 230, 230))}, Record(0, 2))
    assert allocated(k) == ({1: 1, 2: 0}, {1}, 0)


def test_a_robot_of_suitability_1_is_allocated_and_one_of_0_never() -> None:
    assert allocated(known({1: on(0, values=(1, 0, 0))}, Record()))[0] == {1: 1}
    assert allocated(known({1: on(0, values=(0, 0, 0))}, Record()))[0] == {1: 0}


def test_of_equal_robots_those_on_a_task_stay_when_another_comes() -> None:
    team = {1: on(1), 2: on(1), 3: on(2)}
    for newcomer in range(4, 32):
        assert allocated(known(team | {newcomer: on(0)}, Record(0, 2)))[0] == {1: 1, 2: 1, 3: 2, newcomer: 0}
    moved = [
        allocated(known(team | {n: on(0)}, Record(0, 2)), CobosSettings(stays=False))[0] for n in range(4, 32)
    ]
    assert any(found != {1: 1, 2: 1, 3: 2, n: 0} for n, found in enumerate(moved, 4))


def test_robots_out_of_reach_that_were_on_a_task_count_and_one_at_least_is_sent() -> None:
    idle = {n: on(0) for n in (1, 2, 3)}
    for phi, away, sent in ((3, 1, 2), (3, 3, 1), (1, 0, 1)):
        k = known(idle, Record(0, phi), k1=away)
        assert sum(task == 1 for task in allocated(k)[0].values()) == sent
        assert sum(task == 1 for task in allocated(k, LITERAL)[0].values()) == phi


PERFORMING = Record(0, 1, performed=True, open=False)


def test_a_robot_that_performs_stays_although_another_would_be_fitter() -> None:
    team = {1: on(1, PERFORMED, values=(100, 230, 230)), 2: on(0, values=(255, 100, 230))}
    assert allocated(known(team, PERFORMING, Record()))[0] == {1: 1, 2: 2}
    assert allocated(known(team, PERFORMING, Record()), LITERAL)[0] == {1: 2, 2: 1}


def test_a_robot_that_performs_is_exchanged_where_that_alone_fills_all_tasks() -> None:
    team = {1: on(1, PERFORMED), 2: on(0, values=(200, 0, 230))}
    assert allocated(known(team, PERFORMING, Record())) == ({1: 2, 2: 1}, set(), 0)


def test_a_robot_that_a_performed_task_does_not_need_is_let_go_first() -> None:
    for spare, needed in ((STARTED, PERFORMED), (PERFORMED, KEEPS), (ON_THE_WAY, KEEPS)):
        k = known({1: on(1, spare), 2: on(1, needed)}, PERFORMING)
        assert (allocation.is_spare(k, 1), allocation.is_spare(k, 2)) == (True, False)
        assert allocated(k)[0] == {1: 0, 2: 1}
    assert not allocation.is_spare(known({1: on(1), 2: on(1, HOLDS)}, TAKEN), 1)


# -- the same knowledge, the same decision


reports = st.builds(
    on, st.integers(0, 3), st.integers(0, 4), recruits=st.booleans(), home=st.booleans(),
    values=st.tuples(*(st.sampled_from((0, 1, 153, 191, 230)),) * 3),
)  # fmt: skip
tasks = st.builds(Record, st.just(0), st.integers(1, 3), st.booleans(), st.booleans(), st.just(0), st.booleans())


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.integers(1, 31), reports, min_size=1, max_size=7), st.tuples(tasks, tasks, tasks),
    st.sampled_from(("transport", "greedy", "priority")), st.permutations(range(1, 32)),
)  # fmt: skip
def test_robots_with_the_same_knowledge_decide_alike(
    members: dict[int, Report], records: tuple[Record, Record, Record], solver: Any, order: list[int]
) -> None:
    own, k = CobosSettings(solver=solver), known(members, *records)
    first = allocated(Knowledge(allocation.settled(k), k.records, k.ready), own)
    other = known({robot: members[robot] for robot in order if robot in members}, *records)
    assert allocated(Knowledge(allocation.settled(other), other.records, other.ready), own) == first


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.integers(1, 7), reports, min_size=2, max_size=7), st.tuples(tasks, tasks, tasks),
    st.sets(st.integers(1, 7)),
)  # fmt: skip
def test_robots_that_take_up_an_allocation_one_by_one_do_not_change_it(
    members: dict[int, Report], records: tuple[Record, Record, Record], some: set[int]
) -> None:
    plain = {robot: on(one.task, values=one.values) for robot, one in members.items()}
    records = tuple(record.changed(performed=False) for record in records)  # type: ignore[assignment]
    k = known(plain, *records)
    found = allocation.allocate(k, (1, 2, 3), DEFAULT)
    later = plain | {robot: on(found.tasks[robot], values=plain[robot].values) for robot in some & set(plain)}
    assert allocation.allocate(known(later, *records), (1, 2, 3), DEFAULT).tasks == found.tasks


def test_robots_decide_alike_whatever_the_seed_of_their_hashes() -> None:
    command = [sys.executable, "-m", "tests.motivation.cobos.alike", "60"]
    running = [
        subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE)
        for seed in ("1", "2", "3")
    ]
    found = {one.communicate()[0] for one in running}
    assert [one.returncode for one in running] == [0, 0, 0]
    assert len(found) == 1
    assert b"of 60 sets" in found.pop()


def test_the_tie_breaker_is_the_same_in_every_process() -> None:
    assert [allocation.drawn(robot, task) for robot, task in ((1, 1), (7, 4))] == [19558114, 30271199]
    assert all(0 <= allocation.drawn(robot, task) < 1 << 25 for robot in range(32) for task in range(16))

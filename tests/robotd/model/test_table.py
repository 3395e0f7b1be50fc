"""The number table: its digest, its names, and what it refuses."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.model.facts import FactKind
from robotd.model.statements import BUILT_IN, FIELD_TYPES, OWN_NUMBERS, StatementKind, number_own
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

TASK_FIELD = (("task", "task"),)
OWN = number_own([StatementKind("vote", fields=TASK_FIELD), StatementKind("veto", fields=TASK_FIELD)])
TABLE = NumberTable(
    tuple(Member(f"robot-{n}", n, "r2") for n in range(1, 5)),
    tuple(TaskEntry(Task("job", (("side", "left"),), f"task-{n}"), n) for n in range(1, 5)),
    tuple(FactKind(f"fact-{n}", n, "flag") for n in range(1, 5)),
    OWN,
    ("mobile", "gripper"),
)


@given(st.data())
def test_the_digest_does_not_depend_on_the_order_of_the_file(data: st.DataObject) -> None:
    groups = ("team", "tasks", "facts", "own_kinds")
    shuffled = {name: tuple(data.draw(st.permutations(getattr(TABLE, name)))) for name in groups}
    assert replace(TABLE, **shuffled).digest == TABLE.digest


@pytest.mark.parametrize(
    "change",
    [
        {"team": TABLE.team[:3]},
        {"team": (*TABLE.team[:3], Member("robot-4", 5, "r2"))},
        {"tasks": (*TABLE.tasks[:3], replace(TABLE.tasks[3], recurring=True))},
        {"tasks": (*TABLE.tasks[:3], replace(TABLE.tasks[3], task=Task("job", (("side", "right"),), "task-4")))},
        {"facts": (*TABLE.facts[:3], FactKind("fact-4", 4, "count"))},
        {"own_kinds": OWN[:1]},
        {"resources": ("gripper", "mobile")},  # numbered by position
        {"beat_s": 6.0},
        {"plan": '{"rounds":2}'},
        {"tasks": (*TABLE.tasks[:3], replace(TABLE.tasks[3], terms='{"length_s":60.0}'))},
    ],
)
def test_whatever_means_another_thing_on_the_air_changes_the_digest(change) -> None:
    assert replace(TABLE, **change).digest != TABLE.digest


def test_the_digest_is_of_sixteen_bits_and_of_the_content_alone() -> None:
    assert 0 <= TABLE.digest < 1 << 16
    assert replace(TABLE).digest == TABLE.digest


def test_names_by_number_and_by_name() -> None:
    assert TABLE.name(2) == "robot-2"
    assert TABLE.name(0) == "base station"
    assert TABLE.name(9) == "robot 9"
    assert TABLE.robots == {n: f"robot-{n}" for n in range(1, 5)}
    assert TABLE.fact("fact-2").number == 2
    with pytest.raises(KeyError, match="declares no fact 'gold'"):
        TABLE.fact("gold")
    assert set(TABLE.kinds) == {kind.name for kind in BUILT_IN} | {"vote", "veto"}


def test_the_built_in_kinds_are_numbered_0_to_12_and_of_known_types_and_fit_a_record() -> None:
    assert sorted(kind.number for kind in BUILT_IN) == list(range(13))
    assert {kind for each in BUILT_IN for _, kind in each.fields} <= set(FIELD_TYPES)
    assert all(0 <= kind.key <= len(kind.fields) for kind in BUILT_IN)
    assert list(OWN_NUMBERS) == [13, 14, 15]


def test_a_coordinators_own_facts_are_numbered_from_128_and_are_part_of_the_digest() -> None:
    more = TABLE.extended((), [FactKind("known-t4", kind="flag"), FactKind("page-2")])
    assert [(more.fact(name).number, more.fact(name).kind) for name in ("known-t4", "page-2")] == [
        (128, "flag"), (129, "page")
    ]  # fmt: skip
    assert more.digest != TABLE.digest
    assert TABLE.extended(TABLE.own_kinds).digest == TABLE.digest


@pytest.mark.parametrize(
    ("mission", "own", "words"),
    [
        ((), ["fact-1"], "'fact-1' is declared already"),
        ((), ["page", "page"], "'page' is declared already"),
        ((FactKind("high", 129, "flag"),), ["page-1", "page-2"], "'high' has number 129"),
        ((), [f"page-{n}" for n in range(61)], "65 facts"),
    ],
)
def test_own_facts_without_a_name_number_or_place_of_their_own_are_refused(
    mission: tuple[FactKind, ...], own: list[str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(TABLE, facts=TABLE.facts + mission).extended((), [FactKind(name) for name in own])


PUSH = (Task("push", (("side", side),), side) for side in ("right", "left"))
PUSHES = NumberTable(
    (), tuple(TaskEntry(task, k) for k, task in enumerate((*PUSH, Task("watch", (), "watch")), 1)), ()
)


@pytest.mark.parametrize(
    ("task", "name"),
    [
        (Task("watch", (), "watch"), "watch"),
        (Task("watch", (("colour", "red"),), "desk.7"), "watch"),
        (Task("push", (("side", "left"), ("length_s", "3")), "watch/left"), "left"),
        (Task("push", (), "desk.8"), "right"),  # of equals the lowest number
    ],
)
def test_a_task_of_run_time_is_named_on_the_air_by_the_missions_task_of_its_kind(task: Task, name: str) -> None:
    assert PUSHES.template(task) == name


def test_a_task_of_a_kind_that_the_mission_has_not_has_no_name_on_the_air() -> None:
    with pytest.raises(KeyError, match="no task of kind 'fly'; it has push, watch"):
        PUSHES.template(Task("fly", (), "desk.1"))

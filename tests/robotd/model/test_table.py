"""The number table: who may talk with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.model.facts import FactKind
from robotd.model.statements import BUILT_IN, FIELD_TYPES, OWN_KINDS, StatementKind
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

OWN = (StatementKind("vote", 12, (("task", "task"),)), StatementKind("veto", 13, (("task", "task"),)))
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


def test_the_built_in_kinds_are_numbered_0_to_11_and_of_known_types_and_fit_a_record() -> None:
    assert sorted(kind.number for kind in BUILT_IN) == list(range(12))
    assert {kind for each in BUILT_IN for _, kind in each.fields} <= set(FIELD_TYPES)
    assert all(0 <= kind.key <= len(kind.fields) for kind in BUILT_IN)
    assert list(OWN_KINDS) == [12, 13, 14, 15]

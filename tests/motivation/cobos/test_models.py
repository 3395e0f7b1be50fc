"""Equations (5) to (8) by worked cases, and the record of a task."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motivation.cobos.models import Record, charged, effectiveness, learn, record_of, scores, suitability

BOTH = ((0, 1), (0, 2))  # [[1 1 0], [1 0 1]]


@pytest.mark.parametrize(
    ("success", "mu"), [(3, 1.0), (0, 1.0), (-1, 0.667), (-2, 0.4), (-3, 0.286), (-40, 0.0247)]
)
def test_mu_falls_with_net_failures_and_never_to_0(success: int, mu: float) -> None:
    assert effectiveness(success, 0.5) == pytest.approx(mu, abs=5e-4)


def test_a_small_epsilon_does_not_raise_mu_above_1() -> None:
    assert effectiveness(-1, 1e-9) == pytest.approx(1.0)


def test_x_of_a_way_is_the_mean_of_its_effective_suitabilities_and_0_where_one_is_0() -> None:
    assert scores(BOTH, (0.9, 0.5, 0.0), (1.0, 0.4, 1.0)) == [pytest.approx((0.9 + 0.2) / 2), 0.0]


def test_the_best_way_counts() -> None:
    assert suitability(BOTH, (0.9, 0.3, 0.9), (1.0, 1.0, 0.667)) == round(255 * (0.9 + 0.6003) / 2)
    assert suitability(((0, 1),), (0.9, 0.9, 0.9), (1.0, 1.0, 1.0)) == 230


@pytest.mark.parametrize(
    ("near", "weight", "value"), [(0.2, 0.0, 230), (0.2, 0.5, 140), (1.0, 0.5, 242), (0.2, 1.0, 51), (0.0, 1.0, 1)]
)
def test_nearness_enters_by_its_weight_and_makes_no_robot_unable(near: float, weight: float, value: int) -> None:
    assert suitability(((0, 1),), (0.9, 0.9), (1.0, 1.0), near, weight) == value
    assert suitability(((0, 1),), (0.9, 0.0), (1.0, 1.0), near, weight) == 0


def test_a_robot_that_can_barely_do_a_task_states_1_and_one_that_cannot_0() -> None:
    assert suitability(((0,),), (0.001,), (0.01,)) == 1
    assert suitability(((0,),), (0.0,), (1.0,)) == 0
    assert suitability((), (1.0,), (1.0,)) == 0


def test_a_failure_counts_for_the_basis_tasks_of_all_ways_that_the_robot_can_do() -> None:
    assert charged(BOTH, (0.9, 0.9, 0.9), (1.0, 1.0, 1.0)) == {0, 1, 2}
    assert charged(BOTH, (0.9, 0.9, 0.0), (1.0, 1.0, 1.0)) == {0, 1}
    assert charged(BOTH, (0.0, 0.9, 0.9), (1.0, 1.0, 1.0)) == frozenset()
    assert learn((0, -1, 2), {0, 1}, -1) == (-1, -2, 2)
    assert learn((-1, -1, 0), {0, 2}, 1) == (0, -1, 1)


flags = st.booleans()
records = st.builds(Record, st.integers(0, 31), st.integers(1, 15), flags, flags, st.integers(0, 15), flags)


@given(records)
def test_a_record_travels_in_two_bytes(record: Record) -> None:
    assert record_of(*record.bytes) == record
    assert all(0 <= byte <= 255 for byte in record.bytes)


@given(records, st.integers(1, 15))
def test_the_later_change_holds_also_when_stamps_have_gone_round(record: Record, changes: int) -> None:
    later = record
    for _ in range(changes):
        later = later.changed(required=later.required % 15 + 1)
    assert later.stamp == (record.stamp + changes) % 32
    assert record.joined(later) == later.joined(record) == later


@given(records, records)
def test_an_opening_carries_no_phi_and_a_change_of_phi_no_opening(one: Record, two: Record) -> None:
    both = replace(one, stamp=3, opened=5).joined(replace(two, stamp=4, opened=4))
    assert (both.need, both.open) == (two.need, one.open)


@given(records, records, records)
def test_of_changes_at_once_all_robots_hold_the_same(one: Record, two: Record, three: Record) -> None:
    a, b, c = (replace(other, stamp=7, opened=2) for other in (one, two, three))
    assert a.joined(b).joined(c) == c.joined(a.joined(b)) == b.joined(c).joined(a)


@given(records, records)
def test_of_records_half_a_round_apart_all_robots_hold_the_same_need(one: Record, two: Record) -> None:
    a, b = replace(one, stamp=5, opened=1), replace(two, stamp=21, opened=9)
    found = a.joined(b), b.joined(a)
    assert found[0].need == found[1].need == max(one.need, two.need)
    assert found[0].open == found[1].open == (one.open or two.open)


def test_after_more_changes_than_half_a_round_the_old_record_of_a_robot_that_comes_back_holds() -> None:
    old = Record(0, 2)
    new = old
    for k in range(17):
        new = new.changed(required=3 + k % 2)
    assert (new.stamp, new.joined(old).need, old.joined(new).need) == (17, old.need, old.need)


def test_a_change_takes_the_next_stamp_and_no_change_none() -> None:
    record = Record(31, 2, opened=15)
    assert record.changed(required=3) == Record(0, 3, opened=15)
    assert record.changed(open=False) == Record(31, 2, opened=0, open=False)
    assert record.changed(required=2, tried=False) is record
    assert record.changed(required=0).required == 1
    assert record.changed(required=99).required == 15

"""Random plans: some of them, and what the search through many counts."""

import pytest

from tests.motivation.bite.schedules import WITHIN_BEATS, Found, run, steps_taken


def test_the_edge_of_a_step_is_known_by_what_is_above_and_the_occurrence() -> None:
    before = (("root", 0), ("a", 3), ("b", 0))
    assert [*steps_taken(before, (("root", 0), ("c", 4)))] == [(((("root", 0),), "a", 3), "c")]
    assert [*steps_taken(before, (("root", 0), ("a", 3), ("d", 1)))] == [(((("root", 0), ("a", 3)), "b", 0), "d")]
    for other in ((("root", 0), ("a", 3)), (("root", 0), ("c", 5)), before, ()):
        assert [*steps_taken(before, other)] == []


def test_a_point_left_by_two_edges_is_found() -> None:
    one, other = ((("root", 0),), "a", 3), ((("root", 0),), "a", 4)
    assert Found(0.3, {one: {"b"}, other: {"b", "c"}}, 0.0).parted == [other]


def test_a_schedule_is_a_function_of_its_number() -> None:
    assert run(5) == run(5)


@pytest.mark.parametrize("number", range(5))
def test_random_plans_leave_no_point_by_two_edges_and_agree_when_it_is_quiet(number: int) -> None:
    found = run(number)
    assert found.edges
    assert found.parted == []
    assert found.agreed_beats <= WITHIN_BEATS

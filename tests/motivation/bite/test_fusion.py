"""Algorithm 2, line by line, and what travels."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motivation.bite.words import (
    CLOSED,
    Path,
    Step,
    is_newer,
    mask_of,
    numbers_of,
    path_of,
    path_statement,
)
from tests.motivation.bite.team import ENDLESS, NAMES, Bot, Team

STEPS = st.lists(st.builds(Step, st.integers(1, 63), st.integers(0, 127)), max_size=4).map(tuple)


def joint(inform: str = "none", **more: Any) -> dict[str, Any]:
    return {"team": "all", "terminate": "first", "inform": inform, **more}


@pytest.mark.parametrize(("inform", "run"), [("broadcast", ("b",)), ("none", ("a",))])
def test_lines_1b_and_2b_the_end_that_another_senses_ends_a_behavior_where_it_is_broadcast(
    inform: str, run: tuple[str, ...]
) -> None:
    """r3 is of no sub-team that executes `a`, and alone senses that it should end."""
    scouts = {"scouts": ["r1", "r2"]}
    graph = {"a": {**joint(inform), "team": "scouts", "next": ["b"]}, "b": joint()}
    ends = {"r3": lambda name, now: name == "a" and now > 4.0}
    bots = {name: Bot({}, ENDLESS, senses_end=ends.get(name, lambda name, now: False)) for name in NAMES}
    team = Team(graph, bots, teams=scouts).run(8.0)
    assert [robot.run for robot in team.live][:2] == [run] * 2


@pytest.mark.parametrize(("inform", "stack"), [("broadcast", ("c", 1)), ("none", ("b", 1))])
def test_line_1c_a_precondition_that_another_senses_counts_where_it_is_broadcast(
    inform: str, stack: tuple[str, int]
) -> None:
    """The leader senses `b` alone; r3 alone senses `c`, which comes first in the graph."""
    graph = {"a": joint(inform, next=["c", "b"], decide="leader", terminate="all"), "b": joint(), "c": joint()}
    bots = {
        name: Bot(
            {"a": 4.0}, ENDLESS, enabled=lambda one, now, sees="c" if name == "r3" else "b": one in ("a", sees)
        )
        for name in NAMES
    }
    team = Team(graph, bots).run(10.0)
    assert [robot.stack for robot in team.live] == [(stack,)] * 3


def test_what_was_sensed_in_an_earlier_round_does_not_count() -> None:
    graph = {"a": joint("broadcast", next=["b"]), "b": joint("broadcast", next=["a"])}
    ends = {"r3": lambda name, now: name == "a" and 4.0 < now < 5.0}
    bots = {name: Bot({"b": 2.0}, ENDLESS, senses_end=ends.get(name, lambda name, now: False)) for name in NAMES}
    team = Team(graph, bots).run(14.0)
    assert {robot.stack for robot in team.live} == {(("a", 2),)}


@given(steps=STEPS, phase=st.integers(0, CLOSED))
def test_a_path_travels_whole(steps: tuple[Step, ...], phase: int) -> None:
    assert path_of(path_statement(Path(steps, phase))) == Path(steps, phase)


@given(numbers=st.sets(st.integers(1, 24)))
def test_numbers_travel_as_bits(numbers: set[int]) -> None:
    assert numbers_of(mask_of(sorted(numbers))) == sorted(numbers)


def test_occurrences_are_counted_round() -> None:
    assert [is_newer(*pair) for pair in ((1, 0), (0, 127), (0, 1), (5, 5), (64, 0))] == [
        True,
        True,
        False,
        False,
        False,
    ]

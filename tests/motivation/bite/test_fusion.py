"""Algorithm 2, line by line, and what travels."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motivation.bite.words import CLOSED, Path, Step, is_newer, mask_of, numbers_of, path_of, path_statement
from robotd.model.statements import Heard, Statement
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


@pytest.mark.parametrize(("inform", "run"), [("broadcast", ("b",)), ("none", ())])
def test_a_robot_that_has_ended_and_waits_for_all_informs_until_the_others_have_ended_too(
    inform: str, run: tuple[str, ...]
) -> None:
    bots = {name: Bot(takes_s=ENDLESS) for name in ("r1", "r2", "r3")}
    bots["r3"].senses_end = lambda name, now: name == "a" and now >= 5.1
    graph = {"a": joint(inform, next=["b"], terminate="all"), "b": joint()}
    team = Team(graph, bots, loss=0.5, seed=1).run(15.0)
    assert team["r3"].run == run


def test_how_a_behavior_ended_last_time_is_no_news_while_teammates_begin_it_again() -> None:
    """r3 begins `a` later than the others, and until then its set remembers the last end."""
    graph = {"a": joint("broadcast", next=["b"], terminate="all"), "b": joint(next=["a"], terminate="all")}
    bots = {name: Bot(takes_s=5.0) for name in NAMES}
    team = Team(graph, bots, loss=0.4, seed=1)
    bots["r3"].senses_end = lambda name, now: name == "a" and now > 4.0 and team["r3"].run != ("a",)
    team.run(60.0)
    begins, ends = team["r1"].when("a"), team["r1"].when()
    assert len(begins) > 2
    assert all(min(end for end in ends if end > begin) - begin >= 4.9 for begin in begins[:-1])


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


STATED = st.tuples(
    st.builds(Path, st.lists(st.builds(Step, st.integers(1, 6), st.integers(0, 2)), max_size=3).map(tuple),
              st.integers(0, 15)),
    st.tuples(st.sampled_from([*range(10), *range(17, 25)]), st.integers(0, 6), st.integers(0, 2),
              st.integers(0, (1 << 24) - 1)),
)  # fmt: skip


@settings(max_examples=15)
@given(stated=st.lists(STATED, min_size=1, max_size=5))
def test_whatever_a_teammate_states_a_robot_continues(stated: list[tuple[Path, tuple[int, ...]]]) -> None:
    graph = {
        "a": {**joint("broadcast", first=["b", "c"], next=["d", "e"]), "allocate": "market", "decide": "vote"},
        "b": {}, "c": {}, "d": joint(), "e": joint(),
    }  # fmt: skip
    team = Team(graph, {"r1": Bot(takes_s=1.0), "r2": Bot()}, decision_s=0.5).run(2.0)
    team.kill("r2")
    for path, ballot in stated:
        said = (path_statement(path), Statement("ballot", ballot))
        team["r1"].inbox.append(Heard(team.now, 2, 1, running=True, same_mission=True, statements=said))
        team.run(team.now + 0.5)
    assert team["r1"].stack

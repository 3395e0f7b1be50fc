"""Robots allocated to tasks: the optimum by an oracle, the bounds of the greedy ways, ties, robots left over."""

import itertools
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from motivation.cobos.transport import IDLE, Solver, Values, assign

SOLVERS: tuple[Solver, ...] = get_args(Solver)
WORST = -(1 << 40)  # exact in the oracle's floating-point numbers, as are all values below 2^32
few = settings(max_examples=60, deadline=None)


@st.composite
def problems(draw: st.DrawFn, least: int | None = None) -> tuple[list[list[int | None]], list[int]]:
    """Up to 7 robots and 5 tasks; with `least` every pair is possible."""
    robots, tasks = draw(st.integers(0, 7)), draw(st.integers(0, 5))
    value = st.one_of(st.integers(0, 3), st.integers(0, 2**32))
    pair = value if least is not None else st.one_of(st.none(), value)
    row = st.lists(pair, min_size=tasks, max_size=tasks)
    counts = draw(st.lists(st.integers(0, 3), min_size=tasks, max_size=tasks))
    return draw(st.lists(row, min_size=robots, max_size=robots)), counts


def total(values: Values, found: tuple[int, ...]) -> int:
    return sum(values[j][i] or 0 for j, i in enumerate(found) if i != IDLE)


def placed(found: tuple[int, ...]) -> int:
    return sum(i != IDLE for i in found)


def optimum(values: Values, counts: list[int]) -> tuple[int, int]:
    """How many robots can have a task at most, and the greatest total of so many, by scipy."""
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    if not values or not places:
        return 0, 0
    gains = np.array([[WORST if row[i] is None else row[i] for i in places] for row in values])
    pairs = list(zip(*linear_sum_assignment(gains, maximize=True), strict=True))
    possible = [int(gains[pair]) for pair in pairs if gains[pair] != WORST]
    return len(possible), sum(possible)


@few
@given(problems())
def test_the_transport_solution_is_the_optimum(problem: tuple[list[list[int | None]], list[int]]) -> None:
    values, counts = problem
    found = assign(values, counts, "transport")
    assert (placed(found), total(values, found)) == optimum(values, counts)


@few
@given(problems(), st.sampled_from(SOLVERS))
def test_no_pair_is_impossible_and_no_task_gets_too_many(
    problem: tuple[list[list[int | None]], list[int]], solver: Solver
) -> None:
    values, counts = problem
    found = assign(values, counts, solver)
    left = [count - found.count(i) for i, count in enumerate(counts)]
    assert len(found) == len(values)
    assert min(left, default=0) >= 0
    for row, task in zip(values, found, strict=True):
        if task == IDLE:  # none is left over that could still have a place
            assert all(value is None or not lacks for value, lacks in zip(row, left, strict=True))
        else:
            assert row[task] is not None


@few
@given(problems(least=0))
def test_best_pair_first_is_worth_half_of_the_optimum(problem: tuple[list[list[int]], list[int]]) -> None:
    values, counts = problem
    assert 2 * total(values, assign(values, counts, "greedy")) >= optimum(values, counts)[1]


def test_by_priority_is_worth_a_third_of_the_optimum_where_the_first_task_takes_the_wrong_robot() -> None:
    values, counts = [[50, 100], [49, 0]], [1, 1]
    found = {solver: assign(values, counts, solver) for solver in SOLVERS}
    assert found == {"transport": (1, 0), "greedy": (1, 0), "priority": (0, 1)}
    assert [total(values, found[solver]) for solver in ("transport", "priority")] == [149, 50]


def test_best_pair_first_is_worth_little_more_than_half_where_the_best_pair_is_in_the_way() -> None:
    values = [[100, 99], [99, 0]]
    assert total(values, assign(values, [1, 1], "greedy")) == 100
    assert total(values, assign(values, [1, 1], "transport")) == 198


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("values", "counts", "found"),
    [
        ([], [2], ()),
        ([[], []], [], (-1, -1)),
        ([[9, 5]], [0, 1], (1,)),
        ([[9], [8]], [0], (-1, -1)),
        ([[7], [9], [8]], [2], (-1, 0, 0)),
        ([[9, 1], [8, 1]], [3, 3], (0, 0)),
        ([[None, 1], [None, 2]], [2, 1], (-1, 1)),
        ([[None], [None]], [2], (-1, -1)),
        ([[0], [None]], [2], (0, -1)),
        ([[5, 5], [5, 5], [5, 5]], [1, 1], (0, 1, -1)),
    ],
)
def test_small_cases_come_out_alike(
    solver: Solver, values: Values, counts: list[int], found: tuple[int, ...]
) -> None:
    assert assign(values, counts, solver) == found


def test_transport_places_more_robots_even_where_fewer_are_worth_more() -> None:
    values = [[1000, 1], [1, None]]
    assert assign(values, [1, 1], "transport") == (1, 0)
    assert assign(values, [1, 1], "greedy") == assign(values, [1, 1], "priority") == (0, -1)


@few
@given(problems(), st.sampled_from(SOLVERS), st.randoms(use_true_random=False))
def test_with_tie_breakers_the_order_of_robots_and_of_tasks_changes_nothing(problem, solver, random) -> None:
    plain, counts = problem
    robots, tasks = len(plain), len(counts)
    values = [  # as coordinators build them: a byte, and what makes every sum of pairs another one
        [None if value is None else (value % 4 << 40) + (1 << tasks * j + i) for i, value in enumerate(row)]
        for j, row in enumerate(plain)
    ]
    rows, columns = list(range(robots)), list(range(tasks))
    random.shuffle(rows)
    if solver != "priority":  # whose order of tasks is the priority
        random.shuffle(columns)
    shuffled = [[values[j][i] for i in columns] for j in rows]
    found = assign(shuffled, [counts[i] for i in columns], solver)
    named = {j: columns[k] if k != IDLE else IDLE for j, k in zip(rows, found, strict=True)}
    assert tuple(named[j] for j in range(robots)) == assign(values, counts, solver)


def test_integers_beyond_a_double_are_distinguished() -> None:
    worth = 255 << 40
    values = [[worth + (1 << 30) + k for k in (5, 4, 3)], [worth + k for k in (9, 7, 7)], [worth + 2] * 3]
    best = max(itertools.permutations(range(3)), key=lambda found: sum(values[j][i] for j, i in enumerate(found)))
    assert assign(values, [1, 1, 1], "transport") == best

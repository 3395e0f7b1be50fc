"""The optimum by exhaustive search."""

from itertools import permutations, product

import numpy as np
import pytest

from robotd.experiments.abstract.draws import Purpose, keys, uniform
from robotd.experiments.optimality import TOGETHER, optimum


def played(times: list[list[float]]) -> float:
    """Every order of the tasks, each taken by every robot in turn: the clock of the last, at its least."""
    robots, tasks = len(times), len(times[0])
    least = float("inf")
    for order in permutations(range(tasks)):
        for who in product(range(robots), repeat=tasks):
            clocks = [0.0] * robots
            for task, robot in zip(order, who, strict=True):
                clocks[robot] += times[robot][task]
            least = min(least, max(clocks))
    return least


@pytest.mark.parametrize(("robots", "tasks"), [(1, 3), (2, 2), (2, 4), (3, 3), (4, 2), (3, 4)])
def test_it_is_what_playing_every_schedule_finds(robots: int, tasks: int) -> None:
    key = keys(range(5), "optimum")[:, None, None]
    times = 10 + 90 * uniform(key, Purpose.TASK_TIME, np.arange(robots)[:, None], np.arange(tasks))
    np.testing.assert_allclose(optimum(times), [played(mission) for mission in times.tolist()])


def test_worked_values() -> None:
    assert optimum(np.array([[[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]]])).tolist() == [7.0]
    assert optimum(np.array([[[3.0, 40.0], [30.0, 4.0]]])).tolist() == [4.0]
    assert optimum(np.array([[[3.0, np.inf], [30.0, np.inf]]])).tolist() == [np.inf]


def test_many_missions_are_searched_in_parts_and_stay_in_order() -> None:
    times = np.arange(1.0, 2 * TOGETHER + 4)[:, None, None] * np.array([[1.0, 2.0], [3.0, 1.0]])
    np.testing.assert_allclose(optimum(times), np.arange(1.0, 2 * TOGETHER + 4))

"""Random problems of allocation as COBOS has them, and their optimum by other means than its own."""

import itertools
import math
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from motivation.alliance.parameters import Bools, Reals
from motivation.cobos.transport import IDLE, Solver, assign
from robotd.experiments.abstract.draws import Purpose, keys, uniform
from robotd.experiments.abstract.missions import Wholes, between, draw_shapes, whole

ROBOTS, TASKS, EACH = (2, 12), (1, 8), (1, 3)  # robots that a task takes
SKEWS = 1.0, 8.0  # the power of a uniform number that a suitability is: the greater, the fewer are suited well
STEPS, SHIFT, TIES = 255, 40, 1 << 25  # of a suitability on the wire; bits below it; values of a tie-breaker
SEARCHED = 4096  # combinations of robots that tasks lack, for which the optimum can be searched for
LACKS = -(1 << 20)  # of an impossible pair, in the floating-point numbers of scipy

Suitabilities = list[list[int | None]]


class Problem(NamedTuple):
    """`suitability[j][i]` of robot j for task i, 1 to 255, or None; `values`: the same, as solvers get them."""

    suitability: Suitabilities
    values: Suitabilities
    counts: list[int]

    def worth(self, solver: Solver) -> tuple[int, int]:
        """How many robots get a task, and the sum of their suitabilities."""
        found = zip(self.suitability, assign(self.values, self.counts, solver), strict=True)
        own = [row[task] or 0 for row, task in found if task != IDLE]
        return len(own), sum(own)


def draw_problem(seed: int, possible: float, size: int = 0) -> Problem:
    """The problem of a seed, with such a share of the pairs; with `size` so many robots and tasks for one each."""
    key = keys([seed], "cobos-quality")
    robots, tasks = (size, size) if size else (int(n[0]) for n in draw_shapes(key, ROBOTS, TASKS))
    counts = [1] * size or _fitting(whole(uniform(key, Purpose.ROUNDS, np.arange(tasks)), EACH), robots)
    skew = between(uniform(key, Purpose.HETEROGENEITY), SKEWS)

    def of_pairs(purpose: Purpose) -> Reals:
        return uniform(key[:, None], purpose, np.arange(robots)[:, None], np.arange(len(counts)))

    steps = 1 + (STEPS * of_pairs(Purpose.SKILL) ** skew).astype(np.int64)
    ties = (TIES * of_pairs(Purpose.NOISE)).astype(np.int64)
    can = of_pairs(Purpose.ABLE) < possible
    return Problem(_where(can, steps), _where(can, (steps << SHIFT) + ties), counts)


def _fitting(wanted: Wholes, robots: int) -> list[int]:
    """Of the robots that tasks take, by priority, those for which there are robots enough; the first task fits."""
    counts = [min(count, robots) for count in wanted.tolist()]
    return [count for count, sum_ in zip(counts, itertools.accumulate(counts), strict=True) if sum_ <= robots]


def _where(can: Bools, values: Wholes) -> Suitabilities:
    rows = zip(values.tolist(), can.tolist(), strict=True)
    return [[value if yes else None for value, yes in zip(*row, strict=True)] for row in rows]


def optimum(problem: Problem) -> tuple[str, tuple[int, int]] | None:
    """What found the optimum and its worth: scipy, or else a search; None where there is neither."""
    if find_spec("scipy") is not None:
        return "scipy", _solve(problem)
    if math.prod(count + 1 for count in problem.counts) <= SEARCHED:
        return "search", search(problem)
    return None


def _solve(problem: Problem) -> tuple[int, int]:
    from scipy.optimize import linear_sum_assignment

    places = np.repeat(np.arange(len(problem.counts)), problem.counts)
    rows = [[LACKS if value is None else value for value in row] for row in problem.suitability]
    gains = np.array(rows, np.float64)[:, places]
    taken = gains[linear_sum_assignment(gains, maximize=True)]
    possible = taken[taken != LACKS]
    return len(possible), int(possible.sum())


def search(problem: Problem) -> tuple[int, int]:
    """The worth of the best of all allocations: each robot in turn idle, or at each task that lacks one."""

    @cache
    def best(j: int, lacks: tuple[int, ...]) -> tuple[int, int]:
        if j == len(problem.suitability):
            return 0, 0
        found = [best(j + 1, lacks)]
        for i, value in enumerate(problem.suitability[j]):
            if value is not None and lacks[i]:
                more, total = best(j + 1, (*lacks[:i], lacks[i] - 1, *lacks[i + 1 :]))
                found.append((more + 1, total + value))
        return max(found)

    return best(0, tuple(problem.counts))

"""Who does what: robots allocated to tasks that take several, from integers alone, so that all robots agree.

Paper 003, problem (11), a transportation problem: a task that takes c robots is c places, and the problem is an
assignment of robots to places. Equal inputs give equal results on every computer, ties included.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

Solver = Literal["transport", "greedy", "priority"]
Values = Sequence[Sequence[int | None]]
"""`values[j][i]`: of robot j for task i, from 0, below 2^60 in all; None where the robot cannot do the task."""

IDLE = FREE = -1
FAR = 1 << 90  # longer than any way
IMPOSSIBLE = -(1 << 60)  # of a pair that cannot be: worse than any sum of values


def assign(values: Values, counts: Sequence[int], solver: Solver) -> tuple[int, ...]:
    """The task of each robot, or IDLE; task i gets `counts[i]` robots, or fewer where no more can be found.

    `transport`: as many robots as possible have a task they can do, and the sum of their values is the greatest of
    all such allocations. `greedy`: the best pair of all first (2-competitive). `priority`: task by task in the
    given order, the best robots first (no bound). Of equal pairs both take the lower robot, then the lower task.
    """
    if solver == "transport":
        return _transport(values, counts)
    pairs = [(-value, j, i) for j, row in enumerate(values) for i, value in enumerate(row) if value is not None]
    pairs.sort(key=None if solver == "greedy" else lambda pair: (pair[2], *pair))
    return _take(((j, i) for _, j, i in pairs), len(values), counts)


def _take(pairs: Iterable[tuple[int, int]], robots: int, counts: Sequence[int]) -> tuple[int, ...]:
    """Each pair whose robot is free and whose task lacks one, in turn."""
    found, left = [IDLE] * robots, list(counts)
    for j, i in pairs:
        if found[j] == IDLE and left[i]:
            found[j] = i
            left[i] -= 1
    return tuple(found)


def _transport(values: Values, counts: Sequence[int]) -> tuple[int, ...]:
    """Tasks repeated as places, and the idle task for the robots that are too many."""
    places = [i for i, count in enumerate(counts) for _ in range(min(count, len(values)))]
    spare = [0] * (len(values) - len(places))
    gains = [[_gain(row[i]) for i in places] + spare for row in values]
    taken = (places[k] if k < len(places) else IDLE for k in match(gains))
    return tuple(i if i != IDLE and row[i] is not None else IDLE for row, i in zip(values, taken, strict=True))


def _gain(value: int | None) -> int:
    return IMPOSSIBLE if value is None else value


def match(gains: Sequence[Sequence[int]]) -> list[int]:
    """The column of each row, all different, with the greatest sum of gains; at least as many columns as rows.

    The Hungarian method by shortest augmenting paths (Kuhn 1955; Edmonds and Karp 1972), O(rows^2 columns).
    """
    columns = len(gains[0]) if gains else 0
    of_row, of_column = [0] * len(gains), [0] * columns  # potentials: a gain is at most minus their sum
    holder = [FREE] * columns
    for new in range(len(gains)):
        far, before = [FAR] * columns, [FREE] * columns  # the way from the new row, and the column before on it
        open_, reached = list(range(columns)), list[int]()
        row, column, way = new, FREE, 0
        while row != FREE:
            base, own, nearest, least = way - of_row[row], gains[row], FREE, FAR
            for k in open_:
                through = base - own[k] - of_column[k]
                if through < far[k]:
                    far[k], before[k] = through, column
                if far[k] < least:
                    nearest, least = k, far[k]
            column, way = nearest, least
            row = holder[column]
            open_.remove(column)
            reached.append(column)
        of_row[new] += way
        for k in reached[:-1]:
            of_row[holder[k]] += way - far[k]
            of_column[k] -= way - far[k]
        while column != FREE:
            previous = before[column]
            holder[column] = new if previous == FREE else holder[previous]
            column = previous
    found = {row: k for k, row in enumerate(holder)}
    return [found[row] for row in range(len(gains))]

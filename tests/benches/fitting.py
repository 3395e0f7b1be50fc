"""How cost grows with size: exponents fitted to measurements of several sizes, each at most 1.3.

Sizes take turns, so that the machine's load falls on all. An exponent is the slope of the line through the
logarithms, by least squares over all rounds; its spread is that of the slopes of single rounds, or of neighbouring
sizes where there is one round.
"""

import contextlib
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log

from robotd.api import simulate
from robotd.files.progress_bar import bar
from robotd.timing.clock import processor_s
from tests.benches.measure import Figure
from tests.benches.scaled import mission_of

BOUND = 1.3
REPEAT = 3
SIMULATED_S = 60.0
LEAST_S = 0.2  # of processor time that one measurement takes: shorter ones are done several times

Cost = Callable[[int], float]
"""Seconds of processor time at a size."""


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The exponent of the power of size that fits (size, cost) best, by least squares of the logarithms."""
    return statistics.linear_regression([log(size) for size, _ in points], [log(cost) for _, cost in points]).slope


def fit(name: str, sizes: Sequence[int], costs: Sequence[Sequence[float]], unit: str) -> Figure:
    """The exponent of rounds of costs (s), each in the order of the sizes, as a line of the table."""
    rounds = [list(zip(sizes, one, strict=True)) for one in costs]
    found = slope([point for one in rounds for point in one])
    slopes = [slope(one) for one in (rounds if len(rounds) > 1 else pairwise(rounds[0]))]
    middle = [statistics.median(column) for column in zip(*costs, strict=True)]
    shown = ", ".join(f"{in_words(cost)} of {size}" for size, cost in zip(sizes, middle, strict=True))
    detail = f"{min(slopes):.2f} to {max(slopes):.2f}; {shown} {unit}"
    return Figure(name, found, "", f"at most {BOUND}", found <= BOUND, detail)


def in_words(cost: float) -> str:
    return f"{cost:.3g} s" if cost >= 1.0 else f"{cost * 1e3:.3g} ms"


@contextlib.contextmanager
def progress(total: float) -> Iterator[Callable[[str, float], None]]:
    """What is done now, and how much of `total` is done: on a terminal a bar, else a line for each step."""
    with bar("", total, "TaskProgressColumn", "TimeElapsedColumn", "TimeRemainingColumn") as update:

        def step(doing: str, done: float) -> None:
            if update is None:
                sys.stderr.write(f"{doing} ({done / total:.0%})\n")
            else:
                update(description=doing, completed=done)

        yield step


def measure(name: str, sizes: Sequence[int], cost: Cost, unit: str) -> Figure:
    """Rounds of all sizes in turns."""
    cost(sizes[0])  # imports, what is computed once
    costs: list[list[float]] = [[] for _ in range(REPEAT)]
    steps = [(one, size) for one in costs for size in sizes]
    with progress(len(steps)) as step:
        for done, (one, size) in enumerate(steps):
            step(f"{name}, {size} {unit}", done)
            one.append(cost(size))
    return fit(name, sizes, costs, unit)


def repeated(task: Callable[[], object]) -> float:
    """The processor time of one call, s."""
    start, count = processor_s(), 0
    while (spent := processor_s() - start) < LEAST_S:
        task()
        count += 1
    return spent / count


def of_simulation(name: str, robots: int, tasks: int) -> float:
    """The processor time of a simulated second, without reading the mission."""
    mission = mission_of(name, robots, tasks)
    start = processor_s()
    outcome = simulate(mission, 1, duration_s=SIMULATED_S)
    return (processor_s() - start) / outcome.duration_s

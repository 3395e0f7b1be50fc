"""What every benchmark gives: figures with their bounds, measured side by side so that load falls on both."""

import gc
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from robotd.timing.clock import work_clock


@dataclass(frozen=True)
class Figure:
    """One line of the table; `met` is None where there is no bound."""

    name: str
    value: float
    unit: str
    bound: str = ""
    met: bool | None = None
    detail: str = ""


def at_most(name: str, value: float, bound: float, detail: str) -> Figure:
    return Figure(name, value, "x", f"at most {bound:.3g}", value <= bound, detail)


def rounds(tasks: Sequence[Callable[[], object]], times: int, repeat: int) -> Iterator[list[float]]:
    """`repeat` rounds; in each, every task runs `times` times in turn: seconds a run, task by task."""
    for task in tasks:
        task()
    for _ in range(repeat):
        gc.collect()
        yield [_timed(task, times) for task in tasks]


def _timed(task: Callable[[], object], times: int) -> float:
    start = work_clock()
    for _ in range(times):
        task()
    return (work_clock() - start) / times


def columns(measured: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*measured, strict=True)]


def ratio(measured: Sequence[Sequence[float]]) -> float:
    return statistics.median(one / other for one, other, *_ in measured)

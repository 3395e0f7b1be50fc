"""How good COBOS's three ways to allocate are, and how long they compute, on random suitabilities.

Paper 003, section IV and table II: the transportation problem gives the optimum in O(r^3), the best pair first at
least half of it in O(rn), and the best robots task by task, in order of priority, have no bound.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from operator import truediv
from pathlib import Path
from typing import get_args

import numpy as np

from motivation.cobos.transport import IDLE, Solver, assign
from robotd.experiments import statistics
from robotd.experiments.allocations import ROBOTS, STEPS, Problem, Suitabilities, draw_problem, optimum
from robotd.experiments.base import Cell, Claim, Drawing, Experiment, Results, Table, format_count
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.statistics import Estimate
from robotd.timing.clock import processor_s

ALL, SOME = Cell("every pair possible", {"possible": 1.0}), Cell("some pairs impossible", {"possible": 0.7})
SIZES = 10, 20, 50  # robots, and as many tasks for one robot each, by which the growth of the time is measured
GREEDY: tuple[Solver, ...] = ("greedy", "priority")
SOLVERS: tuple[Solver, ...] = get_args(Solver)
HARD = "hard"  # the transportation problem on products of numbers, which make the way to the optimum long
NAMES: Mapping[str, tuple[str, str]] = {
    "transport": ("transportation problem", "O(r^3)"), HARD: ("transportation problem, products", "O(r^3)"),
    "greedy": ("best pair first", "O(rn)"), "priority": ("by priority", ""),
}  # fmt: skip
"""What times are of: its name, and how it grows by table II."""


def size_cell(size: int) -> Cell:
    """The cell of a size."""
    return Cell(f"r = n = {size}", {"possible": 1.0, "size": size})


def _row(cell: Cell, seed: int) -> RunRow:
    problem = draw_problem(seed, float(cell.factors["possible"]), int(cell.factors.get("size", 0)))
    worth = {solver: problem.worth(solver) for solver in SOLVERS}
    known = optimum(problem)
    best = known[1] if known else worth["transport"]
    right = worth["transport"] == best
    half = {f"{solver}_half": 2 * worth[solver][1] >= best[1] for solver in GREEDY}
    wrong = {"not the optimum": not right, "best pair first is worth less than half": not half["greedy_half"]}
    return {
        "accomplished": not any(wrong.values()), "reason": ", ".join(text for text, yes in wrong.items() if yes),
        "violations": sum(wrong.values()),
        "robots": len(problem.suitability), "tasks": len(problem.counts), "places": sum(problem.counts),
        **({"oracle": known[0], "optimum": best[1], "transport_best": right} if known else {}), **half,
        **{solver: total for solver, (_, total) in worth.items()},
        **{f"{solver}_placed": placed for solver, (placed, _) in worth.items()},
        **({f"{solver}_share": worth[solver][1] / best[1] for solver in GREEDY} if best[1] else {}),
        **(_times(problem) if "size" in cell.factors else {}),
    }  # fmt: skip


def _times(problem: Problem) -> dict[str, float]:
    """Processor time of each solver, microseconds."""
    n = range(len(problem.counts))
    products: Suitabilities = [[(j + 1) * (i + 1) for i in n] for j in n]
    return {
        **{f"{solver}_us": _time(problem.values, problem.counts, solver) for solver in SOLVERS},
        f"{HARD}_us": _time(products, problem.counts, "transport"),
    }


def _time(values: Suitabilities, counts: Sequence[int], solver: Solver) -> float:
    start = processor_s()
    assign(values, counts, solver)
    return 1e6 * (processor_s() - start)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The power of the size by which times grow: the slope of their logarithms, least squares; NaN of too few."""
    x, y = np.log(sizes), np.log(times)
    return float(np.polyfit(x, y, 1)[0]) if len(x) > 1 else math.nan


class CobosQuality(Experiment):
    """See the module. Only the columns in microseconds, which are measured, differ from one time to the next."""

    def cells(self) -> Sequence[Cell]:
        return [ALL, SOME, *map(size_cell, SIZES)]

    def coordinator(self, cell: Cell) -> str:
        return ""

    def baseline(self, cell: Cell) -> str:
        return cell.name

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        return [_row(cell, seed) for seed in seeds]

    def claims(self, results: Results) -> Iterator[Claim]:
        for cell in self.cells():
            known = results.of(cell.name, "oracle")
            oracles = " and ".join(sorted({str(row["oracle"]) for row in known}))
            best = [bool(row["transport_best"]) for row in known]
            text = "the transportation problem gives the optimum"
            yield Claim(cell.name, text, best, oracles and f"checked by {oracles}", "optimal")
            half = [bool(row["greedy_half"]) for row in results.of(cell.name, "greedy_half")]
            published = "" if cell is SOME else "2-competitive"
            yield Claim(cell.name, "the best pair first gives half of it at least", half, published=published)

    def answer(self, results: Results) -> str:
        optimal, half, priority = (
            [bool(row[name]) for row in results.rows if name in row]
            for name in ("transport_best", "greedy_half", "priority_half")
        )
        worst = min((float(row["priority_share"]) for row in results.rows if "priority_share" in row), default=1.0)
        return (
            f"The transportation problem gives the optimum in {format_count(optimal)} instances; "
            f"the best pair first gives less than half of it in {half.count(False)} of {len(half)}, "
            f"allocation by priority in {priority.count(False)} (at worst {worst:.3f} of it)."
        )

    def tables(self, results: Results) -> Sequence[Table]:
        return [self._shares(results), *_worst(results), _growth(results)]

    def _shares(self, results: Results) -> Table:
        lines: list[list[Value]] = []
        for cell, solver in itertools.product(self.cells(), GREEDY):
            own = results.of(cell.name, f"{solver}_share")
            if own:
                whole = statistics.ratio(*([float(row[name]) for row in own] for name in (solver, "transport")))
                placed = sum(int(row["transport_placed"]) - int(row[f"{solver}_placed"]) for row in own)
                worst, below = _least(own, solver), sum(not row[f"{solver}_half"] for row in own)
                least = f"{float(worst[f'{solver}_share']):.4f}"
                line = cell.name, NAMES[solver][0], statistics.words(whole, 4), least, worst["seed"], below, placed
                lines.append(list(line))
        columns = ("cell", "allocation", "of all", "worst", "its seed", "below half", "robots fewer")
        note = "Robots fewer: with a task, than at the optimum, which places as many as possible before all else."
        return Table("Worth as a share of the optimum", columns, lines, note)

    def figures(self, results: Results) -> Sequence[Drawing]:
        robots = range(ROBOTS[0], ROBOTS[1] + 1)
        shares = [
            Panel("worth, share of the optimum", _lines(results, ALL, "", robots), ALL.name),
            Panel("robots with a task, share", _lines(results, SOME, "_placed", robots), SOME.name),
        ]
        axis = Axis("robots", list(map(str, robots)))
        drawings = line_charts(shares, axis, "Best pair first, and by priority", results.figure("shares"))
        squares = [(size / SIZES[0]) ** 2 for size in SIZES]
        growth = {name: _ratios(_medians(results, column)) for column, (name, _) in NAMES.items()}
        if not any(math.isnan(ratio) for ratios in growth.values() for ratio in ratios):
            growth["r^3"] = [square**1.5 for square in squares]
            lines = [Means(name, list(map(_point, map(truediv, of, squares)))) for name, of in growth.items()]
            panel = Panel(f"time over r^2, as a multiple of r = {SIZES[0]}", lines)
            axis = Axis("robots, and as many tasks", list(map(str, SIZES)))
            drawings += line_charts([panel], axis, "Growth of computing", results.figure("times"))
        return drawings


def _least(rows: Sequence[RunRow], solver: str) -> RunRow:
    return min(rows, key=lambda row: float(row[f"{solver}_share"]))


def _lines(results: Results, cell: Cell, what: str, robots: Sequence[int]) -> list[Means]:
    """The greedy ways over the transportation problem, in the mean and at worst, by number of robots."""
    rows = [row for row in results.of(cell.name, f"transport{what}") if row[f"transport{what}"]]
    lines = []
    for solver in GREEDY:
        shares: dict[int, list[float]] = {n: [] for n in robots}
        for row in rows:
            shares[int(row["robots"])].append(float(row[f"{solver}{what}"]) / float(row[f"transport{what}"]))
        own = list(shares.values())
        lines.append(Means(f"{NAMES[solver][0]}, mean", list(map(statistics.mean, own))))
        lines.append(Means(f"{NAMES[solver][0]}, worst", [_point(min(one, default=math.nan)) for one in own]))
    return lines


def _point(value: float) -> Estimate:
    return Estimate(value, math.nan, math.nan)


def _medians(results: Results, column: str) -> list[float]:
    """The median time at each size, microseconds; NaN of no runs."""
    return [statistics.median(results.values(size_cell(size).name, f"{column}_us")) for size in SIZES]


def _ratios(times: Sequence[float]) -> list[float]:
    return [time / times[0] for time in times]


def _growth(results: Results) -> Table:
    """How computing grows with the size, beside table II."""
    lines: list[list[Value]] = []
    for column, (name, published) in NAMES.items():
        times = _medians(results, column)
        if not any(map(math.isnan, times)):
            ratios = [f"{ratio:.1f}" for ratio in _ratios(times)]
            lines.append([name, f"{times[0]:.0f}", *ratios, f"{exponent(SIZES, times):.2f}", published])
    ratios_of = [f"r = n = {size}" for size in SIZES]
    columns = ("allocation", f"microseconds at {SIZES[0]}", *ratios_of, "exponent", "published")
    note = "Medians of processor time over that of the least size, and the power of r = n that fits them best."
    return Table("Growth of computing", columns, lines, note)


def _worst(results: Results) -> list[Table]:
    """The instance in which allocation by priority is worth the least; None where there is no run."""
    rows = results.of(ALL.name, "priority_share")
    if not rows:
        return []
    worst = _least(rows, "priority")
    problem = draw_problem(int(worst["seed"]), 1.0)
    best, found = (assign(problem.values, problem.counts, solver) for solver in ("transport", "priority"))
    lines: list[list[Value]] = [
        [f"robot {j + 1}", *(f"{(value or 0) / STEPS:.3f}" for value in row), _task(best[j]), _task(found[j])]
        for j, row in enumerate(problem.suitability)
    ]
    columns = ("", *(f"task {i + 1} for {n}" for i, n in enumerate(problem.counts)), "optimum", "by priority")
    note = f"Seed {worst['seed']}: {worst['priority']} of {worst['transport']} steps of 1/{STEPS}."
    return [Table("Suitabilities where allocation by priority is worst", columns, lines, note)]


def _task(task: int) -> str:
    return "idle" if task == IDLE else f"task {task + 1}"


EXPERIMENT = CobosQuality(
    name="cobos-quality", runs=10_000, batch=250,
    title="Does COBOS allocate as well as it claims, and how does its computing grow?",
    measured=(
        "robots", "tasks", "places", "accomplished", "reason", "violations", "oracle", "optimum", *SOLVERS,
        "greedy_share", "priority_share", "transport_best", "greedy_half", "priority_half",
    ),
)  # fmt: skip

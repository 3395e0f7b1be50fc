"""Rows of runs, and the summary that is made of them: means, shares and comparisons with their intervals."""

import math
from collections.abc import Collection, Mapping, Sequence

from robotd.experiments.statistics import Estimate, mean, median, ratio, share, share_difference

Value = str | int | float | bool
RunRow = Mapping[str, Value]
"""One line of a table: its columns' values by name. A column that is not there is an empty field."""
COLUMNS = (
    "cell", "measure", "runs", "mean", "low", "high", "median", "baseline",
    "pairs", "difference", "difference_low", "difference_high", "ratio", "ratio_low", "ratio_high",
)  # fmt: skip
NOT_MEASURED = ("cell", "run", "seed")
DIGITS = 6  # significant ones: more than any run is good for


def summarize(rows: Sequence[RunRow], baselines: Mapping[str, str], factors: Collection[str] = ()) -> list[RunRow]:
    """For each cell, in the order of the rows, a line for each column of numbers or of true and false.

    `mean` with its 95 % interval (Student's t; of true and false the share, with Wilson's), and the median. With a
    `baseline` (the cell to compare with, by cell) that is another cell and has rows: `difference` to it, and of
    numbers the `ratio`, both in pairs of one seed with their intervals (of true and false Newcombe's). `runs` and
    `pairs` count the rows that have the number. `factors` are columns that are not measured.
    """
    found: dict[str, dict[Value, RunRow]] = {}
    for row in rows:
        found.setdefault(str(row["cell"]), {})[row["seed"]] = row
    names = [name for name in find_measures(rows) if name not in (*NOT_MEASURED, *factors)]
    lines: list[RunRow] = []
    for cell, own in found.items():
        baseline = baselines.get(cell, cell)
        other = found.get(baseline) if baseline != cell else None
        for name in names:
            line: dict[str, Value] = {"cell": cell, "measure": name, **_alone(own, name)}
            if other is not None:
                line |= {"baseline": baseline, **_compare(own, other, name)}
            lines.append(line)
    return lines


def find_measures(rows: Sequence[RunRow]) -> list[str]:
    """The columns that hold numbers, or true and false, wherever they hold anything; in order of appearance."""
    names = dict.fromkeys(name for row in rows for name in row)
    texts = {name for row in rows for name, value in row.items() if isinstance(value, str)}
    return [name for name in names if name not in texts]


def _alone(rows: Mapping[Value, RunRow], name: str) -> dict[str, Value]:
    values = [row[name] for row in rows.values() if name in row]
    samples = [float(value) for value in values]
    if values and all(isinstance(value, bool) for value in values):
        found = share(list(map(bool, values)))
    else:
        found = mean(samples)
    numbers = {"mean": found.value, "low": found.low, "high": found.high, "median": median(samples)}
    return {"runs": len(values), **_round(numbers)}


def _compare(rows: Mapping[Value, RunRow], first: Mapping[Value, RunRow], name: str) -> dict[str, Value]:
    seeds = [seed for seed, row in rows.items() if seed in first and name in row and name in first[seed]]
    own, others = ([float(of[seed][name]) for seed in seeds] for of in (rows, first))
    if any(isinstance(rows[seed][name], bool) for seed in seeds):
        found = share_difference(list(map(bool, own)), list(map(bool, others)))
        numbers = _interval("difference", found)
    else:
        numbers = _interval("difference", mean([a - b for a, b in zip(own, others, strict=True)]))
        numbers |= _interval("ratio", ratio(own, others))
    return {"pairs": len(seeds), **_round(numbers)}


def _interval(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _round(values: Mapping[str, float]) -> dict[str, Value]:
    return {name: float(f"{value:.{DIGITS}g}") for name, value in values.items() if not math.isnan(value)}

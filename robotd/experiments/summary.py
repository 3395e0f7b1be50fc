"""The summary of an experiment's rows: a line for each cell and number, with what it is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from robotd.experiments import statistics
from robotd.experiments.contract import Cell, Row, Value
from robotd.experiments.statistics import Estimate

COLUMNS = (
    "cell", "measure", "runs", "mean", "low", "high", "median",
    "pairs", "difference", "difference_low", "difference_high", "ratio", "ratio_low", "ratio_high",
)  # fmt: skip
NOT_MEASURED = ("cell", "run", "seed")
DIGITS = 6  # significant ones: more than any run is good for


def summarize(rows: Sequence[Row], cells: Sequence[Cell]) -> list[Row]:
    """For each cell, in the order of the rows, and each column of numbers or of true and false: how it came out.

    `mean` with its 95 % interval (Student's t; of true and false the share, with Wilson's), and the median. Of all
    but the first of `cells` (the experiment's) `difference` to that one, and of numbers the `ratio` to it, both in
    pairs of one seed with their intervals (of true and false Newcombe's); nothing of that where it has no rows, as
    in a share of the work. `runs` and `pairs` count the rows that have the number.
    """
    found: dict[str, dict[Value, Row]] = {}
    for row in rows:
        found.setdefault(str(row["cell"]), {})[row["seed"]] = row
    names = [name for name in measured(rows) if name not in NOT_MEASURED]
    first = found.get(cells[0].name) if cells else None
    lines: list[Row] = []
    for cell, own in found.items():
        for name in names:
            line: dict[str, Value] = {"cell": cell, "measure": name, **_alone(own, name)}
            if first is not None and own is not first:
                line |= _compared(own, first, name)
            lines.append(line)
    return lines


def measured(rows: Sequence[Row]) -> list[str]:
    """The columns that hold numbers, or true and false, wherever they hold anything; in order of appearance."""
    kinds: dict[str, bool] = {}
    for row in rows:
        for name, value in row.items():
            kinds[name] = kinds.get(name, True) and not isinstance(value, str)
    return [name for name, numeric in kinds.items() if numeric]


def _alone(rows: Mapping[Value, Row], name: str) -> dict[str, Value]:
    values = [row[name] for row in rows.values() if name in row]
    samples = [float(value) for value in values]
    if values and all(isinstance(value, bool) for value in values):
        found = statistics.share(sum(map(bool, values)), len(values))
    else:
        found = statistics.mean(samples)
    told = {"mean": found.value, "low": found.low, "high": found.high, "median": statistics.median(samples)}
    return {"runs": len(values), **_told(told)}


def _compared(rows: Mapping[Value, Row], first: Mapping[Value, Row], name: str) -> dict[str, Value]:
    seeds = [seed for seed, row in rows.items() if seed in first and name in row and name in first[seed]]
    own, others = [float(rows[seed][name]) for seed in seeds], [float(first[seed][name]) for seed in seeds]
    if any(isinstance(rows[seed][name], bool) for seed in seeds):
        told = _interval("difference", statistics.share_difference(list(map(bool, own)), list(map(bool, others))))
    else:
        told = _interval("difference", statistics.mean([a - b for a, b in zip(own, others, strict=True)]))
        told |= _interval("ratio", statistics.ratio(own, others))
    return {"pairs": len(seeds), **_told(told)}


def _interval(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _told(values: Mapping[str, float]) -> dict[str, Value]:
    """What there is to tell, rounded."""
    return {name: float(f"{value:.{DIGITS}g}") for name, value in values.items() if not math.isnan(value)}

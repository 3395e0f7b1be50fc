"""Box pushing of Parker 1999, section 3: two healthy R-2s, and both experiments that it reports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robotd.experiments import measure, push_metrics, statistics
from robotd.experiments.contract import Cell, Row, Table, Value
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.push_metrics import LEAVES, STANDS_IN, STAYS, Pushing, Times
from robotd.experiments.scenario import Scenario
from robotd.model.streams import draw

HEALTHY, SEIZED, GENGHIS = "healthy", "R-2 seized", "Genghis in its place"
TAKEN_S, BACK_S, ALONE_S = 60.0, 160.0, 180.0
SPREAD_S = (
    9.0  # robots are taken away so much later at most, by the seed: in three beats every phase of a push comes
)
VARIANTS = (HEALTHY, SEIZED, GENGHIS)
LIMIT_S = 270.0  # with nobody left to push: Genghis has gone home long before


def times_of(cell: str, seed: int | None = None) -> Times:
    """When things happen in a variant's run with this seed; None: at the earliest."""
    taken = round(TAKEN_S + (SPREAD_S * draw(seed, "box-pushing", "taken", 0) if seed is not None else 0.0), 1)
    if cell == SEIZED:
        return Times(taken=taken, back=BACK_S)
    return Times(taken=taken, left_alone=ALONE_S, swapped=True) if cell == GENGHIS else Times()


def factors_of(times: Times) -> dict[str, Any]:
    """The events of a run."""
    if times.taken == math.inf:
        return {"events": []}
    taken = f"{times.taken:g} remove {LEAVES}"
    if not times.swapped:
        return {"events": [taken, f"{times.back:g} return {LEAVES}"]}
    events = [taken, f"{times.taken:g} return {STANDS_IN}", f"{times.left_alone:g} remove {STAYS}"]
    return {"events": events, "time_limit_s": LIMIT_S}


PAUSE_S, LONGEST_S = (5.0, 8.0), 12.0  # of the median, as published; of each
SQUARE_DEG = 15.0


@dataclass(frozen=True)
class BoxPushing(MissionExperiment):
    """With what the paper concludes, counted run by run."""

    columns: Sequence[str] = (*measure.COLUMNS, *push_metrics.COLUMNS)

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        return [self._row(cell.name, seed, log) for seed in seeds]

    def _row(self, cell: str, seed: int, log: Path | None) -> Row:
        times = times_of(cell, seed)
        watch = Pushing(times)
        scenario = replace(self.scenarios[cell], factors=factors_of(times))
        row, _ = scenario.run(seed, log, watch)
        return {**row, **watch.columns()}

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return [conclusions(rows)]


def conclusions(rows: Sequence[Row]) -> Table:
    """Each conclusion of the paper, in how many runs it holds, and what was counted."""
    by_cell = {cell: [row for row in rows if row["cell"] == cell] for cell in VARIANTS}
    lines: list[list[Value]] = [
        [cell, shown, f"{sum(holds)} of {len(holds)}", counted]
        for cell, shown, holds, counted in _concluded(by_cell[HEALTHY], by_cell[SEIZED], by_cell[GENGHIS])
    ]
    note = (
        "Times count from the end of the last push at the own end until the way to the other end begins. In the "
        "last variant the box stays where it is when nobody is left to push it: no run of it is accomplished."
    )
    columns = ("variant", "what is to be shown", "in how many runs", "counted")
    return Table("Conclusions, counted run by run", columns, lines, note)


Claim = tuple[str, str, list[bool], str]


def _concluded(healthy: Sequence[Row], seized: Sequence[Row], genghis: Sequence[Row]) -> Iterator[Claim]:
    yield HEALTHY, "the box gets across", [row.get("accomplished") is True for row in healthy], ""
    yield HEALTHY, "nobody changes ends", [row.get("needless_changes") == 0 for row in healthy], ""
    pauses = _numbers(seized, "pause_s")
    middle = statistics.median(pauses)
    low, high = PAUSE_S
    told = f"median {middle:.1f} s ({min(pauses):.1f} to {max(pauses):.1f})" if pauses else ""
    yield SEIZED, f"the other R-2 pauses {low:g} to {high:g} s in the median", [low <= middle <= high], told
    quick = [float(row.get("pause_s", math.inf)) <= LONGEST_S for row in seized]
    yield SEIZED, f"and never longer than {LONGEST_S:g} s", quick, ""
    again = [row.get("pushes_after_return") == 0 for row in seized]
    yield SEIZED, "having heard its mate return it pushes no more at that end", again, ""
    yield SEIZED, "the box gets across", [row.get("accomplished") is True for row in seized], ""
    rates = [(float(row["pushes_per_min_after"]), float(row["pushes_per_min_before"])) for row in genghis
             if "pushes_per_min_after" in row]  # fmt: skip
    fewer = statistics.mean([after - before for after, before in rates])
    counted = statistics.words(fewer, 1, " a minute")
    yield (
        GENGHIS,
        "the R-2 pushes less often than with an R-2",
        [after < before for after, before in rates],
        counted,
    )
    yield GENGHIS, "and does not change ends", [row.get("needless_changes") == 0 for row in genghis], ""
    skews = _numbers(genghis, "skew_deg")
    yield (
        GENGHIS, f"the box stays within {SQUARE_DEG:g} degrees of square", [skew < SQUARE_DEG for skew in skews],
        f"at most {max(skews):.1f} degrees" if skews else "",
    )  # fmt: skip
    yield GENGHIS, "left alone, Genghis goes home", [row.get("went_home") is True for row in genghis], ""


def _numbers(rows: Sequence[Row], name: str) -> list[float]:
    return [float(row[name]) for row in rows if name in row]


EXPERIMENT = BoxPushing(
    "box-pushing",
    "Does a team that pushes a box adapt when a robot is taken away, comes back, or is replaced by a weaker one?",
    {cell: Scenario("box-pushing", factors_of(times_of(cell))) for cell in VARIANTS},
    runs=30,
)

"""Three ways to one end: nothing in ALLIANCE protects a floor that was cleaned too early (paper 000, IV-D)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.contract import Cell, Row, Table, Value
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.scenario import Scenario
from robotd.sim.team import Team

FLOORS = ("clean-front", "clean-back")
CLEANED_AGAIN, REPEATED_S = "floors_cleaned_again", "repeated_work_s"
# Motivation per second for floors: so slow or so fast that garbage, at 12, is begun before or after them.
LATE, EARLY = 2.0, 30.0


def _floors(**changes: Any) -> Mapping[str, Any]:
    """The same changes to both sets that clean a floor; `__` stands for a dot."""
    return {f"sets.{floor}.{key.replace('__', '.')}": value for floor in FLOORS for key, value in changes.items()}


CELLS: Mapping[str, Mapping[str, Any]] = {
    "precondition": {},
    "by luck": _floors(parameters__after=[], motivation__fast_rate=LATE),
    "done again": _floors(parameters__after=[], motivation__fast_rate=EARLY),
}
"""Told to wait; not told, but slow to grow impatient for floors; not told, and impatient for floors first."""


class Floors(Measure):
    """Besides, what the floors really went through."""

    def __init__(self) -> None:
        super().__init__()
        self.cleaned_again = 0
        self.repeated_s = 0.0

    def look(self, now: float, team: Team) -> None:
        """See `Watch.look`."""
        super().look(now, team)
        areas = team.world.areas
        if areas is not None:
            self.cleaned_again, self.repeated_s = areas.cleaned_again("dirt"), areas.repeated_s("dirt")


@dataclass(frozen=True)
class Janitor(MissionExperiment):
    """With how often floors were cleaned in vain."""

    columns: Sequence[str] = (*measure.COLUMNS[:-1], CLEANED_AGAIN, REPEATED_S, measure.COLUMNS[-1])

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        return [self._row(self.scenarios[cell.name], seed, log) for seed in seeds]

    @staticmethod
    def _row(scenario: Scenario, seed: int, log: Path | None) -> Row:
        floors = Floors()
        row, _ = scenario.run(seed, log, floors)
        return {**row, CLEANED_AGAIN: floors.cleaned_again, REPEATED_S: round(floors.repeated_s, 2)}

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return [three_ways(rows)]


def three_ways(rows: Sequence[Row]) -> Table:
    """What each way costs: means over the runs of a cell."""
    lines: list[list[Value]] = []
    for cell in CELLS:
        own = [row for row in rows if row["cell"] == cell]
        done = sum(row.get("accomplished") is True for row in own)
        means = [
            statistics.mean([float(row[name]) for row in own if name in row]).value
            for name in ("duration_s", CLEANED_AGAIN, REPEATED_S, "work_s")
        ]
        told = ["" if math.isnan(value) else round(value, 1) for value in means]
        lines.append([cell, f"{done} of {len(own)}", *told])
    columns = (
        "way",
        "accomplished",
        "mission time (s)",
        "floors cleaned again",
        "repeated work (s)",
        "work (robot-s)",
    )
    return Table("Three ways to clean floors onto which garbage drops", columns, lines, NOTE)


NOTE = (
    "Means over the runs. Precondition: a floor is cleaned once the garbage near it is known to be emptied. By "
    "luck: nobody is told, and the motivation to clean floors grows slowly. Done again: it grows fast."
)
EXPERIMENT = Janitor(
    "janitor",
    "What does it cost if nobody is told to empty the garbage before the floor is cleaned?",
    {cell: Scenario("janitor", changes) for cell, changes in CELLS.items()},
)

"""What experiments without a simulated world have in common: no missions, no logs, mostly many runs at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robotd.experiments.abstract.missions import Wholes
from robotd.experiments.contract import Cell, Drawing, Row, Table
from robotd.experiments.identity import versions
from robotd.experiments.summary import summarize


@dataclass(frozen=True, kw_only=True)
class AbstractExperiment(ABC):
    """See `Experiment`; what is left to say is `cells`, `outcomes`, `figures`, and `coordinator` if it is another.

    `measured`: the columns of a row of `outcomes`, in their order.
    """

    name: str
    title: str
    runs: int
    seed: int = 1
    limit_s: float = 600.0
    batch: int
    measured: Sequence[str]
    logged: int = 0
    timed: bool = False
    digest: str = ""

    @property
    def columns(self) -> Sequence[str]:
        """See `Experiment.columns`."""
        return ("coordinator", *self.measured, "versions")

    @abstractmethod
    def cells(self) -> Sequence[Cell]:
        """See `Experiment.cells`."""

    @abstractmethod
    def outcomes(self, cell: Cell, seeds: Sequence[int]) -> Sequence[Row]:
        """As `Experiment.run`, but without saying which coordinator and which versions ran."""

    def coordinator(self, cell: Cell) -> str:
        """The name of the coordinator whose law the robots of a cell follow; '' where there is none."""
        return "alliance"

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        ran = self.coordinator(cell)
        first, last = ({"coordinator": ran} if ran else {}), {"versions": versions()}
        return [{**first, **row, **last} for row in self.outcomes(cell, seeds)]

    def summary(self, rows: Sequence[Row]) -> Sequence[Row]:
        """See `Experiment.summary`."""
        return summarize(rows, self.cells())

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return ()

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        return ()


def by_cell(rows: Sequence[Row], cells: Sequence[Cell], column: str) -> dict[str, list[Row]]:
    """The rows of each cell that have the column, in the order of `cells`; a run that was cut has no results."""
    found = {cell.name: [row for row in rows if row["cell"] == cell.name and column in row] for cell in cells}
    return {name: own for name, own in found.items() if own}


def by_shape(robots: Wholes, tasks: Wholes) -> Iterator[tuple[Wholes, int, int]]:
    """The missions of equally many robots and tasks: their places in the batch, and the two numbers."""
    for shape in sorted(set(zip(robots.tolist(), tasks.tolist(), strict=True))):
        yield np.flatnonzero((robots == shape[0]) & (tasks == shape[1])), *shape

"""Experiments on simulated missions: a cell is a scenario, a run a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from robotd.experiments import measure
from robotd.experiments.contract import Cell, Drawing, Row, Table, Value
from robotd.experiments.figures import intervals, kept_figures
from robotd.experiments.identity import digest_of
from robotd.experiments.scenario import Scenario
from robotd.experiments.summary import summarize

LIMIT_S = 900.0  # real time: some forty times what an hour of a mission takes at a hundred times real time
DRAWN = {
    "duration_s": "mission time (s)",
    "duplicated_work_s": "duplicated work (robot-seconds)",
    "idle_s": "idle (robot-seconds)",
    "distance_m": "distance driven by all robots (m)",
}


@dataclass(frozen=True)
class MissionExperiment:
    """Fulfils `Experiment`; `scenarios` by cell."""

    name: str
    title: str
    scenarios: Mapping[str, Scenario]
    runs: int = 10
    seed: int = 1
    limit_s: float = LIMIT_S
    logged: int = 1
    batch: int = 1
    timed: bool = False
    columns: Sequence[str] = measure.COLUMNS

    @cached_property
    def digest(self) -> str:
        """See `Experiment.digest`."""
        parts = [f"{self.name} {self.logged}".encode()]
        for cell, scenario in self.scenarios.items():
            parts += [cell.encode(), scenario.described()]
        return digest_of(*parts)

    def cells(self) -> Sequence[Cell]:
        """See `Experiment.cells`."""
        return [
            Cell(name, {key: shown(value) for key, value in scenario.factors.items()})
            for name, scenario in self.scenarios.items()
        ]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        return [self.scenarios[cell.name].run(seed, log)[0] for seed in seeds]

    def summary(self, rows: Sequence[Row]) -> Sequence[Row]:
        """See `Experiment.summary`."""
        return summarize(rows, self.cells())

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return ()

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        drawn = [intervals(rows, self.cells(), name, label, folder) for name, label in DRAWN.items()]
        return [
            *(figure for figure in drawn if figure is not None),
            *kept_figures(self.cells(), self.logged, folder),
        ]


def shown(value: object) -> Value:
    """A factor's level in few words."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return "; ".join(str(shown(entry)) for entry in value) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{key} = {shown(entry)}" for key, entry in value.items()) or "none"
    return str(value)

"""Experiments on simulated missions: a cell is a scenario, a run a simulation."""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Drawing, Experiment, Results, log_path
from robotd.experiments.charts import draw_intervals, draw_kept_logs, draw_over_factor
from robotd.experiments.measure import Measure
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.sim.activity_trace import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT_S = 900.0  # real time: some forty times what an hour of a mission takes at a hundred times real time
MEASURES = {
    "duration_s": "mission time (s)", "duplicated_work_s": "duplicated work (robot-seconds)",
    "idle_s": "idle (robot-seconds)", "distance_m": "distance driven by all robots (m)",
}  # fmt: skip
MOST_COMPARED = 4  # cells that the first sentence of a report compares
NORMAL = ""  # the speed of robots as in the mission, in a cell's name
SPEEDS = {"20 % slower": 0.8, "20 % faster": 1.2}
"""Factors on the speed of robots, by what cells are called: conclusions must not depend on it."""


@dataclass(frozen=True, kw_only=True)
class MissionExperiment(Experiment):
    """`scenarios` by cell; `baselines`: by cell the one that it is compared with, by default the first.

    `over`: a factor over which a figure shows `over_measures`.
    """

    scenarios: Mapping[str, Scenario]
    limit_s: float = LIMIT_S
    logged: int = 1
    measured: Sequence[str] = measure.COLUMNS
    baselines: Mapping[str, str] = field(default_factory=dict)
    over: str = ""
    over_measures: Sequence[str] = ("duration_s", "duplicated_work_s")

    @cached_property
    def digest(self) -> str:
        digest = hashlib.blake2s(f"{self.name} {self.logged}".encode(), digest_size=8)
        for cell, scenario in self.scenarios.items():
            digest.update(b"\0".join((b"", cell.encode(), scenario.describe())))
        return digest.hexdigest()

    def cells(self) -> Sequence[Cell]:
        cells = []
        for name, of in self.scenarios.items():
            settings = {key: format_level(value) for key, value in of.factors.items()}
            own = {key: of.levels.get(key, value) for key, value in settings.items() if key not in of.fixed}
            cells.append(Cell(name, own, settings))
        return cells

    def measure(self, cell: str, seed: int) -> Measure:
        """What observes the run of a cell with this seed."""
        return Measure()

    def scenario(self, cell: str, seed: int) -> Scenario:
        """What the run of a cell with this seed simulates."""
        return self.scenarios[cell]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        name = cell.name
        return [self.scenario(name, seed).run(seed, log, self.measure(name, seed))[0] for seed in seeds]

    def baseline(self, cell: Cell) -> str:
        return self.baselines.get(cell.name) or super().baseline(cell)

    def answer(self, results: Results) -> str:
        pairs = [(cell.name, self.baseline(cell)) for cell in self.cells() if cell.name != self.baseline(cell)]
        ratios = [(*pair, statistics.words(results.ratio(*pair, "duration_s"), 2)) for pair in pairs]
        compared = [f"{cell} {ratio} times that of {other}" for cell, other, ratio in ratios if ratio]
        more = f", and {len(compared) - MOST_COMPARED} cells more" if len(compared) > MOST_COMPARED else ""
        times = f" Mission times: {'; '.join(compared[:MOST_COMPARED])}{more}." if compared else ""
        claims = f" {super().answer(results)}" if any(one.holds for one in self.claims(results)) else ""
        return f"{results.count_accomplished()} runs are accomplished.{times}{claims}"

    def figures(self, results: Results) -> Sequence[Drawing]:
        cells = self.cells()
        over = {name: MEASURES.get(name, name) for name in self.over_measures}
        drawn = draw_over_factor(results, cells, self.over, over) if self.over else []
        for name, label in MEASURES.items():
            drawn += draw_intervals(results, cells, name, label)
        return [*drawn, *draw_kept_logs(results, cells, self.logged)]


Excerpt = Mapping[str, Any]
"""What the figures of a run show, as JSON has it."""


@dataclass(frozen=True, kw_only=True)
class ExcerptExperiment(MissionExperiment):
    """In place of run logs, of hundreds of megabytes, it keeps what its figures show of a run."""

    @abstractmethod
    def excerpt(self, outcome: Outcome, measure: Any) -> Excerpt:
        """What the figures show of a run that `measure` has observed."""

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        rows = []
        for seed in seeds:
            measure = self.measure(cell.name, seed)
            row, outcome = self.scenario(cell.name, seed).run(seed, None, measure)
            if log is not None:
                log.write_text(json.dumps(self.excerpt(outcome, measure)) + "\n", encoding="utf-8")
            rows.append(row)
        return rows

    def draw_excerpt(
        self, results: Results, cell: str, figures: Mapping[str, tuple[Callable[[Excerpt], "Figure"], str]]
    ) -> list[Drawing]:
        """Figures of a cell's first run, none where nothing is kept of it: by name what draws it, its caption."""
        file = log_path(results.folder, cell, 1)
        if not file.is_file():
            return []
        kept = json.loads(file.read_text(encoding="utf-8"))
        return [
            results.save(draw(kept), f"{file.stem}-{name}", f"{caption}: {cell}, run 1")
            for name, (draw, caption) in figures.items()
        ]


def cell_at(cell: str, speed: str) -> str:
    """What a cell is called whose robots have this speed."""
    return f"{cell}, {speed}" if speed else cell


def format_level(value: object) -> Value:
    """A factor's level in few words."""
    if isinstance(value, list | tuple):
        return "; ".join(str(format_level(entry)) for entry in value) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{key} = {format_level(entry)}" for key, entry in value.items()) or "none"
    return value if isinstance(value, bool | int | float | str) else str(value)

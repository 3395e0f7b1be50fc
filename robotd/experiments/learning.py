"""The same team trial after trial: as it learns by L-ALLIANCE (Parker 1998, section III-E), and without learning.

A run is one team that does cleanup `TRIALS` times. What its robots have learned lasts from trial to trial, as the
state folder keeps it on a robot. Trial t of run k has the same world and the same fate of each frame in all cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from robotd.experiments import measure, statistics
from robotd.experiments.contract import Cell, Drawing, Row, Table, Value
from robotd.experiments.figures import kept_figures
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.panels import Axis, Line, Panel, line_charts
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import Estimate
from robotd.experiments.summary import summarize
from robotd.model.plain import Json

TRIALS = 8
APART = 1_000_000  # between the seeds of a team's trials: teams of fewer runs never meet the same world twice
NEVER, LEARNS = "never learns", "learns"
CHANGE, ALL = "change_s", "duration_s"
NOT_SUMMED = ("coordinator", "accomplished", "reason", "versions")  # of the columns of a simulated run
# Near what the shipped rates give, so that learning slows nobody down: boredom and the least delay are together
# the 10 s after which the robot begins that is held the best; 25 s is what the rates give that robots have alike.
DELAYS = {
    "coordinator.parameters.min_delay_s": 5.0,
    "coordinator.parameters.boredom_s": 5.0,
    "coordinator.parameters.max_delay_s": 25.0,
}


def column(trial: int) -> str:
    """What the mission time of a trial (from 1) is called."""
    return f"trial_{trial}_s"


@dataclass(frozen=True)
class Learning(MissionExperiment):
    """Columns as of one simulation, but summed over the trials; then each trial's mission time, and the change."""

    columns: Sequence[str] = (*measure.COLUMNS, *map(column, range(1, TRIALS + 1)), CHANGE)
    trials: int = TRIALS

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`; the log is that of the last trial."""
        return [self._team(self.scenarios[cell.name], seed, log) for seed in seeds]

    def _team(self, scenario: Scenario, seed: int, log: Path | None) -> Row:
        """One team's trials."""
        learned: Mapping[str, Json] = {}
        rows: list[Row] = []
        for trial in range(1, self.trials + 1):
            of_trial = log if trial == self.trials else None
            row, outcome = scenario.run(seed + APART * (trial - 1), of_trial, learned=learned)
            learned = outcome.learned
            rows.append(row)
        return row_of(rows)

    def summary(self, rows: Sequence[Row]) -> Sequence[Row]:
        """See `Experiment.summary`; what is said of a difference stands beside it in a word, as `verdict`."""
        return [_judged(line) for line in summarize(rows, self.cells())]

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return [conclusions(rows, self.trials), trials_table(rows, self.trials)]

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        lines = [
            Line(cell, [statistics.mean(_values(rows, cell, column(t))) for t in range(1, self.trials + 1)])
            for cell in self.scenarios
        ]
        panel = Panel("mission time (s)", lines)
        drawn = line_charts(
            [panel], Axis("trial"), "Mission time, trial by trial", folder / "figures" / "trials.svg"
        )
        kept = kept_figures(self.cells(), self.logged, folder)
        told = [replace(one, caption=f"{one.caption}, trial {self.trials}") for one in kept]
        return [*([drawn] if drawn is not None else []), *told]


def row_of(trials: Sequence[Row]) -> Row:
    """The row of a run from those of its trials: sums, each mission time, and how much the last one is longer."""
    bad = [f"trial {n}: {row['reason']}" for n, row in enumerate(trials, 1) if not row["accomplished"]]
    times = [float(row["duration_s"]) for row in trials]
    summed = {
        name: round(math.fsum(float(row[name]) for row in trials), 3)
        for name in trials[0]
        if name not in NOT_SUMMED
    }
    whole = {name: int(value) for name, value in summed.items() if isinstance(trials[0][name], int)}
    return {
        **trials[-1],
        **summed,
        **whole,
        "accomplished": not bad,
        "reason": "; ".join(bad) or "accomplished",
        **{column(n): took for n, took in enumerate(times, 1)},
        CHANGE: round(times[-1] - times[0], 3),
    }


def verdict(difference: Estimate) -> str:
    """Whether times got shorter or longer; undecided where the interval holds 0, or there is none."""
    if difference.high < 0.0:
        return "shorter"
    return "longer" if difference.low > 0.0 else "undecided"


def _judged(line: Row) -> Row:
    """With a verdict, where the line is about a change of mission times, or compares them with the first cell."""
    found: Estimate | None = None
    if line["measure"] == CHANGE:
        found = _read(line, "mean", "")
    elif "difference" in line and (line["measure"] == ALL or str(line["measure"]).startswith("trial_")):
        found = _read(line, "difference", "difference_")
    if found is None:
        return line
    told = {name: value for name, value in line.items() if line["measure"] != CHANGE or "ratio" not in name}
    return {**told, "verdict": verdict(found)}  # and no ratio of changes, which may be 0


def _read(line: Row, value: str, ends: str) -> Estimate:
    return Estimate(*(float(line.get(name, math.nan)) for name in (value, f"{ends}low", f"{ends}high")))


def _values(rows: Sequence[Row], cell: str, name: str) -> list[float]:
    return [float(row[name]) for row in rows if row["cell"] == cell and name in row]


def _against(rows: Sequence[Row], one: tuple[str, str], other: tuple[str, str]) -> Estimate:
    """By how much cell and column `one` exceed `other`, in pairs of one seed."""
    own, others = (
        {row["seed"]: float(row[name]) for row in rows if row["cell"] == cell and name in row}
        for cell, name in (one, other)
    )
    return statistics.mean([own[seed] - others[seed] for seed in sorted(set(own) & set(others))])


def conclusions(rows: Sequence[Row], trials: int) -> Table:
    """What is asked, answered in a word."""
    first, last = column(1), column(trials)
    asked = [
        *((f"trial {trials} against trial 1, {cell}", (cell, last), (cell, first)) for cell in (LEARNS, NEVER)),
        *((f"{LEARNS} against {NEVER}, {told}", (LEARNS, name), (NEVER, name))
          for told, name in (("trial 1", first), (f"trial {trials}", last), ("all trials together", ALL))),
    ]  # fmt: skip
    lines: list[list[Value]] = []
    for words, one, other in asked:
        found = _against(rows, one, other)
        means = [_told(_mean(rows, of)) for of in (one, other)]
        lines.append([words, *means, statistics.words(found, 0), verdict(found)])
    columns = ("mission time of", "mean (s)", "of what it is compared with (s)", "difference (s)", "so it is")
    note = (
        "Differences in pairs of one team, with 95 % intervals; undecided: the interval holds 0. Trials 1 and "
        f"{trials} are in different worlds, alike for both teams."
    )
    return Table("Does learning help?", columns, lines, note)


def trials_table(rows: Sequence[Row], trials: int) -> Table:
    """Each trial of both teams."""
    lines: list[list[Value]] = []
    for t in range(1, trials + 1):
        found = _against(rows, (LEARNS, column(t)), (NEVER, column(t)))
        times = [statistics.words(statistics.mean(_values(rows, cell, column(t))), 0) for cell in (NEVER, LEARNS)]
        lines.append([t, *times, statistics.words(found, 0), verdict(found)])
    columns = ("trial", f"{NEVER} (s)", f"{LEARNS} (s)", "difference (s)", "so learning makes it")
    return Table("Mission time, trial by trial", columns, lines, "Means with their 95 % intervals.")


def _mean(rows: Sequence[Row], of: tuple[str, str]) -> float:
    return statistics.mean(_values(rows, *of)).value


def _told(value: float) -> Value:
    return "" if math.isnan(value) else f"{value:.0f}"


EXPERIMENT = Learning(
    "learning",
    "Does a team that learns get quicker at cleanup, trial after trial, and quicker than one that never learns?",
    {
        NEVER: Scenario("cleanup", {"coordinator": "alliance"}),
        LEARNS: Scenario("cleanup", {"coordinator": "l-alliance", **DELAYS}),
    },
    runs=10,
)

"""The same team trial after trial: as it learns by L-ALLIANCE (Parker 1998, section III-E), and without learning.

A run is one team that does cleanup `TRIALS` times. What its robots have learned lasts from trial to trial, as the
state folder keeps it on a robot. Trial t of run k has the same world and the same fate of each frame in all cells.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Drawing, Results, Table
from robotd.experiments.charts import Axis, Means, Panel, draw_kept_logs, line_charts
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import Estimate
from robotd.model.plain import Json

TRIALS = 8
APART = 1_000_000  # between the seeds of a team's trials: teams of fewer runs never meet the same world twice
NEVER, LEARNS = "never learns", "learns"
CHANGE, ALL = "change_s", "duration_s"
NOT_SUMMED = ("coordinator", "accomplished", "reason")  # of the columns of a simulated run
# Near what the shipped rates give, so that learning slows no robot down: boredom and the least delay are together
# the 10 s after which the robot begins that is held the best; 25 s is what the rates give that robots have alike.
DELAYS = {
    "coordinator.parameters.min_delay_s": 5.0,
    "coordinator.parameters.boredom_s": 5.0,
    "coordinator.parameters.max_delay_s": 25.0,
}


def column(trial: int) -> str:
    """What the mission time of a trial (from 1) is called."""
    return f"trial_{trial}_s"


@dataclass(frozen=True, kw_only=True)
class Learning(MissionExperiment):
    """Columns as of one simulation, but summed over the trials; then each trial's mission time, and the change."""

    measured: Sequence[str] = (*measure.COLUMNS, *map(column, range(1, TRIALS + 1)), CHANGE)
    trials: int = TRIALS

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        return [row_of(list(self._trials(self.scenarios[cell.name], seed, log))) for seed in seeds]

    def _trials(self, scenario: Scenario, seed: int, log: Path | None) -> Iterator[RunRow]:
        learned: Mapping[str, Json] = {}
        for trial in range(self.trials):
            of_trial = log if trial == self.trials - 1 else None
            row, outcome = scenario.run(seed + APART * trial, of_trial, learned=learned)
            learned = outcome.learned
            yield row

    def summary(self, results: Results) -> Sequence[RunRow]:
        return [_judge(line) for line in super().summary(results)]

    def answer(self, results: Results) -> str:
        last = LEARNS, column(self.trials)
        own = results.difference(last, (LEARNS, column(1)))
        change = results.difference(last, (NEVER, column(self.trials)))
        times = f"From trial 1 to trial {self.trials} the mission times of a team that learns get {_in_words(own)}"
        than = f"in trial {self.trials}, compared with a team that never learns, they are {_in_words(change)}"
        return f"{times}; {than}."

    def tables(self, results: Results) -> Sequence[Table]:
        first, last, late = column(1), column(self.trials), f"trial {self.trials}"
        asked = [
            *((f"{late} against trial 1, {cell}", (cell, last), (cell, first)) for cell in (LEARNS, NEVER)),
            *((f"{LEARNS} against {NEVER}, {words}", (LEARNS, name), (NEVER, name))
              for words, name in (("trial 1", first), (late, last), ("all trials together", ALL))),
        ]  # fmt: skip
        asked += [(f"trial {t}", (LEARNS, column(t)), (NEVER, column(t))) for t in range(2, self.trials)]
        lines: list[list[Value]] = []
        for words, one, other in asked:
            found = results.difference(one, other)
            means = [statistics.words(results.mean(*of), 0) for of in (one, other)]
            lines.append([words, *means, statistics.words(found, 0), verdict(found)])
        columns = ("mission time of", "mean (s)", "of what it is compared with (s)", "difference (s)", "so it is")
        note = (
            "Differences in pairs of one team, with 95 % intervals; undecided: the interval holds 0. Trials 1 and "
            f"{self.trials} are in different worlds, alike for both teams."
        )
        return [Table("Does learning help?", columns, lines, note)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        columns = [column(trial) for trial in range(1, self.trials + 1)]
        lines = [Means(cell, [results.mean(cell, name) for name in columns]) for cell in self.scenarios]
        heading, path = "Mission time, trial by trial", results.figure("trials")
        drawn = line_charts([Panel("mission time (s)", lines)], Axis("trial"), heading, path)
        kept = draw_kept_logs(results, self.cells(), self.logged)
        return [*drawn, *(replace(one, caption=f"{one.caption}, trial {self.trials}") for one in kept)]


def row_of(trials: Sequence[RunRow]) -> RunRow:
    """The row of a run from those of its trials: sums, each mission time, and how much the last one is longer."""
    bad = [f"trial {n}: {row['reason']}" for n, row in enumerate(trials, 1) if not row["accomplished"]]
    times = [float(row["duration_s"]) for row in trials]
    names = [name for name in trials[0] if name not in NOT_SUMMED]
    summed = {name: round(math.fsum(float(row[name]) for row in trials), 3) for name in names}
    whole = {name: int(value) for name, value in summed.items() if isinstance(trials[0][name], int)}
    ended: RunRow = {"accomplished": not bad, "reason": "; ".join(bad) or "accomplished"}
    each = {column(n): took for n, took in enumerate(times, 1)}
    return {**trials[-1], **summed, **whole, **ended, **each, CHANGE: round(times[-1] - times[0], 3)}


def verdict(difference: Estimate) -> str:
    """Whether times got shorter or longer; undecided where the interval holds 0, or there is none."""
    return "shorter" if difference.high < 0.0 else "longer" if difference.low > 0.0 else "undecided"


def _in_words(difference: Estimate) -> str:
    word = verdict(difference).replace("undecided", "neither shorter nor longer for certain")
    return f"{word} ({statistics.words(difference, 0, ' s')})"


def _judge(line: RunRow) -> RunRow:
    """With a verdict, where the line is about a change of mission times, or compares them with the first cell."""
    found: Estimate | None = None
    if line["measure"] == CHANGE:
        found = _read(line, "mean", "")
    elif "difference" in line and (line["measure"] == ALL or str(line["measure"]).startswith("trial_")):
        found = _read(line, "difference", "difference_")
    if found is None:
        return line
    kept = {name: value for name, value in line.items() if line["measure"] != CHANGE or "ratio" not in name}
    return {**kept, "verdict": verdict(found)}  # and no ratio of changes, which may be 0


def _read(line: RunRow, value: str, ends: str) -> Estimate:
    return Estimate(*(float(line.get(name, math.nan)) for name in (value, f"{ends}low", f"{ends}high")))


EXPERIMENT = Learning(
    name="learning", published_seed=1,
    title="Does a team that learns get quicker from trial to trial, and quicker than one that never learns?",
    scenarios={NEVER: Scenario("cleanup", {"coordinator": "alliance"}),
               LEARNS: Scenario("cleanup", {"coordinator": "l-alliance", **DELAYS})},
)  # fmt: skip

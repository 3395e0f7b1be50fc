"""Equal robots and one task without end: how often exactly one is on it, by our rule and by the letter.

By the letter of equation (1) robots whose first statements cross reset each other, and each that yields finds that
the other yields too (docs/motivate.md). The task is for one robot at a time, so by our rule its set is exclusive;
an ordinary set is run beside it. All robots decide at the same instants, the hardest case; their beats have random
phases. The parameters are those of the model in which the rule was found.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motivation.alliance.parameters import Reals
from robotd.experiments import statistics
from robotd.experiments.abstract.draws import Purpose, keys, phases
from robotd.experiments.abstract.missions import BEAT_S, THRESHOLD, Missions, parameters
from robotd.experiments.abstract.running import Running
from robotd.experiments.base import Cell, Drawing, Experiment, Results, Table, format_count
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.rows import RunRow

TEAMS = (2, 3, 4, 5)
LOSSES = (0.0, 0.1, 0.3, 0.5)
RULES = ("ours", "ordinary", "letter")
NAMES = {"ours": "our rule", "ordinary": "our rule, the set not exclusive", "letter": "by the letter"}
FAST_S, SLOW_S = 5.0, 100.0  # from 0 to the threshold with no robot on the task, and beside a teammate
PATIENCE_S, YIELD_S = 90.0, 20.0
TICK_S = 0.2  # a daemon decides at 5 Hz
DURATION_S = 600.0  # six patiences: the task changes hands half a dozen times


def missions(seeds: Sequence[int], robots: int, loss: float, rule: str) -> Missions:
    """One duel by one of `RULES` for each seed; only the beats' phases and the frames' fates are drawn."""
    key = keys(seeds, "duel")
    shape = (len(key), robots, 1)
    params = parameters(
        shape, fast_rate=THRESHOLD / FAST_S, slow_rate=THRESHOLD / SLOW_S, patience=PATIENCE_S,
        yield_time=YIELD_S, give_up_time=np.inf, exclusive=rule == "ours", literal_paper_rule=rule == "letter",
    )  # fmt: skip
    phase = phases(key, Purpose.BEAT_PHASE, robots, BEAT_S)
    return Missions.plain(key, np.full(shape, np.inf), params, TICK_S, loss=loss, beat_phase=phase)


def shares(batch: Missions, duration_s: float = DURATION_S) -> Reals:
    """`(M, R + 1)`: the shares of time with 0, 1, .. robots on the task, from when the first began.

    All 0 where none ever did.
    """
    running = Running(batch)
    count, robots, _ = batch.shape
    ticks, every = np.zeros((count, robots + 1)), np.arange(count)
    started = np.zeros(count, np.bool_)
    for _ in running.ticks(duration_s):
        on_it = running.state.active[..., 0].sum(axis=-1)
        started |= on_it > 0
        ticks[every, on_it] += started
    found: Reals = ticks / np.maximum(ticks.sum(axis=-1, keepdims=True), 1.0)
    return found


@dataclass(frozen=True, kw_only=True)
class Duel(Experiment):
    """See the module. A run is accomplished if a robot was on the task all the time from the first begin."""

    duration_s: float = DURATION_S

    def cells(self) -> Sequence[Cell]:
        return [
            Cell(name_of(rule, robots, loss), {"rule": rule, "robots": robots, "loss": loss})
            for rule, robots, loss in itertools.product(RULES, TEAMS, LOSSES)
        ]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        robots, loss = int(cell.factors["robots"]), float(cell.factors["loss"])
        batch = missions(seeds, robots, loss, str(cell.factors["rule"]))
        return [self._row(times) for times in shares(batch, self.duration_s).tolist()]

    def _row(self, times: Sequence[float]) -> RunRow:
        none, one = times[:2]
        accomplished = none == 0.0 < one
        reason = "" if accomplished else f"no robot on the task in {none:.1%} of the time"
        return {
            "accomplished": accomplished, "reason": reason, "duration_s": self.duration_s,
            "one": one, "none": none, "several": sum(times[2:]),
        }  # fmt: skip

    def answer(self, results: Results) -> str:
        words = []
        for rule in RULES:
            cells = [cell.name for cell in self.cells() if cell.factors["rule"] == rule]
            means = [results.mean(cell, "one").value for cell in cells if results.of(cell, "one")]
            empty = sum(row.get("none", 0) != 0 for cell in cells for row in results.of(cell))
            if means:
                span = f"{min(means):.1%} to {max(means):.1%} of the time (means of the cells)"
                words.append(f"{NAMES[rule]}: exactly one in {span}, none at times in {empty} runs")
        return f"{'; '.join(words).capitalize()}."

    def tables(self, results: Results) -> Sequence[Table]:
        lines = [_line(results, cell.name) for cell in self.cells() if results.of(cell.name, "one")]
        columns = ("cell", "exactly one", "of it, least run", "no robot", "several", "runs with no robot at times")
        return [Table("Shares of the time from the first begin on", columns, lines)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        def line(rule: str, robots: int, kind: str) -> Means:
            return Means.of(results, f"{robots} robots", [name_of(rule, robots, loss) for loss in LOSSES], kind)

        drawings: list[Drawing] = []
        for kind, words in (("one", "exactly one robot on the task"), ("none", "no robot on the task")):
            panels = [
                Panel("share of the time", [line(rule, n, kind) for n in TEAMS], NAMES[rule]) for rule in RULES
            ]
            drawings += line_charts(panels, Axis.of_losses(LOSSES), f"Time with {words}", results.figure(kind))
        return drawings


def name_of(rule: str, robots: int, loss: float) -> str:
    """What a cell is called."""
    return f"{rule}, {robots} robots, loss {loss:.0%}"


def _line(results: Results, cell: str) -> Sequence[str]:
    one, empty = results.values(cell, "one"), [share > 0 for share in results.values(cell, "none")]
    none, several = f"{results.mean(cell, 'none').value:.4f}", f"{results.mean(cell, 'several').value:.3f}"
    return cell, statistics.words(statistics.mean(one), 3), f"{min(one):.3f}", none, several, format_count(empty)


EXPERIMENT = Duel(
    name="duel", runs=100, batch=100, published_seed=1,
    title="Is exactly one of several equal robots on an endless task, and never none?",
    measured=("accomplished", "reason", "duration_s", "one", "none", "several"),
)  # fmt: skip

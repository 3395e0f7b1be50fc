"""Equal robots and one task without end: how often exactly one is on it, by our rule and by the letter.

By the letter of equation (1) robots whose first statements cross reset each other, and each that yields finds that
the other yields too (docs/motivate.md). The task is for one robot at a time, so by our rule its set is exclusive;
an ordinary set is run beside it. All robots decide at the same instants, the hardest case; their beats have random
phases. The parameters are those of the model in which the rule was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from motivation.alliance.parameters import Parameters, Reals
from robotd.experiments import statistics
from robotd.experiments.abstract.draws import Purpose, keys, phases
from robotd.experiments.abstract.experiment import AbstractExperiment, by_cell
from robotd.experiments.abstract.missions import Missions, outranks
from robotd.experiments.abstract.running import Running
from robotd.experiments.contract import Cell, Drawing, Row, Table
from robotd.experiments.panels import Axis, Line, Panel, line_charts

TEAMS = (2, 3, 4, 5)
LOSSES = (0.0, 0.1, 0.3, 0.5)
RULES = ("ours", "ordinary", "letter")
NAMES = {"ours": "our rule", "ordinary": "our rule, the set not exclusive", "letter": "by the letter"}
BEAT_S = 3.0
SILENCE_BEATS = 6.5  # what robots ship with: stands a loss of 30 %
THRESHOLD = 100.0
FAST_S, SLOW_S = 5.0, 100.0  # from 0 to the threshold with nobody on the task, and beside a teammate
PATIENCE_S, YIELD_S = 90.0, 20.0
TICK_S = 0.2  # a daemon decides at 5 Hz
DURATION_S = 600.0  # six patiences: the task changes hands half a dozen times


def missions(seeds: Sequence[int], robots: int, loss: float, rule: str) -> Missions:
    """One duel by one of `RULES` for each seed; only the beats' phases and the frames' fates are drawn."""
    key = keys(seeds, "duel")
    shape = (len(key), robots, 1)
    params = Parameters.of(
        (*shape, robots - 1),
        threshold=THRESHOLD,
        silence_timeout=SILENCE_BEATS * BEAT_S,
        beat_s=BEAT_S,
        fast_rate=THRESHOLD / FAST_S,
        slow_rate=THRESHOLD / SLOW_S,
        patience=PATIENCE_S,
        yield_time=YIELD_S,
        give_up_time=np.inf,
        outranks=outranks(robots),
        exclusive=rule == "ours",
        by_the_letter=rule == "letter",
    )
    plain = Missions.plain(key, np.full(shape, np.inf), params, TICK_S, loss=loss)
    return replace(plain, beat_phase=phases(key, Purpose.BEAT_PHASE, robots, BEAT_S))


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
class Duel(AbstractExperiment):
    """See the module. A run is accomplished if somebody was on the task all the time from the first begin."""

    duration_s: float = DURATION_S

    def cells(self) -> Sequence[Cell]:
        """See `Experiment.cells`."""
        return [
            Cell(name_of(rule, robots, loss), {"rule": rule, "robots": robots, "loss": loss})
            for rule in RULES
            for robots in TEAMS
            for loss in LOSSES
        ]

    def outcomes(self, cell: Cell, seeds: Sequence[int]) -> Sequence[Row]:
        """See `AbstractExperiment.outcomes`."""
        robots, loss = int(cell.factors["robots"]), float(cell.factors["loss"])
        batch = missions(seeds, robots, loss, str(cell.factors["rule"]))
        return [self._row(cell, times) for times in shares(batch, self.duration_s).tolist()]

    def _row(self, cell: Cell, times: Sequence[float]) -> Row:
        nobody, one = times[:2]
        accomplished = nobody == 0.0 < one
        reason = "" if accomplished else f"nobody on the task in {nobody:.1%} of the time"
        return {
            **cell.factors, "accomplished": accomplished, "reason": reason, "duration_s": self.duration_s,
            "one": one, "none": nobody, "several": sum(times[2:]),
        }  # fmt: skip

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        lines = [_line(name, own) for name, own in by_cell(rows, self.cells(), "one").items()]
        columns = ("cell", "exactly one", "of it, least run", "nobody", "several", "runs with nobody")
        return [Table("Shares of the time from the first begin on", columns, lines)]

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        return [
            drawing
            for kind, words in (("one", "exactly one robot on the task"), ("none", "nobody on the task"))
            if (drawing := self._course(rows, kind, words, folder)) is not None
        ]

    def _course(self, rows: Sequence[Row], kind: str, words: str, folder: Path) -> Drawing | None:
        """A share over the loss: a panel for each rule, a line for each size of the team."""
        found = by_cell(rows, self.cells(), kind)

        def line(rule: str, robots: int) -> Line:
            means = [
                statistics.mean([float(row[kind]) for row in found.get(name_of(rule, robots, loss), ())])
                for loss in LOSSES
            ]
            return Line(f"{robots} robots", means)

        panels = [Panel("share of the time", [line(rule, n) for n in TEAMS], NAMES[rule]) for rule in RULES]
        ticks = [f"{loss:.0%}" for loss in LOSSES]
        path = folder / "figures" / f"{kind}.svg"
        return line_charts(panels, Axis("frames lost", ticks), f"Time with {words}", path)


def name_of(rule: str, robots: int, loss: float) -> str:
    """What a cell is called."""
    return f"{rule}, {robots} robots, loss {loss:.0%}"


def _line(name: str, rows: Sequence[Row]) -> Sequence[str]:
    one = statistics.mean([float(row["one"]) for row in rows])
    nobody, several = (np.mean([float(row[kind]) for row in rows]) for kind in ("none", "several"))
    least = min(float(row["one"]) for row in rows)
    empty = sum(float(row["none"]) > 0 for row in rows)
    return (
        name, statistics.words(one, 3), f"{least:.3f}", f"{nobody:.4f}",
        f"{several:.3f}", f"{empty} of {len(rows)}",
    )  # fmt: skip


EXPERIMENT = Duel(
    name="duel",
    title="Is exactly one of several equal robots on an endless task, and never none?",
    runs=100,
    batch=100,
    measured=("rule", "robots", "loss", "accomplished", "reason", "duration_s", "one", "none", "several"),
)

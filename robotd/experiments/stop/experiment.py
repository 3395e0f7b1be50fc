"""Trials drawn over boards, causes and bytes: how soon wheels stop however the robot's daemon fails.

Guardian and daemon are those of `robotd run` on a pty, in real time: the figures differ from run to run, and are
those of the computer too where that has more to do than it can.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

from robotd.experiments import statistics
from robotd.experiments.base import Cell, Experiment, Results, Table, accomplished
from robotd.experiments.rows import RunRow
from robotd.experiments.stop.stage import COORDINATOR
from robotd.experiments.stop.trial import CAUSES, WITHIN_S, StopTrial, run
from robotd.model.streams import Stream
from robotd.sim.emulated import emulations

ALL, CELL = "all", "trials"


def draw_trial(seed: int) -> StopTrial:
    """The trial of a seed: any board, any cause, and a cut before, after or at any byte of the last command."""
    board, cause, share = (Stream(seed, "stop", what).uniform(0.0, 1.0) for what in ("board", "cause", "cut"))
    boards = sorted(emulations().boards)
    return StopTrial(boards[int(board * len(boards))], CAUSES[int(cause * len(CAUSES))], share)


class StopExperiment(Experiment):
    """See the module. A run is accomplished if the wheels stopped in time and for good, a halt written last."""

    def cells(self) -> Sequence[Cell]:
        return [Cell(CELL)]

    def coordinator(self, cell: Cell) -> str:
        return COORDINATOR

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        return [run(draw_trial(seed), seed) for seed in seeds]

    def answer(self, results: Results) -> str:
        times = results.values(CELL, "zero_s")
        span = f"; median {statistics.median(times):.3f} s, worst {max(times):.3f} s" if times else ""
        return f"In {results.count_accomplished()} trials{span}."

    def tables(self, results: Results) -> Sequence[Table]:
        begun = results.of(CELL, "board")
        boards = sorted({str(row["board"]) for row in begun})
        kinds = itertools.product((*boards, ALL), (*CAUSES, ALL))
        lines = [_line(board, cause, begun) for board, cause in kinds]
        columns = ("board", "cause", "trials", "stopped", "median (s)", "worst (s)", "bytes written afterwards")
        note = f"From the cut of the last command until rest; stopped: at rest for good within {WITHIN_S:g} s."
        return [Table("How soon the wheels stopped", columns, [line for line in lines if line[2]], note)]


def _line(board: str, cause: str, rows: Sequence[RunRow]) -> Sequence[str | int | float]:
    own = [row for row in rows if board in (ALL, row["board"]) and cause in (ALL, row["cause"])]
    times = [float(row["zero_s"]) for row in own if "zero_s" in row]
    worst = max(times, default=0.0) if len(times) == len(own) else "never"
    median = statistics.median(times) if times else "never"
    after = sum(int(row["bytes_after"]) for row in own)
    return board, cause, len(own), sum(map(accomplished, own)), median, worst, after


EXPERIMENT = StopExperiment(
    name="stop", runs=1000, limit_s=60.0, published_seed=1,
    title="Do the wheels stop within half a second after the daemon of a robot at full speed has failed?",
    measured=(
        "board", "cause", "offset", "length", "accomplished", "reason", "zero_s", "commanded_s", "halted_s",
        "bytes_after", "reported", "starts",
    ),
)  # fmt: skip

"""Trials drawn over boards, causes and bytes: how soon wheels stand whatever becomes of the robot's daemon.

Guardian and daemon are processes of their own on a pty, in real time: the figures differ from run to run, and tell
of the computer too where that has more to do than it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from robotd.experiments import statistics
from robotd.experiments.contract import Cell, Drawing, Row, Table
from robotd.experiments.identity import versions
from robotd.experiments.stop.stage import COORDINATOR
from robotd.experiments.stop.trial import CAUSES, WITHIN_S, Trial, run
from robotd.experiments.summary import summarize
from robotd.model.streams import Stream
from robotd.sim.emulated import BOARDS

ALL = "all"


def drawn(seed: int) -> Trial:
    """The trial of a seed: any board, any cause, and a cut before, after or at any byte of the last command."""
    board, cause, share = (Stream(seed, "stop", what).uniform(0.0, 1.0) for what in ("board", "cause", "cut"))
    boards = sorted(BOARDS)
    return Trial(boards[int(board * len(boards))], CAUSES[int(cause * len(CAUSES))], share)


@dataclass(frozen=True)
class Stop:
    """See `Experiment`. Accomplished is a run whose wheels stood in time and for good, a halt written last."""

    name: str = "stop"
    title: str = "Do the wheels stand half a second after the daemon of a robot at full speed has come to grief?"
    runs: int = 1000
    seed: int = 1
    limit_s: float = 60.0
    batch: int = 1
    logged: int = 0
    timed: bool = False
    digest: str = ""
    columns: Sequence[str] = (
        "coordinator", "board", "cause", "offset", "length", "accomplished", "reason", "zero_s", "told_s",
        "halted_s", "bytes_after", "told", "starts", "versions",
    )  # fmt: skip

    def cells(self) -> Sequence[Cell]:
        """See `Experiment.cells`."""
        return [Cell("trials")]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        beside = {"coordinator": COORDINATOR, "versions": versions()}
        return [{**run(drawn(seed), seed), **beside} for seed in seeds]

    def summary(self, rows: Sequence[Row]) -> Sequence[Row]:
        """See `Experiment.summary`."""
        return summarize(rows, self.cells())

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        begun = [row for row in rows if "board" in row]
        boards = sorted({str(row["board"]) for row in begun})
        kinds = [(board, cause) for board in (*boards, ALL) for cause in (*CAUSES, ALL)]
        lines = [_line(board, cause, begun) for board, cause in kinds]
        columns = ("board", "cause", "trials", "stopped", "median (s)", "worst (s)", "bytes written afterwards")
        note = (
            f"From the cut of the last command until all wheels stood; stopped: for good, within {WITHIN_S:g} s."
        )
        return [Table("How soon the wheels stood", columns, [line for line in lines if line[2]], note)]

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        return ()


def _line(board: str, cause: str, rows: Sequence[Row]) -> Sequence[str | int | float]:
    """How the trials of a board and a cause went."""
    own = [row for row in rows if board in (ALL, row["board"]) and cause in (ALL, row["cause"])]
    times = [float(row["zero_s"]) for row in own if "zero_s" in row]
    worst = max(times, default=0.0) if len(times) == len(own) else "never"
    median = statistics.median(times) if times else "never"
    after = sum(int(row["bytes_after"]) for row in own)
    return (board, cause, len(own), sum(row["accomplished"] is True for row in own), median, worst, after)


EXPERIMENT = Stop()

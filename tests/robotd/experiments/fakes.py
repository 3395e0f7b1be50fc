"""An experiment that costs nothing, with cells that hang, die and raise; as a program it is run to its end."""

import errno
import math
import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.experiments.base import Cell, Claim, Drawing, Experiment, Results, Table
from robotd.experiments.jobs import Shard
from robotd.experiments.rows import RunRow
from robotd.experiments.runner import Request, Result, run_experiment
from robotd.sim.activity_trace import ActivityTrace, Interval, Outcome
from tests.patience import LONG_S


@dataclass(frozen=True, kw_only=True)
class Fake(Experiment):
    """`value` is ten times the seed, `half` the half of it; a run takes `takes_s`, but for the `swift` first."""

    names: Sequence[str] = ("one", "two")
    takes_s: float = 0.0
    swift: int = 0
    name: str = "fake"
    title: str = "Does the runner run?"
    runs: int = 3
    limit_s: float = LONG_S
    logged: int = 1
    measured: Sequence[str] = ("accomplished", "reason", "value")
    published_seed: int | None = 1
    mark: str = ""

    @property
    def digest(self) -> str:
        return self.mark

    def cells(self) -> Sequence[Cell]:
        return [Cell(name, {"letters": len(name)}) for name in self.names]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        if min(seeds) > self.swift:
            threading.Event().wait(self.takes_s)
        if cell.name == "logs-and-dies" and log is not None:
            log.write_text("half a l")
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.name == "prints":
            sys.stdout.write("a plug-in's word\n")
        if cell.name == "hangs":
            threading.Event().wait()
        if cell.name == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.name == "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        if cell.name == "raises":
            raise ArithmeticError("no such number")
        if log is not None:
            log.write_text(f"{cell.name} {seeds}\n")
        if cell.name == "endless":
            return [{"accomplished": True, "reason": "done", "value": s if s > 1 else math.inf} for s in seeds]
        return [{"accomplished": True, "reason": "done", "value": 10 * s, "half": 0.5 * s} for s in seeds]

    def claims(self, results: Results) -> Iterable[Claim]:
        return [Claim("one", "values are even", [row["value"] % 2 == 0 for row in results.of("one", "value")])]

    def tables(self, results: Results) -> Sequence[Table]:
        return [Table("Beside <it>", ["a", "nothing"], [[1.25, 0]], "a note"), Table("Faults", ["robot"], [])]

    def figures(self, results: Results) -> Sequence[Drawing]:
        path = results.folder / "figures" / "f.svg"
        path.parent.mkdir(exist_ok=True)
        path.write_text('<?xml?><svg id="a"><use href="#a"/></svg>')
        return [Drawing(path, "a caption")]


def do(out: Path, fake: Fake | None = None, runs: int = 3, workers: int = 1, shard: Shard | None = None) -> Result:
    return run_experiment(
        Request(fake or Fake(), runs, 1, out, workers, shard or Shard()), "robotd experiment fake"
    )


TASKS = {"search": "find", "wander": "find", "carry": "move", "report-progress": "report-progress"}


def story(done=(), **spells) -> ActivityTrace:
    """Spells by robot, each of a set with its times, and who did which task when."""
    intervals = {
        robot: [Interval(own, TASKS[own], *times) for own, *times in each] for robot, each in spells.items()
    }
    return ActivityTrace(spells=intervals, done=dict(done))


def ended(trace: ActivityTrace | None = None, **changes: Any) -> Outcome:
    """How a run ended, after 50 s: accomplished, without radio or log."""
    same: dict[str, Any] = {"mission": "any", "seed": 1, "robots": (), "radio": {}, "ticks": {}, "log": ""}
    end = {"accomplished": True, "reason": "", "duration_s": 50.0, "story": trace or ActivityTrace()}
    return Outcome(**{**same, **end, **changes})


def row_of(cell: str, seed: int, **columns: Any) -> RunRow:
    """An accomplished run with these columns."""
    return {"cell": cell, "run": seed, "seed": seed, "accomplished": True, **columns}


def bytes_of(out: Path) -> dict[str, bytes]:
    found = sorted(path for path in out.rglob("*") if path.is_file() and "journal" not in path.name)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would be deaf to it
    from tests.robotd.experiments import fakes  # so that workers find the class by this name

    endless = fakes.Fake(takes_s=LONG_S, swift=int(sys.argv[2]), limit_s=2 * LONG_S)
    fakes.do(Path(sys.argv[1]), endless, runs=6, workers=2)

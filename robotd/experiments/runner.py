"""Doing an experiment: what is left is run, each finished run is journaled at once, then all files are written.

The journal is JSON Lines: first whose runs these are, then a line for each finished job, on the disk before the
next one is counted: enough to go on after a kill or a power cut. A last line that was cut is dropped. Every share
of the work has a journal of its own, so that the folders of several machines merge by copying.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.experiments.base import Claim, Drawing, Experiment, Results, SeedRule, run_seed
from robotd.experiments.jobs import (
    WHOLE,
    JobResult,
    Key,
    RunJob,
    Shard,
    all_runs,
    identity,
    jobs,
    remove_log_drafts,
)
from robotd.experiments.report import report, speed_table, write_text
from robotd.experiments.rows import COLUMNS, RunRow
from robotd.experiments.workers import ClusterError, check_address, in_processes, on_cluster
from robotd.figures.style import NoMatplotlib, need_matplotlib
from robotd.files.paths import sync_folder
from robotd.files.plugins import describe_error
from robotd.files.tables import write_table

LONGEST_JSON = 1000  # rows in the object of --json
Progress = Callable[[int, int], None]
"""Receives how many runs are done, and how many there are: before the first, and after each job."""

WRITES = ("runs.csv", "summary.csv", "report.html")
NOT_OURS = "no experiment has written this; choose another folder with --out"
WORDS = {
    "experiment": "another experiment", "digest": "the same experiment with other files or parameters",
    "seed": "another seed", "seeds": "seeds by another rule", "code": "another version of the code",
    "libraries": "other versions of Python, libraries or processor",
}  # fmt: skip


class FolderError(ValueError):
    """A folder that cannot be used; the message says why, and what to do."""


class ExperimentError(ValueError):
    """An experiment whose own code fails; the message says what and where."""


class Journal:
    """The rows of the folder's journals, and the end of that of one share, to which rows are appended."""

    def __init__(self, folder: Path, identity: Mapping[str, Any], shard: Shard) -> None:
        """FolderError."""
        self.rows: dict[Key, RunRow] = {}
        self.repeat = 0  # how many of them the next command does again, as no line states them
        self.timed_runs, self.cpu_s = 0, 0.0  # how many runs took how much processor time altogether, s
        found = sorted(folder.glob("journal*.jsonl"))
        for name in WRITES:
            if not found and (folder / name).exists():
                raise FolderError(f"{folder / name}: {NOT_OURS}")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"journal{f'-{shard.name}' if shard.name else ''}.jsonl"
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for other in found:
                self._read(other, identity)
            self._continue(path, identity)
        except BaseException as error:
            self._file.close()
            if isinstance(error, BlockingIOError):
                raise FolderError(f"{folder}: this experiment is running already, in the same folder") from None
            raise

    def append(self, job: RunJob, done: JobResult) -> None:
        """The rows of a finished job are safe when this returns; TypeError, ValueError for what is no JSON."""
        if len(done.rows) != len(job.runs):
            raise ExperimentError(f"{job.cell.name}: {len(done.rows)} rows for {len(job.runs)} runs")
        rows = [dict(row) for row in done.rows]
        entry = {"cell": job.cell.name, "runs": job.runs, "rows": rows, "cpu_s": done.cpu_s}
        if done.repeat:
            self.repeat += len(rows)
            self._take(entry)
            return
        line = json.dumps(entry, allow_nan=False) + "\n"
        self._file.write(line.encode())
        self._sync()
        self._take(json.loads(line))

    def close(self) -> None:
        """Nothing more is appended."""
        self._file.close()

    def _read(self, path: Path, identity: Mapping[str, Any]) -> None:
        lines = _whole_lines(path.read_bytes())
        if not lines:
            return
        try:
            kept = json.loads(lines[0])["journal"]
            differs = [WORDS[key] for key in WORDS if kept[key] != identity[key]]
        except (ValueError, KeyError, TypeError):
            raise FolderError(f"{path}: {NOT_OURS}") from None
        if differs:
            what = f"{differs[0]} ({kept['experiment']}, seed {kept['seed']})"
            raise FolderError(f"{path.parent}: holds the runs of {what}; choose another folder with --out")
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                why = "it is no finished run; delete the line, and its runs are done again"
                raise FolderError(f"{path}:{number}: {why}") from None

    def _continue(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Cut off what an interruption left of a line, and begin where there is nothing."""
        whole = b"".join(_whole_lines(path.read_bytes()))
        self._file.truncate(len(whole))
        if not whole:
            self._file.write((json.dumps({"journal": dict(identity)}) + "\n").encode())
        self._sync()
        sync_folder(path.parent)

    def _take(self, entry: Mapping[str, Any]) -> None:
        for run, row in zip(entry["runs"], entry["rows"], strict=True):
            self.rows[entry["cell"], run] = row
        if entry["cpu_s"] > 0.0:
            self.timed_runs += len(entry["runs"])
            self.cpu_s += entry["cpu_s"]

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _whole_lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


@dataclass(frozen=True)
class Request:
    """What is asked for: runs of each cell, seeds from `seed`, this share of them, into the folder `out`.

    They are done by `workers` processes here, or by the Dask cluster at the address `scheduler`. `seeds`: how
    seeds follow from `seed`; None is the experiment's rule.
    """

    experiment: Experiment
    runs: int
    seed: int
    out: Path
    workers: int = 1
    shard: Shard = WHOLE
    scheduler: str = ""
    limit_s: float | None = None
    seeds: SeedRule | None = None

    @property
    def limit(self) -> float:
        """Real time that one call of the experiment's `run` may take, s."""
        return self.limit_s if self.limit_s is not None else self.experiment.limit_s

    @property
    def rule(self) -> SeedRule:
        """How seeds follow from `seed`: that of the published figures gives consecutive ones, as they had."""
        published = self.seed == self.experiment.published_seed
        return self.seeds or ("consecutive" if published else self.experiment.seeds)


@dataclass(frozen=True)
class Result:
    """The rows (with cell, run, seed, factors), their summary, how many runs are `left`, the files written.

    `repeat`: how many were late, or failed for want of disk space, say; the same command does them again.
    `runs_per_core_s`: how many runs a core has done in a second of processor time; 0 where nothing was measured.
    """

    rows: Sequence[RunRow]
    summary: Sequence[RunRow]
    left: int
    files: Sequence[Path]
    runs_per_core_s: float = 0.0
    repeat: int = 0
    claims: Sequence[Claim] = ()

    def as_json(self, experiment: Experiment) -> dict[str, Any]:
        """The object that `--json` prints."""
        counted: dict[str, Any] = {"runs": len(self.rows)}
        if any("violations" in row for row in self.rows):
            counted["violations"] = sum(int(row.get("violations", 0)) for row in self.rows)
        if self.runs_per_core_s:
            counted["runs_per_core_s"] = float(f"{self.runs_per_core_s:.3g}")
        claims = [
            {"cell": one.cell, "claim": one.text, "holds": sum(one.holds), "runs": len(one.holds),
             "counted": one.counted, "published": one.published}
            for one in self.claims
        ]  # fmt: skip
        return {
            "experiment": experiment.name,
            **({"runs": [dict(row) for row in self.rows]} if len(self.rows) <= LONGEST_JSON else {}),
            "claims": claims,
            "summary": {
                **counted, "left": self.left, "repeat": self.repeat, "cells": [dict(row) for row in self.summary],
            },
            "files": [str(path) for path in self.files],
        }  # fmt: skip


def run_experiment(request: Request, command: str, progress: Progress | None = None) -> Result:
    """Do what is left and write runs.csv, summary.csv and report.html, with the `command` that repeats it.

    FolderError, ClusterError, ExperimentError, OSError. What was finished before an exception is kept, and not
    done again.
    """
    try:
        return _run(request, command, progress)
    except (FolderError, ClusterError, ExperimentError, OSError):
        raise
    except Exception as error:  # a plug-in's own code runs here: whatever it raises is a fault of it
        raise ExperimentError(f"experiment {request.experiment.name}: {describe_error(error)}") from error


def _run(request: Request, command: str, progress: Progress | None) -> Result:
    experiment = request.experiment
    if request.scheduler:
        check_address(request.scheduler)
    journal = Journal(request.out, identity(experiment, request.seed, request.rule), request.shard)
    with contextlib.closing(journal):
        wanted = all_runs(experiment.cells(), request.runs)
        missing = list(jobs(experiment, request.runs, request.seed, request.rule, request.shard, journal.rows))
        for job in missing:
            remove_log_drafts(experiment, job, request.out)
        before = sum(key in journal.rows for key in wanted)
        total = before + sum(len(job.runs) for job in missing)
        if progress is not None:
            progress(before, total)
        if request.scheduler:
            started = on_cluster(experiment, missing, request.scheduler, request.limit)
        else:
            started = in_processes(experiment, missing, request.workers, request.out, request.limit)
        with contextlib.closing(started) as finished:
            for job, done in finished:
                journal.append(job, done)
                before += len(job.runs)
                if progress is not None:
                    progress(before, total)
        return _write_all(request, journal, wanted, command)


def _write_all(request: Request, journal: Journal, wanted: Sequence[Key], command: str) -> Result:
    experiment, out = request.experiment, request.out
    factors = {cell.name: cell.factors for cell in experiment.cells()}
    rows: list[RunRow] = [
        {"cell": cell, "run": run, "seed": run_seed(request.seed, run, request.rule), **factors[cell],
         **journal.rows[cell, run]}
        for cell, run in wanted if (cell, run) in journal.rows
    ]  # fmt: skip
    results = Results(rows, out)
    files = [out / name for name in WRITES]
    own = (*experiment.factors, "coordinator", *experiment.measured, "versions")
    write_table(files[0], rows, list(dict.fromkeys(("cell", "run", "seed", *own))))
    summary = experiment.summary(results)
    write_table(files[1], summary, [name for name in COLUMNS if any(name in row for row in summary)])
    drawings: Sequence[Drawing] = ()
    with contextlib.suppress(NoMatplotlib):
        need_matplotlib()
        drawings = experiment.figures(results)
    left, speed = len(wanted) - len(rows), journal.timed_runs / journal.cpu_s if journal.cpu_s else 0.0
    more = [speed_table(speed)] if experiment.timed and speed else []
    write_text(files[-1], report(experiment, results, summary, command, left, drawings, more))
    paths = [*files, *(drawing.path for drawing in drawings)]
    return Result(rows, summary, left, paths, speed, journal.repeat, list(experiment.claims(results)))

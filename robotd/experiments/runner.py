"""Doing an experiment: what is left is run, each finished run is kept at once, then all files are written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.experiments.contract import Experiment, Row
from robotd.experiments.identity import identity
from robotd.experiments.journal import Journal
from robotd.experiments.plan import WHOLE, Finished, Job, Shard, jobs, keys
from robotd.experiments.pool import in_processes
from robotd.experiments.report import report, speed_table
from robotd.experiments.results import write_runs, write_summary, write_text
from robotd.experiments.worker import forget_log_drafts
from robotd.figures.style import NoMatplotlib, need_matplotlib

MOST_TOLD = 1000  # rows in the object of --json
Tell = Callable[[int, int], None]
"""Told how many runs are done, and how many there are."""


@dataclass(frozen=True)
class Request:
    """What is asked for: runs of each cell from `seed` on, this share of them, into the folder `out`.

    They are done by `workers` processes here, or by the Dask cluster whose `scheduler` is named.
    """

    experiment: Experiment
    runs: int
    seed: int
    out: Path
    workers: int = 1
    shard: Shard = WHOLE
    scheduler: str = ""
    limit_s: float | None = None

    @property
    def limit(self) -> float:
        """Real time that one call of the experiment's `run` may take, s."""
        return self.limit_s if self.limit_s is not None else self.experiment.limit_s


@dataclass(frozen=True)
class Result:
    """The rows (with cell, run and seed), their summary, how many runs are left, the files that were written.

    `runs_per_core_s`: how many runs a core has done in a second of processor time; 0 where nothing was measured.
    """

    rows: Sequence[Row]
    summary: Sequence[Row]
    left: int
    files: Sequence[Path]
    runs_per_core_s: float = 0.0

    def as_json(self, experiment: Experiment) -> dict[str, Any]:
        """The object that `--json` prints."""
        counted: dict[str, Any] = {"runs": len(self.rows)}
        if any("violations" in row for row in self.rows):
            counted["violations"] = sum(int(row.get("violations", 0)) for row in self.rows)
        if self.runs_per_core_s:
            counted["runs_per_core_s"] = float(f"{self.runs_per_core_s:.3g}")
        told: dict[str, Any] = {"experiment": experiment.name}
        if len(self.rows) <= MOST_TOLD:
            told["runs"] = [dict(row) for row in self.rows]
        told["summary"] = {**counted, "left": self.left, "cells": [dict(row) for row in self.summary]}
        return {**told, "files": [str(path) for path in self.files]}


def run_experiment(request: Request, command: str, tell: Tell | None = None) -> Result:
    """Do what is left and write runs.csv, summary.csv and report.html; `command` is told as the way to repeat it.

    FolderError, ClusterError, OSError. What was finished before an exception is kept, and not done again.
    """
    experiment = request.experiment
    if request.scheduler:
        from robotd.experiments.cluster import check_address

        check_address(request.scheduler)
    journal = Journal(request.out, identity(experiment, request.seed), request.shard, request.limit)
    with contextlib.closing(journal):
        wanted = keys(experiment.cells(), request.runs)
        missing = list(jobs(experiment, request.runs, request.seed, request.shard, journal.rows))
        for job in missing:
            forget_log_drafts(experiment, job, request.out)
        before = sum(key in journal.rows for key in wanted)
        total = before + sum(len(job.runs) for job in missing)
        with contextlib.closing(_done(request, missing)) as finished:
            for job, done in finished:
                journal.append(job, done)
                before += len(job.runs)
                if tell is not None:
                    tell(before, total)
        rows = [
            {"cell": cell, "run": run, "seed": request.seed + run - 1, **journal.rows[cell, run]}
            for cell, run in wanted if (cell, run) in journal.rows
        ]  # fmt: skip
        speed = journal.timed_runs / journal.cpu_s if journal.cpu_s else 0.0
        return _written(request, rows, len(wanted) - len(rows), command, speed)


def _done(request: Request, missing: Sequence[Job]) -> Finished:
    if not request.scheduler:
        return in_processes(request.experiment, missing, request.workers, request.out, request.limit)
    from robotd.experiments.cluster import on_cluster

    return on_cluster(request.experiment, missing, request.scheduler, request.limit)


def _written(request: Request, rows: Sequence[Row], left: int, command: str, speed: float) -> Result:
    experiment, out = request.experiment, request.out
    summary = experiment.summary(rows)
    files = [out / "runs.csv", out / "summary.csv"]
    write_runs(files[0], rows, experiment.columns)
    write_summary(files[1], summary)
    try:
        need_matplotlib()
    except NoMatplotlib:
        drawings = []
    else:
        drawings = list(experiment.figures(rows, out))
    tables = experiment.tables(rows, out)
    files.append(out / "report.html")
    if experiment.timed and speed:
        tables = [*tables, speed_table(speed)]
    write_text(files[-1], report(experiment, rows, summary, command, left, drawings, tables))
    return Result(rows, summary, left, [*files, *(drawing.path for drawing in drawings)], speed)

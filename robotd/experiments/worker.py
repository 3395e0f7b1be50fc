"""A job done in a process of its own, and what becomes of one that raises, dies or never ends."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path

from robotd.experiments.contract import Experiment, Row, log_path
from robotd.experiments.plan import Done, Job
from robotd.experiments.results import draft_of, forget_drafts
from robotd.timing.clock import processor_s


def do(experiment: Experiment, job: Job, folder: Path | None) -> Done:
    """A job done; logs go to `folder`, None keeps none. What the run raises becomes its rows' reason.

    So does what keeps its log from being written. What it prints goes to standard error: standard output is for
    `--json`, or for the rows themselves.
    """
    log = log_of(experiment, job, folder) if folder is not None else None
    with contextlib.redirect_stdout(sys.stderr):
        if log is None:
            return _tried(experiment, job, None)
        try:
            return _logged(experiment, job, log)
        except OSError as error:
            return failed(job, f"its log cannot be written: {error}")


def _logged(experiment: Experiment, job: Job, log: Path) -> Done:
    """A job done with its log, which is there as a whole or not at all; OSError."""
    log.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(log)
    try:
        done = _tried(experiment, job, draft)
        with contextlib.suppress(FileNotFoundError):  # an experiment may have nothing to log
            with draft.open("rb") as file:
                os.fsync(file.fileno())  # before its rows are: a power cut must leave no log of nothing
            draft.replace(log)
    finally:
        draft.unlink(missing_ok=True)
    return done


def log_of(experiment: Experiment, job: Job, folder: Path) -> Path | None:
    """Where the log of a job is kept; None where it keeps none."""
    run = job.runs[0]
    return log_path(folder, job.cell.name, run) if run <= experiment.logged else None


def forget_log_drafts(experiment: Experiment, job: Job, folder: Path) -> None:
    """Remove what killed processes have left of the job's log; no living process may be at the job."""
    log = log_of(experiment, job, folder)
    if log is not None:
        forget_drafts(log)


def _tried(experiment: Experiment, job: Job, log: Path | None) -> Done:
    start = processor_s()
    try:
        rows = experiment.run(job.cell, job.seeds, log)
    except Exception as error:  # noqa: BLE001 - the top of a task: one run's error must not end the others
        return failed(job, f"{type(error).__name__}: {error}")
    return Done([_finite(row) for row in rows], processor_s() - start)


def _finite(row: Row) -> Row:
    """The row, or one of a run without success where a number of it is none: no table could keep that."""
    wrong = [
        f"{name} is {value}"
        for name, value in row.items()
        if isinstance(value, float) and not math.isfinite(value)
    ]
    return {"accomplished": False, "reason": "; ".join(wrong)} if wrong else row


def failed(job: Job, reason: str) -> Done:
    """A job whose runs have no rows of their own."""
    return Done([{"accomplished": False, "reason": reason} for _ in job.runs])


def late(job: Job, limit_s: float) -> Done:
    """A job that was killed as it took longer than `limit_s`."""
    return failed(job, f"not finished within {limit_s:g} s of real time")._replace(late_s=limit_s)


def serve(pipe: Connection, experiment: Experiment, folder: Path) -> None:
    """A worker process: says None once it is ready; then jobs come in and go out done, until its runner ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # control-C is for the runner, which ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            pipe.send(do(experiment, pipe.recv(), folder))


def _end_with_parent() -> None:
    """A runner that was killed cannot end its workers: they look themselves."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

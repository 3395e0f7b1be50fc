"""Worker processes on this machine, each doing a job at a time; one that dies or hangs is replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from robotd.experiments.contract import Experiment
from robotd.experiments.plan import Done, Finished, Job
from robotd.experiments.worker import failed, forget_log_drafts, late, serve
from robotd.timing.clock import monotonic

START_S = 60.0  # what importing everything may take on a loaded machine, before a worker's first job


@dataclass
class _Worker:
    """A process with the job that it does, or will do as soon as it has said that it is ready."""

    process: BaseProcess
    pipe: Connection
    job: Job
    deadline: float
    ready: bool = False

    def take(self, job: Job, limit_s: float) -> None:
        """Begin a job."""
        self.job, self.deadline = job, monotonic() + limit_s
        with contextlib.suppress(OSError):  # a process that died while idle is found out by its closed pipe
            self.pipe.send(job)

    def end(self) -> None:
        """Kill the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def in_processes(
    experiment: Experiment, jobs: Iterable[Job], workers: int, folder: Path, limit_s: float
) -> Finished:
    """Each job with what became of it, as they end; one takes `limit_s` at most. Closing kills what still runs."""
    waiting = iter(jobs)
    pool: list[_Worker] = []
    try:
        while True:
            while len(pool) < workers and (job := next(waiting, None)) is not None:
                pool.append(_start(experiment, job, folder))
            if not pool:
                return
            timeout = max(0.0, min(worker.deadline for worker in pool) - monotonic())
            heard = set(wait([worker.pipe for worker in pool], timeout))
            for worker in list(pool):
                job, done = worker.job, _done(worker, worker.pipe in heard, limit_s)
                if done is None:
                    continue
                following = next(waiting, None) if worker.ready else None
                if following is not None:
                    worker.take(following, limit_s)
                else:
                    pool.remove(worker)
                    worker.end()
                    forget_log_drafts(experiment, job, folder)
                yield job, done
    finally:
        for worker in pool:
            worker.end()


def _start(experiment: Experiment, job: Job, folder: Path) -> _Worker:
    context = multiprocessing.get_context("spawn")  # a fork would share whatever state the runner has by then
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, experiment, folder), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, job, monotonic() + START_S)


def _done(worker: _Worker, heard: bool, limit_s: float) -> Done | None:
    """What became of a worker's job, None while it goes on; one that is dead or late is no longer `ready`."""
    if heard:
        try:
            done: Done | None = worker.pipe.recv()
        except (EOFError, OSError):
            worker.ready = False
            worker.process.join()
            return failed(worker.job, f"its process ended with status {worker.process.exitcode}")
        if done is None:
            worker.ready = True
            worker.take(worker.job, limit_s)
        return done
    if monotonic() < worker.deadline:
        return None
    was_ready, worker.ready = worker.ready, False
    if was_ready:
        return late(worker.job, limit_s)
    return failed(worker.job, f"its process did not start within {START_S:g} s")

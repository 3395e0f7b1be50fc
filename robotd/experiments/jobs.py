"""Which jobs an experiment consists of, which of them a share does, doing one, and what its rows depend on."""

import contextlib
import errno
import glob
import hashlib
import itertools
import math
import os
import re
import sys
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from robotd.experiments.base import Cell, Experiment, SeedRule, log_path, run_seed
from robotd.experiments.rows import RunRow
from robotd.files.tables import draft_of
from robotd.record.log import libraries
from robotd.timing.clock import processor_s

MOST_RUNS = 1_000_000  # of a cell: all of them are listed before the first is done
MOST_PROCESSES = 1024  # at a time: no computer that this runs on has more cores
LONGEST_S = 1e6  # real time that one run may be given: eleven days
SHORTAGES = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO, errno.ENOTDIR, errno.ENFILE, errno.EMFILE,
    errno.ENOMEM, errno.EAGAIN,
)  # fmt: skip
"""Errors that state what the computer lacks, and nothing about the run."""
PACKAGES = ("behaviors", "boards", "motivation", "radio", "robotd")  # of the program: rows depend on all of them
Key = tuple[str, int]
"""A run: its cell's name, and its number in the cell, from 1."""


@dataclass(frozen=True)
class Shard:
    """The `index`-th of `count` equal shares of an experiment's work, from 1."""

    index: int = 1
    count: int = 1

    @property
    def name(self) -> str:
        """What files of this share are called after; '' for the whole."""
        return f"{self.index}of{self.count}" if self.count > 1 else ""


WHOLE = Shard()


@dataclass(frozen=True)
class RunJob:
    """What one call of an experiment's `run` does: runs of one cell, with their numbers and seeds."""

    cell: Cell
    runs: tuple[int, ...]
    seeds: tuple[int, ...]


class JobResult(NamedTuple):
    """The rows of a finished job, one for each run, and the processor time that it took, s (0: not known).

    `repeat`: it was killed as late, or failed for want of what the computer may have next time (time to start,
    disk space): it is reported, and done again by the next command.
    """

    rows: Sequence[RunRow]
    cpu_s: float = 0.0
    repeat: bool = False


Finished = Generator[tuple[RunJob, JobResult], None, None]
"""Jobs with their results, as they are finished; closing it ends what still runs."""


def shard_of(text: str) -> Shard:
    """A share as written I/N; ValueError where it is none."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError(f"--shard {text}: expected I/N with I from 1 to N, for example 2/4")
    return Shard(int(found[1]), int(found[2]))


def all_runs(cells: Sequence[Cell], runs: int) -> list[Key]:
    """All runs, sorted by cell (in their declared order) and number."""
    return [(cell.name, run) for cell in cells for run in range(1, runs + 1)]


def jobs(
    experiment: Experiment, runs: int, seed: int, rule: SeedRule, shard: Shard, done: Collection[Key]
) -> Iterator[RunJob]:
    """What is left of a share of the work: all cells' first runs, then their second ones, and so on.

    Every N-th job belongs to a share, whatever is done already, so that shares never meet.
    """
    size = experiment.batch
    every = itertools.product(range(1, runs + 1, size), experiment.cells())
    for first, cell in itertools.islice(every, shard.index - 1, None, shard.count):
        numbers = range(first, min(first + size, runs + 1))
        left = tuple(run for run in numbers if (cell.name, run) not in done)
        if left:
            yield RunJob(cell, left, tuple(run_seed(seed, run, rule) for run in left))


def do_job(experiment: Experiment, job: RunJob, folder: Path | None) -> JobResult:
    """Do a job; logs go to `folder`, None keeps none, and each is there as a whole or not at all.

    An exception of the run becomes its rows' reason, and so does an error of writing its log. Its prints go to
    standard error: standard output is for `--json`, or for the rows themselves.
    """
    log = log_of(experiment, job, folder) if folder is not None else None
    with contextlib.redirect_stdout(sys.stderr):
        if log is None:
            return _try(experiment, job, None)
        draft = draft_of(log)
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            done = _try(experiment, job, draft)
            with contextlib.suppress(FileNotFoundError):  # an experiment may have nothing to log
                with draft.open("rb") as file:
                    os.fsync(file.fileno())  # before its rows are: a power cut must leave no log of nothing
                draft.replace(log)
            return done
        except OSError as error:
            return fail(job, f"its log cannot be written: {error}", repeat=True)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)


def log_of(experiment: Experiment, job: RunJob, folder: Path) -> Path | None:
    """Where the log of a job is kept; None where it keeps none."""
    run = job.runs[0]
    return log_path(folder, job.cell.name, run) if run <= experiment.logged else None


def remove_log_drafts(experiment: Experiment, job: RunJob, folder: Path) -> None:
    """Remove what killed processes have left of the job's log; no living process may be at the job."""
    if (log := log_of(experiment, job, folder)) is not None:
        for draft in log.parent.glob(f"{glob.escape(log.name)}.*"):
            draft.unlink(missing_ok=True)


def _try(experiment: Experiment, job: RunJob, log: Path | None) -> JobResult:
    start = processor_s()
    try:
        rows = experiment.run(job.cell, job.seeds, log)
    except Exception as error:  # noqa: BLE001 - the top of a task: one run's error must not end the others
        short = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in SHORTAGES)
        return fail(job, f"{type(error).__name__}: {error}", repeat=short)
    name = experiment.coordinator(job.cell)
    first: RunRow = {"coordinator": name} if name else {}
    rows = [{**first, **row, "versions": versions()} for row in map(_check_finite, rows)]
    return JobResult(rows, processor_s() - start)


def _check_finite(row: RunRow) -> RunRow:
    """The row, or one of a run without success where a number of it is infinite or none: no table keeps that."""
    reals = {name: value for name, value in row.items() if isinstance(value, float)}
    wrong = [f"{name} is {value}" for name, value in reals.items() if not math.isfinite(value)]
    return {"accomplished": False, "reason": "; ".join(wrong)} if wrong else row


def fail(job: RunJob, reason: str, *, repeat: bool = False) -> JobResult:
    """A job whose runs have no rows of their own."""
    return JobResult([{"accomplished": False, "reason": reason} for _ in job.runs], repeat=repeat)


def fail_late(job: RunJob, limit_s: float) -> JobResult:
    """A job that was killed as it took longer than `limit_s`."""
    return fail(job, f"not finished within {limit_s:g} s of real time", repeat=True)


@cache
def code() -> str:
    """Twelve hexadecimal digits of all modules and missions of the program as it is installed."""
    digest = hashlib.blake2s(digest_size=6)
    for package in PACKAGES:
        spec = find_spec(package)
        for place in (spec.submodule_search_locations if spec is not None else None) or ():
            for path in sorted(p for p in Path(place).rglob("*") if p.suffix in (".py", ".toml")):
                digest.update(f"{package}/{path.relative_to(place).as_posix()}\x00".encode())
                digest.update(hashlib.blake2s(path.read_bytes()).digest())
    return digest.hexdigest()


def versions() -> str:
    """The versions that a row has as a column."""
    found = _libraries()
    words = [f"{name} {found[name]}" for name in ("python", "numpy", "pymunk") if found[name]]
    return "; ".join([f"robotd {found['robotd']} ({code()})", *words])


def identity(experiment: Experiment, seed: int, rule: SeedRule) -> Mapping[str, Any]:
    """What must agree between runs of one table."""
    own = {"experiment": experiment.name, "digest": experiment.digest, "seed": seed, "seeds": rule}
    return {**own, "code": code(), "libraries": _libraries()}


def _libraries() -> dict[str, str]:
    try:
        return {**libraries(), "pymunk": version("pymunk")}
    except PackageNotFoundError:
        return {**libraries(), "pymunk": ""}

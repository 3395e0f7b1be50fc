"""Which runs an experiment consists of, and which of them one share of the work does."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from robotd.experiments.contract import Cell, Experiment, Row

MOST_RUNS = 1_000_000  # of a cell: all of them are listed before the first is done
MOST_PROCESSES = 1024  # at a time: no computer that this runs on has more cores
LONGEST_S = 1e6  # real time that may be granted to one run: eleven days
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
class Job:
    """What one call of an experiment's `run` does: runs of one cell, with their numbers and seeds."""

    cell: Cell
    runs: tuple[int, ...]
    seeds: tuple[int, ...]


class Done(NamedTuple):
    """The rows of a finished job, one for each run, and the processor time that it took, s (0: not known).

    `late_s`: it was killed after so much real time, s; 0 where it was not.
    """

    rows: Sequence[Row]
    cpu_s: float = 0.0
    late_s: float = 0.0


Finished = Generator[tuple[Job, Done], None, None]
"""Jobs with what became of them, as they are finished; closing it ends what still runs."""


def shard_of(text: str) -> Shard:
    """A share as written I/N; ValueError where it is none."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError(f"--shard {text}: expected I/N with I from 1 to N, for example 2/4")
    return Shard(int(found[1]), int(found[2]))


def keys(cells: Sequence[Cell], runs: int) -> list[Key]:
    """All runs, sorted by cell (in their declared order) and number."""
    return [(cell.name, run) for cell in cells for run in range(1, runs + 1)]


def jobs(experiment: Experiment, runs: int, seed: int, shard: Shard, done: Collection[Key]) -> Iterator[Job]:
    """What is left of a share of the work: all cells' first runs, then their second ones, and so on.

    Every N-th job belongs to a share, whatever is done already, so that shares never meet.
    """
    cells, size = experiment.cells(), experiment.batch
    number = 0
    for first in range(1, runs + 1, size):
        for cell in cells:
            number += 1
            if (number - 1) % shard.count != shard.index - 1:
                continue
            numbers = range(first, min(first + size, runs + 1))
            left = tuple(run for run in numbers if (cell.name, run) not in done)
            if left:
                yield Job(cell, left, tuple(seed + run - 1 for run in left))

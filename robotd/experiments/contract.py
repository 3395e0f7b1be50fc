"""What every experiment is: cells, runs that are pure functions of cell and seed, and what is made of the rows.

Run k (from 1) of every cell has the seed S + k - 1, so that cells are compared in pairs of one seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

LONGEST_NAME = 180  # B, of a cell in a file's name: 255 are allowed, and run, kind and process stand behind it
Value = str | int | float | bool
Row = Mapping[str, Value]
"""One line of a table: its columns' values by name. A column that is not there is an empty field."""


@dataclass(frozen=True)
class Cell:
    """One combination of factors. `name` is unique in its experiment; others are compared with the first cell."""

    name: str
    factors: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table of the report: rows of equally many fields under `columns`, and a note below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure of the report: an SVG file, and what it shows in a sentence."""

    path: Path
    caption: str


class Experiment(Protocol):
    """An experiment. It can be pickled, as worker processes are handed it: a frozen dataclass of plain values."""

    @property
    def name(self) -> str:
        """What the command line calls it: lower case letters, digits, hyphens."""

    @property
    def title(self) -> str:
        """The question that it asks, in one sentence."""

    @property
    def runs(self) -> int:
        """Runs of each cell where nobody asks for another number."""

    @property
    def seed(self) -> int:
        """The seed of the first run where nobody asks for another."""

    @property
    def limit_s(self) -> float:
        """Real time that one call of `run` may take, s; then its process is killed and the rows say so."""

    @property
    def batch(self) -> int:
        """How many runs of a cell one call of `run` does: 1 for simulations, more where arrays do many at once."""

    @property
    def logged(self) -> int:
        """Of each cell's runs, how many (the first ones) keep a log; 0 with `batch` above 1."""

    @property
    def timed(self) -> bool:
        """True: the report tells how fast runs were done, so that its bytes are not the same each time."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a row in their order, without cell, run and seed; others follow, sorted by name."""

    @property
    def digest(self) -> str:
        """Changes with all that rows depend on beside the code and the seed: files, parameters; '' for none."""

    def cells(self) -> Sequence[Cell]:
        """All cells, in the order of the tables; names are unique."""

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """A row for each seed, in their order: a pure function of cell and seed (and of no other seed of `seeds`).

        It runs in a process of its own. `log`: where to write the run's log, beside which nothing is written.
        `reason` and `accomplished` are columns of every row; what raises becomes rows with the error as reason.
        """

    def summary(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Of all rows (with cell, run, seed), a table with confidence intervals; each line has cell and runs."""

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """What the report shows beside the summary; `folder` has the kept logs as `logs/CELL-RUN.jsonl`."""

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """Draw into `folder`/figures as SVG, with `robotd.figures.style`; the files in the report's order."""


def log_path(folder: Path, cell: str, run: int) -> Path:
    """Where the log of a run is kept in the folder of an experiment; of a long cell's name the end is a digest."""
    safe = "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in cell)
    if len(safe.encode()) > LONGEST_NAME:
        digest = hashlib.blake2s(cell.encode(), digest_size=8).hexdigest()
        safe = f"{safe.encode()[: LONGEST_NAME - len(digest) - 1].decode(errors='ignore')}-{digest}"
    return folder / "logs" / f"{safe}-{run}.jsonl"

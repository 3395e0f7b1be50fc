"""What an experiment is: cells, runs that are pure functions of cell and seed, and what is made of their rows.

An experiment is an instance of a class derived from `Experiment`, found by entry point (group
`robotd.experiments`) or in a Python file: `ROBOTD = {"robotd.experiments": {"NAME": EXPERIMENT}}`.
"""

import contextlib
import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from robotd.experiments import statistics
from robotd.experiments.rows import RunRow, Value, summarize
from robotd.experiments.statistics import Estimate
from robotd.figures import style
from robotd.figures.read import read_series
from robotd.figures.series import RunSeries
from robotd.model.streams import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 180  # B, of a cell in a file's name: 255 are allowed, and run, kind and process follow it
SeedRule = Literal["drawn", "consecutive"]


@dataclass(frozen=True)
class Cell:
    """One combination of factors, with a `name` of its own.

    `factors` are columns of the runs' table: a level's name or value. `settings` say what the levels set, for the
    report; by default the factors.
    """

    name: str
    factors: Mapping[str, Value] = field(default_factory=dict)
    settings: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table of the report: rows of equally many fields under `columns`, and a note below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    note: str = ""


class Claim(NamedTuple):
    """A statement about the runs of a cell: in which of them it holds, what was counted, what is published."""

    cell: str
    text: str
    holds: Sequence[bool]
    counted: str = ""
    published: str = ""

    @classmethod
    def of_estimate(
        cls, cell: str, text: str, found: Estimate, test: Callable[[Estimate], bool], counted: str,
        published: str = "",
    ) -> Self:  # fmt: skip
        """One claim about all runs of a cell, not one for each: `found` passes `test`. Open without a value."""
        return cls(cell, text, [] if math.isnan(found.value) else [test(found)], counted, published)

    @classmethod
    def of_share(
        cls, cell: str, text: str, found: Sequence[bool], least: tuple[int, int], counted: str, published: str = ""
    ) -> Self:
        """One claim about all runs of a cell: of those `found`, at least `least` (hits, of) are true."""
        hits, of = least
        return cls(cell, text, [sum(found) * of >= hits * len(found)] if found else [], counted, published)


@dataclass(frozen=True)
class Drawing:
    """A figure of the report: an SVG file, and what it shows in a sentence."""

    path: Path
    caption: str


@dataclass(frozen=True)
class Results:
    """All rows (with cell, run, seed and factors) and the folder of the experiment, where logs are kept."""

    rows: Sequence[RunRow]
    folder: Path = Path()
    _series: dict[Path, RunSeries | None] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _by_cell(self) -> Mapping[str, Sequence[RunRow]]:
        found: dict[str, list[RunRow]] = {}
        for row in self.rows:
            found.setdefault(str(row["cell"]), []).append(row)
        return found

    @cached_property
    def only_accomplished(self) -> "Results":
        """The same without the runs that are not accomplished."""
        return Results([row for row in self.rows if accomplished(row)], self.folder)

    def figure(self, name: str) -> Path:
        """The file of a figure of this name."""
        return self.folder / "figures" / f"{name}.svg"

    def save(self, figure: "Figure", name: str, caption: str) -> Drawing:
        """Write a figure to the file of its name; OSError."""
        style.save(figure, self.figure(name))
        return Drawing(self.figure(name), caption)

    def of(self, cell: str, column: str = "") -> Sequence[RunRow]:
        """The rows of a cell; with `column` those that have it."""
        return [row for row in self._by_cell.get(cell, ()) if not column or column in row]

    def values(self, cell: str, column: str) -> list[float]:
        """A column of a cell's rows that have it."""
        return [float(row[column]) for row in self.of(cell, column)]

    def greatest(self, cell: str, column: str) -> float:
        """The greatest value of a column; 0 of none."""
        return max(self.values(cell, column), default=0.0)

    def mean(self, cell: str, column: str) -> Estimate:
        """The mean of a column, with its interval."""
        return statistics.mean(self.values(cell, column))

    def pairs(self, one: tuple[str, str], other: tuple[str, str]) -> list[tuple[float, float]]:
        """The values of two (cell, column) in pairs of one seed."""
        own, others = (
            {row["seed"]: float(row[name]) for row in self.of(cell, name)} for cell, name in (one, other)
        )
        return [(own[seed], others[seed]) for seed in sorted(set(own) & set(others))]

    def difference(self, one: tuple[str, str], other: tuple[str, str]) -> Estimate:
        """The mean of one (cell, column) less another, in pairs of one seed."""
        return statistics.mean([own - others for own, others in self.pairs(one, other)])

    def ratio(self, cell: str, other: str, column: str) -> Estimate:
        """The ratio of the means of two cells, in pairs of one seed."""
        pairs = self.pairs((cell, column), (other, column))
        return statistics.ratio([one for one, _ in pairs], [two for _, two in pairs])

    def claim(
        self, cell: str, text: str, holds: Callable[[RunRow], bool], counted: str = "", published: str = ""
    ) -> Claim:
        """A claim about a cell, and in which of its runs it `holds`."""
        return Claim(cell, text, [holds(row) for row in self.of(cell)], counted, published)

    def accomplished(self, *cells: str) -> list[bool]:
        """Of each run of these cells, by default of all, whether it is accomplished."""
        rows = [row for cell in cells for row in self.of(cell)] if cells else self.rows
        return [accomplished(row) for row in rows]

    def count_accomplished(self, *cells: str) -> str:
        """How many runs of these cells, by default of all, are accomplished: "14 of 15"."""
        return format_count(self.accomplished(*cells))

    def kept(self, cell: str, run: int) -> RunSeries | None:
        """The kept log of a run, read once; None without one that can be read, as a failed run may leave it."""
        log = log_path(self.folder, cell, run)
        if log not in self._series:
            with contextlib.suppress(ValueError):
                self._series[log] = read_series(log) if log.is_file() else None
        return self._series.setdefault(log, None)


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """An experiment; instances can be pickled, as worker processes receive them. `cells` and `run` must be given.

    `name`: lower case letters, digits, hyphens. `title`: the question, in one sentence. `runs`: of each cell, and
    `seed` that they are drawn from, where the command gives no other. `limit_s`: real time that one call of `run`,
    which does `batch` runs, may take. `logged`: how many (the first) of a cell's runs keep logs; 0 with `batch`
    above 1. `timed`: the report has the measured speed, so that its bytes differ each time. `measured`: columns of
    a row in their order; others follow, sorted by name. `seeds`: how seeds follow from `seed`; that of the
    published figures, `published_seed`, gives consecutive ones. `plugins`: Python files that workers load first.
    """

    name: str
    title: str
    runs: int = 10
    seed: int = 1
    limit_s: float = 600.0
    batch: int = 1
    logged: int = 0
    timed: bool = False
    measured: Sequence[str] = ("accomplished", "reason")
    seeds: SeedRule = "drawn"
    published_seed: int | None = None
    plugins: Sequence[str] = ()
    claims_note: str = ""

    @property
    def digest(self) -> str:
        """Changes with all that rows depend on beside the code and the seed: files, parameters; '' for none."""
        return ""

    @abstractmethod
    def cells(self) -> Sequence[Cell]:
        """All cells, in the order of the tables; names are unique."""

    @abstractmethod
    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        """A row for each seed, in their order: a pure function of cell and seed (and of no other seed of `seeds`).

        It runs in a process of its own; an exception becomes rows with the error as reason. `log`: where to write
        the run's log. `reason` and `accomplished` are columns of every row.
        """

    def coordinator(self, cell: Cell) -> str:
        """The coordinator of a cell's robots, '' for none; a row's own column goes before it."""
        return "alliance"

    def baseline(self, cell: Cell) -> str:
        """The cell that a cell is compared with: by default the first one."""
        return self.cells()[0].name

    def claims(self, results: Results) -> Iterable[Claim]:
        """What the published runs show, or the theory says, counted in these runs."""
        return ()

    def answer(self, results: Results) -> str:
        """A sentence that answers the title."""
        return self.count_claims(results)

    def count_claims(self, results: Results) -> str:
        """How many claims hold in every run, and which do not; without claims how many runs are accomplished."""
        claims = [claim for claim in self.claims(results) if claim.holds]
        if not claims:
            return f"{results.count_accomplished()} runs are accomplished."
        failing = [claim for claim in claims if not all(claim.holds)]
        words = "; ".join(f"{one.cell}, {one.text} ({format_count(one.holds)})" for one in failing)
        held = f"{len(claims) - len(failing)} of {len(claims)} claims hold in every run"
        return f"{held}; not in every run: {words}." if failing else f"{held}."

    def tables(self, results: Results) -> Sequence[Table]:
        """Tables of the report beside claims and summary."""
        return ()

    def figures(self, results: Results) -> Sequence[Drawing]:
        """Figures drawn into `results.folder`/figures as SVG, in the report's order."""
        return ()

    def summary(self, results: Results) -> Sequence[RunRow]:
        """A table with confidence intervals; each line has cell and runs."""
        return summarize(results.rows, {cell.name: self.baseline(cell) for cell in self.cells()}, self.factors)

    @property
    def factors(self) -> Sequence[str]:
        """The names of all cells' factors."""
        return list(dict.fromkeys(name for cell in self.cells() for name in cell.factors))


def accomplished(row: RunRow) -> bool:
    """Whether a run is accomplished; one that came to nothing is not."""
    return row.get("accomplished") is True


def format_count(holds: Sequence[bool]) -> str:
    """In how many runs something holds."""
    return f"{sum(holds)} of {len(holds)}"


def format_share(holds: Sequence[bool]) -> str:
    """In how many runs something holds, and the share of them with its interval; '' of no runs."""
    return f"{format_count(holds)}: {statistics.words(statistics.share(holds), 2)}" if holds else ""


def run_seed(seed: int, run: int, rule: SeedRule) -> int:
    """The seed of run `run` (from 1) of every cell: drawn from both (53 bits), or counted up from `seed`."""
    return seed + run - 1 if rule == "consecutive" else int(draw(seed, "", "experiment-run", run) * 2**53)


def log_path(folder: Path, cell: str, run: int) -> Path:
    """Where the log of a run is kept in the folder of an experiment; of a long cell's name the end is a digest."""
    safe = "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in cell)
    if len(safe.encode()) > LONGEST_NAME:
        digest = hashlib.blake2s(cell.encode(), digest_size=8).hexdigest()
        safe = f"{safe.encode()[: LONGEST_NAME - len(digest) - 1].decode(errors='ignore')}-{digest}"
    return folder / "logs" / f"{safe}-{run}.jsonl"

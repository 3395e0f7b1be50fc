"""Experiments as a person runs them, and what their JSON holds."""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.accept.check import Check, Found, besides
from tests.accept.desk import Desk

LIMIT_S = 6 * 3600.0  # an experiment of many simulations, on a slow and loaded machine
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Output:
    """The object that `robotd experiment NAME --json` prints; LookupError for what is not in it."""

    document: Mapping[str, Any]
    folder: Path

    def rows(self, cell: str | None = None) -> Sequence[Row]:
        rows: Sequence[Row] = [row for row in self.document["runs"] if cell in (None, row["cell"])]
        if not rows:
            raise LookupError(f"no runs of {cell or 'any cell'}")
        return rows

    @property
    def cells(self) -> list[str]:
        return list(dict.fromkeys(line["cell"] for line in self.document["summary"]["cells"]))

    @property
    def page(self) -> str:
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def line(self, cell: str, measure: str) -> Row:
        return _find(self.document["summary"]["cells"], cell=cell, measure=measure)

    def hold(self, cell: str, claims: Sequence[str]) -> Found:
        lines = [_find(self.document["claims"], cell=cell, claim=text) for text in claims]
        counts = [(f"{line['holds']} of {line['runs']}", line["counted"]) for line in lines]
        figure = "; ".join(", ".join(filter(None, count)) for count in counts)
        return Found(figure, "in every run", all(line["holds"] == line["runs"] > 0 for line in lines))


def _find(lines: Sequence[Row], **keys: str) -> Row:
    for line in lines:
        if keys.items() <= line.items():
            return line
    raise LookupError(f"nothing with {keys}")


@dataclass(frozen=True)
class Series:
    """An experiment (a name or a file), with so many `runs` of each cell, or `quick` for a look.

    `out`: what its folder is called after, by default the name.
    """

    name: str
    runs: int
    quick: int
    out: str = ""

    @property
    def command(self) -> str:
        return f"robotd experiment {self.name} --runs {self.runs} --json"

    def check(self, id: str, what: str, judge: Callable[[Output], Found]) -> Check:
        return Check(id, what, self.command, lambda desk: judge(self.run(desk)))

    def words(self, desk: Desk) -> tuple[str, str]:
        return "--runs", str(desk.fewer(self.runs, self.quick))

    def folder(self, desk: Desk) -> Path:
        return desk.folder / f"experiment-{self.out or self.name}"

    def run(self, desk: Desk, *, anew: bool = True) -> Output:
        """Run it; an interrupted one goes on where the same code left it, and without `anew` any other one too."""
        words, folder = self.words(desk), self.folder(desk)

        def run() -> Any:
            begun = f"begun {folder.name} {' '.join(words)}"
            if anew and desk.found(begun) is None:  # what is there is another program's, or to be done anew
                shutil.rmtree(folder, ignore_errors=True)
                desk.keep(begun, "")
            options = ("--json", "--jobs", str(desk.jobs), "--out", folder)
            return desk.robotd("experiment", self.name, *words, *options, timeout_s=LIMIT_S).checked().document()

        return Output(desk.kept(f"experiment {folder.name} {' '.join(words)}", run), folder)


def accomplished(rows: Sequence[Row]) -> Found:
    bad = [f"{row['cell']} seed {row['seed']}: {row['reason']}" for row in rows if row["accomplished"] is not True]
    figure = besides(f"{len(rows) - len(bad)} of {len(rows)}", bad[:5])
    return Found(figure, f"{len(rows)} of {len(rows)}", not bad)


def join(parts: Mapping[str, Found]) -> Found:
    figure = "; ".join(f"{name}: {found.figure}" for name, found in parts.items())
    bounds = dict.fromkeys(found.bound for found in parts.values())
    return Found(figure, ", ".join(bounds), all(found.ok for found in parts.values()))


def interval(line: Row, value: str = "mean", ends: str = "") -> str:
    """A value of the summary and its 95 % interval: "1.2 (1.1 to 1.3)"; without them where there are none."""
    low, high = (line.get(f"{ends}{end}", math.nan) for end in ("low", "high"))
    mean = f"{line.get(value, math.nan):.4g}"
    return mean if math.isnan(low) else f"{mean} ({low:.4g} to {high:.4g})"

"""Experiments as a person runs them, and what their JSON says."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.accept.check import Found
from tests.accept.desk import Desk

LIMIT_S = 6 * 3600.0  # an experiment of many simulations, on a slow and loaded machine
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """The object that `robotd experiment NAME --json` prints; LookupError for a cell or measure not in it."""

    document: Mapping[str, Any]

    def rows(self, cell: str | None = None) -> Sequence[Row]:
        """The runs, of one cell or of all; each has its columns where it came to them."""
        rows: Sequence[Row] = [row for row in self.document["runs"] if cell in (None, row["cell"])]
        if not rows:
            raise LookupError(f"no runs of {cell or 'any cell'}")
        return rows

    @property
    def cells(self) -> list[str]:
        """The names of the cells, in order."""
        return list(dict.fromkeys(line["cell"] for line in self.document["summary"]["cells"]))

    def line(self, cell: str, measure: str) -> Row:
        """The summary's line of a cell and a measure."""
        for line in self.document["summary"]["cells"]:
            if (line["cell"], line["measure"]) == (cell, measure):
                found: Row = line
                return found
        raise LookupError(f"no {measure} of {cell!r} in the summary")

    def claim(self, cell: str, text: str) -> Row:
        """A claim about a cell."""
        for line in self.document["claims"]:
            if (line["cell"], line["claim"]) == (cell, text):
                found: Row = line
                return found
        raise LookupError(f"no claim {text!r} about {cell!r}")


def folder(desk: Desk, name: str) -> Path:
    """Where an experiment writes."""
    return desk.folder / f"experiment-{name}"


def conducted(desk: Desk, name: str, *words: str, out: str = "", anew: bool = True) -> Told:
    """Run `robotd experiment NAME WORDS --json`; an interrupted one goes on where the same code left it.

    `out`: what its folder is called after, by default the name. Without `anew` what stands there is gone on with.
    """
    out = out or name

    def run() -> Any:
        begun = f"begun {out} {' '.join(words)}"
        if anew and desk.found(begun) is None:  # what is there is another program's, or to be done anew
            shutil.rmtree(folder(desk, out), ignore_errors=True)
            desk.keep(begun, "")
        options = (*words, "--json", "--jobs", str(desk.jobs), "--out", folder(desk, out))
        ran = desk.robotd("experiment", name, *options, timeout_s=LIMIT_S)
        if ran.code:
            raise ran.failed()
        return ran.document()

    return Told(desk.kept(f"experiment {out} {' '.join(words)}", run))


def accomplished(rows: Sequence[Row]) -> Found:
    """How many runs were accomplished, and how the others ended."""
    bad = [f"{row['cell']} seed {row['seed']}: {row['reason']}" for row in rows if row["accomplished"] is not True]
    figure = f"{len(rows) - len(bad)} of {len(rows)}" + (f"; not: {'; '.join(bad[:5])}" if bad else "")
    return Found(figure, f"{len(rows)} of {len(rows)}", not bad)


def claimed(experiment: Told, cell: str, *claims: str) -> Found:
    """Claims of the experiment about a cell; each must hold in every run."""
    lines = [experiment.claim(cell, text) for text in claims]
    figure = "; ".join(
        f"{line['holds']} of {line['runs']}" + (f", {line['counted']}" if line["counted"] else "")
        for line in lines
    )
    return Found(figure, "in every run", all(line["holds"] == line["runs"] > 0 for line in lines))


def joined(parts: Mapping[str, Found]) -> Found:
    """Several findings as one, which holds if all do."""
    figure = "; ".join(f"{name}: {found.figure}" for name, found in parts.items())
    bounds = dict.fromkeys(found.bound for found in parts.values())
    return Found(figure, ", ".join(bounds), all(found.ok for found in parts.values()))


def interval(line: Row, value: str = "mean", ends: str = "") -> str:
    """A value of the summary and its 95 % interval: "1.2 (1.1 to 1.3)"; without them where there are none."""
    low, high = (line.get(f"{ends}{end}", math.nan) for end in ("low", "high"))
    told = f"{line.get(value, math.nan):.4g}"
    return told if math.isnan(low) else f"{told} ({low:.4g} to {high:.4g})"

"""Figures of an experiment's rows: every run as a dot, the mean with its interval; and those of kept logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.experiments import statistics
from robotd.experiments.base import Cell, Drawing, Results, log_path
from robotd.figures.files import of_team
from robotd.figures.style import FAINT, GRID, INK, PALETTE, Entry, Page, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_IN = 0.3  # height of one cell's row
HEAD_IN = 0.4
LETTER_IN = 0.068  # of a cell's name in 7.5 points
LONGEST = 46  # letters of a cell's name beside the axis
DOTS = 200  # more would be a smear, and a large file: then the first ones
SPREAD = 0.16  # of a row: dots of one cell stand in turn above and below its line
DOT: Mapping[str, Any] = {
    "marker": "o", "markersize": 3.4, "markerfacecolor": "none", "markeredgewidth": 0.8, "linestyle": "none",
}  # fmt: skip
MEAN: Mapping[str, Any] = {"marker": "D", "markersize": 5.0, "color": INK, "linewidth": 1.6}


def draw_intervals(results: Results, cells: Sequence[Cell], name: str, label: str) -> Drawing | None:
    """A row for each cell: its runs' values of column `name`, their mean and its interval; None without values."""
    values = {cell.name: results.values(cell.name, name) for cell in cells}
    if not any(values.values()):
        return None
    entries = [
        Entry("a run", "line", {**DOT, "markeredgecolor": PALETTE[0]}),
        Entry("mean and its 95 % interval", "line", MEAN),
    ]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        _frame(axes, values, label)
        for k, own in enumerate(values.values()):
            _cell(axes, k, own)

    left = 0.25 + LETTER_IN * max(len(_short(cell)) for cell in values)
    path = results.folder / "figures" / f"{name}.svg"
    save(Page(label, ROW_IN * (len(values) + 0.4), left, HEAD_IN, entries).draw(draw), path)
    more = any(len(own) > DOTS for own in values.values())
    return Drawing(path, f"{label}, of each cell" + (f"; the first {DOTS} runs as dots" if more else ""))


def _frame(axes: Axes, values: Mapping[str, Sequence[float]], label: str) -> None:
    axes.set_xlabel(label)
    axes.set_yticks(range(len(values)), [_short(cell) for cell in values], fontsize=7.5)
    axes.set_ylim(len(values) - 0.4, -0.6)
    highs = [statistics.mean(own).high for own in values.values()]
    most = max([*(value for own in values.values() for value in own), *(high for high in highs if high > 0.0)])
    axes.set_xlim(0.0, most * 1.05 or 1.0)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def _short(cell: str) -> str:
    return cell if len(cell) <= LONGEST else f"{cell[: LONGEST - 1]}…"


def _cell(axes: Axes, k: int, values: Sequence[float]) -> None:
    axes.axhline(k, color=FAINT, linewidth=0.4, zorder=0.5)
    if not values:
        axes.text(0.0, k, " no run has this value", fontsize=7.5, va="center", color=FAINT)
        return
    some = values[:DOTS]
    places = [k - SPREAD if n % 2 else k + SPREAD for n in range(len(some))]
    axes.plot(some, places, markeredgecolor=PALETTE[0], clip_on=False, **DOT)
    found = statistics.mean(values)
    axes.plot([found.low, found.high], [k, k], color=INK, linewidth=MEAN["linewidth"])
    axes.plot([found.value], [k], marker=MEAN["marker"], markersize=MEAN["markersize"], color=INK)


def draw_kept_logs(results: Results, cells: Sequence[Cell], logged: int) -> list[Drawing]:
    """Of each kept log the action trace, who did what and when, and the levels that led to it.

    Paper 000 (Parker 1998) shows its cleanup runs so: figures 10, 13, 17 and 21, and 11, 14, 18 to 20 and 22.
    """
    drawings = []
    for cell in cells:
        for run in range(1, logged + 1):
            kept = results.kept(cell.name, run)
            for name, figure in of_team(kept) if kept is not None else ():
                path = results.folder / "figures" / f"{log_path(Path(), cell.name, run).stem}-{name}.svg"
                save(figure, path)
                shown = "Who did what" if name == "trace" else "The levels that led to it"
                drawings.append(Drawing(path, f"{shown}: {cell.name}, run {run}"))
    return drawings

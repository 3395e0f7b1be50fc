"""Figures of an experiment: means with intervals in panels side by side, runs as dots, kept logs.

Each function gives the drawings that it made: none where nothing has a value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.experiments import statistics
from robotd.experiments.base import Cell, Drawing, Results, log_path
from robotd.experiments.statistics import Estimate
from robotd.figures.files import of_team
from robotd.figures.style import AXIS_IN, FAINT, INK, PALETTE, Entry, Page, legend_height, plain_axes, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT_IN, HEAD_IN, NAME_IN = 3.6, 0.4, 0.2  # of the whole figure; of its heading; of panels' names
LEFT_IN, BETWEEN, BELOW = 0.7, 0.28, 0.45  # between panels, of a panel's width; of its height
MARKERS = ("o", "s", "^", "D", "v")
BESIDE = 0.08  # of the step of an axis: intervals of several lines are beside each other
ROW_IN, LETTER_IN = 0.3, 0.068  # of one cell's row; of its name in 7.5 points
LONGEST = 46  # letters of a cell's name beside the axis
DOTS = 200  # more would be a smear, and a large file: then the first ones
SPREAD = 0.16  # of a row: dots of one cell are in turn above and below its line
DOT: Mapping[str, Any] = {
    "marker": "o", "markersize": 3.4, "markerfacecolor": "none", "markeredgewidth": 0.8, "linestyle": "none",
}  # fmt: skip
MEAN: Mapping[str, Any] = {"marker": "D", "markersize": 5.0, "color": INK, "linewidth": 1.6}


@dataclass(frozen=True)
class Means:
    """A line of means with their intervals, one for each place along the axis, from 1."""

    label: str
    means: Sequence[Estimate]

    @classmethod
    def of(cls, results: Results, label: str, cells: Iterable[str], column: str, scale: float = 1.0) -> Means:
        """The means of a column, a place for each cell, in units of which `scale` are one of the column's."""
        found = [results.mean(cell, column) for cell in cells]
        return cls(label, [Estimate(scale * one.value, scale * one.low, scale * one.high) for one in found])


@dataclass(frozen=True)
class Panel:
    """What is drawn on one pair of axes; `label` names the values. All panels of a figure have lines alike.

    `least`: where the axis of values begins, for those that cannot be less, as ends of their intervals may be.
    """

    label: str
    lines: Sequence[Means]
    name: str = ""
    least: float | None = None


@dataclass(frozen=True)
class Axis:
    """What panels have along the axis: its name and its places, labelled `ticks` (default: 1, 2, ..)."""

    name: str
    ticks: Sequence[str] = ()

    @classmethod
    def of_losses(cls, losses: Sequence[float], name: str = "frames lost") -> Axis:
        """Shares of frames that are lost."""
        return cls(name, [f"{loss:.0%}" for loss in losses])


def line_charts(panels: Sequence[Panel], along: Axis, heading: str, path: Path, across: int = 0) -> list[Drawing]:
    """How means go along an axis, in panels side by side, `across` in a row (0: all), written to `path`."""
    values = [(panel, [one.value for line in panel.lines for one in line.means]) for panel in panels]
    shown = [panel for panel, own in values if not all(map(math.isnan, own))]
    if not shown:
        return []
    looks: list[Mapping[str, Any]] = [
        {"color": PALETTE[k % len(PALETTE)], "marker": MARKERS[k % len(MARKERS)], "markersize": 5.0}
        for k in range(max(len(panel.lines) for panel in shown))
    ]
    entries = [Entry(line.label, "line", look) for line, look in zip(shown[0].lines, looks, strict=False)]
    head = HEAD_IN + (NAME_IN if any(panel.name for panel in shown) else 0.0)

    across = across or len(shown)
    rows = math.ceil(len(shown) / across)

    def draw(figure: Figure) -> None:
        for k, panel in enumerate(shown, 1):
            axes = figure.add_subplot(rows, across, k)
            _panel(axes, panel, along, looks)
            if (k - 1) % across == 0 or panel.label != shown[k - 2].label:
                axes.set_ylabel(panel.label)

    body = rows * (HEIGHT_IN - head - AXIS_IN - legend_height(entries))
    between = {"wspace": BETWEEN, **({"hspace": BELOW} if rows > 1 else {})}
    save(Page(heading, body, LEFT_IN, head, entries, between=between).draw(draw), path)
    return [Drawing(path, f"{heading}: means with their 95 % intervals")]


def _panel(axes: Axes, panel: Panel, along: Axis, looks: Sequence[Mapping[str, Any]]) -> None:
    for k, (line, look) in enumerate(zip(panel.lines, looks, strict=False)):
        shift = BESIDE * (k - (len(panel.lines) - 1) / 2.0)
        places = [n + shift for n in range(1, len(line.means) + 1)]
        axes.plot(places, [one.value for one in line.means], linewidth=1.2, **look)
        for place, one in zip(places, line.means, strict=True):
            axes.plot([place, place], [one.low, one.high], color=look["color"], linewidth=1.6)
    numbers = range(1, max(len(line.means) for line in panel.lines) + 1)
    axes.set_xlabel(along.name)
    axes.set_xticks(numbers, along.ticks or list(map(str, numbers)))
    if panel.name:
        axes.set_title(panel.name, fontsize=8.5, loc="left")
    plain_axes(axes, "y")
    if panel.least is not None:
        axes.set_ylim(bottom=panel.least)


def draw_over_factor(
    results: Results, cells: Sequence[Cell], factor: str, measures: Mapping[str, str]
) -> list[Drawing]:
    """Measures (column to label) over a factor's levels, a panel each; a line for each combination of the
    others."""
    found: dict[str, dict[str, str]] = {}  # by line, by level the cell
    for cell in cells:
        if factor in cell.factors:
            rest = ", ".join(f"{key}={value}" for key, value in cell.factors.items() if key != factor)
            found.setdefault(rest or factor, {})[str(cell.factors[factor])] = cell.name
    ticks = list(dict.fromkeys(level for line in found.values() for level in line))
    panels = [
        Panel(label, [Means.of(results, rest, [line.get(level, "") for level in ticks], column)
                      for rest, line in found.items()])
        for column, label in measures.items()
    ]  # fmt: skip
    return line_charts(panels, Axis(factor, ticks), f"Over {factor}", results.figure("over"))


def draw_intervals(results: Results, cells: Sequence[Cell], name: str, label: str) -> list[Drawing]:
    """A row for each cell: its runs' values of column `name`, their mean and its interval."""
    values = {cell.name: results.values(cell.name, name) for cell in cells}
    if not any(values.values()):
        return []
    short = [cell if len(cell) <= LONGEST else f"{cell[: LONGEST - 1]}…" for cell in values]
    dot = {**DOT, "markeredgecolor": PALETTE[0]}
    entries = [Entry("a run", "line", dot), Entry("mean and its 95 % interval", "line", MEAN)]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.set_xlabel(label)
        axes.set_yticks(range(len(values)), short, fontsize=7.5)
        axes.set_ylim(len(values) - 0.4, -0.6)
        highs = [statistics.mean(own).high for own in values.values()]
        most = max([*(value for own in values.values() for value in own), *(high for high in highs if high > 0.0)])
        axes.set_xlim(0.0, most * 1.05 or 1.0)
        axes.tick_params(axis="y", length=0)
        plain_axes(axes, "x", "left")
        for k, own in enumerate(values.values()):
            _row(axes, k, own, dot)

    left = 0.25 + LETTER_IN * max(map(len, short))
    path = results.figure(name)
    save(Page(label, ROW_IN * (len(values) + 0.4), left, HEAD_IN, entries).draw(draw), path)
    more = f"; the first {DOTS} runs as dots" if any(len(own) > DOTS for own in values.values()) else ""
    return [Drawing(path, f"{label}, of each cell{more}")]


def _row(axes: Axes, k: int, values: Sequence[float], dot: Mapping[str, Any]) -> None:
    axes.axhline(k, color=FAINT, linewidth=0.4, zorder=0.5)
    if not values:
        axes.text(0.0, k, " no run has this value", fontsize=7.5, va="center", color=FAINT)
        return
    some = values[:DOTS]
    axes.plot(some, [k - SPREAD if n % 2 else k + SPREAD for n in range(len(some))], clip_on=False, **dot)
    found = statistics.mean(values)
    axes.plot([found.low, found.high], [k, k], color=INK, linewidth=MEAN["linewidth"])
    axes.plot([found.value], [k], marker=MEAN["marker"], markersize=MEAN["markersize"], color=INK)


def draw_kept_logs(results: Results, cells: Sequence[Cell], logged: int) -> list[Drawing]:
    """Of each kept log the action trace, what each robot did and when, and the levels that led to it.

    Paper 000 (Parker 1998) shows its cleanup runs so: figures 10, 13, 17 and 21, and 11, 14, 18 to 20 and 22.
    """
    drawings = []
    for cell in cells:
        for run in range(1, logged + 1):
            kept = results.kept(cell.name, run)
            for name, figure in of_team(kept) if kept is not None else ():
                path = results.figure(f"{log_path(Path(), cell.name, run).stem}-{name}")
                save(figure, path)
                shown = "Who did what" if name == "trace" else "The levels that led to it"
                drawings.append(Drawing(path, f"{shown}: {cell.name}, run {run}"))
    return drawings

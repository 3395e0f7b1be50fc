"""Figures of means with their intervals: line charts in panels side by side, and heatmaps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.experiments.base import Cell, Drawing, Results
from robotd.experiments.statistics import Estimate
from robotd.figures.style import AXIS_IN, GRID, INK, PALETTE, Entry, Page, legend_height, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT_IN, HEAD_IN, NAME_IN = 3.6, 0.4, 0.2  # of the whole figure; of its heading; of panels' names
LEFT_IN, BETWEEN = 0.7, 0.28  # between panels, of a panel's width
MARKERS = ("o", "s", "^", "D", "v")
BESIDE = 0.08  # of the step of an axis: intervals of several lines stand beside each other
CELL_IN, ROW_NAMES_IN, COLUMN_NAMES_IN = 0.62, 1.25, 0.3
SHADE = 0.55  # the palest and the darkest shade of a table still carry dark letters


@dataclass(frozen=True)
class Means:
    """A row of means with their intervals, one for each place along the axis, from 1."""

    label: str
    means: Sequence[Estimate]


@dataclass(frozen=True)
class Panel:
    """What is drawn on one pair of axes; `label` names the values. All panels of a figure have lines alike."""

    label: str
    lines: Sequence[Means]
    name: str = ""

    @property
    def empty(self) -> bool:
        """True without any value."""
        return all(math.isnan(one.value) for line in self.lines for one in line.means)


@dataclass(frozen=True)
class Axis:
    """What panels have along the axis: its name and its places, labelled `ticks` (default: 1, 2, ..)."""

    name: str
    ticks: Sequence[str] = ()


def line_charts(panels: Sequence[Panel], along: Axis, heading: str, path: Path) -> Drawing | None:
    """How means go along an axis, in panels side by side, written to `path`; None where none has a value."""
    shown = [panel for panel in panels if not panel.empty]
    if not shown:
        return None
    looks = _looks(max(len(panel.lines) for panel in shown))
    entries = [
        Entry(line.label, "line", look) for line, look in zip(shown[0].lines, looks, strict=False)
    ]  # fmt: skip
    head = HEAD_IN + (NAME_IN if any(panel.name for panel in shown) else 0.0)

    def draw(figure: Figure) -> None:
        for k, panel in enumerate(shown, 1):
            axes = figure.add_subplot(1, len(shown), k)
            _panel(axes, panel, along, looks)
            if k == 1 or panel.label != shown[k - 2].label:
                axes.set_ylabel(panel.label)

    body = HEIGHT_IN - head - AXIS_IN - legend_height(entries)
    save(Page(heading, body, LEFT_IN, head, entries, between={"wspace": BETWEEN}).draw(draw), path)
    return Drawing(path, f"{heading}: means with their 95 % intervals")


def draw_over_factor(
    results: Results, cells: Sequence[Cell], factor: str, measures: Mapping[str, str]
) -> Drawing | None:
    """Measures (column to label) over a factor's levels, a panel each; a line for each combination of the
    others."""
    found: dict[str, dict[str, str]] = {}  # by line, by level the cell
    for cell in cells:
        if factor in cell.factors:
            rest = ", ".join(f"{key}={value}" for key, value in cell.factors.items() if key != factor)
            found.setdefault(rest or factor, {})[str(cell.factors[factor])] = cell.name
    ticks = list(dict.fromkeys(level for line in found.values() for level in line))
    panels = [
        Panel(label, [Means(rest, [results.mean(line.get(level, ""), column) for level in ticks])
                      for rest, line in found.items()])
        for column, label in measures.items()
    ]  # fmt: skip
    return line_charts(panels, Axis(factor, ticks), f"Over {factor}", results.folder / "figures" / "over.svg")


def _looks(count: int) -> list[Mapping[str, Any]]:
    return [
        {"color": PALETTE[k % len(PALETTE)], "marker": MARKERS[k % len(MARKERS)], "markersize": 5.0}
        for k in range(count)
    ]


def _panel(axes: Axes, panel: Panel, along: Axis, looks: Sequence[Mapping[str, Any]]) -> None:
    for k, (line, look) in enumerate(zip(panel.lines, looks, strict=False)):
        shift = BESIDE * (k - (len(panel.lines) - 1) / 2.0)
        _line_chart(axes, [n + shift for n in range(1, len(line.means) + 1)], line, look)
    places = range(1, max(len(line.means) for line in panel.lines) + 1)
    axes.set_xlabel(along.name)
    axes.set_xticks(places, along.ticks or [str(place) for place in places])
    if panel.name:
        axes.set_title(panel.name, fontsize=8.5, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def _line_chart(axes: Axes, places: Sequence[float], line: Means, look: Mapping[str, Any]) -> None:
    axes.plot(places, [one.value for one in line.means], linewidth=1.2, **look)
    for place, one in zip(places, line.means, strict=True):
        axes.plot([place, place], [one.low, one.high], color=look["color"], linewidth=1.6)


@dataclass(frozen=True)
class Heatmap:
    """A table of means with their intervals, by row and column; None where there is none."""

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[Estimate | None]]


def heatmaps(tables: Sequence[Heatmap], heading: str, path: Path) -> Drawing | None:
    """Tables of equal rows side by side, the greater a value the darker its field; None where none has a value."""
    if not any(one is not None for table in tables for row in table.values for one in row):
        return None
    rows = tables[0].rows
    head = HEAD_IN + NAME_IN + COLUMN_NAMES_IN

    def draw(figure: Figure) -> None:
        for k, table in enumerate(tables, 1):
            _heatmap(figure.add_subplot(1, len(tables), k), table, row_names=k == 1)

    page = Page(heading, CELL_IN * len(rows), ROW_NAMES_IN, head, axis_in=0.1, between={"wspace": 0.05})
    save(page.draw(draw), path)
    return Drawing(path, f"{heading}: means with their 95 % intervals, the greater the darker")


def _heatmap(axes: Axes, table: Heatmap, *, row_names: bool) -> None:
    values = [[math.nan if one is None else one.value for one in row] for row in table.values]
    known = [value for row in values for value in row if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    span = (high - low) or 1.0
    axes.imshow(values, cmap="Blues", vmin=low, vmax=low + span / SHADE, aspect="auto")
    for y, row in enumerate(table.values):
        for x, one in enumerate(row):
            if one is not None:
                axes.text(x, y, _format(one), ha="center", va="center", fontsize=7.5, color=INK, linespacing=1.5)
    axes.set_xticks(range(len(table.columns)), [name.replace("-", "-\n", 1) for name in table.columns], fontsize=7)
    axes.set_yticks(range(len(table.rows)), table.rows if row_names else [""] * len(table.rows), fontsize=8)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.set_title(table.name, fontsize=8.5, loc="left")
    axes.spines[:].set_visible(False)


def _format(one: Estimate) -> str:
    return f"{one.value:.2f}" if math.isnan(one.low) else f"{one.value:.2f}\n{one.low:.2f} to {one.high:.2f}"

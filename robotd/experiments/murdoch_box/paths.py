"""Figures 9 and 10 of paper 002: the path of the box's middle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from robotd.experiments.base import Drawing, Results, accomplished
from robotd.experiments.murdoch_box.trial import AHEAD_M, ASIDE_M, STRAIGHT_M
from robotd.experiments.rows import RunRow
from robotd.figures.style import FAINT, PALETTE, Entry, Page, plain_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

A_SIDE = 4  # paths of each side in the figure of set 5
BODY_IN, LEFT_IN, HEAD_IN = 4.6, 0.7, 0.4
IDEAL: Mapping[str, Any] = {"color": FAINT, "linewidth": 1.0, "linestyle": "--"}

Path = list[tuple[float, float]]


def path_of(row: RunRow) -> Path:
    """The path of a run, from its start, m: across and ahead."""
    points = [tuple(map(float, point.split())) for point in str(row.get("path", "")).split("; ") if point]
    return [(x - points[0][0], y - points[0][1]) for x, y in points]


def draw_path(results: Results, cell: str) -> list[Drawing]:
    """Figure 9: the path in the first successful trial in which one pusher is stuck."""
    rows = [row for row in results.of(cell, "path") if accomplished(row)][:1]
    return _draw(results, rows, f"Path of the box: {cell}, run {rows[0]['run']}" if rows else "", "path")


def draw_curves(results: Results, cell: str) -> list[Drawing]:
    """Figure 10: paths of successful trials towards either side."""
    rows = [row for row in results.of(cell, "path") if accomplished(row)]
    some = [row for side in ("left", "right") for row in [one for one in rows if one.get("side") == side][:A_SIDE]]
    return _draw(results, some, f"Paths of the box: {cell}", "curves")


def _draw(results: Results, rows: Sequence[RunRow], heading: str, name: str) -> list[Drawing]:
    paths = [path_of(row) for row in rows]
    if not any(paths):
        return []
    look: Mapping[str, Any] = {"color": PALETTE[0], "linewidth": 1.2}
    entries = [Entry("the box's middle", "line", look), Entry("the straight way to the goal", "line", IDEAL)]
    goals = sorted({_goal(row) for row in rows})

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for x, y in goals:
            axes.plot([0.0, x], [0.0, y], **IDEAL)
            axes.plot([x], [y], marker="x", color=FAINT, markersize=7.0)
        for k, path in enumerate(paths):
            axes.plot(*zip(*path, strict=True), color=PALETTE[k % A_SIDE if len(paths) > 1 else 0], linewidth=1.2)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel("across (m)")
        axes.set_ylabel("ahead (m)")
        plain_axes(axes, "y", "left")

    return [results.save(Page(heading, BODY_IN, LEFT_IN, HEAD_IN, entries).draw(draw), name, heading)]


def _goal(row: RunRow) -> tuple[float, float]:
    if "side" not in row:
        return 0.0, STRAIGHT_M
    return (ASIDE_M if row["side"] == "right" else -ASIDE_M), AHEAD_M

"""A coordinator's plan as one picture: by graphviz where it is installed, else by matplotlib in layers."""

from __future__ import annotations

import itertools
import shutil
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.figures.style import DPI, INK, PALETTE, WIDTH_IN, draw_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from robotd.model.drawing import Box, Panel

DOT_S = 60.0  # a layout that takes longer is given up
LINE_IN, LETTER_IN, GAP_IN, HEAD_IN = 0.15, 0.075, 0.45, 0.8  # of a box's text, between layers, above all
STYLES = {"down": "solid", "then": "dashed", "uses": "dotted"}
COLOURS = {"down": INK, "then": PALETTE[0], "uses": PALETTE[5]}
MEANING = "solid: consists of; dashed: followed by; dotted: uses"


def draw_graph(title: str, panels: Sequence[Panel], path: Path) -> None:
    """Write the picture to a file that ends in .svg or .png, and make its folder where that is missing.

    ValueError where graphviz fails; OSError where it cannot be written; ImportError where
    neither graphviz nor the extra `plot` is installed.
    """
    form = path.suffix.lower().removeprefix(".")
    program = shutil.which("dot")
    if program is None:
        _plot(title, panels, path)
        return
    command = [program, f"-T{form}", f"-Gdpi={DPI if form == 'png' else 72}"]
    text = dot(title, panels).encode()
    try:
        ran = subprocess.run(command, input=text, capture_output=True, timeout=DOT_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise ValueError(f"{program} has not ended within {DOT_S:g} s") from None
    if ran.returncode != 0:
        raise ValueError(f"{program}: {ran.stderr.decode(errors='replace').strip() or 'it failed'}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ran.stdout)


def dot(title: str, panels: Sequence[Panel]) -> str:
    """The picture in graphviz's language: a cluster for each panel, its layers from the top."""
    lines = [
        "digraph plan {", f"  label={_quoted(f'{title}  ({MEANING})')}; labelloc=t; fontname=sans; newrank=true;",
        "  node [shape=box, style=rounded, fontname=sans, fontsize=10]; edge [arrowsize=0.7];",
    ]  # fmt: skip
    for k, panel in enumerate(panels):
        lines.append(f"  subgraph cluster_{k} {{ label={_quoted(panel.title)};")
        lines += [f"    {_quoted(f'{k} {one.name}')} [label={_quoted(_label(one))}];" for one in panel.boxes]
        for layer in sorted({one.layer for one in panel.boxes}):
            names = " ".join(_quoted(f"{k} {one.name}") for one in panel.boxes if one.layer == layer)
            lines.append(f"    {{ rank=same; {names} }}")
        layers = {one.name: one.layer for one in panel.boxes}
        for one in panel.arrows:
            ends = f"{_quoted(f'{k} {one.start}')} -> {_quoted(f'{k} {one.end}')}"
            free = ", constraint=false" if layers[one.end] < layers[one.start] else ""
            lines.append(f'    {ends} [style={STYLES[one.kind]}, color="{COLOURS[one.kind]}"{free}];')
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _label(box: Box) -> str:
    """What a box shows; of a step its own name alone."""
    return "\n".join((box.name.rpartition(": ")[2], *box.lines))


def _plot(title: str, panels: Sequence[Panel], path: Path) -> None:
    """By matplotlib, panel below panel."""
    heights = [_height(panel) for panel in panels]
    whole = sum(heights) + HEAD_IN

    def draw(figure: Any) -> None:
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights, hspace=0.1, left=0.01, right=0.99,
                                   bottom=0.1 / whole, top=1.0 - HEAD_IN / whole)  # fmt: skip
        figure.text(0.01, 1.0 - 0.1 / whole, title, fontsize=10, fontweight="bold", va="top", color=INK)
        figure.text(0.01, 1.0 - 0.3 / whole, MEANING, fontsize=8, va="top", color=INK)
        for k, panel in enumerate(panels):
            _plot_panel(figure.add_subplot(grid[k]), panel)

    save(draw_figure(whole, draw), path)


def _rows(panel: Panel) -> list[dict[str, float]]:
    """The boxes of each layer with their places from 0, the left, to 1: below the middle of what is above them
    where there is room, else spread evenly in that order."""
    place: dict[str, float] = {}
    layers = [
        [one.name for one in panel.boxes if one.layer == layer]
        for layer in sorted({one.layer for one in panel.boxes})
    ]
    room = 0.9 / max(map(len, layers))
    rows = []
    for names in layers:
        above = {
            name: [place[one.start] for one in panel.arrows if one.end == name and one.start in place]
            for name in names
        }
        row = dict(
            sorted(((name, statistics.fmean(xs or [0.5])) for name, xs in above.items()), key=lambda at: at[1])
        )
        if any(right - left < room for left, right in itertools.pairwise(row.values())):
            row = {name: (k + 0.5) / len(row) for k, name in enumerate(row)}
        place |= row
        rows.append(row)
    return rows


def _texts(panel: Panel) -> dict[str, str]:
    return {box.name: _label(box) for box in panel.boxes}


def _height(panel: Panel) -> float:
    """Inches: of each layer its highest box, and gaps."""
    texts = _texts(panel)
    return 0.3 + sum(GAP_IN + LINE_IN * _lines(texts[name] for name in row) for row in _rows(panel))


def _lines(texts: Iterable[str]) -> int:
    return max(text.count("\n") + 1 for text in texts)


def _plot_panel(axes: Axes, panel: Panel) -> None:
    rows, texts, shown, top = _rows(panel), _texts(panel), {}, 0.0
    letters = max(sum(max(map(len, texts[name].splitlines())) + 4 for name in row) for row in rows)
    size = min(8.0, 8.0 * (WIDTH_IN - 0.3) / (LETTER_IN * letters))
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": INK, "linewidth": 0.7}
    for row in rows:
        high = GAP_IN + LINE_IN * _lines(texts[name] for name in row)
        for name, x in row.items():
            at = (x, -top - high / 2)
            shown[name] = axes.annotate(
                texts[name], at, ha="center", va="center", fontsize=size, color=INK, bbox=box
            )
        top += high
    layers = {box.name: box.layer for box in panel.boxes}
    for arrow in panel.arrows:
        start, end = shown[arrow.start], shown[arrow.end]
        bent = -0.2 if layers[arrow.start] == layers[arrow.end] else 0.0
        axes.annotate(
            "", end.xy, start.xy, zorder=4,  # after the boxes, of which it needs the sizes
            arrowprops={"arrowstyle": "-|>", "linestyle": STYLES[arrow.kind], "color": COLOURS[arrow.kind],
                        "patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch(), "shrinkA": 0,
                        "shrinkB": 1, "connectionstyle": f"arc3,rad={bent}", "linewidth": 0.9},
        )  # fmt: skip
    axes.set(xlim=(0, 1), ylim=(-top, 0))
    axes.set_title(panel.title, fontsize=9, loc="left", color=INK)
    axes.set_xticks([])
    axes.set_yticks([])

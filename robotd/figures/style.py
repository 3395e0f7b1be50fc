"""How figures look and are written to files. matplotlib is imported when one is drawn."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
MARK = "robotd plot"  # names in each file the program that has drawn it
MARKED_BYTES = 4096  # within which it is
WIDTH_IN = 8.0  # nearly the width of an upright page, where 7.5 points are still read
DPI = 160
AXIS_IN, RIGHT_IN = 0.46, 0.2  # below what is plotted: numbers and name of the axis; right of it
# Okabe and Ito's palette, distinguished with every kind of colour vision; their yellow is too pale for lines.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C")
HATCHES = ("", "////", "....", "xxxx")  # a further round of the palette is hatched
INK, FAINT, GRID, AWAY = "#1A1A1A", "#6E6E6E", "#E3E3E3", "#BDBDBD"
ALARM = "#B00020"
LETTER_IN, HANDLE_IN, ROW_IN = 0.064, 0.5, 0.17  # of a legend in 7.5 points
ABSENT: Mapping[str, Any] = {"facecolor": "none", "edgecolor": AWAY, "hatch": "////", "linewidth": 0.0}
# The font comes with matplotlib, names may hold a $, and the same log gives the same file.
LOOK: Any = {
    "font.family": "DejaVu Sans", "font.size": 8.5, "axes.linewidth": 0.6, "axes.edgecolor": FAINT,
    "xtick.color": INK, "ytick.color": INK, "hatch.linewidth": 0.5, "text.parse_math": False,
    "svg.hashsalt": "robotd",
}  # fmt: skip


class NoMatplotlib(ImportError):  # noqa: N818 - it is what the user lacks
    """Drawing needs the extra `plot`."""

    def __init__(self) -> None:
        super().__init__("drawing needs matplotlib: pip install 'robotd[plot]'")


class Entry(NamedTuple):
    """One line of a legend: what it says, and how the thing looks: a `patch` of it, or a `line` with its mark."""

    label: str
    kind: str
    look: Mapping[str, Any]


def need_matplotlib() -> None:
    """Import matplotlib without the user's settings; NoMatplotlib where no figure can be drawn.

    A `matplotlibrc` (of the working folder, of the user) and MPLBACKEND are read at import, where a value that is
    not valid here (a notebook's back end, say) raises. Figures are written to files, so they need neither.
    """
    if sys.modules.get("matplotlib") is not None:
        return
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise NoMatplotlib
    folder = Path(spec.origin).parent
    settings = {"MPLBACKEND": "agg", "MATPLOTLIBRC": str(folder / "mpl-data" / "matplotlibrc")}
    before = {name: os.environ[name] for name in settings if name in os.environ}
    os.environ.update(settings)
    try:
        # The working folder's file comes before all others.
        with contextlib.chdir(folder) if Path("matplotlibrc").exists() else contextlib.nullcontext():
            importlib.import_module("matplotlib")
    except ImportError:
        raise NoMatplotlib from None
    finally:
        for name in settings:
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def own_settings() -> Iterator[None]:
    """matplotlib's own defaults with robotd's look over them, whatever style the process uses; restored after."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcParams.update({key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"})
        mpl.rcParams.update(LOOK)
        yield


def look_of(sets: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(colour, hatch) of each behavior set, the same in all figures of a run."""
    looks = [(colour, hatch) for hatch in HATCHES for colour in PALETTE]
    return {name: looks[k % len(looks)] for k, name in enumerate(sets)}


@dataclass(frozen=True)
class Page:
    """A figure with a heading, what is plotted (`body_in` inches high), and a legend at its foot.

    `head_in`, `axis_in`: inches above what is plotted, and between it and the legend. `entries` are in columns,
    and `below` them the long ones, a row each. `between`: as matplotlib's wspace and hspace. `x`, `y`: names of
    axes that all panels share.
    """

    heading: str
    body_in: float
    left_in: float
    head_in: float
    entries: Sequence[Entry] = ()
    below: Sequence[Entry] = ()
    axis_in: float = AXIS_IN
    between: Mapping[str, float] = field(default_factory=dict)
    x: str = ""
    y: str = ""

    def draw(self, draw: Callable[[Figure], None]) -> Figure:
        """The figure in which `draw` plots; NoMatplotlib where that cannot be."""
        foot = self.axis_in + (legend_height(self.entries, self.below) if self.entries else 0.0)
        height = self.head_in + self.body_in + foot

        def draw_all(figure: Figure) -> None:
            draw(figure)
            middle = (foot + self.body_in / 2) / height
            figure.text(0.5, (foot - 0.4) / height, self.x, ha="center", fontsize=8.5)
            figure.text(0.018, middle, self.y, va="center", rotation=90, fontsize=8.5)
            x, y = 0.1 / WIDTH_IN, 1.0 - 0.08 / height
            figure.text(x, y, self.heading, fontsize=10, fontweight="bold", ha="left", va="top", color=INK)
            figure.subplots_adjust(
                left=self.left_in / WIDTH_IN, right=1.0 - RIGHT_IN / WIDTH_IN,
                top=1.0 - self.head_in / height, bottom=foot / height, **self.between,
            )  # fmt: skip
            if self.entries:
                _legend(figure, self.entries, legend_columns(self.entries), ROW_IN * len(self.below) / height)
            if self.below:
                _legend(figure, self.below, 1, 0.0)

        return draw_figure(height, draw_all)


def draw_figure(height_in: float, draw: Callable[[Figure], None]) -> Figure:
    """The figure that `draw` makes of an empty one; NoMatplotlib where that cannot be."""
    need_matplotlib()
    from matplotlib.figure import Figure

    with own_settings():
        figure = Figure(figsize=(WIDTH_IN, height_in))
        draw(figure)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write the figure, in the format that the name ends in, without the date; OSError where it cannot be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    svg = path.suffix.lower() == ".svg"
    about: dict[str, Any] = {"Date": None, "Creator": MARK} if svg else {"Software": MARK}
    with own_settings():
        figure.savefig(path, dpi=DPI, metadata=about)


def is_ours(path: Path) -> bool:
    """True for a file that `save` has written."""
    return path.is_file() and MARK.encode() in path.read_bytes()[:MARKED_BYTES]


def plain_axes(axes: Axes, grid: Literal["x", "y"], *spines: str) -> None:
    """Without these spines, over a grid across `grid`."""
    axes.spines[[*spines, "top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def time_axis(axes: Axes, duration: float, *spines: str) -> None:
    """The whole run, with a little room at the end."""
    plain_axes(axes, "x", *spines)
    axes.set_xlim(0.0, max(duration, 1.0) * 1.005)


def panel_axes(axes: Axes, duration: float) -> None:
    """`time_axis` with the small ticks of one panel of many."""
    time_axis(axes, duration)
    axes.tick_params(labelsize=7, length=2.5, width=0.6)


def legend_columns(entries: Sequence[Entry]) -> int:
    """How many columns give a legend the fewest rows that the figure's width takes."""
    counts = (-(-len(entries) // rows) for rows in range(1, len(entries) + 1))
    return next((columns for columns in counts if _width(entries, columns) <= WIDTH_IN - 0.3), 1)


def _width(entries: Sequence[Entry], columns: int) -> float:
    """Inches; matplotlib fills column by column, the first ones with what is left over."""
    rows, more = divmod(len(entries), columns)
    ends = [k * rows + min(k, more) for k in range(columns + 1)]
    longest = (max(len(entry.label) for entry in entries[i:j]) for i, j in pairwise(ends))
    return sum(HANDLE_IN + LETTER_IN * letters for letters in longest)


def legend_height(entries: Sequence[Entry], below: Sequence[Entry] = ()) -> float:
    """Inches that the legend needs at the foot of the figure."""
    return ROW_IN * (-(-len(entries) // legend_columns(entries)) + len(below)) + 0.12


def _legend(figure: Figure, entries: Sequence[Entry], columns: int, bottom: float) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(label=label, **look) if kind == "patch" else Line2D([], [], label=label, **look)
        for label, kind, look in entries
    ]
    figure.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, bottom), ncols=columns, fontsize=7.5,
        frameon=False, borderaxespad=0.2, columnspacing=1.6,
    )  # fmt: skip

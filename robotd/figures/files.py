"""From a run log to figures in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from robotd.figures.levels import levels, pages
from robotd.figures.read import read_series
from robotd.figures.series import RunSeries
from robotd.figures.style import need_matplotlib, save
from robotd.figures.trace import trace
from robotd.files.nearest import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_log(
    log: Path, out: Path | None = None, robot: str | None = None, form: str = "png",
    progress: Callable[[int], None] | None = None,
) -> list[Path]:  # fmt: skip
    """Draw the action trace and the scores of the run log at `log`; the files written.

    They are in `out`, by default beside the log (of a folder: in it), and are called after the log. OSError and
    ValueError as `read_series`; ValueError also where `robot` is not in the log; NoMatplotlib.
    """
    need_matplotlib()
    return write_figures(read_series(log, progress), log, out, robot, form)


def write_figures(
    run: RunSeries, log: Path, out: Path | None = None, robot: str | None = None, form: str = "png"
) -> list[Path]:
    """As `draw_log`, of the series already read."""
    folder, stem = out or (log if log.is_dir() else log.parent), log.resolve().stem
    if robot is not None and robot not in run.robots:
        raise ValueError(unknown("robot of this log", robot, run.robots))
    figures = list(of_team(run)) if robot is None else [(f"{robot}-trace", trace(run, robot))]
    if robot is not None and run.robots[robot].scores():
        figures.append((f"{robot}-levels", levels(run, [robot])))
    files = {folder / f"{stem}-{name}.{form}": figure for name, figure in figures}
    for path, figure in files.items():
        save(figure, path)
    return list(files)


def of_team(run: RunSeries) -> Iterator[tuple[str, Figure]]:
    """The action trace of the whole team, then the scores of all robots, if any, on as many pages as needed; by
    name."""
    yield "trace", trace(run)
    sheets = pages(run)
    for number, names in enumerate(sheets, 1):
        yield (f"levels-{number}" if len(sheets) > 1 else "levels"), levels(run, names)

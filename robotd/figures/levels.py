"""A coordinator's scores of each behavior set over time.

Of ALLIANCE impatience, motivation and acquiescence, as paper 000's figures 11 and 18 to 20 show them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from robotd.figures.series import FAULT, TAKES_OUT, Curve, Happened, RobotSeries, RunSeries
from robotd.figures.style import ABSENT, ALARM, FAINT, INK, PALETTE, Entry, Page, panel_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_IN, HEAD_IN = 0.86, 0.72  # a row of panels, and the head above all of them
MOST_COLUMNS = 4  # robots side by side that can still be read on a page
# Impatience is drawn wide and pale, so that it is still seen where motivation runs on top of it.
LEVELS: Mapping[str, Mapping[str, Any]] = {
    "impatience": {"color": "#F0B95B", "linewidth": 2.6},
    "motivation": {"color": INK, "linewidth": 0.9},
    "acquiescence": {"color": "#0072B2", "linewidth": 1.4},
}
SHADED: Mapping[str, Any] = {"facecolor": "#DDEFE6", "edgecolor": "none"}
THRESHOLD: Mapping[str, Any] = {"color": FAINT, "linestyle": (0, (5, 3)), "linewidth": 0.8}


def levels(run: RunSeries, robots: Sequence[str] | None = None) -> Figure:
    """Draw the scores of some robots side by side, by default of all; of one alone, each score by itself.

    KeyError where there is no such robot.
    """
    chosen = [run.robots[name] for name in (run.robots if robots is None else robots)]
    sets = [name for name in run.sets() if any(name in one.levels for one in chosen)]
    single, scores = len(chosen) == 1, _scores(chosen)
    columns = [(chosen[0], [score]) for score in scores] if single else [(one, list(scores)) for one in chosen]
    heads = list(scores) if single else [one.name for one in chosen]

    def draw(figure: Figure) -> None:
        grid = figure.subplots(max(1, len(sets)), max(1, len(columns)), sharex=True, squeeze=False)
        for row, name in enumerate(sets):
            for axes, (robot, shown) in zip(grid[row], columns, strict=True):
                _panel(axes, run, robot, name, shown)
            grid[row, 0].set_title(f"{run.labels()[name]}  {name}", loc="left", fontsize=7.5, pad=3, color=INK)
        for axes, head in zip(grid[0], heads, strict=False):
            place = {"xycoords": "axes fraction", "xytext": (0, 16), "textcoords": "offset points"}
            axes.annotate(head, (0.5, 1.0), ha="center", fontsize=9.5, fontweight="bold", **place)

    return Page(
        run.title(chosen[0].name if single else None), PANEL_IN * max(1, len(sets)), 0.62, HEAD_IN,
        _entries(run, chosen), _event_entries(run, chosen), between={"wspace": 0.16, "hspace": 0.42},
        x="time (s)", y="level (0 to the threshold)",
    ).draw(draw)  # fmt: skip


def _scores(robots: Sequence[RobotSeries]) -> dict[str, Mapping[str, Any]]:
    names = dict.fromkeys(score for robot in robots for score in robot.scores())
    others = [name for name in names if name not in LEVELS]
    looks = {name: {"color": PALETTE[k % len(PALETTE)], "linewidth": 1.4} for k, name in enumerate(others)}
    return {name: LEVELS.get(name) or looks[name] for name in (*LEVELS, *others) if name in names}


def pages(run: RunSeries) -> list[list[str]]:
    """The robots that share a figure: as many as can be read side by side, spread evenly; none without scores."""
    names = list(run.robots) if any(robot.scores() for robot in run.robots.values()) else []
    count = max(1, math.ceil(len(names) / MOST_COLUMNS))
    size = max(1, math.ceil(len(names) / count))
    return [names[k : k + size] for k in range(0, len(names), size)]


def _panel(axes: Axes, run: RunSeries, robot: RobotSeries, name: str, shown: Sequence[str]) -> None:
    panel_axes(axes, run.duration)
    of_set = robot.levels.get(name)
    if of_set is None:
        axes.set_yticks([])
        axes.annotate("not one of its sets", (0.5, 0.5), xycoords="axes fraction", ha="center", color=FAINT)
        return
    theta = of_set.threshold
    axes.set_ylim(0.0, 1.12 * theta)
    axes.set_yticks([0.0, theta], ["0", f"{theta:g}"])
    for spell in robot.active(name):
        axes.axvspan(spell.start, spell.end, zorder=0, **SHADED)
    for start, end in run.absences(robot.name):
        axes.fill_between([start, end], 0.0, 1.12 * theta, **ABSENT)
    axes.axhline(theta, label="threshold", **THRESHOLD)
    looks = _scores(list(run.robots.values()))
    for score in shown:
        if score in of_set.curves:
            times, values = line_of(of_set.curves[score], robot.off)
            axes.plot(times, values, label=score, solid_joinstyle="round", **looks[score])
    for event in _shown(run.events):
        if event.verb in TAKES_OUT or not event.who or robot.name in event.who:
            axes.axvline(event.at, **_event_look(out=event.verb in TAKES_OUT))


def _shown(events: Sequence[Happened]) -> list[Happened]:
    """What explains levels: faults are in the trace."""
    return [event for event in events if event.verb != FAULT]


def _event_look(*, out: bool) -> dict[str, Any]:
    return {"color": ALARM if out else FAINT, "linestyle": (0, (1, 1.5)), "linewidth": 0.9}


def line_of(curve: Curve, off: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """What to plot of a score: times and values, with a nan to break the line wherever nothing ticked."""
    times: list[float] = []
    values: list[float] = []
    breaks = [start for start, _ in off]
    for at, value in curve.points():
        while breaks and at > breaks[0]:
            times.append(breaks.pop(0))
            values.append(math.nan)
        times.append(at)
        values.append(value)
    return times, values


def _entries(run: RunSeries, robots: Sequence[RobotSeries]) -> list[Entry]:
    entries = [Entry(level, "line", look) for level, look in _scores(robots).items()]
    absent = [Entry("absent", "patch", ABSENT)] if any(run.absences(robot.name) for robot in robots) else []
    return [*entries, Entry("threshold", "line", THRESHOLD), Entry("active", "patch", SHADED), *absent]


def _event_entries(run: RunSeries, robots: Sequence[RobotSeries]) -> list[Entry]:
    names, entries = [robot.name for robot in robots], []
    for out in (True, False):
        events = [e for e in _shown(run.events if out else run.concerning(names)) if (e.verb in TAKES_OUT) == out]
        if events:
            words = ", ".join(f"{event.label(())} ({event.at:.0f} s)" for event in events[:2])
            more = f" and {len(events) - 2} more" if len(events) > 2 else ""
            entries.append(Entry(words + more, "line", _event_look(out=out)))
    return entries

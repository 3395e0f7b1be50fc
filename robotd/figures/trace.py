"""The action trace: who did what and when, as paper 000's figures 10, 13, 17 and 21 show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robotd.figures.events import TAKES_OUT, Span, absences, concerning, label_of, leftward, stagger
from robotd.figures.read import RobotSeries, RunSeries
from robotd.figures.style import ABSENT, ALARM, FAINT, INK, Entry, Page, look_of, time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_IN = 0.185  # height of one set's row: its label in 7.5 points, and a little air
GAP, EVENT = 0.8, 0.85  # rows between two robots, and for one level of events' labels
BAR = 0.66  # of a row
HEAD_IN = 0.36  # above the rows: the title
BLOCK = "#F5F5F5"
# How a spell ended: marker, its name in the legend, filled or open.
ENDINGS: Mapping[str, tuple[str, str, bool]] = {
    "done": ("o", "done", True),
    "yielded": ("<", "yielded", False),
    "gave-up": ("v", "gave up", False),
}
HELD: Mapping[str, Any] = {"linewidth": 1.6, "linestyle": (0, (1, 0.8))}
CROSS: Mapping[str, Any] = {
    "linestyle": "none",
    "marker": "x",
    "markersize": 9,
    "markeredgewidth": 2.4,
    "color": ALARM,
}


@dataclass(frozen=True)
class Rows:
    """Where things stand: y grows downwards, one unit a row; `blocks` are (upper, lower) edges by robot."""

    y: dict[tuple[str, str], float]
    blocks: dict[str, tuple[float, float]]
    lower: float


def rows_of(robots: Sequence[RobotSeries], sets: Sequence[str]) -> Rows:
    """A block for each robot, in it a row for each of its own sets, in the order of `sets`."""
    y: dict[tuple[str, str], float] = {}
    blocks: dict[str, tuple[float, float]] = {}
    at = 0.0
    for robot in robots:
        own = [name for name in sets if name in robot.sets()]
        y.update({(robot.name, name): at + k for k, name in enumerate(own)})
        blocks[robot.name] = (at - 0.5, at + max(1, len(own)) - 0.5)
        at = blocks[robot.name][1] + 0.5 + GAP
    return Rows(y, blocks, at - GAP - 0.5)


def trace(run: RunSeries, robot: str | None = None) -> Figure:
    """Draw the action trace of the whole team, or of one robot; KeyError where there is no such robot."""
    robots = list(run.robots.values()) if robot is None else [run.robots[robot]]
    names = [one.name for one in robots]
    sets = [name for name in run.sets() if any(name in one.sets() for one in robots)]
    rows, look = rows_of(robots, sets), look_of(run.sets())
    labels = [(event.at, label_of(event, names)) for event in concerning(run, names)]
    levels = stagger(labels, run.duration)
    upper = -0.6 - EVENT * (1 + max((level for level in levels if level is not None), default=-1))

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        _frame(axes, run, rows, upper)
        for one in robots:
            _bars(axes, one, rows, look)
            _absences(axes, absences(run, one.name), rows.blocks[one.name])
            _marks(axes, run, one, rows)
        for (at, text), level in zip(labels, levels, strict=True):
            _event(axes, at, text, None if level is None else -1.0 - EVENT * level, run.duration)

    height, entries = ROW_IN * (rows.lower - upper), _entries(run, robots, sets)
    return Page(run.title(robot), height, _left(run, rows), HEAD_IN, entries).draw(draw)


def _left(run: RunSeries, rows: Rows) -> float:
    """Inches left of the rows: the robot's name written upwards, and the widest label."""
    labels = run.labels()
    return 0.42 + 0.075 * max((len(labels[name]) for _, name in rows.y), default=0)


def _frame(axes: Axes, run: RunSeries, rows: Rows, upper: float) -> None:
    labels = run.labels()
    time_axis(axes, run.duration)
    axes.set_xlabel("time (s)")
    axes.set_ylim(rows.lower + 0.1, upper)
    axes.set_yticks(list(rows.y.values()), [labels[name] for _, name in rows.y], fontsize=7.5)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    for robot, (top, bottom) in rows.blocks.items():
        axes.axhspan(top, bottom, facecolor=BLOCK, edgecolor="none", zorder=0)
        for k in range(1, round(bottom - top)):
            axes.axhline(top + k, color="white", linewidth=0.9, zorder=0.5)
        axes.annotate(
            robot,
            (0.0, (top + bottom) / 2),
            xycoords=axes.get_yaxis_transform(),
            xytext=(14 - 72 * _left(run, rows), 0),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="center",
            fontsize=9.5,
            fontweight="bold",
            annotation_clip=False,
        )


def _bars(axes: Axes, robot: RobotSeries, rows: Rows, look: Mapping[str, tuple[str, str]]) -> None:
    for name in robot.sets():
        y, (colour, hatch) = rows.y[robot.name, name], look[name]
        axes.broken_barh(
            [(spell.start, spell.end - spell.start) for spell in robot.active(name)],
            (y - BAR / 2, BAR),
            facecolor=colour,
            edgecolor="white" if hatch else colour,  # an outline keeps even the shortest bar visible
            hatch=hatch,
            linewidth=0.7,
            label=f"{robot.name} {name}",
        )
        for spell in robot.held:
            if spell.set == name:
                axes.plot(
                    [spell.start, spell.end], [y, y], color=colour, label=f"{robot.name} {name} held", **HELD
                )


def _absences(axes: Axes, spans: Sequence[Span], block: tuple[float, float]) -> None:
    for start, end in spans:
        axes.fill_between([start, end], *block, **ABSENT)


def _marks(axes: Axes, run: RunSeries, robot: RobotSeries, rows: Rows) -> None:
    for ending in ENDINGS:
        spells = [spell for spell in robot.spells if spell.ending == ending]
        times, places = [s.end for s in spells], [rows.y[robot.name, s.set] for s in spells]
        axes.plot(times, places, clip_on=False, zorder=4, label=f"{robot.name} {ending}", **_mark(ending))
    top, bottom = rows.blocks[robot.name]
    out = [event.at for event in concerning(run, [robot.name]) if event.verb in TAKES_OUT]
    places = [rows.y.get((robot.name, robot.doing(at)), (top + bottom) / 2) for at in out]
    axes.plot(out, places, clip_on=False, zorder=5, label=f"{robot.name} out", **CROSS)


def _mark(ending: str) -> dict[str, Any]:
    marker, _, filled = ENDINGS[ending]
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 4.3,
        "markerfacecolor": INK if filled else "white",
        "markeredgecolor": "white" if filled else INK,
        "markeredgewidth": 0.8,
    }


def _event(axes: Axes, at: float, text: str, y: float | None, duration: float) -> None:
    colour = ALARM if text.partition(" ")[0] in TAKES_OUT else FAINT
    axes.axvline(at, color=colour, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3)
    if y is None:
        return
    left = leftward(at, text, duration)
    axes.annotate(
        text,
        (at, y),
        xytext=(-3 if left else 3, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        fontsize=7.5,
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        annotation_clip=False,
    )


def _entries(run: RunSeries, robots: Sequence[RobotSeries], sets: Sequence[str]) -> list[Entry]:
    """The legend: full names of the sets, then the marks that occur."""
    labels, look = run.labels(), look_of(run.sets())
    entries = [
        Entry(
            f"{labels[name]}  {name}",
            "patch",
            {"facecolor": look[name][0], "hatch": look[name][1], "edgecolor": "white"},
        )
        for name in sets
    ]
    endings = {spell.ending for robot in robots for spell in robot.spells}
    entries += [
        Entry(name, "line", _mark(ending)) for ending, (_, name, _) in ENDINGS.items() if ending in endings
    ]
    if any(robot.held for robot in robots):
        entries.append(Entry("suspended", "line", {"color": INK, **HELD}))
    if any(event.verb in TAKES_OUT for event in concerning(run, [robot.name for robot in robots])):
        entries.append(Entry("removed or killed", "line", CROSS))
    if any(absences(run, robot.name) for robot in robots):
        entries.append(Entry("absent", "patch", ABSENT))
    return entries

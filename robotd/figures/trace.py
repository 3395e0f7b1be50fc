"""The action trace: what each robot did and when, as paper 000's figures 10, 13, 17 and 21 show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robotd.figures.series import FAULT, TAKES_OUT, RobotSeries, RunSeries
from robotd.figures.style import ABSENT, ALARM, AWAY, FAINT, INK, Entry, Page, look_of, time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_IN = 0.185  # height of one set's row: its label in 7.5 points, and a little air
GAP, EVENT = 0.8, 0.85  # rows between two robots, and for one level of events' labels
BAR = 0.66  # of a row
HEAD_IN = 0.36  # above the rows: the title
BLOCK = "#F5F5F5"
MOST_LEVELS = 5  # of labels above each other; what does not fit has its line alone
LETTER = 0.0085  # of the width of the plot, for one letter of a label
# How a spell ended: marker, its name in the legend, filled or open.
ENDINGS: Mapping[str, tuple[str, str, bool]] = {
    "done": ("o", "done", True), "yielded": ("<", "yielded", False), "gave-up": ("v", "gave up", False),
}  # fmt: skip
STATE = " state"  # the row of a robot's state, which no set can be called
STOPS: Mapping[str, Mapping[str, Any]] = {
    "waiting for start": {"facecolor": "white", "edgecolor": AWAY, "hatch": "....", "linewidth": 0.5},
    "waiting for run": {"facecolor": "white", "edgecolor": AWAY, "linewidth": 0.8},
    "stopped": {"facecolor": "#F0B95B", "edgecolor": "white", "linewidth": 0.5},
    "faulted": {"facecolor": ALARM, "edgecolor": "white", "hatch": "////", "linewidth": 0.5},
}  # by the state's word
HELD: Mapping[str, Any] = {"linewidth": 1.6, "linestyle": (0, (1, 0.8))}
CROSS: Mapping[str, Any] = {
    "linestyle": "none", "marker": "x", "markersize": 9, "markeredgewidth": 2.4, "color": ALARM,
}  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Where things are drawn: y grows downwards, one unit a row; `blocks` are (upper, lower) edges by robot."""

    y: dict[tuple[str, str], float]
    blocks: dict[str, tuple[float, float]]
    lower: float


def rows_of(robots: Sequence[RobotSeries], sets: Sequence[str]) -> Rows:
    """A block for each robot, in it a row for each of its own sets, in the order of `sets`."""
    y: dict[tuple[str, str], float] = {}
    blocks: dict[str, tuple[float, float]] = {}
    at = 0.0
    for robot in robots:
        own = [name for name in sets if name in robot.sets()] + [STATE] * bool(robot.stops)
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
    labels = [(event.at, event.label(names)) for event in run.concerning(names)]
    levels = stagger(labels, run.duration)
    upper = -0.6 - EVENT * (1 + max((level for level in levels if level is not None), default=-1))

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        _frame(axes, run, rows, upper)
        for one in robots:
            _bars(axes, one, rows, look)
            _stops(axes, one, rows)
            for start, end in run.absences(one.name):
                axes.fill_between([start, end], *rows.blocks[one.name], **ABSENT)
            _marks(axes, run, one, rows)
        for (at, text), level in zip(labels, levels, strict=True):
            _event(axes, at, text, None if level is None else -1.0 - EVENT * level, run.duration)

    height, entries = ROW_IN * (rows.lower - upper), _entries(run, robots, sets)
    return Page(run.title(robot), height, _left(run, rows), HEAD_IN, entries).draw(draw)


def leftward(at: float, text: str, duration: float) -> bool:
    """True where a label would not fit between its line and the end of the run: it is drawn left of the line."""
    return at + _width(text, duration) > duration


def _width(text: str, duration: float) -> float:
    return (len(text) + 2) * LETTER * duration  # s


def stagger(labels: Sequence[tuple[float, str]], duration: float) -> list[int | None]:
    """For labels (when, text) in order of time: the lowest level where each overlaps none before it, or None."""
    ends = [float("-inf")] * MOST_LEVELS
    levels: list[int | None] = []
    for at, text in labels:
        width = _width(text, duration)
        start = at - width if leftward(at, text, duration) else at
        free = next((level for level, end in enumerate(ends) if end <= start), None)
        if free is not None:
            ends[free] = start + width
        levels.append(free)
    return levels


def _left(run: RunSeries, rows: Rows) -> float:
    """Inches left of the rows: the robot's name written upwards, and the widest label."""
    labels = run.labels()
    return 0.42 + 0.075 * max((len(labels.get(name, name)) for _, name in rows.y), default=0)


def _frame(axes: Axes, run: RunSeries, rows: Rows, upper: float) -> None:
    labels = run.labels()
    time_axis(axes, run.duration, "left")
    axes.set_xlabel("time (s)")
    axes.set_ylim(rows.lower + 0.1, upper)
    axes.set_yticks(list(rows.y.values()), [labels.get(name, name.strip()) for _, name in rows.y], fontsize=7.5)
    axes.tick_params(axis="y", length=0)
    for robot, (top, bottom) in rows.blocks.items():
        axes.axhspan(top, bottom, facecolor=BLOCK, edgecolor="none", zorder=0)
        for k in range(1, round(bottom - top)):
            axes.axhline(top + k, color="white", linewidth=0.9, zorder=0.5)
        axes.annotate(
            robot, (0.0, (top + bottom) / 2), xycoords=axes.get_yaxis_transform(),
            xytext=(14 - 72 * _left(run, rows), 0), textcoords="offset points", rotation=90, ha="center",
            va="center", fontsize=9.5, fontweight="bold", annotation_clip=False,
        )  # fmt: skip


def _stops(axes: Axes, robot: RobotSeries, rows: Rows) -> None:
    for word, look in STOPS.items():
        spans = [(stop.start, stop.end - stop.start) for stop in robot.stops if stop.word == word]
        if spans:
            place = (rows.y[robot.name, STATE] - BAR / 2, BAR)
            axes.broken_barh(spans, place, label=f"{robot.name} {word}", **look)


def _bars(axes: Axes, robot: RobotSeries, rows: Rows, look: Mapping[str, tuple[str, str]]) -> None:
    for name in robot.sets():
        y, (colour, hatch) = rows.y[robot.name, name], look[name]
        axes.broken_barh(
            [(spell.start, spell.end - spell.start) for spell in robot.active(name)], (y - BAR / 2, BAR),
            facecolor=colour, edgecolor="white" if hatch else colour,  # an outline keeps even short bars visible
            hatch=hatch, linewidth=0.7, label=f"{robot.name} {name}",
        )  # fmt: skip
        held = f"{robot.name} {name} held"
        for spell in robot.held:
            if spell.set == name:
                axes.plot([spell.start, spell.end], [y, y], color=colour, label=held, **HELD)


def _marks(axes: Axes, run: RunSeries, robot: RobotSeries, rows: Rows) -> None:
    for ending in ENDINGS:
        spells = [spell for spell in robot.spells if spell.ending == ending]
        times, places = [s.end for s in spells], [rows.y[robot.name, s.set] for s in spells]
        axes.plot(times, places, clip_on=False, zorder=4, label=f"{robot.name} {ending}", **_mark(ending))
    top, bottom = rows.blocks[robot.name]
    out = [event.at for event in run.concerning([robot.name]) if event.verb in TAKES_OUT]
    places = [rows.y.get((robot.name, robot.doing(at)), (top + bottom) / 2) for at in out]
    axes.plot(out, places, clip_on=False, zorder=5, label=f"{robot.name} out", **CROSS)


def _mark(ending: str) -> dict[str, Any]:
    marker, _, filled = ENDINGS[ending]
    inside, edge = (INK, "white") if filled else ("white", INK)
    return {
        "linestyle": "none", "marker": marker, "markersize": 4.3, "markerfacecolor": inside,
        "markeredgecolor": edge, "markeredgewidth": 0.8,
    }  # fmt: skip


def _event(axes: Axes, at: float, text: str, y: float | None, duration: float) -> None:
    colour = ALARM if text.partition(" ")[0] in (*TAKES_OUT, FAULT) else FAINT
    axes.axvline(at, color=colour, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3)
    if y is None:
        return
    left = leftward(at, text, duration)
    axes.annotate(
        text, (at, y), xytext=(-3 if left else 3, 0), textcoords="offset points", ha="right" if left else "left",
        va="center", fontsize=7.5, color=colour, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        annotation_clip=False, zorder=6,
    )  # fmt: skip


def _entries(run: RunSeries, robots: Sequence[RobotSeries], sets: Sequence[str]) -> list[Entry]:
    labels, look = run.labels(), look_of(run.sets())
    looks = {name: {"facecolor": look[name][0], "hatch": look[name][1], "edgecolor": "white"} for name in sets}
    entries = [Entry(f"{labels[name]}  {name}", "patch", own) for name, own in looks.items()]
    endings = {spell.ending for robot in robots for spell in robot.spells}
    entries += [Entry(word, "line", _mark(end)) for end, (_, word, _) in ENDINGS.items() if end in endings]
    stops = {stop.word for robot in robots for stop in robot.stops}
    entries += [Entry(word, "patch", own) for word, own in STOPS.items() if word in stops]
    out = [event for event in run.concerning([robot.name for robot in robots]) if event.verb in TAKES_OUT]
    occur = (
        (any(robot.held for robot in robots), Entry("suspended", "line", {"color": INK, **HELD})),
        (bool(out), Entry("removed or killed", "line", CROSS)),
        (any(run.absences(robot.name) for robot in robots), Entry("absent", "patch", ABSENT)),
    )
    return [*entries, *(entry for occurs, entry in occur if occurs)]

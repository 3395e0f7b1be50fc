"""Figures 4, 5 and 6 of paper 003: the map, what each robot was on, and how many were on each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from robotd.experiments.cobos.trial import COLOURS
from robotd.figures.style import FAINT, GRID, PALETTE, Entry, Page, plain_axes, time_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT_IN, HEAD_IN = 0.7, 0.4
RAISED = 0.4  # of a task's row: a robot that recruits for it
BESIDE = 0.05  # robots: lines of equal numbers run beside each other
PUCKS: Mapping[str, str] = dict(zip(COLOURS, (PALETTE[0], PALETTE[5]), strict=True))
RANGE: Mapping[str, Any] = {"color": FAINT, "linewidth": 0.8, "linestyle": "--"}
Kept = Mapping[str, Any]
Steps = tuple[list[float], list[float]]


def draw_map(kept: Kept) -> Figure:
    """Figure 4: the places, how far a radio at each of them reaches, and the robots' ways."""
    looks = looks_of(sorted(kept["paths"]), 0.7)
    entries = [
        *(Entry(name, "line", look) for name, look in looks.items()),
        *(Entry(f"{colour} pucks", "patch", {"facecolor": look}) for colour, look in PUCKS.items()),
        Entry("radio range", "line", RANGE),
    ]

    def plot(figure: Figure) -> None:
        from matplotlib.patches import Circle

        axes = figure.add_subplot()
        for name, path in sorted(kept["paths"].items()):
            if path:
                axes.plot(*zip(*path, strict=True), **looks[name])
        for name, (x, y, colour) in {"t0": (*kept["home"], ""), **kept["places"]}.items():
            axes.plot([x], [y], marker="o", markersize=6.0, color=PUCKS.get(colour, FAINT))
            axes.annotate(
                name, (x, y), xytext=(7, 7), textcoords="offset points", fontsize=8.5, fontweight="bold",
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
            )  # fmt: skip
            if kept["range_m"] is not None:
                axes.add_patch(Circle((x, y), kept["range_m"], fill=False, **RANGE))
        axes.set_xlim(0.0, kept["width_m"])
        axes.set_ylim(0.0, kept["depth_m"])
        axes.set_aspect("equal")
        axes.set_xlabel("x (m)")
        axes.set_ylabel("y (m)")

    return Page(f"Places and ways, seed {kept['seed']}", 6.0, LEFT_IN, HEAD_IN, entries).draw(plot)


def looks_of(names: Iterable[str], width: float) -> dict[str, dict[str, Any]]:
    """A line of a colour of its own for each name."""
    return {name: {"color": PALETTE[k % len(PALETTE)], "linewidth": width} for k, name in enumerate(names)}


def steps_of(stays: Sequence[Sequence[float]], end: float) -> Steps:
    """When a robot changed (s), and the number of its task from then on, raised while it recruits."""
    times = [float(at) for at, _, _ in stays]
    tasks = [float(task) + (RAISED if recruits else 0.0) for _, task, recruits in stays]
    return ([*times, end], [*tasks, tasks[-1]]) if stays else ([0.0, end], [0.0, 0.0])


def draw_activity(kept: Kept) -> Figure:
    """Figure 5: the task of each robot over time; a raised line is recruitment."""
    names = sorted(kept["stays"])

    def plot(figure: Figure) -> None:
        for k, name in enumerate(names, 1):
            axes = figure.add_subplot(len(names), 1, k)
            time_axis(axes, kept["duration_s"])
            axes.step(
                *steps_of(kept["stays"][name], kept["duration_s"]), where="post", color=PALETTE[0], linewidth=1.2
            )
            axes.set_ylim(-0.4, len(kept["places"]) + 0.8)
            axes.set_yticks(range(len(kept["places"]) + 1), ["idle", *kept["places"]], fontsize=6.5)
            axes.grid(axis="y", color=GRID, linewidth=0.4)
            axes.set_ylabel(name, fontweight="bold")
            if k < len(names):
                axes.tick_params(axis="x", labelbottom=False)

    body = 1.05 * len(names)
    heading = f"Task of each robot, raised while it recruits, seed {kept['seed']}"
    return Page(heading, body, LEFT_IN, HEAD_IN, between={"hspace": 0.12}, x="time (s)").draw(plot)


def counts_of(stays: Mapping[str, Sequence[Sequence[float]]], task: int, end: float) -> Steps:
    """When the number of robots on a task changed, s, and how many are on it from then on."""
    changes = [(0.0, 0)]
    for own in stays.values():
        on = [(float(at), int(number == task)) for at, number, _ in own]
        changes += [(at, new - old) for (_, old), (at, new) in pairwise([(0.0, 0), *on])]
    times, counts = [], []
    total = 0
    for at, change in sorted(changes):
        total += change
        times.append(at)
        counts.append(float(total))
    return [*times, end], [*counts, counts[-1]]


def draw_allocation(kept: Kept) -> Figure:
    """Figure 6: robots on each task over time, and how far each trusts itself with each colour in the end."""
    looks = looks_of(kept["places"], 1.4)
    bars: dict[str, Mapping[str, Any]] = {colour: {"facecolor": PUCKS[colour]} for colour in COLOURS}
    entries = [
        *(Entry(name, "line", look) for name, look in looks.items()),
        *(Entry(f"suitability, {colour}", "patch", look) for colour, look in bars.items()),
    ]

    def plot(figure: Figure) -> None:
        axes = figure.add_subplot(1, 2, 1)
        time_axis(axes, kept["duration_s"])
        most = 1.0
        for k, name in enumerate(kept["places"], 1):
            times, counts = counts_of(kept["stays"], k, kept["duration_s"])
            most = max(most, *counts)
            axes.step(times, [count + BESIDE * k for count in counts], where="post", **looks[name])
        axes.set_yticks(range(int(most) + 1))
        axes.set_xlabel("time (s)")
        axes.set_ylabel("robots on the task")
        axes = figure.add_subplot(1, 2, 2)
        robots = sorted(kept["suitabilities"])
        for k, colour in enumerate(COLOURS):
            places = [n + 0.4 * k - 0.2 for n in range(len(robots))]
            heights = [kept["suitabilities"][name][colour] for name in robots]
            axes.bar(places, heights, 0.36, **bars[colour])
        axes.set_xticks(range(len(robots)), robots)
        axes.set_ylabel("share of the given suitability")
        plain_axes(axes, "y")

    heading = f"Robots on each task, and suitabilities in the end, seed {kept['seed']}"
    return Page(heading, 2.6, LEFT_IN, HEAD_IN, entries, between={"wspace": 0.25}).draw(plot)

"""The motivations of one robot alone over time, with what happened to it: what `robotd motivate` has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from robotd.figures.levels import LEVELS, SHADED, THRESHOLD
from robotd.figures.style import ABSENT, PALETTE, Entry, Page, panel_axes
from robotd.motivate.scenario import Row, Scenario, SetSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_IN, HEAD_IN = 1.15, 0.62  # the panel of a set, and the head above all of them
BAND = (1.06, 1.24)  # of the threshold: what happened is drawn above what follows from it
DONE: Mapping[str, Any] = {"color": "#009E73", "marker": "v", "markersize": 6, "linestyle": "none"}
Stretch = tuple[float, float]


def motivations(scenario: Scenario, rows: Sequence[Row], name: str) -> Figure:
    """A panel for each set: its level, the threshold dashed, active time shaded; above it what was received, done.

    `name`: of the scenario, for the title.
    """
    teammates = scenario.teammates

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(scenario.sets), 1, sharex=True, squeeze=False)[:, 0]
        for i, (spec, axes) in enumerate(zip(scenario.sets, panels, strict=True)):
            _panel(axes, scenario, spec, [0.0, *(row.levels[i] for row in rows)], rows)
            _mark_events(axes, scenario, spec, teammates)

    return Page(
        f"{name}: motivation of each behavior set", PANEL_IN * len(scenario.sets), 0.62, HEAD_IN,
        _entries(scenario, teammates), between={"hspace": 0.36}, x="time (s)", y="motivation",
    ).draw(draw)  # fmt: skip


def _panel(axes: Axes, scenario: Scenario, spec: SetSpec, level: Sequence[float], rows: Sequence[Row]) -> None:
    times, theta = [0.0, *(row.time_s for row in rows)], scenario.threshold
    panel_axes(axes, scenario.duration_s)
    axes.set_ylim(0.0, (BAND[1] + 0.06) * theta)
    axes.set_yticks([0.0, theta])
    for start, end in inapplicable(scenario, spec.name):
        axes.fill_between([start, end], 0.0, theta, zorder=0, **ABSENT)
    active = [False, *(row.active == spec.name for row in rows)]
    axes.fill_between(times, 0.0, theta, where=active, step="post", zorder=0, **SHADED)
    axes.axhline(theta, **THRESHOLD)
    axes.plot(times, level, solid_joinstyle="round", **LEVELS["motivation"])
    of_task = "" if spec.task == spec.name else f" (task {spec.task})"
    axes.set_title(f"{spec.name}{of_task}", loc="left", fontsize=8, pad=3)


def _mark_events(axes: Axes, scenario: Scenario, spec: SetSpec, teammates: Sequence[str]) -> None:
    theta = scenario.threshold
    for k, teammate in enumerate(teammates):
        at = [e.at_s for e in scenario.event if e.heard and (e.heard.by, e.heard.task) == (teammate, spec.task)]
        axes.vlines(at, BAND[0] * theta, BAND[1] * theta, **_statement_look(k))
    done = [e.at_s for e in scenario.event if e.done and e.done.task == spec.task]
    axes.plot(done, [sum(BAND) / 2 * theta] * len(done), **DONE)


def _statement_look(k: int) -> dict[str, Any]:
    return {"color": PALETTE[k % len(PALETTE)], "linewidth": 1.6}


def inapplicable(scenario: Scenario, name: str) -> Iterator[Stretch]:
    """The stretches in which the sensory feedback of a set is 0, s from the start."""
    applies = next(spec.applicable for spec in scenario.sets if spec.name == name)
    since = 0.0
    for event in scenario.events:
        if (event.applicable or {}).get(name, applies) == applies:
            continue
        at = min(max(event.at_s, 0.0), scenario.duration_s)
        if not applies and at > since:
            yield since, at
        applies, since = not applies, at
    if not applies and since < scenario.duration_s:
        yield since, scenario.duration_s


def _entries(scenario: Scenario, teammates: Sequence[str]) -> list[Entry]:
    entries = [
        Entry("motivation", "line", LEVELS["motivation"]),
        Entry("threshold", "line", THRESHOLD),
        Entry("active", "patch", SHADED),
    ]
    if any(True for spec in scenario.sets for _ in inapplicable(scenario, spec.name)):
        entries.append(Entry("not applicable", "patch", ABSENT))
    stated = [Entry(f"{name} states the task", "line", _statement_look(k)) for k, name in enumerate(teammates)]
    done = [Entry("the task is completed", "line", DONE)] if any(event.done for event in scenario.event) else []
    return [*entries, *stated, *done]

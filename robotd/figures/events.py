"""Events of a run, as both figures show them."""

from __future__ import annotations

from collections.abc import Sequence

from robotd.figures.read import Happened, RunSeries

TAKES_OUT = ("remove", "kill")  # an X, as in the paper's figures 17 and 21
BRINGS_BACK = {"remove": "return", "kill": "reboot"}
MOST_LEVELS = 5  # of labels above each other; what does not fit has its line alone
LETTER = 0.0085  # of the width of the plot, for one letter of a label
Span = tuple[float, float]


def label_of(event: Happened, robots: Sequence[str]) -> str:
    """What an event's line says: verb, whom (unless only that robot is drawn), argument."""
    who = "" if event.who and list(event.who) == list(robots) else ", ".join(event.who) or "all"
    return " ".join(part for part in (event.verb, who, event.arg) if part)


def concerning(run: RunSeries, robots: Sequence[str]) -> list[Happened]:
    """The events that concern any of `robots`."""
    return [event for event in run.events if not event.who or set(event.who) & set(robots)]


def absences(run: RunSeries, robot: str) -> list[Span]:
    """When the robot was out of the room or its computer off, s; overlapping stretches are one."""
    own = concerning(run, [robot])
    spans = list(run.robots[robot].off)
    for event in own:
        if event.verb == "remove":
            back = (e.at for e in own if e.verb == BRINGS_BACK["remove"] and e.at > event.at)
            spans.append((event.at, next(back, run.duration)))
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def leftward(at: float, text: str, duration: float) -> bool:
    """True where a label would not fit between its line and the end of the run: it stands left of the line."""
    return at + width_of(text, duration) > duration


def width_of(text: str, duration: float) -> float:
    """Of a label, s."""
    return (len(text) + 2) * LETTER * duration


def stagger(labels: Sequence[tuple[float, str]], duration: float) -> list[int | None]:
    """For labels (when, text) in order of time: the lowest level where each overlaps none before it, or None."""
    ends = [float("-inf")] * MOST_LEVELS
    levels: list[int | None] = []
    for at, text in labels:
        width = width_of(text, duration)
        start = at - width if leftward(at, text, duration) else at
        free = next((level for level, end in enumerate(ends) if end <= start), None)
        if free is not None:
            ends[free] = start + width
        levels.append(free)
    return levels

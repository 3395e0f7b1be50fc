"""What `robotd check` prints of a file without faults: two tables, then notes and warnings."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from robotd.advice.advice import Advice
from robotd.advice.coverage import Coverage
from robotd.advice.takeovers import Takeover
from robotd.files.output import aligned

WIDTH = 110  # of a line: two tables of a few robots fit, and most terminals are as wide
MOST_COLUMNS = 8  # robots side by side in a table; of more it names those that can
TIMES = ("task", "no robot on it", "teammate silent", "teammate goes on", "yields after", "gives up after")
TIMES_MEAN = (
    "For a robot that does nothing else, and up to a decision later: from the need of the task; from the last "
    "statement received of a teammate on it that falls silent; from the first statement of one that goes on and "
    "gets nowhere. Then how long a robot works on it before it yields to a newer claim (an exclusive set: to the "
    "next that it receives), and before it gives up. Another teammate that begins meanwhile puts a takeover off, "
    "once each."
)


def in_words(advice: Advice, robots: Iterable[str]) -> Iterator[str]:
    """Lines for people; `robots`: the team."""
    if advice.tasks:
        yield "Who can do which task:"
        yield from _who(advice.tasks, sorted(robots))
    if advice.takeovers:
        yield "When a task is taken up, and left, at the latest (s):"
        yield from aligned([TIMES, *_times(advice.takeovers)])
        yield from textwrap.wrap(TIMES_MEAN, WIDTH, initial_indent="  ", subsequent_indent="  ")
    for kind, texts in (("note", advice.notes), ("warning", advice.warnings)):
        for text in texts:
            yield from textwrap.wrap(f"{kind}: {text}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _who(tasks: Mapping[str, Coverage], robots: list[str]) -> Iterator[str]:
    if len(robots) > MOST_COLUMNS:
        rows = [
            (task, f"{len(of.able)} of {len(robots)}", ", ".join(sorted(of.able))) for task, of in tasks.items()
        ]
        yield from aligned([("task", "robots", ""), *rows])
        return
    head = ("task", *robots, "needs")
    yield from aligned(
        [head, *((task, *(_can(of, robot) for robot in robots), _needs(of)) for task, of in tasks.items())]
    )


def _can(of: Coverage, robot: str) -> str:
    if robot in of.able:
        return "yes"
    return f"lacks {', '.join(of.missing[robot])}" if robot in of.missing else "no"


def _needs(of: Coverage) -> str:
    """What the sets for a task need; where they differ, what all of them do and then what each does besides."""
    each = {name: set(needs) for name, needs in of.needs.items()}
    common = set.intersection(*each.values()) if each else set()
    more = [f"{name} also {', '.join(sorted(needs - common))}" for name, needs in each.items() if needs - common]
    return "; ".join([", ".join(sorted(common)), *more])


def _times(takeovers: Mapping[str, Mapping[str, Takeover]]) -> Iterator[tuple[str, ...]]:
    for task, robots in takeovers.items():
        of = robots.values()
        yield (
            task,
            format_span(times.unattended_s for times in of),
            format_span(time for times in of for time in times.silent_s.values()),
            format_span(time for times in of for time in times.announcing_s.values()),
            format_span(times.yields_s for times in of),
            format_span(times.gives_up_s for times in of),
        )


def format_span(times: Iterable[float]) -> str:
    """From the least to the greatest of some times, as "10 to 50", "never" for inf; "-" of none."""
    found = sorted(times)
    if not found:
        return "-"
    least, most = (f"{time:.3g}" if time < 1000 else f"{time:.0f}" if math.isfinite(time) else "never"
                   for time in (found[0], found[-1]))  # fmt: skip
    return least if least == most else f"{least} to {most}"

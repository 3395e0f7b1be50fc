"""Line 2: box pushing, both experiments of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from robotd.experiments import statistics
from tests.accept.alliance.experiments import Row, Told, conducted, counted
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

NAME, RUNS, QUICK = "box-pushing", 30, 2
HEALTHY, SEIZED, GENGHIS = "healthy", "R-2 seized", "Genghis in its place"
MEDIAN_S, MOST_S = (5.0, 8.0), 12.0
SQUARE_DEG = 15.0


def told(desk: Desk) -> Told:
    """All runs."""
    return conducted(desk, NAME, "--runs", str(desk.fewer(RUNS, QUICK)))


def pause(desk: Desk) -> Found:
    """From the end of its own last push until the remaining R-2 starts for the other end."""
    low, high = MEDIAN_S
    bound = f"median {low:g} to {high:g} s, at most {MOST_S:g} s"
    rows = told(desk).rows(SEIZED)
    times = [float(row["pause_s"]) for row in rows if "pause_s" in row]
    if len(times) < len(rows):
        return Found(f"only {len(times)} of {len(rows)} start for the other end", bound, ok=False)
    middle = statistics.median(times)
    figure = f"median {middle:.1f} s, {min(times):.1f} to {max(times):.1f} s"
    return Found(figure, bound, low <= middle <= high and max(times) <= MOST_S)


def keep_ends(desk: Desk) -> Found:
    """Healthy R-2s never change ends."""
    return none_of(told(desk).rows(HEALTHY), "needless_changes")


def leaves_the_end(desk: Desk) -> Found:
    """Having heard its mate return, the R-2 begins no further push at that end."""
    return none_of(told(desk).rows(SEIZED), "pushes_after_return")


def none_of(rows: Sequence[Row], column: str) -> Found:
    """A count that must be 0 in each run, and told."""
    found = [row.get(column) for row in rows]
    return counted(rows, [value == 0 for value in found], f"{sum(value or 0 for value in found)} in all")


def less_often(desk: Desk) -> Found:
    """With Genghis-II the R-2 pushes less often, paired."""
    rows = told(desk).rows(GENGHIS)
    found = statistics.mean(
        [float(row["pushes_per_min_after"]) - float(row["pushes_per_min_before"]) for row in rows]
    )
    figure = f"against beside an R-2: {found.value:.2f} per minute ({found.low:.2f} to {found.high:.2f})"
    return Found(figure, "the whole interval below 0", found.high < 0.0)


def square(desk: Desk) -> Found:
    """How far the box turns with Genghis-II."""
    turned = max(float(row["skew_deg"]) for row in told(desk).rows(GENGHIS))
    return Found(f"at most {turned:.1f} degrees", f"at most {SQUARE_DEG:g} degrees", turned <= SQUARE_DEG)


def goes_home(desk: Desk) -> Found:
    """Genghis alone."""
    rows = told(desk).rows(GENGHIS)
    return counted(rows, [row.get("went_home") is True for row in rows])


COMMAND = f"robotd experiment {NAME} --runs {RUNS} --json"
CHECKS = (
    Check("2.1", "one R-2 gone: the other starts for the other end", COMMAND, pause),
    Check("2.2", "healthy R-2s never change ends", COMMAND, keep_ends),
    Check("2.3", "its mate heard again, it begins no further push at that end", COMMAND, leaves_the_end),
    Check("2.4", "beside Genghis-II the R-2 pushes less often", COMMAND, less_often),
    Check("2.5", "and the box stays square", COMMAND, square),
    Check("2.6", "Genghis alone goes home", COMMAND, goes_home),
)

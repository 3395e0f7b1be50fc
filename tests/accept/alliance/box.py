"""Line 2: box pushing, both experiments of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from robotd.experiments.statistics import median
from tests.accept.alliance.experiments import Row, Told, conducted, counted, interval
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

NAME, RUNS, QUICK = "box-pushing", 30, 2
HEALTHY, SEIZED, GENGHIS = "healthy", "seized", "genghis"
MEDIAN_S, MOST_S = (5.0, 8.0), 12.0
SQUARE_DEG = 15.0


def told(desk: Desk) -> Told:
    """All runs."""
    return conducted(desk, NAME, "--runs", str(desk.fewer(RUNS, QUICK)))


def pause(desk: Desk) -> Found:
    """From the end of its own last push until the remaining R-2 starts for the other end."""
    rows = told(desk).rows(SEIZED)
    times = [float(row["pause_s"]) for row in rows if "pause_s" in row]
    if len(times) < len(rows):
        return Found(f"{len(times)} of {len(rows)} start for the other end", "all", ok=False)
    low, high = MEDIAN_S
    middle = median(times)
    figure = f"median {middle:.1f} s, {min(times):.1f} to {max(times):.1f} s"
    return Found(
        figure,
        f"median {low:g} to {high:g} s, at most {MOST_S:g} s",
        low <= middle <= high and max(times) <= MOST_S,
    )


def keep_ends(desk: Desk) -> Found:
    """Healthy R-2s never change ends."""
    return none_of(told(desk).rows(HEALTHY), "end_changes")


def leaves_the_end(desk: Desk) -> Found:
    """Having heard its mate return, the R-2 begins no further push at that end."""
    return none_of(told(desk).rows(SEIZED), "pushes_after_return")


def none_of(rows: Sequence[Row], column: str) -> Found:
    """A count that must be 0 in each run, and told."""
    return counted(
        rows, [row.get(column) == 0 for row in rows], f"{sum(int(row.get(column, 0)) for row in rows)} in all"
    )


def less_often(desk: Desk) -> Found:
    """With Genghis-II the R-2 pushes less often, paired."""
    line = told(desk).line(GENGHIS, "pushes_per_min")
    figure = f"less those beside an R-2, per minute: {interval(line, 'difference', 'difference_')}"
    return Found(figure, "the whole interval below 0", line.get("difference_high", 0.0) < 0.0)


def square(desk: Desk) -> Found:
    """How far the box turns with Genghis-II."""
    rows = told(desk).rows(GENGHIS)
    turns = [float(row["most_turned_deg"]) for row in rows]
    return Found(f"at most {max(turns):.1f} degrees", f"at most {SQUARE_DEG:g} degrees", max(turns) <= SQUARE_DEG)


def goes_home(desk: Desk) -> Found:
    """Genghis alone."""
    rows = told(desk).rows(GENGHIS)
    return counted(rows, [row.get("went_home") is True for row in rows])


COMMAND = f"robotd experiment {NAME} --runs {RUNS} --json"
CHECKS = (
    Check("2.1", "one R-2 seized: the other starts for the other end", COMMAND, pause),
    Check("2.2", "healthy R-2s never change ends", COMMAND, keep_ends),
    Check("2.3", "its mate heard again, it begins no further push at that end", COMMAND, leaves_the_end),
    Check("2.4", "beside Genghis-II the R-2 pushes less often", COMMAND, less_often),
    Check("2.5", "and the box stays square", COMMAND, square),
    Check("2.6", "Genghis alone goes home", COMMAND, goes_home),
)

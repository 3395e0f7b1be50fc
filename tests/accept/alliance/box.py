"""Line 2: box pushing, both experiments of the paper."""

from __future__ import annotations

import functools

from robotd.experiments import statistics
from tests.accept.alliance.experiments import Told, claimed, conducted
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

NAME, RUNS, QUICK = "box-pushing", 30, 2
HEALTHY, SEIZED, GENGHIS = "healthy", "R-2 seized", "Genghis in its place"


def told(desk: Desk) -> Told:
    """All runs."""
    return conducted(desk, NAME, "--runs", str(desk.fewer(RUNS, QUICK)))


def holds(cell: str, claims: tuple[str, ...], desk: Desk) -> Found:
    """Claims of the paper about a variant, in every run."""
    return claimed(told(desk), cell, *claims)


def less_often(desk: Desk) -> Found:
    """With Genghis-II the R-2 pushes less often, paired."""
    rows = told(desk).rows(GENGHIS)
    found = statistics.mean(
        [float(row["pushes_per_min_after"]) - float(row["pushes_per_min_before"]) for row in rows]
    )
    figure = f"against beside an R-2: {found.value:.2f} per minute ({found.low:.2f} to {found.high:.2f})"
    return Found(figure, "the whole interval below 0", found.high < 0.0)


COMMAND = f"robotd experiment {NAME} --runs {RUNS} --json"
CLAIMS = (
    ("2.1", "one R-2 gone: the other starts for the other end", SEIZED,
     ("the other R-2 pauses 5 to 8 s in the median", "and never longer than 12 s")),
    ("2.2", "healthy R-2s never change ends", HEALTHY, ("nobody changes ends",)),
    ("2.3", "its mate heard again, it begins no further push at that end", SEIZED,
     ("once it receives its teammate's return it pushes no more at that end",)),
    ("2.5", "and the box stays square", GENGHIS, ("the box stays within 15 degrees of square",)),
    ("2.6", "Genghis alone goes home", GENGHIS, ("left alone, Genghis goes home",)),
)  # fmt: skip
CHECKS = (
    *(Check(id, what, COMMAND, functools.partial(holds, cell, claims)) for id, what, cell, claims in CLAIMS),
    Check("2.4", "beside Genghis-II the R-2 pushes less often", COMMAND, less_often),
)

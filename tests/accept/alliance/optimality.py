"""Line 6: how far from the optimum, and whether learning helps."""

from __future__ import annotations

from tests.accept.alliance.experiments import Told, conducted, folder, interval
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

RUNS, QUICK = 200, 20
UNLEARNED, OVER = "unlearned", "over_optimum"
TEAMS = 9  # three strategies by three orders
PLAINLY = "Learning shortens the missions in "


def told(desk: Desk) -> Told:
    """All missions."""
    return conducted(desk, "optimality", "--runs", str(desk.fewer(RUNS, QUICK)))


def over_optimum(desk: Desk) -> Found:
    """Each team's time over the optimum."""
    experiment = told(desk)
    found = {cell: experiment.line(cell, OVER) for cell in experiment.cells}
    figure = "; ".join(f"{cell} {interval(line)}" for cell, line in found.items())
    ok = len(found) == TEAMS + 1 and all("low" in line and line["low"] >= 1.0 for line in found.values())
    return Found(figure, "nine teams and the unlearned one, each with its interval, none below 1", ok)


def gains(desk: Desk) -> Found:
    """Learned less unlearned, in pairs of one mission; the report must say in words what that is."""
    experiment = told(desk)
    found = {cell: experiment.line(cell, OVER) for cell in experiment.cells if cell != UNLEARNED}
    figure = "; ".join(f"{cell} {interval(line, 'difference', 'difference_')}" for cell, line in found.items())
    page = (folder(desk, "optimality") / "report.html").read_text(encoding="utf-8")
    start = page.find(PLAINLY)
    said = page[start : page.find("<", start)] if start >= 0 else "the report does not say it"
    return Found(f"{figure}. {said}", "stated plainly", start >= 0 and len(found) == TEAMS)


COMMAND = f"robotd experiment optimality --runs {RUNS} --json"
CHECKS = (
    Check("6.1", "time over the optimum: the table of nine, with intervals", COMMAND, over_optimum),
    Check("6.2", "whether learning helps", COMMAND, gains),
)

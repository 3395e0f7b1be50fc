"""Line 5: cleanup at every loss of frames, 100 % included."""

from __future__ import annotations

from tests.accept.alliance.experiments import Told, accomplished, conducted, interval
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

RUNS, QUICK = 10, 1
ALONE = "one robot alone"


def told(desk: Desk) -> Told:
    """All runs."""
    return conducted(desk, "loss", "--runs", str(desk.fewer(RUNS, QUICK)))


def all_done(desk: Desk) -> Found:
    """The teams' runs."""
    return accomplished([row for row in told(desk).rows() if row["cell"] != ALONE])


def duplicated(desk: Desk) -> Found:
    """Work on a task beyond the first robot's."""
    experiment = told(desk)
    means = {cell: experiment.line(cell, "duplicated_work_s") for cell in experiment.cells if cell != ALONE}
    figure = ", ".join(f"{cell}: {interval(line)} s" for cell, line in means.items())
    return Found(figure, "reported at every loss", bool(means))


def sooner_than_alone(desk: Desk) -> Found:
    """The team's mean time at each loss against that of one robot."""
    experiment = told(desk)
    means = {cell: float(experiment.line(cell, "duration_s")["mean"]) for cell in experiment.cells}
    alone = means.pop(ALONE)
    figure = ", ".join(f"{cell}: {mean:.0f} s" for cell, mean in means.items()) + f"; alone: {alone:.0f} s"
    return Found(figure, f"each below {alone:.0f} s", all(mean < alone for mean in means.values()))


COMMAND = f"robotd experiment loss --runs {RUNS} --json"
CHECKS = (
    Check("5.1", "accomplished at every loss", COMMAND, all_done),
    Check("5.2", "duplicated work", COMMAND, duplicated),
    Check("5.3", "the team's mean time stays below that of one robot alone", COMMAND, sooner_than_alone),
)

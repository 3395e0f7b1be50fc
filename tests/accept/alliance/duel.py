"""Line 4: equal robots on one endless task."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tests.accept.alliance.experiments import Row, Told, conducted
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

RUNS, QUICK = 100, 20
BOUNDS = {0.0: 0.95, 0.3: 0.9}  # at each loss the least share of the time with exactly one robot on the task
LIVELOCK = 0.5  # of the time: by the letter not even this much


def told(desk: Desk) -> Told:
    """All duels; 32 cells are more runs than are printed, so rows are read from the summary's lines."""
    return conducted(desk, "duel", "--runs", str(desk.fewer(RUNS, QUICK)))


def lines(experiment: Told, rule: str, measure: str, loss: float) -> dict[str, Row]:
    """By size of the team the summary's line of a measure."""
    start, end = f"{rule}, ", f" robots, loss {loss:.0%}"
    names = [name for name in experiment.cells if name.startswith(start) and name.endswith(end)]
    return {name.removeprefix(start).removesuffix(end): experiment.line(name, measure) for name in names}


def exactly_one(loss: float, desk: Desk) -> Found:
    """The share of the time with one robot on the task, by our rule, teams of every size."""
    found = lines(told(desk), "ours", "one", loss)
    short = [robots for robots, line in found.items() if line["mean"] < BOUNDS[loss]]
    figure = ", ".join(f"{robots} robots {line['mean']:.3f}" for robots, line in found.items())
    figure += f"; short of it: teams of {' and '.join(short)}" if short else ""
    return Found(figure, f"at least {BOUNDS[loss]} in the mean", bool(found) and not short)


def never_nobody(desk: Desk) -> Found:
    """The share of the time after the first begin with nobody on the task, at the losses that are asked for."""
    experiment = told(desk)
    figures: list[str] = []
    ok = True
    for loss in BOUNDS:
        found = lines(experiment, "ours", "none", loss)
        ok = ok and bool(found) and all(line["mean"] == 0.0 for line in found.values())
        figures.append(f"loss {loss:.0%}: " + ", ".join(f"{n} robots {x['mean']:.2g}" for n, x in found.items()))
    return Found("; ".join(figures), "0 in every run", ok)


def livelock(desk: Desk) -> Found:
    """By the letter equal robots take the task from each other without end."""
    found = lines(told(desk), "letter", "one", 0.0)
    crowds: Sequence[str] = [n for n in found if int(n) > 2]
    figure = ", ".join(f"{n} robots {line['mean']:.3f}" for n, line in found.items())
    ok = bool(crowds) and all(found[n]["mean"] < LIVELOCK for n in crowds)
    return Found(figure, f"exactly one less than {LIVELOCK} of the time with three robots and more", ok)


COMMAND = f"robotd experiment duel --runs {RUNS} --json"
CHECKS = (
    Check("4.1", "exactly one robot on the task, no loss", COMMAND, functools.partial(exactly_one, 0.0)),
    Check("4.2", "exactly one robot on the task, 30 % loss", COMMAND, functools.partial(exactly_one, 0.3)),
    Check("4.3", "never nobody after the start", COMMAND, never_nobody),
    Check("4.4", "by the letter the livelock", COMMAND, livelock),
)

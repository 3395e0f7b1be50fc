"""Line 1: cleanup's four variants, against each other and against the published runs."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from robotd.experiments.missions import MissionExperiment
from robotd.experiments.registry import find_experiment
from tests.accept.alliance.experiments import Told, accomplished, claimed, conducted, folder, joined
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

NAME, SPEEDS = "cleanup", "cleanup-speeds"
CALM, BLOCKED = "no failure", "finder blocked"
MOVER, REPORTER = "mover removed", "reporter removed"
DISTURBED = (BLOCKED, MOVER, REPORTER)
RUNS, SPEED_RUNS, QUICK = 15, 5, 1
RATIOS = 1.0, 1.6
PACES = ("", ", 20 % slower", ", 20 % faster")  # as the names of cells end


def told(desk: Desk, name: str = NAME) -> Told:
    """All runs of the four variants."""
    return conducted(desk, name, "--runs", str(desk.fewer(RUNS if name == NAME else SPEED_RUNS, QUICK)))


def all_done(desk: Desk) -> Found:
    """Every run of every variant."""
    return accomplished(told(desk).rows())


def ratio(experiment: Told, pace: str = "") -> dict[str, float]:
    """The mean time of each disturbed variant over that of the undisturbed one."""
    calm = {row["seed"]: float(row["duration_s"]) for row in experiment.rows(CALM + pace)}
    found = {}
    for variant in DISTURBED:
        own = {row["seed"]: float(row["duration_s"]) for row in experiment.rows(variant + pace)}
        found[variant] = sum(own.values()) / sum(calm[seed] for seed in own)
    return found


def ratios(desk: Desk) -> Found:
    """At the shipped speed."""
    low, high = RATIOS
    found = ratio(told(desk))
    ok = all(low <= value <= high for value in found.values())
    return Found(worded(found), f"each from {low} to {high}", ok)


def worded(found: Mapping[str, float]) -> str:
    """Ratios by their variants."""
    return ", ".join(f"{variant} {value:.3f}" for variant, value in found.items())


CLAIMS = {
    BLOCKED: ("a robot whose side range is dead takes over, wandering", "the blocked finder yields to it"),
    MOVER: ("an idle robot takes over in 20 to 60 s",),
    REPORTER: ("movers interrupt their work to report, and resume",),
}


def concluded(variant: str, desk: Desk) -> Found:
    """A variant's claims, in every run."""
    return claimed(told(desk), variant, *CLAIMS[variant])


def at_other_speeds(desk: Desk) -> Found:
    """What is concluded run by run, for robots 20 % slower and faster; the ratios there are told beside it."""
    experiment = told(desk, SPEEDS)
    parts: dict[str, Found] = {"accomplished": accomplished(experiment.rows())}
    for pace in PACES[1:]:
        for variant, claims in CLAIMS.items():
            parts[variant + pace] = claimed(experiment, variant + pace, *claims)
    found = joined(parts)
    beside = "; ".join(f"ratios{pace}: {worded(ratio(experiment, pace))}" for pace in PACES[1:])
    return found._replace(figure=f"{found.figure}; {beside}")


def one_set_of_parameters(desk: Desk) -> Found:
    """Whether the variants of a mission differ in more than their events and how long is waited for an end."""
    kinds: dict[str, int] = {}
    for name in (NAME, "box-pushing"):
        experiment = find_experiment(name)
        assert isinstance(experiment, MissionExperiment)
        loaded = [
            scenario.mission.as_data() | {"time_limit_s": None} for scenario in experiment.scenarios.values()
        ]
        kinds[name] = sum(one not in loaded[:k] for k, one in enumerate(loaded))
    figure = ", ".join(f"{name}: {count}" for name, count in kinds.items())
    return Found(figure, "one set of parameters for each mission", set(kinds.values()) == {1})


def reported(desk: Desk) -> Found:
    """The report's figures, and its table beside the published timelines."""
    told(desk)
    page = (folder(desk, NAME) / "report.html").read_text(encoding="utf-8")
    figures, table = page.count("<svg"), "Timelines beside the published ones" in page
    figure = f"{figures} figures, {'a' if table else 'no'} table of timelines"
    return Found(figure, "a figure for each variant, a table of timelines", figures >= len(CLAIMS) + 1 and table)


COMMAND = f"robotd experiment {NAME} --runs {RUNS} --json"
CHECKS = (
    Check("1.1", "accomplished in every variant", COMMAND, all_done),
    Check("1.2", "mean time over the undisturbed variant's (published 1.18, 1.29, 1.29)", COMMAND, ratios),
    Check("1.3", "finder blocked: one without its side range takes over, wandering; GREEN yields", COMMAND,
          functools.partial(concluded, BLOCKED)),
    Check("1.4", "mover removed: an idle robot takes over in 20 to 60 s", COMMAND,
          functools.partial(concluded, MOVER)),
    Check("1.5", "reporter removed: movers interrupt and resume", COMMAND, functools.partial(concluded, REPORTER)),
    Check("1.6", "the same conclusions at speeds 20 % up and down",
          f"robotd experiment {SPEEDS} --runs {SPEED_RUNS} --json", at_other_speeds),
    Check("1.7", "one set of parameters serves all variants of a mission", "robotd experiment NAME",
          one_set_of_parameters),
    Check("1.8", "figures, and a table beside the published timelines", COMMAND, reported),
)  # fmt: skip

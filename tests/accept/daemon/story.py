"""Line 2: the mission is accomplished, in every seed and under every change; the story is figure 10's."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from robotd.model.streams import Stream
from tests.accept.check import Check, Found
from tests.accept.daemon import mission
from tests.accept.desk import Desk

SEEDS, QUICK_SEEDS = 20, 2
Outcome = dict[str, Any]
Change = Callable[[int], list[str]]

CLEAR_M = 0.75  # a spill's centre from walls and midline: its objects lie 0.35 m round it, a robot is 0.4 m wide
REPORTS_S = (220.0, 300.0)
FIGURE_10_S, WITHIN = 1375.0, 0.25


def outcomes(desk: Desk, change: Change) -> list[Outcome]:
    """The outcome of each seed."""

    def one(seed: int) -> Outcome:
        words = [mission.NAME, "--seed", str(seed), *change(seed), "--log", "none"]
        return desk.kept(f"sim {' '.join(words)}", lambda: desk.sim(*words))

    return desk.each(range(1, desk.fewer(SEEDS, QUICK_SEEDS) + 1), one)


def accomplished(change: Change, desk: Desk) -> Found:
    """How many seeds end with the mission accomplished."""
    all_runs = outcomes(desk, change)
    bad = [f"{run['seed']} ({run['reason']})" for run in all_runs if not run["accomplished"]]
    times = [run["duration_s"] for run in all_runs if run["accomplished"]]
    figure = f"{len(times)} of {len(all_runs)}"
    if times:
        figure += f"; median {median(times):.0f} s, {min(times):.0f} to {max(times):.0f} s"
    lost, came = (sum(run["radio"][key] for run in all_runs) for key in ("lost", "delivered"))
    if lost:
        figure += f"; {lost / (lost + came):.1%} of frames lost"
    if bad:
        figure += f"; not: seeds {', '.join(bad)}"
    return Found(figure, f"{len(all_runs)} of {len(all_runs)}", not bad)


def nominal(seed: int) -> list[str]:
    """Nothing is changed."""
    return []


def lossy(seed: int) -> list[str]:
    """A tenth of all frames is lost on each link."""
    return ["--set", "radio.loss=0.1"]


def speed(factor: float, seed: int) -> list[str]:
    """All robots are faster or slower."""
    return ["--set", f"world.max_speed_m_s={mission.world().max_speed_m_s * factor:g}"]


def elsewhere(seed: int) -> list[str]:
    """Each spill at another place of its half of the front third, drawn for the seed."""
    room = mission.world()
    width, depth = room.width_m / 2.0 - 2.0 * CLEAR_M, room.depth_m / 3.0 - 2.0 * CLEAR_M
    spills = []
    for spill in room.spills:
        draw = Stream(seed, spill.name, "acceptance-place")
        west = CLEAR_M if spill.name == "left" else room.width_m / 2.0 + CLEAR_M
        x, y = west + draw.uniform(0.0, width), CLEAR_M + draw.uniform(0.0, depth)
        spills.append(f'{{ name = "{spill.name}", x_m = {x:.2f}, y_m = {y:.2f}, objects = {spill.objects} }}')
    return ["--set", f"world.spills=[{', '.join(spills)}]"]


def who(run: Outcome, kind: str) -> list[str]:
    """The robots that worked on tasks of `kind`."""
    sets = mission.sets_for(kind)
    return sorted(name for name, spells in run["robots"].items() if any(spell[0] in sets for spell in spells))


def exactly(kind: str, count: int, desk: Desk) -> Found:
    """How many robots worked on tasks of a kind."""
    runs = outcomes(desk, nominal)
    found = {run["seed"]: who(run, kind) for run in runs}
    others = [f"{seed} ({', '.join(names) or 'none'})" for seed, names in found.items() if len(names) != count]
    figure = f"{len(runs) - len(others)} of {len(runs)} seeds" + (f"; not: {'; '.join(others)}" if others else "")
    return Found(figure, f"exactly {count} in each seed", not others)


def reports(desk: Desk) -> Found:
    """The times between the starts of two reports."""
    low, high = REPORTS_S
    gaps: list[tuple[float, int]] = []
    counts = []
    for run in outcomes(desk, nominal):
        starts = starts_of(run, mission.sets_for("report-progress"))
        counts.append(len(starts))
        gaps += [(later - earlier, run["seed"]) for earlier, later in itertools.pairwise(starts)]
    if min(counts) < 2:
        return Found(f"only {min(counts)} reports in some seed", "two at least", ok=False)
    bad = [f"seed {seed}: {gap:.0f} s" for gap, seed in gaps if not low <= gap <= high]
    times = [gap for gap, _ in gaps]
    figure = f"{min(times):.0f} to {max(times):.0f} s, median {median(times):.0f} s, of {len(gaps)} gaps"
    if bad:
        figure += f"; outside: {', '.join(bad)}"
    return Found(figure, f"{low:.0f} to {high:.0f} s", not bad)


def starts_of(run: Outcome, sets: set[str]) -> list[float]:
    """When robots began with one of `sets`, sorted, s."""
    return sorted(start for spells in run["robots"].values() for name, start, _ in spells if name in sets)


def mission_time(desk: Desk) -> Found:
    """How long the mission takes, against figure 10's."""
    runs = outcomes(desk, nominal)
    low, high = FIGURE_10_S * (1.0 - WITHIN), FIGURE_10_S * (1.0 + WITHIN)
    times = [run["duration_s"] for run in runs]
    outside = [run for run in runs if not low <= run["duration_s"] <= high]
    bad = [f"seed {run['seed']}: {run['duration_s']:.0f} s" for run in outside]
    figure = f"median {median(times):.0f} s, {min(times):.0f} to {max(times):.0f} s"
    if bad:
        figure += f"; outside: {', '.join(bad)}"
    return Found(figure, f"{low:.0f} to {high:.0f} s ({FIGURE_10_S:.0f} s within {WITHIN:.0%})", not bad)


SIM = f"robotd sim {mission.NAME} --seed N --json"


def _variations() -> Sequence[Check]:
    room = mission.world()
    changes: tuple[tuple[str, str, Change], ...] = (
        ("as it stands", SIM, nominal),
        ("10 % radio loss", f"{SIM} --set radio.loss=0.1", lossy),
        ("robots 20 % slower", f"{SIM} --set world.max_speed_m_s={room.max_speed_m_s * 0.8:g}",
         functools.partial(speed, 0.8)),
        ("robots 20 % faster", f"{SIM} --set world.max_speed_m_s={room.max_speed_m_s * 1.2:g}",
         functools.partial(speed, 1.2)),
        ("spills elsewhere in their quarters", f"{SIM} --set world.spills=[...]", elsewhere),
    )  # fmt: skip
    return [
        Check(f"2.{part}", f"accomplished, N = 1..20, {name}", words, functools.partial(accomplished, change))
        for part, (name, words, change) in enumerate(changes, 1)
    ]


CHECKS = (
    *_variations(),
    Check("2.6", "figure 10: one finder", SIM, functools.partial(exactly, "find-locations", 1)),
    Check("2.7", "figure 10: two movers", SIM, functools.partial(exactly, "move-spill", 2)),
    Check("2.8", "figure 10: time between reports", SIM, reports),
    Check("2.9", "figure 10: mission time", SIM, mission_time),
)

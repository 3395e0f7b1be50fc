"""Line 2: the mission is accomplished, in every seed and under every change; the story is figure 10's."""

import functools
import itertools
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from robotd.model.streams import Stream
from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import Desk

SEEDS, QUICK_SEEDS = 20, 2
Outcome = dict[str, Any]
Change = Callable[[int], list[str]]

CLEAR_M = 0.75  # a spill's centre from walls and midline: its objects lie 0.35 m round it, a robot is 0.4 m wide
REPORTS_S = (220.0, 300.0)
FIGURE_10_S, WITHIN = 1375.0, 0.25


def outcomes(desk: Desk, change: Change) -> list[Outcome]:
    def one(seed: int) -> Outcome:
        words = [mission.NAME, "--seed", str(seed), *change(seed), "--log", "none"]
        return desk.kept(f"sim {' '.join(words)}", lambda: desk.sim(*words))

    return desk.each(desk.seeds(SEEDS, QUICK_SEEDS), one)


def accomplished(change: Change, desk: Desk) -> Found:
    all_runs = outcomes(desk, change)
    bad = [f"{run['seed']} ({run['reason']})" for run in all_runs if not run["accomplished"]]
    times = [run["duration_s"] for run in all_runs if run["accomplished"]]
    figure = f"{len(times)} of {len(all_runs)}"
    if times:
        figure += f"; median {median(times):.0f} s, {min(times):.0f} to {max(times):.0f} s"
    lost, came = (sum(run["radio"][key] for run in all_runs) for key in ("lost", "delivered"))
    if lost:
        figure += f"; {lost / (lost + came):.1%} of frames lost"
    return Found(besides(figure, bad, "not: seeds"), f"{len(all_runs)} of {len(all_runs)}", not bad)


def nominal(seed: int) -> list[str]:
    return []


def setting(text: str) -> Change:
    return lambda seed: ["--set", text]


def elsewhere(seed: int) -> list[str]:
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
    sets = mission.sets_for(kind)
    return sorted(name for name, spells in run["robots"].items() if any(spell[0] in sets for spell in spells))


def exactly(kind: str, count: int, desk: Desk) -> Found:
    runs = outcomes(desk, nominal)
    found = {run["seed"]: who(run, kind) for run in runs}
    others = [f"{seed} ({', '.join(names) or 'none'})" for seed, names in found.items() if len(names) != count]
    figure = besides(f"{len(runs) - len(others)} of {len(runs)} seeds", others)
    return Found(figure, f"exactly {count} in each seed", not others)


def reports(desk: Desk) -> Found:
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
    return Found(besides(figure, bad, "outside"), f"{low:.0f} to {high:.0f} s", not bad)


def starts_of(run: Outcome, sets: set[str]) -> list[float]:
    return sorted(start for spells in run["robots"].values() for name, start, _ in spells if name in sets)


def mission_time(desk: Desk) -> Found:
    runs = outcomes(desk, nominal)
    low, high = FIGURE_10_S * (1.0 - WITHIN), FIGURE_10_S * (1.0 + WITHIN)
    times = [run["duration_s"] for run in runs]
    outside = [run for run in runs if not low <= run["duration_s"] <= high]
    bad = [f"seed {run['seed']}: {run['duration_s']:.0f} s" for run in outside]
    figure = f"median {median(times):.0f} s, {min(times):.0f} to {max(times):.0f} s"
    return Found(
        besides(figure, bad, "outside"), f"{low:.0f} to {high:.0f} s ({FIGURE_10_S:.0f} s within {WITHIN:.0%})",
        not bad,
    )  # fmt: skip


SIM = f"robotd sim {mission.NAME} --seed N --json"


def _variations() -> Sequence[Check]:
    slow, fast = (f"world.max_speed_m_s={mission.world().max_speed_m_s * factor:g}" for factor in (0.8, 1.2))
    changes: tuple[tuple[str, str, Change], ...] = (
        ("unchanged", SIM, nominal),
        ("10 % radio loss", f"{SIM} --set radio.loss=0.1", setting("radio.loss=0.1")),
        ("robots 20 % slower", f"{SIM} --set {slow}", setting(slow)),
        ("robots 20 % faster", f"{SIM} --set {fast}", setting(fast)),
        ("spills elsewhere in their quarters", f"{SIM} --set world.spills=[...]", elsewhere),
    )
    return [
        Check(f"2.{part}", f"accomplished, N = 1..20, {name}", words, functools.partial(accomplished, change))
        for part, (name, words, change) in enumerate(changes, 1)
    ]


CHECKS = (
    *_variations(), Check("2.6", "figure 10: one finder", SIM, functools.partial(exactly, "find-locations", 1)),
    Check("2.7", "figure 10: two movers", SIM, functools.partial(exactly, "move-spill", 2)),
    Check("2.8", "figure 10: time between reports", SIM, reports),
    Check("2.9", "figure 10: mission time", SIM, mission_time),
)  # fmt: skip

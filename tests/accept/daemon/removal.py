"""Line 3: the robot on the right spill is carried out of the room; another takes its task, and reports go on."""

from __future__ import annotations

import math
from typing import Any

from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import Desk

SEEDS, QUICK_SEEDS = 10, 2
EVENT = f"300 remove holder:{mission.RIGHT}"
GRACE_S = 60.0
JOINS_S = 0.01  # a spell that begins where another ended begins in the same decision


def runs(desk: Desk) -> list[dict[str, Any]]:
    """Each seed's outcome, with `removed` (who) and `removed_at_s`, None where it never came to it."""

    def one(seed: int) -> dict[str, Any]:
        return desk.kept(f"removal {seed}", lambda: simulated(desk, seed))

    return desk.each(desk.seeds(SEEDS, QUICK_SEEDS), one)


def simulated(desk: Desk, seed: int) -> dict[str, Any]:
    log = desk.folder / f"removal-{seed}.jsonl"
    run = desk.sim(mission.NAME, "--seed", str(seed), "--event", EVENT, "--log", log)
    removal = next(iter(mission.events(log, "remove")), {"who": None, "at_s": None})
    log.unlink()
    return {**run, "removed": removal["who"], "removed_at_s": removal["at_s"]}


def taken_over(desk: Desk) -> Found:
    bound = mission.silence_beats() * mission.beat_s() + GRACE_S
    waits = {run["seed"]: waited(run) for run in runs(desk)}
    bad = [f"seed {seed}: {wait:.0f} s" for seed, wait in waits.items() if wait > bound]
    figure = f"{min(waits.values()):.0f} to {max(waits.values()):.0f} s"
    return Found(besides(figure, bad, "late"), f"at most {bound:.1f} s", not bad)


def waited(run: dict[str, Any]) -> float:
    if run["removed"] is None:
        return math.inf
    ends = [
        max(0.0, start - run["removed_at_s"])
        for name, spells in run["robots"].items()
        for own, start, end in spells
        if name != run["removed"] and own in mission.sets_for("move-spill") and own == mission.RIGHT
        if end > run["removed_at_s"]
    ]
    return min(ends, default=math.inf)


def interrupted(run: dict[str, Any]) -> tuple[int, int]:
    """After the removal: reports for which a robot left a spill, and those after which it went on with it."""
    moves, tells = mission.sets_for("move-spill"), mission.sets_for("report-progress")
    left = resumed = 0
    for name, spells in run["robots"].items():
        if name == run["removed"]:
            continue
        for index, (own, start, end) in enumerate(spells):
            before = spells[index - 1] if index else None
            if own not in tells or start < (run["removed_at_s"] or 0.0) or before is None:
                continue
            if before[0] not in moves or start - before[2] > JOINS_S or end > run["duration_s"] - JOINS_S:
                continue
            left += 1
            after = spells[index + 1] if index + 1 < len(spells) else None
            resumed += after is not None and after[0] == before[0] and after[1] - end <= JOINS_S
    return left, resumed


def reported(desk: Desk) -> Found:
    counts = {run["seed"]: interrupted(run) for run in runs(desk)}
    bad = [f"seed {seed}: {back} of {left}" for seed, (left, back) in counts.items() if not left or back < left]
    total, back = sum(left for left, _ in counts.values()), sum(resumed for _, resumed in counts.values())
    figure = besides(f"{total} interruptions to report, {back} resumed", bad)
    return Found(figure, "one at least in each seed, all resumed", not bad)


def accomplished(desk: Desk) -> Found:
    found = runs(desk)
    bad = [f"{run['seed']} ({run['reason']})" for run in found if not run["accomplished"]]
    figure = besides(f"{len(found) - len(bad)} of {len(found)}", bad, "not: seeds")
    return Found(figure, f"{len(found)} of {len(found)}", not bad)


SIM = f'robotd sim {mission.NAME} --seed N --event "{EVENT}" --json'
CHECKS = (
    Check("3.1", "another robot takes the right spill, N = 1..10", SIM, taken_over),
    Check("3.2", "the others interrupt their work to report, and resume", SIM, reported),
    Check("3.3", "accomplished all the same", SIM, accomplished),
)

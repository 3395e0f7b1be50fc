"""Line 3: the robot on the right spill is carried out of the room; another takes its task, and reports go on."""

from __future__ import annotations

from typing import Any

from tests.accept.check import Check, Found
from tests.accept.daemon import logs, mission
from tests.accept.desk import Desk

SEEDS, QUICK_SEEDS = 10, 2
EVENT = f"300 remove holder:{mission.RIGHT}"
GRACE_S = 60.0
JOINS_S = 0.01  # a spell that begins where another ended begins in the same decision


def runs(desk: Desk) -> list[dict[str, Any]]:
    """Each seed's outcome, with `removed` (who) and `removed_at_s`, None where it never came to it."""

    def one(seed: int) -> dict[str, Any]:
        return desk.kept(f"removal {seed}", lambda: simulated(desk, seed))

    return desk.each(range(1, desk.fewer(SEEDS, QUICK_SEEDS) + 1), one)


def simulated(desk: Desk, seed: int) -> dict[str, Any]:
    """One run; its log is read for the removal and deleted."""
    log = desk.folder / f"removal-{seed}.jsonl"
    run = desk.sim(mission.NAME, "--seed", str(seed), "--event", EVENT, "--log", log)
    removal = next(iter(logs.events(log, "remove")), {"who": None, "at_s": None})
    log.unlink()
    return {**run, "removed": removal["who"], "removed_at_s": removal["at_s"]}


def taken_over(desk: Desk) -> Found:
    """From the removal until another robot begins with the task."""
    bound = mission.silence_beats() * mission.beat_s() + GRACE_S
    waits: list[float] = []
    bad = []
    for run in runs(desk):
        wait = waited(run)
        if wait is None:
            bad.append(f"seed {run['seed']}: nobody")
        else:
            waits.append(wait)
            if wait > bound:
                bad.append(f"seed {run['seed']}: {wait:.0f} s")
    figure = f"{min(waits):.0f} to {max(waits):.0f} s" if waits else "never"
    return Found(figure + (f"; late: {', '.join(bad)}" if bad else ""), f"at most {bound:.1f} s", not bad)


def waited(run: dict[str, Any]) -> float | None:
    """Seconds until another robot was on the removed one's task; None: never."""
    if run["removed"] is None:
        return None
    ends = [
        max(0.0, start - run["removed_at_s"])
        for name, spells in run["robots"].items()
        for own, start, end in spells
        if name != run["removed"] and own in mission.sets_for("move-spill") and own == mission.RIGHT
        if end > run["removed_at_s"]
    ]
    return min(ends, default=None)


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
    """Whether those that go on interrupt their work to report, and resume it."""
    counts = {run["seed"]: interrupted(run) for run in runs(desk)}
    bad = [
        f"seed {seed}: {resumed} of {left} resumed"
        for seed, (left, resumed) in counts.items()
        if not left or resumed < left
    ]
    total, back = sum(left for left, _ in counts.values()), sum(resumed for _, resumed in counts.values())
    figure = f"{total} interruptions to report, {back} resumed" + (f"; {', '.join(bad)}" if bad else "")
    return Found(figure, "one at least in each seed, all resumed", not bad)


def accomplished(desk: Desk) -> Found:
    """Whether the mission is still accomplished."""
    found = runs(desk)
    bad = [f"{run['seed']} ({run['reason']})" for run in found if not run["accomplished"]]
    figure = f"{len(found) - len(bad)} of {len(found)}" + (f"; not: seeds {', '.join(bad)}" if bad else "")
    return Found(figure, f"{len(found)} of {len(found)}", not bad)


SIM = f'robotd sim {mission.NAME} --seed N --event "{EVENT}" --json'
CHECKS = (
    Check("3.1", "another robot takes the right spill, N = 1..10", SIM, taken_over),
    Check("3.2", "the others interrupt their work to report, and resume", SIM, reported),
    Check("3.3", "accomplished all the same", SIM, accomplished),
)

"""Line 3: the robot on the right spill is carried out of the room; another takes its task, and reports go on."""

import math

from robotd.experiments.base import Cell
from robotd.experiments.cleanup import MOVER
from robotd.experiments.file import find_experiment
from tests.accept.alliance.experiments import Row, accomplished
from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import Desk

GRACE_S = 60.0


def runs(desk: Desk) -> list[Row]:
    """The rows of the cell of the experiment `cleanup` in which this happens, for seeds 1 to 10."""
    run, cell = find_experiment("cleanup").run, Cell(MOVER)
    return [
        desk.kept(f"removal {seed}", lambda seed=seed: {"cell": MOVER, "seed": seed, **run(cell, [seed], None)[0]})
        for seed in desk.seeds(10, 2)
    ]


def taken_over(desk: Desk) -> Found:
    bound = mission.silence_beats() * mission.beat_s() + GRACE_S
    waits = {row["seed"]: row.get("takeover_s", math.inf) for row in runs(desk)}
    bad = [f"seed {seed}: {wait:.0f} s" for seed, wait in waits.items() if wait > bound]
    figure = f"{min(waits.values()):.0f} to {max(waits.values()):.0f} s"
    return Found(besides(figure, bad, "late"), f"at most {bound:.1f} s", not bad)


def reported(desk: Desk) -> Found:
    counts = {row["seed"]: (row.get("interruptions", 0), row.get("resumed", 0)) for row in runs(desk)}
    bad = [f"seed {seed}: {back} of {left}" for seed, (left, back) in counts.items() if not left or back < left]
    total, back = (sum(of) for of in zip(*counts.values(), strict=True))
    figure = besides(f"{total} interruptions to report, {back} resumed", bad)
    return Found(figure, "one at least in each seed, all resumed", not bad)


SIM = f'robotd sim {mission.NAME} --seed N --event "300 remove holder:{mission.RIGHT}" --json'
CHECKS = (
    Check("3.1", "another robot takes the right spill, N = 1..10", SIM, taken_over),
    Check("3.2", "the others interrupt their work to report, and resume", SIM, reported),
    Check("3.3", "accomplished all the same", SIM, lambda desk: accomplished(runs(desk))),
)

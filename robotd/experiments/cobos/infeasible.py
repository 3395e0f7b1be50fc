"""Experiment `cobos-infeasible`: places that need more robots than can do it, and one robot that joins late."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from robotd.experiments import measure
from robotd.experiments.base import Claim, Drawing, Results, accomplished
from robotd.experiments.cobos.experiment import MISSION, pucks_of
from robotd.experiments.cobos.trial import COLUMNS, Trial
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario

JOINS_S, WITHIN_S = 2400.0, 500.0  # when the eighth robot comes in; twice the 250 s after which a task lapses
JOINED, LACKING = "2-1-2-1, an eighth robot joins", "1-5-1-1"
OTHERS = {JOINED: ("t1", "t2", "t3"), LACKING: ("t1", "t3", "t4")}
"""By cell the tasks that seven robots can do; the other one is beyond them."""


def _staffed(tasks: Sequence[str], by_s: float, row: RunRow) -> bool:
    """Whether all pucks of each of these tasks were held at once by then, s."""
    return all(float(row.get(f"{task}_first_s", math.inf)) <= by_s for task in tasks)


@dataclass(frozen=True, kw_only=True)
class Infeasible(MissionExperiment):
    """Vectors that seven robots cannot staff. No log is kept: one of an hour has hundreds of megabytes."""

    logged: int = 0
    measured: Sequence[str] = measure.columns_with(*COLUMNS)

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial(self.scenarios[cell].mission)

    def claims(self, results: Results) -> Iterator[Claim]:
        for cell, tasks in OTHERS.items():
            text = f"{', '.join(tasks)} are staffed before {JOINS_S:g} s"
            yield results.claim(cell, text, partial(_staffed, tasks, JOINS_S))
        yield results.claim(
            JOINED, f"not all are held at once before {JOINS_S:g} s: five pucks are red, and four robots see red",
            lambda row: "duration_s" in row and (not accomplished(row) or float(row["duration_s"]) > JOINS_S),
        )  # fmt: skip
        yield results.claim(LACKING, "t2 is archived", lambda row: "t2" in str(row.get("archived", "")))
        yield results.claim(
            JOINED, f"all are staffed at once within {WITHIN_S:g} s after the robot has joined",
            lambda row: accomplished(row) and float(row["duration_s"]) <= JOINS_S + WITHIN_S,
        )  # fmt: skip

    def figures(self, results: Results) -> Sequence[Drawing]:
        return ()


SCENARIOS = {
    JOINED: Scenario(MISSION, {
        **pucks_of((2, 1, 2, 1)), "team.r8": {"number": 8, "type": "red"},
        "events": ["0 remove r8", f"{JOINS_S:g} return r8"],
    }),
    LACKING: Scenario(MISSION, pucks_of((1, 5, 1, 1))),
}  # fmt: skip
EXPERIMENT = Infeasible(
    name="cobos-infeasible", runs=5, limit_s=3600.0, scenarios=SCENARIOS,
    title="Are the other places staffed where one needs more robots than can do it?",
)  # fmt: skip

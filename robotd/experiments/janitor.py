"""Three ways to one end: nothing in ALLIANCE protects a floor that was cleaned too early (paper 000, IV-D)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Results, Table
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

FLOORS = ("clean-front", "clean-back")
CLEANED_AGAIN, REPEATED_S = "floors_cleaned_again", "repeated_work_s"
# Motivation per second for floors: so slow or so fast that garbage, at 12, is begun before or after them.
LATE, EARLY = 2.0, 30.0


def _floors(**changes: Any) -> Mapping[str, Any]:
    return {f"sets.{floor}.{key.replace('__', '.')}": value for floor in FLOORS for key, value in changes.items()}


CELLS: Mapping[str, Mapping[str, Any]] = {
    "precondition": {},
    "by luck": _floors(parameters__after=[], motivation__fast_rate=LATE),
    "done again": _floors(parameters__after=[], motivation__fast_rate=EARLY),
}
"""Waiting for the garbage; not waiting, but slow to grow impatient for floors; not waiting, and fast."""


class Floors(Measure):
    """Counts besides how floors were really cleaned."""

    def __init__(self) -> None:
        super().__init__()
        self.cleaned_again, self.repeated_s = 0, 0.0

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        areas = team.world.areas
        if areas is not None:
            self.cleaned_again, self.repeated_s = areas.cleaned_again("dirt"), areas.repeated_s("dirt")

    def columns(self, outcome: Outcome) -> RunRow:
        return {CLEANED_AGAIN: self.cleaned_again, REPEATED_S: round(self.repeated_s, 2)}


@dataclass(frozen=True, kw_only=True)
class Janitor(MissionExperiment):
    """With how often floors were cleaned in vain."""

    measured: Sequence[str] = (*measure.COLUMNS, CLEANED_AGAIN, REPEATED_S)

    def measure(self, cell: str, seed: int) -> Measure:
        return Floors()

    def answer(self, results: Results) -> str:
        words = {cell: statistics.words(results.mean(cell, REPEATED_S), 0, " s") for cell in CELLS}
        costs = [f"{cell}: {cost} of repeated work" for cell, cost in words.items() if cost]
        return f"{'; '.join(costs)}. {super().answer(results)}" if costs else super().answer(results)

    def tables(self, results: Results) -> Sequence[Table]:
        lines = [
            [
                cell,
                results.count_accomplished(cell),
                *(statistics.words(results.mean(cell, name), 1) for name in COSTS),
            ]
            for cell in CELLS
        ]
        columns = ("way", "accomplished", *COSTS.values())
        return [Table("Three ways to clean floors onto which garbage drops", columns, lines, NOTE)]


COSTS = {
    "duration_s": "mission time (s)", CLEANED_AGAIN: "floors cleaned again", REPEATED_S: "repeated work (s)",
    "work_s": "work (robot-s)",
}  # fmt: skip
NOTE = (
    "Means with their intervals. Precondition: a floor is cleaned once the garbage near it is emptied. "
    "By luck: no precondition, and the motivation to clean floors grows slowly. Done again: it grows fast."
)
EXPERIMENT = Janitor(
    name="janitor", published_seed=1,
    title="What does it cost if floors may be cleaned before the garbage is emptied?",
    scenarios={cell: Scenario("janitor", changes) for cell, changes in CELLS.items()},
)  # fmt: skip

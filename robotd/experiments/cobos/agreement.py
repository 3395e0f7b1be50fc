"""Experiment `cobos-agreement`: how soon after a change do the robots of one network solve the same allocation?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from motivation.cobos import Cobos
from robotd.experiments import measure, statistics
from robotd.experiments.base import Claim, Drawing, Results, Table
from robotd.experiments.cobos.experiment import MISSION, ROOM_M
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

BEAT_S = 3.0
MOST_BEATS = {0.0: 2, 0.3: 8}
"""By loss of frames, the beats after which robots agree."""
COLUMNS = ("agreement_beats", "waiting_beats", "episodes")
"""Each is defined in docs/experiments.md."""


def cell_of(loss: float) -> str:
    """What the cell of a loss is called."""
    return f"slots, loss {loss:.0%}"


class Trial(Measure):
    """Observes how long robots differ, or wait, while no fact and no membership changes. Times: s, own clock."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = 0.0  # when a robot last changed a fact, or the members of its network
        self.agreed = True
        self.worst_s = self.waits_s = 0.0  # the longest that they differed, and that one waited for pages
        self.episodes = 0  # changes after which they differed
        self._members: dict[str, frozenset[int]] = {}

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        if decision.choice is not None and decision.choice.facts:
            self.changed = max(self.changed, i.now)

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        views = {name: one.mind.keeper for name, one in team.robots.items() if isinstance(one.mind.keeper, Cobos)}
        self.compare(now, {name: (one.members, one.asking) for name, one in views.items()})

    def compare(self, now: float, views: dict[str, tuple[frozenset[int], str]]) -> None:
        """Take in of each robot the members of its network and what it would solve; '' while it waits."""
        members = {name: own for name, (own, _) in views.items()}
        if members != self._members:
            self._members, self.changed = members, now
        asked = {asking for _, asking in views.values()}
        still_s, agree = now - self.changed, len(asked - {""}) <= 1
        self.episodes += self.agreed and not agree
        self.agreed = agree
        if not agree:
            self.worst_s = max(self.worst_s, still_s)
        if "" in asked:
            self.waits_s = max(self.waits_s, still_s)

    def columns(self, outcome: Outcome) -> RunRow:
        beats = {"agreement_beats": self.worst_s, "waiting_beats": self.waits_s}
        return {**{name: round(time / BEAT_S, 2) for name, time in beats.items()}, "episodes": self.episodes}


def _within(most: int, row: RunRow) -> bool:
    return float(row.get("agreement_beats", most + 1)) <= most


@dataclass(frozen=True, kw_only=True)
class Agreement(MissionExperiment):
    """A cell for each loss."""

    logged: int = 0
    measured: Sequence[str] = measure.columns_with(*COLUMNS)

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial()

    def claims(self, results: Results) -> Iterator[Claim]:
        for loss, most in MOST_BEATS.items():
            cell = cell_of(loss)
            worst = results.greatest(cell, "agreement_beats")
            yield results.claim(
                cell, f"robots solve the same within {most} beats after the last change",
                partial(_within, most), f"at most {worst:g}",
            )  # fmt: skip

    def tables(self, results: Results) -> Sequence[Table]:
        rows: list[list[Value]] = []
        for cell in map(cell_of, MOST_BEATS):
            worst = [results.greatest(cell, name) for name in COLUMNS[:2]]
            means = [statistics.words(results.mean(cell, name), 2) for name in COLUMNS[:2]]
            differed = int(sum(results.values(cell, "episodes")))
            rows.append([cell, differed, means[0], f"{worst[0]:.2f}", means[1], f"{worst[1]:.2f}"])
        columns = (
            "cell", "times they differed", "longest of a run (beats)", "of all runs", "longest wait (beats)",
            "of all runs",
        )  # fmt: skip
        note = (
            "After the last change. Means of all runs with their intervals. A robot waits at the start, for pages."
        )
        return [Table("Until robots agree", columns, rows, note)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        return ()


def scenario(loss: float) -> Scenario:
    """One network around a base station; ticks so short that one falls into each slot."""
    changes: dict[str, Any] = {
        "radio.range_m": ROOM_M, "radio.base_station": True, "radio.beat_s": BEAT_S, "radio.loss": loss,
        "control.tick_hz": 5.0, "control.ticks_per_decision": 5, "coordinator.parameters.network_beats": 6,
        "time_limit_s": 300.0,
    }  # fmt: skip
    return Scenario(MISSION, changes, levels={"radio.loss": f"{loss:g}"}, fixed=set(changes) - {"radio.loss"})


EXPERIMENT = Agreement(
    name="cobos-agreement", runs=10, scenarios={cell_of(loss): scenario(loss) for loss in MOST_BEATS},
    title="How soon do robots of one network solve the same allocation?",
)  # fmt: skip

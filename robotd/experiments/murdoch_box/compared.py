"""Experiment `murdoch-box-compared`: the sets of trials at 1/3 Hz, and with ALLIANCE, beside MURDOCH at 10 Hz."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from motivation.murdoch.settings import MurdochSettings
from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Results, Table, accomplished
from robotd.experiments.charts import draw_intervals
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.murdoch_box.experiment import FAILURES, MISSION, Lazily, at_speed, changes, watcher_of
from robotd.experiments.murdoch_box.trial import COLUMNS, STRAIGHT, WHAT, Trial
from robotd.experiments.scenario import Scenario

AUCTIONS, SLOW, ALLIANCE = "MURDOCH", "MURDOCH at 1/3 Hz", "ALLIANCE"
THIRD = 1.0 / 3.0
WAYS: Mapping[str, Mapping[str, Any]] = {
    AUCTIONS: {},
    SLOW: {
        "radio.beat_s": 3.0, "radio.bit_rate": 9600.0, "time_limit_s": 1800.0,
        "coordinator.parameters.no_progress_s": 270.0,
        "sets.watch-box.parameters.lead_s": 6.0,  # half the term of a contract, as in the mission
    },
    ALLIANCE: {
        "coordinator": "alliance", "sets.watch-box.parameters.states": ["left-speed", "right-speed"],
    },
}  # fmt: skip
"""What differs from the mission: a slow radio, with robots at a third of the speed; facts in place of subtasks."""
TRIALS = (STRAIGHT, *FAILURES)


def cell_of(way: str, which: str) -> str:
    """What the cell of a set is called."""
    return f"{way}, {which}"


def over_rotation_deg(scenario: Scenario) -> float:
    """How far the box turns at most by a push that is no longer wanted, degrees.

    That push lasts until its contract runs out: a term, a beat that the last renewal took, and a decision.
    """
    content = scenario.mission.content
    watcher, terms = watcher_of(content), MurdochSettings(**content.coordinator.parameters)
    beat_s = content.radio.beat_s
    term_s = max(terms.contract_s, terms.contract_beats * beat_s)
    decision_s = content.control.ticks_per_decision / content.control.tick_hz
    rate = watcher.speed_m_s / watcher.push_width_m
    return math.degrees(rate * (term_s + beat_s + decision_s))


@dataclass(frozen=True, kw_only=True)
class Compared(MissionExperiment):
    """Each set of trials in each way, in the same worlds; a cell's baseline is the mission as it is."""

    measured: Sequence[str] = (*measure.COLUMNS, *COLUMNS)

    def scenario(self, cell: str, seed: int) -> Scenario:
        return self.scenarios[cell].changed(changes(cell.rpartition(", ")[2], seed))

    def measure(self, cell: str, seed: int) -> Measure:
        return Trial(cell.rpartition(", ")[2], seed)

    def baseline(self, cell: Cell) -> str:
        return cell_of(AUCTIONS, cell.name.rpartition(", ")[2])

    def claims(self, results: Results) -> Iterator[Claim]:
        text = "the box is declared to be at the goal, and is"
        for which, way in product(TRIALS, WAYS):
            yield results.claim(cell_of(way, which), text, accomplished)

    def tables(self, results: Results) -> Sequence[Table]:
        rows = []
        for which, way in product(TRIALS, WAYS):
            cell, usual = cell_of(way, which), cell_of(AUCTIONS, which)
            means = (statistics.words(results.mean(cell, name), 1) for name in ("time_s", "frames", "bytes"))
            ratio = statistics.words(results.ratio(cell, usual, "time_s"), 2) if way != AUCTIONS else ""
            rows.append([which, WHAT[which], way, results.count_accomplished(cell), *means, ratio])
        columns = (
            "set", "what happens", "way", "successes", "time (s)", "frames", "bytes", "time by that of MURDOCH",
        )  # fmt: skip
        bounds = "; ".join(
            f"{way} {over_rotation_deg(self.scenarios[cell_of(way, STRAIGHT)]):.0f} degrees"
            for way in (AUCTIONS, SLOW)
        )
        note = (
            "Means with their intervals, of times over the successful trials; the ratio is over pairs of one "
            "seed. A push that is no longer wanted lasts until its contract runs out and turns the box by at "
            f"most: {bounds}."
        )
        return [Table("In the same worlds", columns, rows, note)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        shown = {"time_s": "time of the successful trials (s)", "bytes": "bytes on the air"}
        return [one for name, label in shown.items() for one in draw_intervals(results, self.cells(), name, label)]


def scenarios() -> dict[str, Scenario]:
    """Each set of trials in each way."""
    slower = {SLOW: at_speed(THIRD)}
    return {
        cell_of(way, which): Scenario(
            MISSION, {**changes(which, 1), **own, **slower.get(way, {})}, levels={"events": which}
        )
        for (way, own), which in product(WAYS.items(), TRIALS)
    }


EXPERIMENT = Compared(
    name="murdoch-box-compared", runs=10, published_seed=1, scenarios=Lazily(scenarios),
    title="What do auctions at 1/3 Hz, and motivation in their place, make of the box?",
)  # fmt: skip

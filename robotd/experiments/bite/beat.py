"""Experiment `bite-beat`: what interaction by messages costs at a beat, beside what paper 004 gained by it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Results, Table
from robotd.experiments.bite.interactions import COLUMNS, Interactions
from robotd.experiments.bite.published import GAIN_S
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.scenario import Scenario
from robotd.figures.style import FAINT, INK, PALETTE, Entry, Page, plain_axes
from robotd.model.streams import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MISSION = str(Path(__file__).with_name("points.toml"))
BEATS = (0.1, 0.3, 1.0, 3.0)  # s
RICH, POOR = "vote and market", "agreed order"
GRAPH = "coordinator.parameters.graph."
DECIDED, ALLOCATED = ("first-search", "triangle", "second-search"), ("triangle", "line")
POINTS = len(DECIDED) + len(ALLOCATED)
POLICIES: Mapping[str, Mapping[str, Any]] = {
    RICH: {},
    POOR: {
        **{f"{GRAPH}{name}.decide": "agreed" for name in DECIDED},
        **{f"{GRAPH}{name}.allocate": "agreed" for name in ALLOCATED},
    },
}
"""What differs from the mission: its protocols by messages, and the ones without any."""
MESSAGES = 3  # of a vote as of a market, one after the other
ONE_WAY_S = 0.14  # of a one-way, all but half a beat until the frame: a tick, and until the next decision of two
NEAR = 0.25
EXPECTED_S = 2.0 * (GAIN_S / (POINTS * MESSAGES) - ONE_WAY_S)  # the beat at which that many one-ways take so long
WORKING = ("first-search", "second-search", "lead", "left", "right")
LENGTHS_S = 2.0, 6.0
LABEL = "interaction (s)"


def cell_of(policy: str, beat_s: float) -> str:
    """What the cell of a policy at a beat is called."""
    return f"{policy}, {beat_s:g} s"


def one_way_s(beat_s: float) -> float:
    """From a decision that states something to a teammate's that has it, s, at any time within a beat."""
    return beat_s / 2.0 + ONE_WAY_S


def predicted_s(beat_s: float) -> float:
    """What the interactions of a run take if no message waits for more than its beat, s."""
    return POINTS * MESSAGES * one_way_s(beat_s)


def crossing_s(results: Results, gain_s: float = GAIN_S) -> float:
    """The beat from which interaction takes longer than `gain_s`, between two that were run, s; NaN for none."""
    found = [(beat, results.mean(cell_of(RICH, beat), "interaction_s").value) for beat in BEATS]
    for (beat, took), (longer, more) in pairwise(found):
        if took <= gain_s < more:
            return beat + (longer - beat) * (gain_s - took) / (more - took)
    return math.nan


@dataclass(frozen=True, kw_only=True)
class Beat(MissionExperiment):
    """Each policy at each beat; in each run the behaviors last as long as its seed has it."""

    logged: int = 0
    measured: Sequence[str] = measure.columns_with(*COLUMNS)
    claims_note: str = "A claim about means is one claim, not one for each run."

    def cells(self) -> Sequence[Cell]:
        return [Cell(cell_of(*pair), dict(zip(("protocols", "beat_s"), pair, strict=True)))
                for pair in product(POLICIES, BEATS)]  # fmt: skip

    def scenario(self, cell: str, seed: int) -> Scenario:
        least, most = LENGTHS_S
        lengths = {
            f"sets.{name}.parameters.round_s": round(least + (most - least) * draw(seed, name, "length", 0), 2)
            for name in WORKING
        }
        return self.scenarios[cell].changed(lengths)

    def measure(self, cell: str, seed: int) -> Interactions:
        return Interactions()

    def answer(self, results: Results) -> str:
        at = crossing_s(results)
        first = "" if math.isnan(at) else f"From a beat of {at:.2f} s on. "
        return first + self.count_claims(results)

    def claims(self, results: Results) -> Iterator[Claim]:
        for beat in BEATS:
            rich, poor = cell_of(RICH, beat), cell_of(POOR, beat)
            yield _near(results, rich, "one_way_s", f"a one-way is {one_way_s(beat):.2f} s", one_way_s(beat))
            text = f"its interactions take {POINTS * MESSAGES} one-ways, {predicted_s(beat):.2f} s"
            yield _near(results, rich, "interaction_s", text, predicted_s(beat))
            yield results.claim(poor, "it takes no time to interact", lambda row: row.get("interaction_s") == 0.0)
        at = crossing_s(results)
        text = (
            f"it costs more than the published gain of {GAIN_S:.1f} s from a beat of about {EXPECTED_S:.2f} s on"
        )
        counted = "" if math.isnan(at) else f"{at:.2f} s"
        holds = [] if math.isnan(at) else [abs(at - EXPECTED_S) <= NEAR * EXPECTED_S]
        yield Claim(cell_of(RICH, BEATS[0]), text, holds, counted)

    def tables(self, results: Results) -> Sequence[Table]:
        rows = []
        for beat in BEATS:
            cell = cell_of(RICH, beat)
            names = ("one_way_s", "interaction_s", "sync_s", "allocation_s", "ending_s")
            means = [statistics.words(results.mean(cell, name), 2) for name in names]
            rows.append([f"{beat:g}", f"{one_way_s(beat):.2f}", means[0], f"{predicted_s(beat):.2f}", *means[1:]])
        columns = (
            "beat (s)", "one-way (s)", "measured (s)", f"{POINTS * MESSAGES} one-ways (s)", LABEL,
            "of which choices (s)", "and allocations (s)", "ends (s)",
        )  # fmt: skip
        note = "Means of one robot's times with their intervals. Ends: until all have ended what they do together."
        return [Table("What interaction costs", columns, rows, note)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        if not results.values(cell_of(RICH, BEATS[0]), "interaction_s"):
            return []
        caption = f"What interaction costs over the beat, beside the published gain of {GAIN_S:.1f} s"
        return [results.save(draw_costs(results), "beat", caption)]


def _near(results: Results, cell: str, column: str, text: str, expected: float) -> Claim:
    found = results.mean(cell, column)
    return Claim.of_estimate(
        cell, f"{text}, within {NEAR:.0%}", found, lambda own: abs(own.value - expected) <= NEAR * expected,
        statistics.words(found, 2, " s"),
    )  # fmt: skip


def draw_costs(results: Results) -> Figure:
    """Interaction over the beat: measured, predicted, and what the paper gained by it."""
    at = crossing_s(results)
    looks: Mapping[str, Mapping[str, Any]] = {
        RICH: {"color": PALETTE[0], "marker": "o", "markersize": 5.0, "linewidth": 1.2},
        POOR: {"color": PALETTE[2], "marker": "s", "markersize": 5.0, "linewidth": 1.2},
    }
    predicted: Mapping[str, Any] = {"color": FAINT, "linewidth": 1.0, "linestyle": "--"}
    gain: Mapping[str, Any] = {"color": PALETTE[5], "linewidth": 1.2}
    entries = [
        *(Entry(name, "line", look) for name, look in looks.items()),
        Entry(f"{POINTS * MESSAGES} one-ways", "line", predicted),
        Entry(f"gained in paper 004: {GAIN_S:.1f} s", "line", gain),
    ]

    def plot(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.plot(BEATS, [predicted_s(beat) for beat in BEATS], **predicted)
        axes.axhline(GAIN_S, **gain)
        for name, look in looks.items():
            found = [results.mean(cell_of(name, beat), "interaction_s") for beat in BEATS]
            axes.plot(BEATS, [one.value for one in found], **look)
            for beat, one in zip(BEATS, found, strict=True):
                axes.plot([beat, beat], [one.low, one.high], color=look["color"], linewidth=1.6)
        if not math.isnan(at):
            axes.plot([at, at], [0.0, GAIN_S], color=INK, linewidth=0.8, linestyle=":")
            axes.annotate(f"{at:.2f} s", (at, GAIN_S), xytext=(-6, 6), textcoords="offset points", ha="right")
        axes.set_xticks(BEATS, [f"{beat:g}" for beat in BEATS])
        axes.set_xlim(left=0.0)
        axes.set_ylim(bottom=-0.5)
        axes.set_xlabel("beat (s)")
        axes.set_ylabel(LABEL)
        plain_axes(axes, "y")

    return Page("What three choices and two allocations cost", 3.0, 0.7, 0.4, entries).draw(plot)


EXPERIMENT = Beat(
    name="bite-beat", runs=20,
    title="From which beat on does interaction by messages cost more than it gained in paper 004?",
    scenarios={
        cell_of(policy, beat): Scenario(MISSION, {**changes, "radio.beat_s": beat})
        for (policy, changes), beat in product(POLICIES.items(), BEATS)
    },
)  # fmt: skip

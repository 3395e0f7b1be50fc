"""Cleanup while more and more frames are lost, and by one robot alone: what the radio is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robotd.experiments import statistics
from robotd.experiments.base import Claim, Drawing, Results
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.panels import Axis, Means, Panel, line_charts
from robotd.experiments.scenario import Scenario

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
ALONE = "green"  # the only robot whose parameters make it impatient to find and to move
TEAM, ONE = "the team", "one robot alone"


def name_of(share: float) -> str:
    """What the cell of a loss is called."""
    return f"loss {share:.0%}"


class Loss(MissionExperiment):
    """With its figures over the loss."""

    def claims(self, results: Results) -> Iterator[Claim]:
        for cell in map(name_of, SHARES):
            done = [row.get("accomplished") is True for row in results.of(cell)]
            yield Claim(cell, "the team accomplishes cleanup", done)
            pairs = results.pairs((cell, "duration_s"), (ONE, "duration_s"))
            mean = statistics.words(results.mean(cell, "duration_s"), 0, " s")
            yield Claim(cell, f"and sooner than {ONE}", [team < one for team, one in pairs], mean)

    def figures(self, results: Results) -> Sequence[Drawing]:
        panels = [
            Panel(label, [Means(TEAM, [results.mean(name_of(share), column) for share in SHARES]),
                          Means(ONE, [results.mean(ONE, column)] * len(SHARES))])
            for column, label in (
                ("duration_s", "mission time (s)"), ("duplicated_work_s", "duplicated work (robot-seconds)"),
            )
        ]  # fmt: skip
        axis = Axis("frames lost", [f"{share:.0%}" for share in SHARES])
        drawing = line_charts(panels, axis, "What losses cost", results.folder / "figures" / "over_loss.svg")
        return [*([drawing] if drawing is not None else []), *super().figures(results)]


EXPERIMENT = Loss(
    name="loss",
    title="Does the team accomplish cleanup at every loss of frames, and sooner than one robot alone?",
    scenarios={
        **{name_of(share): Scenario("cleanup", {"radio.loss": share}) for share in SHARES},
        ONE: Scenario("cleanup", {"robots": [ALONE]}),
    },
    published_seed=1,
)

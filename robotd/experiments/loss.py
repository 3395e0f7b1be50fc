"""Cleanup while more and more frames are lost, and by one robot alone: what the radio is worth."""

from collections.abc import Iterator, Sequence

from robotd.experiments import statistics
from robotd.experiments.base import Claim, Drawing, Results, accomplished
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.missions import MEASURES, MissionExperiment
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
            yield results.claim(cell, "the team accomplishes cleanup", accomplished)
            pairs = results.pairs((cell, "duration_s"), (ONE, "duration_s"))
            mean = statistics.words(results.mean(cell, "duration_s"), 0, " s")
            yield Claim(cell, f"and sooner than {ONE}", [team < one for team, one in pairs], mean)

    def figures(self, results: Results) -> Sequence[Drawing]:
        cells = {TEAM: [name_of(share) for share in SHARES], ONE: [ONE] * len(SHARES)}
        panels = [
            Panel(MEASURES[column], [Means.of(results, team, own, column) for team, own in cells.items()])
            for column in ("duration_s", "duplicated_work_s")
        ]
        drawn = line_charts(panels, Axis.of_losses(SHARES), "What losses cost", results.figure("over_loss"))
        return [*drawn, *super().figures(results)]


LOSING = {name_of(share): Scenario("cleanup", {"radio.loss": share}) for share in SHARES}
EXPERIMENT = Loss(
    name="loss", published_seed=1,
    title="Does the team accomplish cleanup at every loss of frames, and sooner than one robot alone?",
    scenarios={**LOSING, ONE: Scenario("cleanup", {"robots": [ALONE]})},
)  # fmt: skip

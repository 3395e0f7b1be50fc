"""Cleanup while more and more frames are lost, and by one robot alone: what the radio is worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robotd.experiments import statistics
from robotd.experiments.contract import Drawing, Row
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.panels import Axis, Line, Panel, line_charts
from robotd.experiments.scenario import Scenario

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
ALONE = "green"  # the only robot whose parameters make it impatient to find and to move
TEAM, ONE = "the team", "one robot alone"


def name_of(share: float) -> str:
    """What the cell of a loss is called."""
    return f"loss {share:.0%}"


class Loss(MissionExperiment):
    """With its figures over the loss."""

    def figures(self, rows: Sequence[Row], folder: Path) -> Sequence[Drawing]:
        """See `Experiment.figures`."""
        panels = [
            Panel("mission time (s)", _lines(rows, "duration_s")),
            Panel("duplicated work (robot-seconds)", _lines(rows, "duplicated_work_s")),
        ]
        axis = Axis("frames lost", [f"{share:.0%}" for share in SHARES])
        drawing = line_charts(panels, axis, "What losses cost", folder / "figures" / "over_loss.svg")
        return [*([drawing] if drawing is not None else []), *super().figures(rows, folder)]


def _lines(rows: Sequence[Row], column: str) -> list[Line]:
    """The team's means at each loss, and the lone robot's, which no loss touches."""

    def mean(cell: str) -> statistics.Estimate:
        return statistics.mean([float(row[column]) for row in rows if row["cell"] == cell and column in row])

    return [Line(TEAM, [mean(name_of(share)) for share in SHARES]), Line(ONE, [mean(ONE)] * len(SHARES))]


EXPERIMENT = Loss(
    "loss",
    "Does the team accomplish cleanup at every loss of frames, and sooner than one robot alone?",
    {
        **{name_of(share): Scenario("cleanup", {"radio.loss": share}) for share in SHARES},
        ONE: Scenario("cleanup", {"robots": [ALONE]}),
    },
    runs=10,
)

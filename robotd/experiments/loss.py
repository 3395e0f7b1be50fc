"""Cleanup while more and more frames are lost, and by one robot alone: what the radio is worth."""

from __future__ import annotations

from robotd.experiments.missions import MissionExperiment
from robotd.experiments.scenario import Scenario

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
ALONE = "green"  # the only robot whose parameters make it impatient to find and to move

EXPERIMENT = MissionExperiment(
    "loss",
    "Does the team accomplish cleanup at every loss of frames, and sooner than one robot alone?",
    {
        **{f"loss {share:.0%}": Scenario("cleanup", {"radio.loss": share}) for share in SHARES},
        "one robot alone": Scenario("cleanup", {"robots": [ALONE]}),
    },
    runs=10,
)

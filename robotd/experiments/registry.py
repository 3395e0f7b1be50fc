"""The named experiments: each is one module, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

from robotd.experiments.contract import Experiment
from robotd.files.plugins import unknown

NAMED: Mapping[str, str] = MappingProxyType(
    {
        "box-pushing": "robotd.experiments.box_pushing",
        "channel": "robotd.experiments.channel",
        "cleanup": "robotd.experiments.cleanup",
        "cleanup-speeds": "robotd.experiments.cleanup_speeds",
        "duel": "robotd.experiments.duel",
        "janitor": "robotd.experiments.janitor",
        "learning": "robotd.experiments.learning",
        "loss": "robotd.experiments.loss",
        "optimality": "robotd.experiments.optimality",
        "stop": "robotd.experiments.stop.experiment",
        "termination": "robotd.experiments.termination",
    }
)
"""By name the module, whose `EXPERIMENT` it is."""


def named(name: str) -> Experiment:
    """The experiment called `name`; LookupError names the nearest and all there are."""
    if name not in NAMED:
        raise LookupError(unknown("experiment", name, NAMED))
    experiment: Experiment = importlib.import_module(NAMED[name]).EXPERIMENT
    return experiment

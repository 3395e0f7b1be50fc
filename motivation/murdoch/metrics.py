"""Metrics: what makes one robot fitter for a task than another (002, section V-B.1).

A metric is a function of a robot's own state to a share of one. Robots compare their scores, so that a length is
scaled by a range that the mission declares and never by what one robot happens to see.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from motivation.murdoch.settings import TaskTerms
from robotd.model.beliefs import Beliefs
from robotd.model.facts import SHARE_PARTS
from robotd.model.inputs import Inputs
from robotd.model.tasks import Feedback, Task

WIDE = math.radians(30.0)  # rad: a box so far aside in the picture is well placed


@dataclass(frozen=True, slots=True)
class Candidate:
    """One robot before one task: what it senses and believes, and how its behavior set judges the task."""

    inputs: Inputs
    beliefs: Beliefs
    task: Task
    feedback: Feedback
    terms: TaskTerms


Metric = Callable[[Candidate], float]


def fitness(c: Candidate) -> float:
    """How well placed the robot is as its behavior set judges it."""
    return c.feedback.fitness


def distance(c: Candidate) -> float:
    """1 at the task's place, 0 at `range_m` from it and where the place or the robot's own is not known.

    The place is that of the arguments x and y (m), else the fact that the argument `place` names.
    """
    args, here = dict(c.task.args), c.inputs.senses.pose
    there = c.beliefs.place(args["place"]) if "place" in args else None
    if "x" in args and "y" in args:
        there = c.task.place
    if here is None or there is None:
        return 0.0
    return 1.0 - math.dist((here.x, here.y), there) / c.terms.range_m


def battery(c: Candidate) -> float:
    """The charge; 1 on a robot without a gauge."""
    charge = c.inputs.senses.battery
    return 1.0 if charge is None else charge


def camera_offset(c: Candidate) -> float:
    """For the end of a box that the argument `end` names: the box lies to the other side in the picture (VI-B.2).

    0.5 where it is in the middle or the task names no end, 0 where no box is in the picture.
    """
    sights = [sight for sight in c.inputs.senses.sights if sight.kind == "box"]
    if not sights:
        return 0.0
    side = {"right": 1.0, "left": -1.0}.get(dict(c.task.args).get("end", ""), 0.0)
    return 0.5 + 0.5 * side * sights[0].bearing / WIDE


METRICS: dict[str, Metric] = {
    "fitness": fitness, "distance": distance, "battery": battery, "camera-offset": camera_offset,
}  # fmt: skip


def score(c: Candidate, metrics: Mapping[str, Metric]) -> float:
    """The sum of the task's metrics by their weights, as a share of the greatest sum, as it travels.

    In 255ths, so that all robots, the auctioneer among them, compare the same values.
    """
    weights = c.terms.weights
    total = sum(weight * _share(metrics[name](c)) for name, weight in weights.items())
    return round(total / sum(weights.values()) * SHARE_PARTS) / SHARE_PARTS


def _share(value: float) -> float:
    return 0.0 if math.isnan(value) else max(0.0, min(1.0, value))

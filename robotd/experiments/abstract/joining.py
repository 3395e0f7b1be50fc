"""Missions of different shapes that go on as one batch: of each a few last long, and a tick of few costs as much.

Robots and tasks are filled up to the largest shape by ones that change nothing: dead robots, which are able to do
nothing, and tasks of no rounds, which no robot is able to do. They come after the others on every axis, so that
those keep their numbers, hence their draws, and sums and choices stay the same to the last bit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.parameters import STORED, Parameters, State
from robotd.experiments.abstract.missions import Missions, adjacent
from robotd.experiments.abstract.running import OF_MISSIONS, Running

ALL = "MRTK"  # the axes of an array, as many as it has: missions, robots, tasks, teammates
OTHER = {"rounds": "MT", "needs": "MTT"}, {"done": "MT", "done_at": "MT"}  # of `Missions`, and of `Running`
FILL = {
    "task_time": np.inf, "robot_at": -np.inf, "radio_at": -np.inf, "sensor_at": np.inf, "yield_time": np.inf,
    "give_up_time": np.inf, "done_at": -np.inf, "waiting_since": -np.inf, "last_received": -np.inf,
    "began": -np.inf, "patience_start": -np.inf, "_known_at": -np.inf,
}  # fmt: skip
"""The values of robots and tasks that are not there; 0 or False in all other arrays."""


def join(parts: Sequence[Running]) -> Running:
    """Batches at the same tick, without a coordinator that learns, as one; ValueError where their ticks differ."""
    if len({part.n for part in parts}) != 1:
        raise ValueError("batches at different ticks cannot go on as one")
    shapes = [part.missions.shape for part in parts]
    size = {"R": max(robots for _, robots, _ in shapes), "T": max(tasks for _, _, tasks in shapes)}
    size["K"] = size["R"] - 1

    def joined(name: str, axes: str, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        shape = sum(map(len, arrays)), *(size[axis] for axis in axes[1:])
        filled = np.full(shape, FILL.get(name, 0), arrays[0].dtype)
        start = 0
        for array in arrays:
            filled[(slice(start, start + len(array)), *map(slice, array.shape[1:]))] = array
            start += len(array)
        return adjacent(filled)

    def of(values: Sequence[Any], names: Iterable[str], other: Mapping[str, str]) -> dict[str, Any]:
        columns = {name: [getattr(one, name) for one in values] for name in names}
        return {name: joined(name, other.get(name, ALL[: own[0].ndim]), own) for name, own in columns.items()}

    missions, states = [part.missions for part in parts], [part.state for part in parts]
    params = replace(missions[0].params, **of([one.params for one in missions], _arrays(missions[0].params), {}))
    whole = Running(replace(missions[0], **of(missions, _arrays(missions[0]), OTHER[0]), params=params))
    whole.n = parts[0].n
    whole.take_up(State(**of(states, STORED, {})), of(parts, OF_MISSIONS, OTHER[1]))
    return whole


def _arrays(of: Missions | Parameters) -> list[str]:
    return [field.name for field in fields(of) if isinstance(getattr(of, field.name), np.ndarray)]

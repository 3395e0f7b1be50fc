"""What a batch of abstract missions is made of, as arrays."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.parameters import Bools, Parameters, Reals
from robotd.experiments.abstract.draws import Keys, Purpose, uniform
from robotd.experiments.rows import RunRow

Wholes = NDArray[np.int64]
Counts = NDArray[np.int8]
"""Small numbers, of rounds and tasks: an eighth of the memory that numpy has to read."""
THRESHOLD, BEAT_S = 100.0, 3.0
SILENCE_BEATS = 6.5  # what robots ship with: tolerates a loss of 30 %


@dataclass(frozen=True, kw_only=True)
class Missions:
    """A batch of missions of equally many robots R and tasks T; each robot has one behavior set per task.

    `key` `(M)` of its draws. Tasks: `rounds` `(M, T)`, how often each must be completed; `needs` `(M, T, T)`, the
    tasks (last axis) that must have been completed for good before; `able` `(M, R, T)`, which robots have a
    behavior set for it; `task_time` `(M, R, T)`, how long one round takes a robot alone, s (inf: no work of it
    completes anything).
    `shared_work`: what any robot has done stays done; else every robot starts a round for itself.

    Radio: `beat_phase` `(M, R)`, s; `loss` `(M)`, the share of frames that a link loses. An idle robot looks round
    every `look_s` from `look_phase` `(M, R)` and sees which tasks are done.

    Failures, at instants (s; inf: never): `robot_at` and `radio_at` `(M, R)`, `sensor_at` `(M, R, T)`. A failed
    sensor is `blind` `(M, R, T)`, and the robot sees no need of the task, or not, and it works to no effect.
    """

    key: Keys
    rounds: Counts
    needs: Bools
    able: Bools
    task_time: Reals
    beat_phase: Reals
    look_phase: Reals
    loss: Reals
    robot_at: Reals
    radio_at: Reals
    sensor_at: Reals
    blind: Bools
    params: Parameters
    tick_s: float
    look_s: float = np.inf
    shared_work: bool = True

    @classmethod
    def plain(
        cls, key: Keys, task_time: Reals, params: Parameters, tick_s: float, *, loss: Reals | float = 0.0,
        shared_work: bool = True, beat_phase: Reals | float = 0.0,
    ) -> Self:  # fmt: skip
        """Missions `(M, R, T)` in which everyone can do every task once, and nothing fails."""
        missions, robots, tasks = shape = task_time.shape
        return cls(
            key=key, rounds=np.ones((missions, tasks), np.int8),
            needs=np.zeros((missions, tasks, tasks), np.bool_), able=np.ones(shape, np.bool_), task_time=task_time,
            beat_phase=np.broadcast_to(np.asarray(beat_phase, np.float64), (missions, robots)),
            look_phase=np.zeros((missions, robots)),
            loss=np.broadcast_to(np.asarray(loss, np.float64), (missions,)),
            robot_at=np.full((missions, robots), np.inf), radio_at=np.full((missions, robots), np.inf),
            sensor_at=np.full(shape, np.inf), blind=np.zeros(shape, np.bool_),
            params=params, tick_s=tick_s, shared_work=shared_work,
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, int, int]:
        """Missions, robots, tasks."""
        missions, robots, tasks = self.task_time.shape
        return missions, robots, tasks

    def take(self, which: Bools) -> Self:
        """The missions of the mask `which` `(M)`."""
        return replace(self, **_taken(self, which), params=replace(self.params, **_taken(self.params, which)))


def _taken(arrays: Missions | Parameters, which: Bools) -> dict[str, Any]:
    """By name the missions of a mask, of all arrays of a batch: they have the missions as their first axis."""
    named = {f.name: getattr(arrays, f.name) for f in fields(arrays)}
    return {name: adjacent(array[which]) for name, array in named.items() if isinstance(array, np.ndarray)}


def adjacent(array: NDArray[Any]) -> NDArray[Any]:
    """The same array with its missions, the first axis, adjacent in memory.

    Numpy keeps the order of its operands, so each operation and reduction over the short axes of robots, tasks and
    teammates then runs along the missions.
    """
    return np.asfortranarray(array)


def others(robots: int) -> Wholes:
    """`(robots, robots - 1)`: each robot's teammates in the order of their numbers."""
    return np.array([[k for k in range(robots) if k != r] for r in range(robots)], np.int64).reshape(robots, -1)


def outranks(robots: int) -> Bools:
    """`(robots, 1, robots - 1)`: the teammates that win a tie, as of `Parameters`: those of lower number."""
    ranked: Bools = others(robots)[:, None, :] < np.arange(robots)[:, None, None]
    return ranked


def parameters(shape: tuple[int, int, int], **rates: Any) -> Parameters:
    """Those of missions of this shape `(M, R, T)`, with the threshold, beat and silence of all abstract teams."""
    robots, silence_s = shape[1], SILENCE_BEATS * BEAT_S
    return Parameters.of(
        (*shape, robots - 1),
        threshold=THRESHOLD, silence_timeout=silence_s, beat_s=BEAT_S, outranks=outranks(robots), **rates,
    )  # fmt: skip


def between(share: Reals, bounds: tuple[float, float]) -> Reals:
    """Numbers from the first to the last bound, for shares from 0 to 1."""
    return bounds[0] + (bounds[1] - bounds[0]) * share


def whole(share: Reals, bounds: tuple[int, int]) -> Wholes:
    """Whole numbers from the first to the last bound, for shares from 0 to below 1."""
    return bounds[0] + (share * (bounds[1] - bounds[0] + 1)).astype(np.int64)


def draw_shapes(key: Keys, robots: tuple[int, int], tasks: tuple[int, int]) -> tuple[Wholes, Wholes]:
    """How many robots and tasks each mission has, from the first to the last of the bounds."""
    return whole(uniform(key, Purpose.TEAM, 0), robots), whole(uniform(key, Purpose.TEAM, 1), tasks)


Shape = tuple[int, int]
"""How many robots and tasks a mission has."""


def by_shape(shapes: tuple[Wholes, Wholes]) -> dict[Shape, Wholes]:
    """The places of the missions of each shape, from the smallest shape."""
    robots, tasks = shapes
    return {
        shape: np.flatnonzero((robots == shape[0]) & (tasks == shape[1]))
        for shape in sorted(set(zip(robots.tolist(), tasks.tolist(), strict=True)))
    }


def in_order(places: Iterable[Wholes], rows: Iterable[Sequence[RunRow]]) -> Sequence[RunRow]:
    """The rows of missions by shape, each at its mission's place."""
    at = [place for of_shape in places for place in of_shape.tolist()]
    found = [row for of_shape in rows for row in of_shape]
    return [row for _, row in sorted(zip(at, found, strict=True), key=lambda one: one[0])]


def run_by_shape(
    key: Keys, shapes: tuple[Wholes, Wholes], run: Callable[[Keys, int, int], Sequence[RunRow]]
) -> Sequence[RunRow]:
    """The rows of missions in their order, which `run` gives of all of one shape: robots and tasks."""
    found = by_shape(shapes)
    return in_order(found.values(), (run(key[places], *shape) for shape, places in found.items()))

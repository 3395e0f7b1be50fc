"""Random abstract missions, held against theorem 1: is every task done whose robots have not all failed?"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from motivation.alliance.parameters import Bools, Parameters, Reals
from robotd.experiments import statistics
from robotd.experiments.abstract.draws import Keys, Purpose, keys, phases, uniform
from robotd.experiments.abstract.joining import join
from robotd.experiments.abstract.missions import (
    BEAT_S,
    THRESHOLD,
    Missions,
    Wholes,
    between,
    by_shape,
    draw_shapes,
    in_order,
    parameters,
    whole,
)  # fmt: skip
from robotd.experiments.abstract.running import Running
from robotd.experiments.abstract.theorem import excused, horizon
from robotd.experiments.base import Cell, Claim, Drawing, Experiment, Results
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.rows import RunRow

CELL = "random missions"
FEW = 128  # missions of a shape: the calls of numpy in a tick of theirs then cost more than what these compute
ALONE_TICKS = 50  # so often it is looked at how many are left
LET_GO_TICKS = 5  # so often the missions that are over leave the batch: dearer than a tick of those few

ROBOTS = 2, 5
TASKS = 2, 6
ABLE = 0.6  # of a robot for a task; a task that no robot could do is given to one robot
TIMES_S = 10.0, 120.0  # for a task, alone, times the robot's factor
SKILLS = 0.5, 2.0
RECURS = 0.25  # of a task: it is to be done two or three times
NEEDS = 0.2  # of a task for each one before it
LOSSES = np.array([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
DIES, RADIO_DIES, SENSOR_DIES = 0.25, 0.2, 0.1  # of a robot, of its radio, of its sensor for a task that it can do
BLIND = 0.5  # of a failed sensor: no need of the task is seen; else the robot works on it to no effect
FAILS_BY_S = 600.0  # about as long as the missions last

FAST_S, SLOW_S = (5.0, 30.0), (60.0, 150.0)  # to the threshold
PATIENCE_S, YIELD_S, GIVE_UP_S = (40.0, 150.0), (20.0, 60.0), (60.0, 180.0)
EXCLUSIVE = 0.3  # of a set
TICK_S = 1.5  # half a beat: one frame of each robot in a tick at most
LOOK_S = 30.0


def draw_keys(seeds: Sequence[int]) -> tuple[Keys, Wholes, Wholes]:
    """For each seed `(M)` its key, and how many robots and tasks it has."""
    key = keys(seeds, "termination")
    return key, *draw_shapes(key, ROBOTS, TASKS)


def draw_missions(key: Keys, robots: int, tasks: int) -> Missions:
    """One mission of this shape for each key; coverage is at least 1 for every task."""
    m = key[:, None]
    r, t = np.arange(robots), np.arange(tasks)
    cell = key[:, None, None], r[:, None], t

    def of_set(purpose: Purpose) -> Reals:
        return uniform(cell[0], purpose, *cell[1:])

    def of_robot(purpose: Purpose) -> Reals:
        return uniform(m, purpose, r)

    able = _covered(of_set(Purpose.ABLE) < ABLE, whole(uniform(m, Purpose.ORDER, t), (0, robots - 1)))
    skill = between(of_robot(Purpose.SKILL), SKILLS)[..., None]
    recurs = uniform(m, Purpose.ROUNDS, t)
    sensor_dies = able & (of_set(Purpose.SENSOR) < SENSOR_DIES)
    return Missions(
        key=key, rounds=np.where(recurs < RECURS, np.where(recurs < RECURS / 2, 2, 3), 1).astype(np.int8),
        needs=(uniform(cell[0], Purpose.NEEDS, t[:, None], t) < NEEDS) & (t < t[:, None]), able=able,
        task_time=skill * between(of_set(Purpose.TASK_TIME), TIMES_S),
        beat_phase=phases(key, Purpose.BEAT_PHASE, robots, BEAT_S),
        look_phase=phases(key, Purpose.LOOK_PHASE, robots, LOOK_S),
        loss=LOSSES[whole(uniform(key, Purpose.LOSS_LEVEL), (0, len(LOSSES) - 1))],
        robot_at=_when(of_robot(Purpose.FAILS) < DIES, of_robot(Purpose.FAILS_AT)),
        radio_at=_when(of_robot(Purpose.RADIO) < RADIO_DIES, of_robot(Purpose.RADIO_AT)),
        sensor_at=_when(sensor_dies, of_set(Purpose.SENSOR_AT)), blind=of_set(Purpose.SENSOR_KIND) < BLIND,
        params=_draw_parameters(key, robots, tasks), tick_s=TICK_S, look_s=LOOK_S,
    )  # fmt: skip


def _draw_parameters(key: Keys, robots: int, tasks: int) -> Parameters:
    """Each drawn from its range: by robot and task, and where it can be by teammate too."""
    k, r, t = key[:, None, None, None], np.arange(robots)[:, None, None], np.arange(tasks)[:, None]
    teammates = np.arange(robots - 1)

    def each(purpose: int, bounds: tuple[float, float]) -> Reals:
        return between(uniform(k, Purpose.RATES, purpose, r, t, teammates), bounds)

    return parameters(
        (len(key), robots, tasks), fast_rate=THRESHOLD / each(0, FAST_S)[..., 0],
        slow_rate=THRESHOLD / each(1, SLOW_S), patience=each(2, PATIENCE_S), yield_time=each(3, YIELD_S)[..., 0],
        give_up_time=each(4, GIVE_UP_S)[..., 0], exclusive=each(5, (0.0, 1.0))[..., 0] < EXCLUSIVE,
    )  # fmt: skip


def _covered(able: Bools, to: Wholes) -> Bools:
    """`able` `(M, R, T)`, and a task without any robot goes to the robot `to` `(M, T)`."""
    nowhere = ~able.any(axis=1, keepdims=True)
    covered: Bools = able | (nowhere & (np.arange(able.shape[1])[:, None] == to[:, None]))
    return covered


def _when(fails: Bools, share: Reals) -> Reals:
    return np.where(fails, FAILS_BY_S * share, np.inf)


class Ended(NamedTuple):
    """How missions ended. `(M)`: `ended_at` and `horizon` (s); `(M, T)`: `left` undone, and of these `excused`."""

    ended_at: Reals
    horizon: Reals
    left: Bools
    excused: Bools


def outcomes(batches: Sequence[Missions]) -> Sequence[Ended]:
    """Run each mission until nothing is left that the theorem promises, at most to its horizon.

    Each batch runs alone while there are many, and what lasts longer is run together.
    """
    tasks = max(missions.shape[2] for missions in batches)
    starts = np.cumsum([0, *(missions.shape[0] for missions in batches)])
    found = Ended(
        np.zeros(starts[-1]), np.concatenate([horizon(missions) for missions in batches]),
        np.ones((starts[-1], tasks), np.bool_), np.zeros((starts[-1], tasks), np.bool_),
    )  # fmt: skip
    alone = [Running(missions) for missions in batches]
    for running, start in zip(alone, starts.tolist(), strict=False):
        running.rows += start
    until = 0
    while sum(len(running.rows) for running in alone) > FEW * len(alone):
        until += ALONE_TICKS
        for running in alone:
            _run(running, found, until)
        alone = [running for running in alone if len(running.rows)]
    if alone:
        _run(join(alone), found, int(np.ceil(found.horizon.max() / alone[0].missions.tick_s)) + LET_GO_TICKS)
    parts = zip(batches, map(slice, starts, starts[1:]), strict=True)
    ended_at, limit, left, free = found
    return [Ended(ended_at[k], limit[k], left[k, : m.shape[2]], free[k, : m.shape[2]]) for m, k in parts]


def _run(running: Running, found: Ended, until: int) -> None:
    """Run to the tick `until`, or the end of all missions; `running.rows` are the rows of what is found."""
    for now in running.ticks(until * running.missions.tick_s):
        if running.n % LET_GO_TICKS:
            continue
        undone = running.done < running.missions.rounds
        may = excused(running.missions, now, running.done)
        over = ~(undone & ~may).any(axis=-1) | (now >= found.horizon[running.rows])
        if over.any():
            rows, tasks = running.rows[over], undone.shape[1]
            found.ended_at[rows] = now
            found.left[rows, :tasks], found.excused[rows, :tasks] = undone[over], may[over]
            running.keep(~over)


def outcome(missions: Missions) -> Ended:
    """How the missions of one shape end."""
    return outcomes([missions])[0]


class Termination(Experiment):
    """See the module. `violations`: tasks left undone at the horizon that theorem 1 does not excuse."""

    def cells(self) -> Sequence[Cell]:
        return [Cell(CELL)]

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        key, *shapes = draw_keys(seeds)
        places = by_shape((shapes[0], shapes[1]))
        batches = [draw_missions(key[of_shape], *shape) for shape, of_shape in places.items()]
        return in_order(places.values(), map(rows_of, batches, outcomes(batches)))

    def claims(self, results: Results) -> Sequence[Claim]:
        left = results.values(CELL, "violations")
        text, counted = "no task is left that the theorem does not excuse", f"{sum(left):.0f} violations"
        return [Claim(CELL, text, [number == 0 for number in left], counted, "0 (theorem 1)")]

    def answer(self, results: Results) -> str:
        left = results.values(CELL, "violations")
        return f"{'No' if any(left) else 'Yes'}: {sum(left):.0f} violations of theorem 1 in {len(left)} missions."

    def figures(self, results: Results) -> Sequence[Drawing]:
        losses = LOSSES.tolist()
        own = [[row for row in results.of(CELL, "loss") if row["loss"] == loss] for loss in losses]
        spans = [[float(row["duration_s"]) / float(row["horizon_s"]) for row in rows] for rows in own]
        ended = [
            Means("mean", list(map(statistics.mean, spans))),
            Means("latest", [statistics.mean([max(of_loss)] if of_loss else []) for of_loss in spans]),
        ]
        left = [
            Means(name, [statistics.mean([float(row[name]) for row in rows]) for rows in own])
            for name in ("excused", "violations")
        ]
        drawings: list[Drawing] = []
        for name, heading, label, lines in (
            ("ended", "When missions end, in the mean and at the latest", "share of the horizon", ended),
            ("left", "Tasks that are left undone", "tasks in a mission", left),
        ):
            drawings += line_charts([Panel(label, lines)], Axis.of_losses(losses), heading, results.figure(name))
        return drawings


def rows_of(missions: Missions, found: Ended) -> Sequence[RunRow]:
    """The rows of missions of one shape that ended so."""
    _, robots, tasks = missions.shape
    left, free = found.left.sum(axis=-1), found.excused.sum(axis=-1)
    instants = missions.robot_at, missions.sensor_at, missions.radio_at
    failures = [np.isfinite(at).reshape(len(at), -1).sum(axis=1) for at in instants]
    columns: list[Wholes | Reals] = [left, free, found.ended_at, found.horizon, missions.loss, *failures]
    return [_row(robots, tasks, *values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def _row(
    robots: int, tasks: int, left: int, free: int, ended_at: float, limit: float, loss: float,
    dead: int, sensors: int, radios: int,
) -> RunRow:  # fmt: skip
    violations = left - free
    reason = f"{violations} undone at the horizon" if violations else f"{free} of failed robots" if free else ""
    return {
        "accomplished": not left, "reason": reason, "duration_s": ended_at, "horizon_s": limit,
        "robots": robots, "tasks": tasks, "tasks_done": tasks - left, "excused": free, "violations": violations,
        "loss": loss, "robots_failing": dead, "sensors_failing": sensors, "radios_failing": radios,
    }  # fmt: skip


EXPERIMENT = Termination(
    name="termination", runs=10_000, batch=20_000, timed=True, published_seed=1,
    title="Is every task done that some able robot has not failed at, as theorem 1 says?",
    measured=(
        "accomplished", "reason", "duration_s", "horizon_s", "robots", "tasks", "tasks_done", "excused",
        "violations", "loss", "robots_failing", "sensors_failing", "radios_failing",
    ),
)  # fmt: skip

"""Random missions with dependencies, gaps in coverage and failures, for what theorem 1 claims of all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motivation.alliance.parameters import Bools, Parameters, Reals
from robotd.experiments.abstract import missions as abstract
from robotd.experiments.abstract.draws import Keys, Purpose, keys, phases, uniform
from robotd.experiments.abstract.missions import BEAT_S, THRESHOLD, Missions, Wholes, between, draw_shapes, whole

ROBOTS = 2, 5
TASKS = 2, 6
ABLE = 0.6  # of a robot for a task; a task that nobody could do is given to one robot
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


def missions(key: Keys, robots: int, tasks: int) -> Missions:
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
        key=key, rounds=np.where(recurs < RECURS, np.where(recurs < RECURS / 2, 2, 3), 1),
        needs=(uniform(cell[0], Purpose.NEEDS, t[:, None], t) < NEEDS) & (t < t[:, None]), able=able,
        task_time=skill * between(of_set(Purpose.TASK_TIME), TIMES_S),
        beat_phase=phases(key, Purpose.BEAT_PHASE, robots, BEAT_S),
        look_phase=phases(key, Purpose.LOOK_PHASE, robots, LOOK_S),
        loss=LOSSES[whole(uniform(key, Purpose.LOSS_LEVEL), (0, len(LOSSES) - 1))],
        robot_at=_when(of_robot(Purpose.FAILS) < DIES, of_robot(Purpose.FAILS_AT)),
        radio_at=_when(of_robot(Purpose.RADIO) < RADIO_DIES, of_robot(Purpose.RADIO_AT)),
        sensor_at=_when(sensor_dies, of_set(Purpose.SENSOR_AT)), blind=of_set(Purpose.SENSOR_KIND) < BLIND,
        never_acts=np.zeros((len(key), robots), np.bool_), params=_parameters(key, robots, tasks), tick_s=TICK_S,
        look_s=LOOK_S,
    )  # fmt: skip


def _parameters(key: Keys, robots: int, tasks: int) -> Parameters:
    """Each drawn from its range: by robot and task, and where it can be by teammate too."""
    k, r, t = key[:, None, None, None], np.arange(robots)[:, None, None], np.arange(tasks)[:, None]
    mates = np.arange(robots - 1)

    def each(purpose: int, bounds: tuple[float, float]) -> Reals:
        return between(uniform(k, Purpose.RATES, purpose, r, t, mates), bounds)

    return abstract.parameters(
        (len(key), robots, tasks), fast_rate=THRESHOLD / each(0, FAST_S)[..., 0],
        slow_rate=THRESHOLD / each(1, SLOW_S), patience=each(2, PATIENCE_S), yield_time=each(3, YIELD_S)[..., 0],
        give_up_time=each(4, GIVE_UP_S)[..., 0], exclusive=each(5, (0.0, 1.0))[..., 0] < EXCLUSIVE,
    )  # fmt: skip


def _covered(able: Bools, to: Wholes) -> Bools:
    """`able` `(M, R, T)`, and a task without any robot goes to the robot `to` `(M, T)`."""
    nobody = ~able.any(axis=1, keepdims=True)
    covered: Bools = able | (nobody & (np.arange(able.shape[1])[:, None] == to[:, None]))
    return covered


def _when(fails: Bools, share: Reals) -> Reals:
    return np.where(fails, FAILS_BY_S * share, np.inf)

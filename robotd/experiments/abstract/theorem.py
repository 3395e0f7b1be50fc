"""Theorem 1 on abstract missions: which tasks may stay undone, and by when the others must be done.

Paper 000 (Parker 1998), appendix. A robot has failed at a task when it is dead, when its sensor for the task or
for one that this needs has failed, or when it works on any task to no effect: the paper counts a robot that
fails at one task as failed, and rightly, as such a robot can return to that task for ever. A dead radio is no
failure: the theorem needs no communication.
"""

import numpy as np

from motivation.alliance.parameters import Bools, Reals
from robotd.experiments.abstract.missions import Counts, Missions
from robotd.model.beliefs import SAME


def failed(missions: Missions, now: float) -> Bools:
    """`(M, R, T)`: the robot has failed at the task by `now` (s)."""
    sensor = now + SAME >= missions.sensor_at
    dead = (now + SAME >= missions.robot_at)[..., None]
    to_no_effect = (missions.able & sensor & ~missions.blind).any(axis=-1, keepdims=True)
    unseen = (missions.needs[:, None] & sensor[:, :, None, :]).any(axis=-1)
    found: Bools = dead | to_no_effect | sensor | unseen
    return found


def excused(missions: Missions, now: float, done: Counts) -> Bools:
    """`(M, T)`: the tasks not `done` `(M, T)` often enough that may stay so.

    All robots able to do such a task have failed, one at least, or it depends on such a task. A task that no robot
    was ever able to do is not excused: coverage is a condition of the theorem.
    """
    left = done < missions.rounds
    able = missions.able
    found: Bools = left & able.any(axis=1) & (~able | failed(missions, now)).all(axis=1)
    for _ in range(left.shape[-1] - 1):  # the longest chain of dependencies
        found = found | (left & (missions.needs & found[:, None, :]).any(axis=-1))
    return found


def horizon(missions: Missions) -> Reals:
    """`(M)`: when every task must be done that is not excused, s; docs/abstract-missions.md derives it."""
    m, p = missions, missions.params
    robots = m.shape[1]
    shift = np.minimum(p.yield_time, p.give_up_time).min(axis=(1, 2))  # epsilon of condition 2
    slowest = np.where(m.able, m.task_time, 0.0).max(axis=1)  # (M, T)
    shifts = np.ceil(slowest / shift[:, None])
    with np.errstate(divide="ignore"):  # a rate of 0 never gets there
        growth = np.maximum(_longest(p.threshold / p.slow_rate), _longest(p.threshold / p.fast_rate))
    waits = _longest(np.where(p.exclusive, p.patience.sum(axis=-1), 0.0))
    look_s = m.look_s if np.isfinite(m.look_s) else 0.0
    span = waits + growth + _longest(p.give_up_time) + look_s + p.silence_timeout + 2 * m.tick_s
    failed_at = np.maximum.reduce([_longest(at) for at in (m.robot_at, m.radio_at, m.sensor_at)])
    bound: Reals = failed_at + (m.rounds * (shifts + 2 * robots - 1)).sum(axis=1) * span
    return bound


def _longest(times: Reals) -> Reals:
    """`(M)`: the greatest of all that are finite, 0 where none is."""
    flat = times.reshape(len(times), -1)
    longest: Reals = np.where(np.isfinite(flat), flat, 0.0).max(axis=1, initial=0.0)
    return longest

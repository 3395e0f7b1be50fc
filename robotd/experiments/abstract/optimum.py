"""The shortest time in which a team can do its tasks, by exhaustive search."""

from __future__ import annotations

import numpy as np

from motivation.alliance.parameters import Reals

TOGETHER = 64  # missions searched at once: 4 robots and 6 tasks take 8 MB of loads


def optimum(task_time: Reals) -> Reals:
    """`(M)`: the least makespan of missions `(M, R, T)`, s, each task done by one robot and no time lost.

    Exact: all R^T assignments are tried. The tasks of one robot take their sum in whatever order, as none needs
    another; inf where a task has no robot.
    """
    return np.concatenate(
        [_optimum(task_time[i : i + TOGETHER]) for i in range(0, max(len(task_time), 1), TOGETHER)]
    )


def _optimum(task_time: Reals) -> Reals:
    missions, robots, tasks = task_time.shape
    who = np.indices((robots,) * tasks).reshape(tasks, -1)  # (T, assignments)
    loads = np.zeros((missions, robots, who.shape[1]))
    for task in range(tasks):
        for robot in range(robots):
            loads[:, robot] += np.where(who[task] == robot, task_time[:, robot, task, None], 0.0)
    least: Reals = loads.max(axis=1).min(axis=1)
    return least

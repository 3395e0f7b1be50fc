"""Theorem 1 on random missions, and that a broken condition is caught."""

from dataclasses import replace

import numpy as np
import pytest

from robotd.experiments.abstract.draws import keys
from robotd.experiments.abstract.missions import Missions
from robotd.experiments.termination import EXPERIMENT, draw_keys, draw_missions, outcome, rows_of

CELL = EXPERIMENT.cells()[0]


def test_whatever_fails_no_task_is_left_that_a_sound_robot_could_do() -> None:
    rows = EXPERIMENT.run(CELL, range(1, 61), None)
    assert sum(int(row["violations"]) for row in rows) == 0
    assert any(row["excused"] for row in rows)
    assert any(row["accomplished"] and row["robots_failing"] for row in rows)
    assert all(float(row["duration_s"]) < float(row["horizon_s"]) for row in rows)


def test_a_robot_that_fails_and_tries_again_without_end_keeps_no_exclusive_task_from_a_sound_one() -> None:
    key, robots, tasks = draw_keys([666])
    missions = draw_missions(key, int(robots[0]), int(tasks[0]))
    exclusive = np.ones_like(missions.params.exclusive)
    found = outcome(replace(missions, params=replace(missions.params, exclusive=exclusive)))
    assert not (found.left & ~found.excused).any()
    assert found.ended_at < found.horizon


def break_condition(what: str, tasks: int) -> Missions:
    """Two missions of sound robots with a condition of the theorem broken for the first task, or none."""
    missions, first = draw_missions(keys([1, 2], "broken"), 2, tasks), np.arange(tasks) == 0
    p, able = missions.params, missions.able
    if what == "rate":
        fast, slow = np.where(first, 0.0, p.fast_rate), np.where(first[:, None], 0.0, p.slow_rate)
        p = replace(p, fast_rate=fast, slow_rate=slow)
    if what == "coverage":
        able = able & ~first
    if what == "a robot that never acts":  # and is the only one that can do the first task
        first_robot = np.arange(2)[:, None] == 0
        p = replace(p, fast_rate=np.where(first_robot, 0.0, p.fast_rate),
                    slow_rate=np.where(first_robot[..., None], 0.0, p.slow_rate))  # fmt: skip
        able = np.broadcast_to(~first | first_robot, able.shape)
    sound = {name: np.full_like(getattr(missions, name), np.inf) for name in ("robot_at", "radio_at", "sensor_at")}
    once = np.ones((2, tasks), np.int64)
    return replace(missions, able=able, params=p, needs=np.zeros_like(missions.needs), rounds=once, **sound)


@pytest.mark.parametrize("what", ["", "rate", "coverage", "a robot that never acts"])
def test_each_broken_condition_is_caught_in_every_mission(what: str) -> None:
    missions = break_condition(what, 3)
    needs = np.zeros((2, 3, 3), np.bool_)
    needs[0, 1, 0] = True  # of the first mission's tasks the second needs the first
    rows = rows_of(missions := replace(missions, needs=needs), outcome(missions))
    assert [row["violations"] for row in rows] == ([2, 1] if what else [0, 0])
    reasons = ["2 undone at the horizon", "1 undone at the horizon"]
    assert [row["reason"] for row in rows] == (reasons if what else ["", ""])
    for row in rows:
        assert (row["accomplished"], row["excused"]) == (not what, 0)
        assert (float(row["duration_s"]) >= float(row["horizon_s"])) == bool(what)

"""Theorem 1 on random missions, and that a broken condition is caught."""

from dataclasses import replace

import numpy as np
import pytest

from robotd.experiments.abstract.draws import keys
from robotd.experiments.termination import EXPERIMENT, Broken, broken, draw_keys, draw_missions, outcome, rows_of

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


@pytest.mark.parametrize("what", ["", "rate", "coverage", "never-acts"])
def test_each_broken_condition_is_caught_in_every_mission(what: Broken) -> None:
    missions = broken(draw_missions(keys([1, 2], "broken"), 2, 2), what)
    sound = {"robot_at": np.full((2, 2), np.inf), "sensor_at": np.full((2, 2, 2), np.inf)}
    missions = replace(missions, **sound, needs=np.zeros((2, 2, 2), np.bool_), rounds=np.ones((2, 2), np.int64))
    found = outcome(missions)
    violated = found.left & ~found.excused
    assert violated.tolist() == [[bool(what), False]] * 2
    late = found.ended_at >= found.horizon
    assert late.all() if what else not late.any()


@pytest.mark.parametrize("what", ["rate", "never-acts"])
def test_a_broken_condition_is_a_violation_of_every_row_and_what_depends_on_the_task_counts_too(
    what: Broken,
) -> None:
    missions = broken(draw_missions(keys([1, 2], "broken"), 2, 3), what)
    needs = np.zeros((2, 3, 3), np.bool_)
    needs[0, 1, 0] = True  # of the first mission's tasks the second needs the first
    able = missions.able | (np.arange(3) > 0)  # who never acts is needed for the first task alone
    missions = replace(missions, able=able, needs=needs, rounds=np.ones((2, 3), np.int64))
    rows = rows_of(missions)
    assert [row["violations"] for row in rows] == [2, 1]
    assert [row["accomplished"] for row in rows] == [False, False]
    assert [row["reason"] for row in rows] == ["2 undone at the horizon", "1 undone at the horizon"]
    assert sum(int(row["excused"]) for row in rows) == 0


def test_a_robot_that_never_acts_does_no_harm_where_another_can_do_the_task() -> None:
    missions = broken(draw_missions(keys([1, 2], "broken"), 2, 2), "never-acts")
    other = replace(missions, able=np.ones_like(missions.able))
    assert not outcome(other).left.any()

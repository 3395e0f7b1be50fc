"""Theorem 1 on random missions, and that a broken condition is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robotd.experiments.abstract import drawn
from robotd.experiments.abstract.draws import keys
from robotd.experiments.termination import EXPERIMENT, Broken, broken, outcome

CELL = EXPERIMENT.cells()[0]


def test_whatever_fails_no_task_is_left_that_a_sound_robot_could_do() -> None:
    rows = EXPERIMENT.run(CELL, range(1, 61), None)
    assert sum(int(row["violations"]) for row in rows) == 0
    assert any(row["excused"] for row in rows)
    assert any(row["accomplished"] and row["robots_failing"] for row in rows)
    assert all(float(row["duration_s"]) < float(row["horizon_s"]) for row in rows)


@pytest.mark.parametrize("what", ["", "rate", "coverage", "never-acts"])
def test_each_broken_condition_is_caught_in_every_mission(what: Broken) -> None:
    missions = broken(drawn.missions(keys([1, 2], "broken"), 2, 2), what)
    missions = replace(
        missions, robot_at=np.full((2, 2), np.inf), sensor_at=np.full((2, 2, 2), np.inf),
        needs=np.zeros((2, 2, 2), np.bool_), rounds=np.ones((2, 2), np.int64),
    )  # fmt: skip
    found = outcome(missions)
    violated = found.left & ~found.excused
    assert violated.tolist() == [[bool(what), False]] * 2
    late = found.ended_at >= found.horizon
    assert late.all() if what else not late.any()


def test_a_row_does_not_depend_on_its_batch() -> None:
    together = EXPERIMENT.run(CELL, range(1, 13), None)
    assert EXPERIMENT.run(CELL, [5], None) == [together[4]]
    assert EXPERIMENT.run(CELL, [12, 5], None) == [together[11], together[4]]

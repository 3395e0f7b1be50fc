"""Duels of equal robots."""

import pytest

from robotd.experiments.base import Results
from robotd.experiments.duel import EXPERIMENT, TEAMS, missions, shares

SEEDS = range(1, 21)
SHORT_S = 300.0  # the task changes hands three times


@pytest.mark.parametrize(("loss", "bound", "robots"), [(0.0, 0.95, 5), *((0.3, 0.9, n) for n in TEAMS)])
def test_exactly_one_robot_is_on_the_task_and_never_none(loss: float, bound: float, robots: int) -> None:
    found = shares(missions(SEEDS, robots, loss, "ours"), SHORT_S)
    assert found[:, 1].mean() >= bound
    assert found[:, 0].max() == 0.0
    assert found.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.long
def test_as_an_ordinary_set_the_task_is_taken_by_two_when_frames_are_lost_and_left_by_all() -> None:
    ours, ordinary = (shares(missions(range(1, 41), 4, 0.3, rule)).mean(axis=0) for rule in ("ours", "ordinary"))
    assert ordinary[1] < 0.9 < ours[1]
    assert ordinary[0] > ours[0] == 0.0


@pytest.mark.parametrize("robots", [2, 5])
def test_on_a_radio_that_loses_nothing_an_ordinary_set_does_no_worse(robots: int) -> None:
    found = shares(missions(SEEDS, robots, 0.0, "ordinary"), SHORT_S)
    assert found[:, 1].min() >= 0.95
    assert found[:, 0].max() == 0.0


def test_literal_paper_rule_equal_robots_livelock() -> None:
    found = shares(missions(SEEDS, 3, 0.0, "letter"), SHORT_S)
    assert found[:, 1].mean() < 0.15
    assert found[:, 0].mean() > 0.4


def test_the_table_has_a_line_for_each_cell_and_leaves_out_runs_that_were_cut() -> None:
    cell = EXPERIMENT.cells()[0]
    found = EXPERIMENT.run(cell, [1, 2], None)
    rows = [{"cell": cell.name, "run": i, "seed": i, **row} for i, row in enumerate(found)]
    cut = {"cell": cell.name, "run": 3, "seed": 3, "accomplished": False, "reason": "hung"}
    (table,) = EXPERIMENT.tables(Results([*rows, cut]))
    assert [line[0] for line in table.rows] == [cell.name]
    assert table.rows[0][-1] == "0 of 2"

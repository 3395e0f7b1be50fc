"""Duels of equal robots."""

from __future__ import annotations

import pytest

from robotd.experiments.duel import EXPERIMENT, missions, shares

SEEDS = range(1, 11)


@pytest.mark.parametrize(("loss", "bound"), [(0.0, 0.95), (0.3, 0.9)])
def test_of_two_robots_exactly_one_is_on_the_task_and_never_none(loss: float, bound: float) -> None:
    found = shares(missions(SEEDS, 2, loss, by_the_letter=False))
    assert found[:, 1].mean() >= bound
    assert found[:, 0].max() == 0.0
    assert found.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("robots", [3, 5])
def test_on_a_radio_that_loses_nothing_more_robots_do_no_worse(robots: int) -> None:
    found = shares(missions(SEEDS, robots, 0.0, by_the_letter=False))
    assert found[:, 1].min() >= 0.95
    assert found[:, 0].max() == 0.0


def test_by_the_letter_equal_robots_livelock() -> None:
    found = shares(missions(SEEDS, 3, 0.0, by_the_letter=True))
    assert found[:, 1].mean() < 0.15
    assert found[:, 0].mean() > 0.4


def test_a_row_does_not_depend_on_its_batch() -> None:
    cell = EXPERIMENT.cells()[2]
    assert cell.factors == {"rule": "ours", "robots": 2, "loss": 0.3}
    together = EXPERIMENT.run(cell, range(1, 5), None)
    assert EXPERIMENT.run(cell, [3], None) == [together[2]]
    assert together[0] != together[1]


def test_the_table_has_a_line_for_each_cell_and_leaves_out_runs_that_were_cut(tmp_path) -> None:
    cell = EXPERIMENT.cells()[0]
    found = EXPERIMENT.run(cell, [1, 2], None)
    rows = [{"cell": cell.name, "run": i, "seed": i, **row} for i, row in enumerate(found)]
    cut = {"cell": cell.name, "run": 3, "seed": 3, "accomplished": False, "reason": "hung"}
    (table,) = EXPERIMENT.tables([*rows, cut], tmp_path)
    assert [line[0] for line in table.rows] == [cell.name]
    assert table.rows[0][-1] == "0 of 2"

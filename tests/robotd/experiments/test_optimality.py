"""Time over the optimum, learned and unlearned."""

import numpy as np
import pytest

from robotd.experiments.abstract.draws import keys
from robotd.experiments.abstract.experience import LearnerSettings, times
from robotd.experiments.base import Results
from robotd.experiments.optimality import EXPERIMENT, NOISE, attempt, durations, learned, missions

from .fakes import row_of


def test_no_team_beats_the_optimum_and_the_learned_one_comes_nearer() -> None:
    batch = missions(keys(range(1, 13), "optimality"), 3, 4)
    shipped, best = durations(batch, None)
    taught, same = durations(batch, LearnerSettings())
    assert (best == same).all()
    assert (shipped > best).all()
    assert (taught > best).all()
    assert np.isfinite(taught).all()
    assert (taught / best).mean() < (shipped / best).mean()


def test_active_learning_measures_nearly_all_times_and_measures_them_right() -> None:
    batch = missions(keys(range(1, 7), "optimality"), 2, 3)
    own, teammates = times(learned(batch, LearnerSettings()))
    assert np.isfinite(own).mean() > 0.8
    known = np.isfinite(own)
    ratio = own[known] / batch.task_time[known]
    assert ratio.min() > 1 - NOISE - 0.05
    assert ratio.max() < 1 + NOISE + 0.1
    assert teammates[:, 0, :, 0] == pytest.approx(own[:, 1], nan_ok=True)


def test_attempts_differ_and_are_repeatable() -> None:
    batch = missions(keys([1], "optimality"), 2, 3)
    first, again, second = (attempt(batch, number).task_time for number in (1, 1, 2))
    assert (first == again).all()
    assert (first != second).all()


def test_there_are_nine_learned_teams_beside_the_unlearned_one() -> None:
    cells = EXPERIMENT.cells()
    assert cells[0].name == "unlearned"
    assert len({cell.name for cell in cells}) == 10
    rows = [row_of(cell.name, seed, over_optimum=2.0 - (cell is not cells[0]) * 0.1 * seed)
            for cell in cells for seed in (1, 2, 3)]  # fmt: skip
    over, gains = EXPERIMENT.tables(Results(rows))
    assert [len(line) for line in (*over.rows, *gains.rows)] == [4] * 6
    assert over.note == "Unlearned: 2.000 (2.000 to 2.000)."
    assert gains.note.startswith("Learning shortens the missions in ")
    over, gains = EXPERIMENT.tables(Results([{**row} for row in rows if row["seed"] == 1]))
    assert over.note == "Unlearned: 2.000."  # one run has no interval
    assert over.rows[0][1:] == ["1.900"] * 3
    assert gains.rows[0][1:] == ["-0.100"] * 3
    over, _ = EXPERIMENT.tables(Results([]))
    assert over.note == "Unlearned: not done yet."

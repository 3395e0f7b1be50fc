"""The experiments that come along: their cells are what they say, and so are their tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from robotd.experiments.cleanup import BLOCKED, EVENTS, MOVER, PUBLISHED, RATIOS, UNDISTURBED, ratios
from robotd.experiments.contract import Row, log_path
from robotd.experiments.registry import named
from tests.robotd.sim.small import small

CLEANUP, LOSS = named("cleanup"), named("loss")


def test_the_variants_of_cleanup_differ_in_their_events_alone() -> None:
    parameters = [scenario.load().as_data() for scenario in CLEANUP.scenarios.values()]
    assert all(one == parameters[0] for one in parameters)
    assert [cell.name for cell in CLEANUP.cells()] == list(EVENTS) == list(PUBLISHED) == list(RATIOS)


def test_loss_has_the_whole_team_at_each_share_and_then_one_robot_alone() -> None:
    missions = [scenario.load().content for scenario in LOSS.scenarios.values()]
    assert [mission.radio.loss for mission in missions] == [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 0.0]
    assert [len(mission.team) for mission in missions] == [3] * 7 + [1]


@pytest.mark.parametrize("experiment", [CLEANUP, LOSS], ids=lambda experiment: experiment.name)
def test_an_experiment_reaches_a_worker_as_it_is(experiment) -> None:
    assert pickle.loads(pickle.dumps(experiment)) == experiment


def row(cell: str, seed: int, duration_s: float | None, accomplished: bool = True) -> Row:
    told = {} if duration_s is None else {"duration_s": duration_s}
    return {"cell": cell, "run": seed, "seed": seed, "accomplished": accomplished, **told}


def test_ratios_are_of_pairs_of_one_seed_and_stand_beside_the_published_ones() -> None:
    table = ratios([
        row(UNDISTURBED, 1, 1000.0), row(UNDISTURBED, 2, 1400.0), row(BLOCKED, 1, 1200.0), row(BLOCKED, 2, 1800.0),
        row(MOVER, 1, 1500.0, accomplished=False), row(MOVER, 2, None, accomplished=False),
    ])  # fmt: skip
    lines = {line[0]: dict(zip(table.columns, line, strict=True)) for line in table.rows}
    assert (lines[UNDISTURBED]["ratio"], lines[BLOCKED]["ratio"]) == (1.0, 1.25)
    assert lines[BLOCKED]["accomplished"] == "2 of 2"
    assert (lines[MOVER]["accomplished"], lines[MOVER]["ratio"], lines[MOVER]["mean time (s)"]) == (
        "0 of 2",
        1.5,
        1500.0,
    )
    assert lines["reporter removed"]["ratio"] == ""
    assert [line[-1] for line in table.rows] == [1.0, 1.18, 1.29, 1.29]


def test_the_published_ends_have_the_published_ratios() -> None:
    first = PUBLISHED[UNDISTURBED][0]
    for cell, ratio in RATIOS.items():
        assert PUBLISHED[cell][0] / first == pytest.approx(ratio, abs=0.01)


def test_the_timelines_are_those_of_the_first_runs_log_and_empty_without_one(tmp_path: Path) -> None:
    from robotd.api import simulate

    log = log_path(tmp_path, UNDISTURBED, 1)
    log.parent.mkdir()
    simulate(small(("green", "blue")), 1, duration_s=20.0, log=log)
    _, table = CLEANUP.tables([], tmp_path)
    lines = {(line[0], line[1]): line[2] for line in table.rows}
    assert str(lines[UNDISTURBED, "green"]).startswith("FLM 2-")
    assert lines[MOVER, "green"] == ""
    assert len(table.rows) == 12

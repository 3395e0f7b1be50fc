"""The experiments that come along: their cells are what they say, and so are their tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from boards.mock.settings import WorldSettings
from robotd.experiments.cleanup import (
    BLOCKED,
    EVENTS,
    MOVER,
    NORMAL,
    PUBLISHED,
    RATIOS,
    REPORTER,
    UNDISTURBED,
    cell_of,
    conclusions,
    ratios,
)
from robotd.experiments.contract import Row, log_path
from robotd.experiments.registry import NAMED, named
from robotd.experiments.scenario import Scenario
from tests.robotd.sim.small import small

CLEANUP, LOSS, SPEEDS, LEARNING = (named(name) for name in ("cleanup", "loss", "cleanup-speeds", "learning"))


def test_the_variants_of_cleanup_differ_in_their_events_alone() -> None:
    parameters = [scenario.load().as_data() for scenario in CLEANUP.scenarios.values()]
    assert all(one == parameters[0] for one in parameters)
    assert [cell.name for cell in CLEANUP.cells()] == list(EVENTS) == list(PUBLISHED) == list(RATIOS)


def test_loss_has_the_whole_team_at_each_share_and_then_one_robot_alone() -> None:
    missions = [scenario.load().content for scenario in LOSS.scenarios.values()]
    assert [mission.radio.loss for mission in missions] == [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 0.0]
    assert [len(mission.team) for mission in missions] == [3] * 7 + [1]


@pytest.mark.parametrize("experiment", [CLEANUP, LOSS, SPEEDS, LEARNING], ids=lambda experiment: experiment.name)
def test_an_experiment_reaches_a_worker_as_it_is(experiment) -> None:
    assert pickle.loads(pickle.dumps(experiment)) == experiment


@pytest.mark.parametrize("name", NAMED)
def test_every_experiment_tells_its_coordinator_first_and_its_versions_last(name: str) -> None:
    own = named(name).columns
    common = own[: own.index("versions") + 1]  # what a simulation is asked beside stands after that
    assert (common[0], common[-1]) == ("coordinator", "versions")
    assert {"accomplished", "reason"} < set(common)


def speed_of(scenario: Scenario) -> float:
    return WorldSettings(**scenario.load().content.world).max_speed_m_s


def test_every_variant_is_run_by_robots_20_percent_slower_and_faster() -> None:
    speeds = {cell: speed_of(scenario) for cell, scenario in SPEEDS.scenarios.items()}
    usual = speed_of(CLEANUP.scenarios[UNDISTURBED])
    for variant in EVENTS:
        assert speeds[cell_of(variant, "20 % slower")] == pytest.approx(0.8 * usual)
        assert speeds[cell_of(variant, "20 % faster")] == pytest.approx(1.2 * usual)
    assert len(speeds) == 2 * len(EVENTS)


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


def test_ratios_are_to_the_undisturbed_variant_at_the_same_speed() -> None:
    table = ratios([row(UNDISTURBED, 1, 1000.0), row(cell_of(UNDISTURBED, "slow"), 1, 2000.0),
                    row(cell_of(MOVER, "slow"), 1, 2500.0)], (NORMAL, "slow"))  # fmt: skip
    found = {line[0]: line[3] for line in table.rows}
    assert found[cell_of(MOVER, "slow")] == 1.25
    assert found[MOVER] == ""


TAKEN = {"takeover_by": "gold", "takeover_set": "move-spill-right", "was_idle": True, "was_blind": False}


def concluded(*rows: Row) -> dict[str, tuple[str, str]]:
    """By conclusion in how many runs it is so, and what was counted."""
    return {str(line[1]).split()[0]: (str(line[2]), str(line[3])) for line in conclusions(rows).rows}


def test_a_takeover_is_counted_where_an_idle_robot_begins_in_20_to_60_s() -> None:
    found = concluded(
        {**row(MOVER, 1, 1.0), **TAKEN, "takeover_s": 20.0},
        {**row(MOVER, 2, 1.0), **TAKEN, "takeover_s": 61.0},
        {**row(MOVER, 3, 1.0), **TAKEN, "takeover_s": 30.0, "was_idle": False},
        row(MOVER, 4, 1.0),
    )
    assert found["an"] == ("1 of 4", "30 s (20 to 61)")


def test_the_wandering_finder_is_counted_where_its_side_range_is_dead_and_the_blocked_one_yields() -> None:
    wanders = {"takeover_set": "find-locations-wander", "was_blind": True, "yielded": True}
    found = concluded(
        {**row(BLOCKED, 1, 1.0), **TAKEN, "takeover_s": 190.0, **wanders},
        {**row(BLOCKED, 2, 1.0), **TAKEN, "takeover_s": 170.0, **wanders, "was_blind": False},
        {
            **row(BLOCKED, 3, 1.0),
            **TAKEN,
            "takeover_s": 160.0,
            **wanders,
            "takeover_set": "other",
            "yielded": False,
        },
    )
    assert found["a"] == ("1 of 3", "170 s (160 to 190)")
    assert found["the"] == ("2 of 3", "")


def test_interruptions_are_counted_where_there_are_some_and_all_are_resumed() -> None:
    counts = [(2, 2), (3, 2), (0, 0)]
    found = concluded(*({**row(REPORTER, n, 1.0), "interruptions": left, "resumed": back}
                        for n, (left, back) in enumerate(counts, 1)))  # fmt: skip
    assert found["movers"] == ("1 of 3", "4 of 5 interruptions resumed")


def test_without_runs_nothing_is_concluded() -> None:
    assert {so for so, _ in concluded().values()} == {"0 of 0"}


def test_the_published_ends_have_the_published_ratios() -> None:
    first = PUBLISHED[UNDISTURBED][0]
    for cell, ratio in RATIOS.items():
        assert PUBLISHED[cell][0] / first == pytest.approx(ratio, abs=0.01)


def test_the_timelines_are_those_of_the_first_runs_log_and_empty_without_one(tmp_path: Path) -> None:
    from robotd.api import simulate

    faster = cell_of(UNDISTURBED, "20 % faster")
    for experiment, cell, rows in ((CLEANUP, UNDISTURBED, 12), (SPEEDS, faster, 24)):
        log = log_path(tmp_path, cell, 1)
        log.parent.mkdir(exist_ok=True)
        simulate(small(("green", "blue")), 1, duration_s=20.0, log=log)
        *_, table = experiment.tables([], tmp_path)
        lines = {(line[0], line[1]): line[2] for line in table.rows}
        assert str(lines[cell, "green"]).startswith("FLM 2-")
        assert {text for (other, _), text in lines.items() if other != cell} == {""}
        assert len(table.rows) == rows

"""Five sets of trials of a watcher and two pushers: what happens, what is counted, and what is concluded."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from motivation.murdoch.settings import MurdochSettings
from robotd.experiments.base import Cell, Results
from robotd.experiments.file import find_experiment
from robotd.experiments.murdoch_box.compared import ALLIANCE, AUCTIONS, SLOW, TRIALS, WAYS, over_rotation_deg
from robotd.experiments.murdoch_box.experiment import FAILURES, variation, watcher_of
from robotd.experiments.murdoch_box.paths import path_of
from robotd.experiments.murdoch_box.trial import (
    CURVE,
    OFF,
    RETURNS,
    ROTATION,
    SETS,
    STRAIGHT,
    STUCK,
    TIME,
    TOO_FAR,
    Push,
    Trial,
    events_of,
    failing,
    goal_of,
)
from robotd.experiments.rows import RunRow

from .fakes import ended, row_of

BOX, SPEEDS = find_experiment("murdoch-box"), find_experiment("murdoch-box-speeds")


def test_the_pusher_that_fails_alternates_by_the_seed() -> None:
    assert {failing(1), failing(2)} == {"east", "west"}
    assert failing(1) == failing(3)
    assert events_of(OFF, 1) == [f"box:1.2 {what}" for what in (f"seize {failing(1)}", f"radio {failing(1)} off")]
    assert not events_of(STRAIGHT, 1)


@pytest.mark.parametrize("which", SETS)
def test_every_set_is_one_that_can_happen(which: str) -> None:
    content = BOX.scenario(which, 1).mission.content
    assert content.world["box"]["goal_x_m"] == content.world["marks"][0]["x_m"] == goal_of(which, 1, (4.0, 1.0))[0]


def test_the_goal_of_a_curve_is_2_75_m_away_and_35_degrees_to_either_side() -> None:
    for seed, side in ((1, 1.0), (2, -1.0)):
        x, y = goal_of(CURVE, seed, (0.0, 0.0))
        assert math.hypot(x, y) == pytest.approx(2.75, abs=0.01)
        assert math.degrees(math.atan2(x, y)) == pytest.approx(35.0 * side, abs=0.2)


def test_slower_robots_push_slower_and_turn_the_box_as_far() -> None:
    slow, usual = (
        of.mission.content for of in (SPEEDS.scenarios[f"{STRAIGHT}, 20 % slower"], BOX.scenarios[STRAIGHT])
    )
    assert slow.world["max_speed_m_s"] == pytest.approx(0.8 * usual.world["max_speed_m_s"])
    own = slow.sets["watch-box"].parameters
    assert (own["speed_m_s"], own["gain"]) == (pytest.approx(0.08), pytest.approx(0.064))


def trial(which: str = OFF, **changes: float) -> Trial:
    made = Trial(which, 1)
    for name, value in {"introduced": 2.0, "declared": 90.0, "left_m": 0.3, "turned": 20.0, **changes}.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("changes", "cause"),
    [({}, ""), ({"turned": 71.0}, ROTATION), ({"left_m": 0.51}, TOO_FAR), ({"declared": math.nan}, TIME)],
)
def test_a_failure_has_its_cause_and_no_time(changes: dict[str, float], cause: str) -> None:
    row = trial(**changes).columns(ended())
    assert row["cause"] == (cause or "none")
    assert row["accomplished"] == (not cause)
    assert row.get("time_s") == (None if cause else 88.0)


def test_a_change_of_ends_takes_until_the_box_moves_again() -> None:
    made = trial()
    made.pushes = [Push("east", "push-left", 7.0, 20.0, -18.0), Push("east", "push-right", 24.0, 50.0, 17.0)]
    made.moved = [(20.5, 1.2), (33.0, 1.3)]
    row = made.columns(ended())
    assert (row["changes"], row["change_s"], row["push_deg"]) == (1, 13.0, 35.0)


def test_the_stuck_pusher_counts_by_its_time_and_every_other_as_one_that_works() -> None:
    made = trial(STUCK, failed_at=20.0)
    made.excluded = {failing(1): 85.0, failing(2): 200.0}
    row = made.columns(ended())
    assert (row["exclusion_s"], row["healthy_excluded"]) == (65.0, 1)


def rows(**changes: object) -> list[RunRow]:
    times = {STRAIGHT: (35.0, 35.2, 35.1), OFF: (70.0, 90.0, 80.0), STUCK: (150.0, 190.0, 170.0),
             RETURNS: (75.0, 95.0, 70.0), CURVE: (40.0, 41.0, 42.0)}  # fmt: skip
    made = []
    for cell, of in times.items():
        for run, time_s in enumerate(of, 1):
            own = {STUCK: {"exclusion_s": 70.0}, RETURNS: {"switched": run == 1}}.get(cell, {})
            path = {"path": "4.00 1.00; 4.10 2.00", "side": "left" if run % 2 else "right"}
            row = row_of(cell, run, time_s=time_s, healthy_excluded=0, **path, **own)
            made.append({**row, **(changes if run == 2 else {})})
    return made


def failed(found: list[RunRow]) -> set[tuple[str, str]]:
    return {(claim.cell, claim.text) for claim in BOX.claims(Results(found)) if not all(claim.holds)}


def test_all_conclusions_hold_of_good_trials() -> None:
    assert failed(rows()) == set()
    assert all(claim.holds for claim in BOX.claims(Results(rows())))


@pytest.mark.parametrize(
    ("spoiled", "cells"),
    [
        ({"healthy_excluded": 1}, set(SETS)),
        ({"accomplished": False}, set(SETS)),
        ({"time_s": 150.0}, {STRAIGHT, *FAILURES}),
        ({"switched": True}, set()),
    ],
)
def test_trials_in_which_a_conclusion_fails_are_counted(spoiled: dict[str, object], cells: set[str]) -> None:
    assert {cell for cell, _ in failed(rows(**spoiled))} >= cells


def test_variation_is_the_deviation_by_the_mean() -> None:
    assert variation([9.0, 11.0]) == pytest.approx(math.sqrt(2.0) / 10.0)
    assert math.isnan(variation([1.0]))


def test_paths_are_drawn_from_their_starts(tmp_path: Path) -> None:
    assert path_of(rows()[0]) == [(0.0, 0.0), (pytest.approx(0.1), 1.0)]
    pytest.importorskip("matplotlib")
    drawn = BOX.figures(replace(Results(rows()), folder=tmp_path))
    assert [one.path.name for one in drawn[:2]] == ["path.svg", "curves.svg"]
    assert all(one.path.is_file() for one in drawn)


def test_a_trial_is_a_row_with_all_columns_of_its_set() -> None:
    (row,) = BOX.run(Cell(STRAIGHT), [1], None)
    assert row["accomplished"] is True
    assert 28.0 < float(row["time_s"]) < 45.0
    assert row["changes"] == 0
    assert set(row) - {"coordinator", *BOX.measured} == set()


COMPARED = find_experiment("murdoch-box-compared")


@pytest.mark.parametrize("cell", [cell.name for cell in COMPARED.cells()])
def test_each_way_of_a_set_is_one_that_can_happen_in_the_world_of_the_set(cell: str) -> None:
    content, usual = (COMPARED.scenario(name, 1).mission.content for name in (cell, COMPARED.baseline(Cell(cell))))
    assert content.world["box"] == usual.world["box"]
    assert content.coordinator.name == ("alliance" if cell.startswith(ALLIANCE) else "murdoch")


def test_at_a_third_of_the_beat_rate_and_speed_a_push_no_longer_wanted_turns_the_box_farther() -> None:
    usual, slow = (over_rotation_deg(COMPARED.scenarios[f"{way}, {STRAIGHT}"]) for way in (AUCTIONS, SLOW))
    assert usual == pytest.approx(math.degrees(0.1 / 1.6 * (3.0 + 0.1 + 0.2)))
    assert slow == pytest.approx(math.degrees(0.1 / 3.0 / 1.6 * (12.0 + 3.0 + 0.2)))


def test_the_watcher_leads_the_box_by_half_the_term_of_a_contract_in_both() -> None:
    for way in (AUCTIONS, SLOW):
        content = COMPARED.scenarios[f"{way}, {STRAIGHT}"].mission.content
        terms = MurdochSettings(**content.coordinator.parameters)
        term_s = max(terms.contract_s, terms.contract_beats * content.radio.beat_s)
        assert watcher_of(content).lead_s == pytest.approx(term_s / 2.0)


def test_ways_are_compared_in_pairs_of_one_seed_and_drawn(tmp_path: Path) -> None:
    made = [row_of(f"{way}, {which}", run, frames=10, bytes=300, time_s=(40.0 + run) * (k + 1))
            for k, way in enumerate(WAYS) for which in TRIALS for run in (1, 2)]  # fmt: skip
    results = Results(made, tmp_path)
    (table,) = COMPARED.tables(results)
    ratios = {row[2]: float(str(row[-1]).split()[0]) for row in table.rows if row[2] != AUCTIONS}
    assert ratios == {SLOW: 2.0, ALLIANCE: 3.0}
    assert all(claim.holds == [True, True] for claim in COMPARED.claims(results))
    assert [drawing.path.is_file() for drawing in COMPARED.figures(results)] == [True, True]

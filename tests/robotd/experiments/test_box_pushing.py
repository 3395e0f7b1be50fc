"""Box pushing as an experiment: what is counted of a run, and what is concluded from many."""

import math

import pytest

from robotd.experiments.base import Cell, Results
from robotd.experiments.box_pushing import (
    BACK_S,
    COLUMNS,
    SPREAD_S,
    TAKEN_S,
    VARIANTS,
    PushMetrics,
    PushTimes,
    factors_of,
    times_of,
)
from robotd.experiments.file import find_experiment
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario

from .fakes import ended

BOX = find_experiment("box-pushing")
HEALTHY, SEIZED, GENGHIS = VARIANTS


def test_the_variants_differ_in_events_and_in_how_long_is_waited_alone() -> None:
    loaded = [scenario.mission.as_data() for scenario in BOX.scenarios.values()]
    for one in loaded:
        del one["time_limit_s"]
    assert all(one == loaded[0] for one in loaded)
    assert [cell.name for cell in BOX.cells()] == list(VARIANTS)


def test_robots_are_taken_away_at_an_instant_of_the_seed_alone() -> None:
    taken = [times_of(SEIZED, seed).taken for seed in range(1, 31)]
    assert taken == [times_of(GENGHIS, seed).taken for seed in range(1, 31)]
    assert all(TAKEN_S <= at <= TAKEN_S + SPREAD_S for at in taken)
    assert max(taken) - min(taken) > SPREAD_S / 2
    assert times_of(HEALTHY, 1) == PushTimes()


def test_every_event_of_a_run_is_one_that_can_happen() -> None:
    for cell in VARIANTS:
        assert Scenario("box-pushing", factors_of(times_of(cell, 7))).mission.content.team
    assert factors_of(PushTimes()) == {"events": []}
    assert factors_of(times_of(SEIZED))["events"] == [f"{TAKEN_S:g} remove blue", f"{BACK_S:g} return blue"]


def columns(
    times: PushTimes, began=(), shoved=(), pushed=(), until: float = 100.0, received_at: float = math.inf
) -> RunRow:
    watch = PushMetrics(times)
    watch.began, watch.shoved, watch.ended = list(began), list(shoved), list(pushed)
    watch.received_at, watch._until = received_at, until
    return watch.columns(ended())


def test_with_two_healthy_robots_every_change_of_ends_is_needless() -> None:
    began = [(1.0, "green", "push-left"), (2.0, "blue", "push-right"), (9.0, "blue", "push-left")]
    assert columns(PushTimes(), began)["needless_changes"] == 1
    assert columns(PushTimes(), began[:2])["needless_changes"] == 0


def test_the_pause_is_from_the_end_of_the_last_push_to_the_first_start_for_the_other_end() -> None:
    times = PushTimes(taken=60.0, back=160.0)
    began = [(61.0, "green", "push-left"), (71.0, "green", "push-right"), (95.0, "green", "push-left"),
             (130.0, "green", "push-right"), (170.0, "green", "push-right")]  # fmt: skip
    row = columns(times, began, pushed=[58.0, 64.2, 120.0], until=200.0)
    assert row["pause_s"] == pytest.approx(6.8)
    assert row["changes_alone"] == 2
    assert row["needless_changes"] == 0
    assert "pushes_after_return" not in row  # it received no frame of its teammate again
    assert "pause_s" not in columns(times, began[:1], pushed=[58.0])


def test_pushes_at_the_other_end_count_once_a_frame_of_the_teammate_was_received_again() -> None:
    times = PushTimes(taken=60.0, back=160.0)
    shoved = [(150.0, "green", "push-right"), (170.0, "green", "push-right"), (171.0, "blue", "push-right"),
              (172.0, "green", "push-left")]  # fmt: skip
    assert columns(times, shoved=shoved, received_at=165.0)["pushes_after_return"] == 1
    assert columns(times, shoved=shoved, received_at=170.0)["pushes_after_return"] == 0


def test_how_often_it_pushes_leaves_out_the_seconds_in_which_the_team_changes() -> None:
    times = PushTimes(taken=60.0, left_alone=180.0, swapped=True)
    shoved = [(t, "green", "push-left") for t in (5.0, 20.0, 30.0, 65.0, 80.0, 190.0)]
    row = columns(times, shoved=shoved, until=270.0)
    assert row["pushes_per_min_before"] == pytest.approx(60.0 * 2 / 50.0)
    assert row["pushes_per_min_after"] == pytest.approx(60.0 * 1 / 110.0, abs=0.001)
    assert row["went_home"] is False


def test_beside_genghis_a_change_of_ends_is_needless_once_its_frame_was_received() -> None:
    times = PushTimes(taken=60.0, left_alone=180.0, swapped=True)
    began = [(66.0, "green", "push-right"), (61.0, "genghis", "push"), (200.0, "genghis", "go-home")]
    assert columns(times, began, received_at=66.5)["needless_changes"] == 0
    assert columns(times, began, received_at=64.0)["needless_changes"] == 1


def rows(**changes: object) -> list[RunRow]:
    good: dict[str, RunRow] = {
        HEALTHY: {"accomplished": True, "needless_changes": 0},
        SEIZED: {"accomplished": True, "pause_s": 6.8, "pushes_after_return": 0},
        GENGHIS: {"accomplished": False, "needless_changes": 0, "pushes_per_min_before": 13.0,
                  "pushes_per_min_after": 5.0, "skew_deg": 7.0, "went_home": True},
    }  # fmt: skip
    return [{"cell": cell, "run": run, "seed": run, **row, **(changes if run == 2 else {})}
            for cell, row in good.items() for run in (1, 2)]  # fmt: skip


def failing(found: list[RunRow]) -> set[str]:
    return {claim.text for claim in BOX.claims(Results(found)) if not all(claim.holds)}


def test_all_conclusions_hold_of_good_runs() -> None:
    assert failing(rows()) == set()
    assert len(list(BOX.claims(Results(rows())))) == 10
    assert BOX.answer(Results(rows())) == "10 of 10 claims hold in every run."


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ({"needless_changes": 1}, "no robot changes ends"),
        ({"pause_s": 12.5}, "never longer than 12 s"),
        ({"pause_s": 12.5}, "5 to 8 s in the median"),
        ({"pushes_after_return": 1}, "no more at that end"),
        ({"pushes_per_min_after": 13.5}, "less often"),
        ({"skew_deg": 15.5}, "within 15 degrees"),
        ({"went_home": False}, "goes home"),
        ({"accomplished": False}, "gets across"),
    ],
)
def test_a_run_in_which_a_conclusion_fails_is_counted(spoiled, words) -> None:
    assert any(words in line for line in failing(rows(**spoiled)))


def test_runs_that_came_to_no_number_support_nothing() -> None:
    found = {
        claim.text: list(claim.holds) for claim in BOX.claims(Results([{"cell": SEIZED, "run": 1, "seed": 1}]))
    }
    assert found["and never longer than 12 s"] == [False]


def test_a_run_is_a_row_with_all_columns_of_its_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robotd.experiments.box_pushing.factors_of", lambda times: {"time_limit_s": 12.0})
    (row,) = BOX.run(Cell(HEALTHY), [1], None)
    assert row["accomplished"] is False
    assert row["needless_changes"] == 0
    assert float(row["pushes_per_min_before"]) > 5.0
    assert set(row) - {"coordinator", *BOX.measured} == set()
    assert set(COLUMNS) <= set(BOX.measured)

"""The installed experiments: their cells, claims and tables."""

import pickle
from pathlib import Path

import pytest

from boards.mock.settings import WorldSettings
from robotd.api import simulate
from robotd.config.source import Source
from robotd.experiments.base import Results, log_path
from robotd.experiments.cleanup import BLOCKED, EVENTS, MOVER, PUBLISHED, RATIOS, REPORTER, UNDISTURBED
from robotd.experiments.file import experiment_names, find_experiment
from robotd.experiments.missions import cell_at
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario
from robotd.figures.read import read_series
from tests.robotd.sim.small import small

from .fakes import row_of

CLEANUP, LOSS, SPEEDS = (find_experiment(name) for name in ("cleanup", "loss", "cleanup-speeds"))


def test_the_variants_of_cleanup_differ_in_their_events_alone() -> None:
    parameters = [scenario.mission.as_data() for scenario in CLEANUP.scenarios.values()]
    assert all(one == parameters[0] for one in parameters)
    assert [cell.name for cell in CLEANUP.cells()] == list(EVENTS) == list(PUBLISHED) == list(RATIOS)


def test_loss_has_the_whole_team_at_each_share_and_then_one_robot_alone() -> None:
    missions = [scenario.mission.content for scenario in LOSS.scenarios.values()]
    assert [mission.radio.loss for mission in missions] == [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 0.0]
    assert [len(mission.team) for mission in missions] == [3] * 7 + [1]


@pytest.mark.parametrize(
    ("name", "cell"), [("cobos-quality", 0), ("duel", 2), ("termination", 0), ("optimality", 0), ("optimality", 1)]
)
def test_a_row_does_not_depend_on_its_batch(name: str, cell: int) -> None:
    experiment = find_experiment(name)
    together = experiment.run(experiment.cells()[cell], range(1, 4), None)
    assert experiment.run(experiment.cells()[cell], [3, 2], None) == [together[2], together[1]]
    assert together[0] != together[1]


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_has_the_common_columns_and_answers_without_runs(name: str) -> None:
    experiment = find_experiment(name)
    assert experiment.name == name
    assert pickle.loads(pickle.dumps(experiment)) == experiment
    assert {"accomplished", "reason"} < set(experiment.measured)
    assert isinstance(experiment.answer(Results([])), str)
    assert {experiment.baseline(cell) for cell in experiment.cells()} <= {cell.name for cell in experiment.cells()}
    assert not any(claim.holds for claim in experiment.claims(Results([])))


@pytest.mark.parametrize("name", experiment_names())
def test_runs_that_failed_are_reported_and_hold_no_claim_of_what_they_measure(name: str) -> None:
    """A run that was killed as late has no column but its reason."""
    experiment = find_experiment(name)
    late = {"accomplished": False, "reason": "late"}
    results = Results([row_of(cell.name, 1, **cell.factors, **late) for cell in experiment.cells()])
    assert isinstance(experiment.answer(results), str)
    assert all(len(row) == len(table.columns) for table in experiment.tables(results) for row in table.rows)
    assert not any(all(claim.holds) for claim in experiment.claims(results) if claim.holds)


def speed_of(scenario: Scenario) -> float:
    return WorldSettings(**scenario.mission.content.world).max_speed_m_s


def test_every_variant_is_run_by_robots_20_percent_slower_and_faster() -> None:
    speeds = {cell: speed_of(scenario) for cell, scenario in SPEEDS.scenarios.items()}
    usual = speed_of(CLEANUP.scenarios[UNDISTURBED])
    for variant in EVENTS:
        assert speeds[cell_at(variant, "20 % slower")] == pytest.approx(0.8 * usual)
        assert speeds[cell_at(variant, "20 % faster")] == pytest.approx(1.2 * usual)
    assert len(speeds) == 2 * len(EVENTS)


def row(cell: str, seed: int, duration_s: float | None, accomplished: bool = True) -> RunRow:
    times = {} if duration_s is None else {"duration_s": duration_s}
    return row_of(cell, seed, accomplished=accomplished, **times)


def test_ratios_are_of_pairs_of_one_seed_beside_the_published_ones() -> None:
    rows = [
        row(UNDISTURBED, 1, 1000.0), row(UNDISTURBED, 2, 1400.0), row(BLOCKED, 1, 1200.0), row(BLOCKED, 2, 1800.0),
        row(MOVER, 1, 1500.0, accomplished=False), row(MOVER, 2, None, accomplished=False),
    ]  # fmt: skip
    table = CLEANUP.tables(Results(rows))[0]
    lines = {line[0]: dict(zip(table.columns, line, strict=True)) for line in table.rows}
    assert (lines[UNDISTURBED]["ratio"], lines[BLOCKED]["ratio"]) == ("1.00 (1.00 to 1.00)", "1.25 (0.72 to 1.78)")
    assert [lines[cell]["accomplished"] for cell in (BLOCKED, MOVER)] == ["2 of 2", "0 of 2"]
    assert (lines[MOVER]["ratio"], lines[MOVER]["mean time (s)"]) == ("1.50", "1500")
    assert lines["reporter removed"]["ratio"] == ""
    assert [line[-1] for line in table.rows] == [1.0, 1.18, 1.29, 1.29]


def test_ratios_are_to_the_undisturbed_variant_at_the_same_speed() -> None:
    slow, fast = SPEEDS.speeds
    rows = [row(cell_at(UNDISTURBED, fast), 1, 1000.0), row(cell_at(UNDISTURBED, slow), 1, 2000.0),
            row(cell_at(MOVER, slow), 1, 2500.0)]  # fmt: skip
    found = {line[0]: line[3] for line in SPEEDS.tables(Results(rows))[0].rows}
    assert (found[cell_at(MOVER, slow)], found[cell_at(MOVER, fast)]) == ("1.25", "")
    assert [line["ratio"] for line in SPEEDS.summary(Results(rows)) if "ratio" in line] == [1.25]


TAKEN = {"takeover_by": "gold", "takeover_set": "move-spill-right", "was_idle": True, "was_blind": False}


def count(*rows: RunRow) -> dict[str, tuple[int, str]]:
    """By the claim's first word in how many runs it holds, and what was counted."""
    return {one.text.split()[0]: (sum(one.holds), one.counted) for one in CLEANUP.claims(Results(rows))}


def test_a_takeover_is_counted_where_an_idle_robot_begins_in_20_to_60_s() -> None:
    found = count(
        {**row(MOVER, 1, 1.0), **TAKEN, "takeover_s": 20.0}, {**row(MOVER, 2, 1.0), **TAKEN, "takeover_s": 61.0},
        {**row(MOVER, 3, 1.0), **TAKEN, "takeover_s": 30.0, "was_idle": False}, row(MOVER, 4, 1.0),
    )  # fmt: skip
    assert found["an"] == (1, "30 s (20 to 61)")


def test_the_wandering_finder_is_counted_where_its_side_range_is_dead_and_the_blocked_one_yields() -> None:
    wanders = {**TAKEN, "takeover_set": "find-locations-wander", "was_blind": True, "yielded": True}
    found = count(
        {**row(BLOCKED, 1, 1.0), **wanders, "takeover_s": 190.0},
        {**row(BLOCKED, 2, 1.0), **wanders, "takeover_s": 170.0, "was_blind": False},
        {**row(BLOCKED, 3, 1.0), **wanders, "takeover_s": 160.0, "takeover_set": "other", "yielded": False},
    )
    assert found["a"] == (1, "170 s (160 to 190)")
    assert found["the"] == (2, "")


def test_interruptions_are_counted_where_there_are_some_and_all_are_resumed() -> None:
    counts = [(2, 2), (3, 2), (0, 0)]
    found = count(*({**row(REPORTER, n, 1.0), "interruptions": left, "resumed": back}
                    for n, (left, back) in enumerate(counts, 1)))  # fmt: skip
    assert found["movers"] == (1, "4 of 5 interruptions resumed")


def test_the_published_ends_have_the_published_ratios() -> None:
    first = PUBLISHED[UNDISTURBED][0]
    for cell, ratio in RATIOS.items():
        assert PUBLISHED[cell][0] / first == pytest.approx(ratio, abs=0.01)


def test_the_timelines_are_those_of_the_first_runs_log_which_is_read_once(tmp_path: Path, monkeypatch) -> None:
    reads: list[Path] = []
    monkeypatch.setattr("robotd.experiments.base.read_series", lambda log: reads.append(log) or read_series(log))
    faster = cell_at(UNDISTURBED, "20 % faster")
    for experiment, cell, rows in ((CLEANUP, UNDISTURBED, 12), (SPEEDS, faster, 24)):
        log = log_path(tmp_path, cell, 1)
        log.parent.mkdir(exist_ok=True)
        simulate(small(("green", "blue")), 1, duration_s=20.0, log=log)
        results = Results([], tmp_path)
        *_, table = experiment.tables(results)
        assert len(experiment.figures(results)) == 2
        lines = {(line[0], line[1]): line[2] for line in table.rows}
        assert str(lines[cell, "green"]).startswith("FLM 2-")
        assert {text for (other, _), text in lines.items() if other != cell} == {""}
        assert len(table.rows) == rows
    assert len(reads) == 2


def test_a_mission_is_read_once_for_all_runs_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    real = Source.read
    monkeypatch.setattr(Source, "read", lambda path: reads.append(path) or real(path))
    scenario = Scenario("patrol", {"time_limit_s": 2.0})
    for seed in (1, 2):
        scenario.run(seed, None)
    assert len(reads) == 1
    assert "mission" not in pickle.loads(pickle.dumps(scenario)).__dict__

"""Trial after trial: what a team has learned goes with it, times are compared in pairs, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from robotd.experiments.base import Results, log_path
from robotd.experiments.file import find_experiment
from robotd.experiments.learning import APART, CHANGE, LEARNS, NEVER, Learning, row_of, verdict
from robotd.experiments.measure import COLUMNS
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import Estimate

from .fakes import ended

EXPERIMENT = find_experiment("learning")


def trial(duration_s: float, accomplished: bool = True, reason: str = "accomplished") -> RunRow:
    return {
        "coordinator": "l-alliance", "accomplished": accomplished, "reason": reason, "duration_s": duration_s,
        "tasks_done": 3,
    }  # fmt: skip


@dataclass(frozen=True)
class Scripted(Scenario):
    """A mission that takes 100 s less for each time that the team has done it; it notes how it was called."""

    calls: list[tuple[int, Path | None, Mapping[str, Any]]] = field(default_factory=list)

    def run(self, seed: int, log: Path | None, measure=None, learned=None):
        self.calls.append((seed, log, learned))
        times = learned.get("green", 0)
        return trial(1000.0 - 100.0 * times), ended(learned={"green": times + 1})


def scripted(trials: int) -> tuple[Learning, Scripted]:
    scenario = Scripted("scripted")
    return Learning(name="scripted", title="?", scenarios={LEARNS: scenario}, trials=trials), scenario


def test_what_was_learned_in_a_trial_is_known_in_the_next_and_the_last_one_is_logged() -> None:
    experiment, scenario = scripted(3)
    (row,) = experiment.run(experiment.cells()[0], [7], Path("log"))
    assert [known for _, _, known in scenario.calls] == [{}, {"green": 1}, {"green": 2}]
    assert [log for _, log, _ in scenario.calls] == [None, None, Path("log")]
    assert [row[f"trial_{n}_s"] for n in (1, 2, 3)] == [1000.0, 900.0, 800.0]


def test_each_trial_has_a_world_of_its_own_and_teams_know_nothing_of_each_other() -> None:
    experiment, scenario = scripted(2)
    experiment.run(experiment.cells()[0], [1, 2], None)
    assert [seed for seed, _, _ in scenario.calls] == [1, 1 + APART, 2, 2 + APART]
    assert scenario.calls[2][2] == {}


def test_the_row_of_a_run_has_the_sums_of_its_trials_and_says_which_was_not_accomplished() -> None:
    row = row_of([trial(1000.0), trial(1100.5), trial(900.0)])
    assert (row["duration_s"], row["tasks_done"], row[CHANGE]) == (3000.5, 9, -100.0)
    assert (row["accomplished"], row["reason"], row["coordinator"]) == (True, "accomplished", "l-alliance")
    assert isinstance(row["tasks_done"], int)
    row = row_of([trial(1000.0), trial(3600.0, accomplished=False, reason="too late"), trial(900.0)])
    assert (row["accomplished"], row["reason"]) == (False, "trial 2: too late")


def test_a_verdict_needs_an_interval_without_zero() -> None:
    nan = float("nan")
    assert verdict(Estimate(-5.0, -9.0, -1.0)) == "shorter"
    assert verdict(Estimate(5.0, 1.0, 9.0)) == "longer"
    assert verdict(Estimate(-5.0, -11.0, 1.0)) == "undecided"
    assert verdict(Estimate(-5.0, nan, nan)) == verdict(Estimate(nan, nan, nan)) == "undecided"


def rows(learned: Sequence[tuple[float, float]], never: Sequence[tuple[float, float]]) -> list[RunRow]:
    return [
        {"cell": cell, "run": n, "seed": n, **row_of([trial(first), trial(last)])}
        for cell, times in ((NEVER, never), (LEARNS, learned))
        for n, (first, last) in enumerate(times, 1)
    ]


TWO = Learning(name="l", title="?", scenarios=dict.fromkeys((NEVER, LEARNS), Scenario("cleanup")), trials=2)
QUICKER = rows([(1000.0, 899.0), (1100.0, 1001.0)], [(1000.0, 1000.5), (1100.0, 1099.5)])
SLOWER = rows([(1000.0, 1101.0), (1100.0, 1199.0)], [(1000.0, 1000.5), (1100.0, 1099.5)])


@pytest.mark.parametrize(("found", "word"), [(QUICKER, "shorter"), (SLOWER, "longer")])
def test_the_last_trial_is_compared_with_the_first_and_with_the_teams_that_never_learn(found, word) -> None:
    lines = {line[0]: line for line in TWO.tables(Results(found))[0].rows}
    assert lines["trial 2 against trial 1, learns"][-1] == word
    assert TWO.answer(Results(found)).count(word) == 2
    assert lines["learns against never learns, trial 2"][-1] == word
    assert lines["learns against never learns, all trials together"][-1] == word
    assert lines["trial 2 against trial 1, never learns"][-1] == "undecided"
    assert lines["learns against never learns, trial 1"][-2:] == ["0 (0 to 0)", "undecided"]


def test_the_summary_has_the_verdict_beside_its_numbers_and_only_where_times_are_compared() -> None:
    summary = EXPERIMENT.summary(Results(QUICKER))
    words = {(line["cell"], line["measure"]): line["verdict"] for line in summary if "verdict" in line}
    assert words == {
        (NEVER, CHANGE): "undecided", (LEARNS, CHANGE): "shorter",
        (LEARNS, "trial_1_s"): "undecided", (LEARNS, "trial_2_s"): "shorter", (LEARNS, "duration_s"): "shorter",
    }  # fmt: skip
    change = next(line for line in summary if (line["cell"], line["measure"]) == (LEARNS, CHANGE))
    assert change["mean"] == -100.0
    assert not any("ratio" in name for name in change)


def test_runs_that_came_to_nothing_leave_fields_empty_and_stop_nothing(tmp_path: Path) -> None:
    late = [{"cell": NEVER, "run": 1, "seed": 1, "accomplished": False, "reason": "not finished"}]
    for table in EXPERIMENT.tables(Results(late)):
        assert {line[-1] for line in table.rows} == {"undecided"}
        assert all(len(line) == len(table.columns) for line in table.rows)
    assert EXPERIMENT.figures(Results(late, tmp_path)) == []
    assert EXPERIMENT.summary(Results(late))


def test_the_figure_shows_the_mission_times_over_the_trials(tmp_path: Path) -> None:
    (drawing,) = TWO.figures(Results(QUICKER, tmp_path))
    assert drawing.path == tmp_path / "figures" / "trials.svg"
    assert drawing.caption.startswith("Mission time, trial by trial")
    assert drawing.path.read_text().count("<g id=") > 10
    assert not log_path(tmp_path, LEARNS, 1).exists()


def test_the_shipped_teams_differ_in_the_coordinator_alone_and_learning_begins_with_the_shipped_parameters() -> (
    None
):
    never, learns = (EXPERIMENT.scenarios[cell].mission.as_data() for cell in (NEVER, LEARNS))
    assert (never.pop("coordinator")["name"], learns.pop("coordinator")["name"]) == ("alliance", "l-alliance")
    assert never == learns
    assert EXPERIMENT.measured[: len(COLUMNS)] == COLUMNS

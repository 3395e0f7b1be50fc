"""The experiment `service`, in short: its cells, what a run counts, its table and figure."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission
from robotd.experiments.base import Drawing, Results
from robotd.experiments.charts import Axis, Panel
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario
from robotd.experiments.service import COORDINATORS, EXPERIMENT, LOSSES, PRACTICE, RANGES_M, Trial, cell_of
from robotd.model.facts import Fact
from robotd.sim.activity_trace import ActivityTrace, Interval, Outcome

from .fakes import ended, row_of

PLACES = {f"t{k}" for k in range(1, 7)}
DESKS = {"t3", "t5"}


@pytest.mark.parametrize("coordinator", ["alliance", "murdoch", "cobos"])
def test_each_coordinator_soon_has_a_robot_with_the_tool_on_each_place(coordinator: str) -> None:
    outcome = simulate("service", 1, coordinator=coordinator, duration_s=13.0)
    on = {(one.task, robot) for robot, spells in outcome.story.spells.items() for one in spells}
    assert {task for task, _ in on} & PLACES == PLACES
    assert {robot for task, robot in on if task in DESKS} <= {"r5", "r6", "r7"}


def test_the_work_of_the_world_is_where_the_tasks_say() -> None:
    content = load_mission(find_mission("service")).content
    areas = {one["name"]: (one["x_m"], one["y_m"]) for one in content.world["areas"]}
    tasks = [dict(content.tasks[name].args) for name in sorted(PLACES)]
    assert {one["area"]: (float(one["x"]), float(one["y"])) for one in tasks} == areas


def test_the_cells_are_all_coordinators_radios_and_losses_and_one_robot_fails_in_each() -> None:
    levels = [tuple(cell.factors.values()) for cell in EXPERIMENT.cells()]
    assert levels == [(c, i, f"{loss:g}") for c, i, loss in product(COORDINATORS, RANGES_M, LOSSES)]
    assert {tuple(cell.factors) for cell in EXPERIMENT.cells()} == {("coordinator", "islands", "loss")}
    for scenario in EXPERIMENT.scenarios.values():
        content = scenario.mission.content
        assert scenario.events == ["90 remove holder:t5"]
        assert content.radio.range_m == RANGES_M[scenario.levels["islands"]]
        assert f"{content.radio.loss:g}" == scenario.levels["loss"]


def test_a_cell_is_compared_with_alliance_on_the_same_radio() -> None:
    (cell,) = (one for one in EXPERIMENT.cells() if one.name == cell_of("cobos", "yes", 0.3))
    assert EXPERIMENT.baseline(cell) == cell_of("alliance", "yes", 0.3)


@pytest.mark.parametrize("coordinator", ["l-alliance", "alliance"])
def test_l_alliance_alone_brings_what_it_learned_in_a_run_before_without_a_failure(
    coordinator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[int, bool, Any]] = []

    def run(
        self: Scenario, seed: int, log: Any, measure: Any = None, learned: Any = None
    ) -> tuple[RunRow, Outcome]:
        ran.append((seed, bool(self.events), learned))
        return {}, ended(learned={"r1": 1})

    monkeypatch.setattr(Scenario, "run", run)
    (cell,) = (one for one in EXPERIMENT.cells() if one.name == cell_of(coordinator, "no", 0.0))
    EXPERIMENT.run(cell, [3], None)
    practised = [(3 + PRACTICE, False, None)] if coordinator == "l-alliance" else []
    assert ran == [*practised, (3, True, {"r1": 1} if practised else None)]


def test_a_place_counts_as_served_again_when_another_robot_reports_it_too() -> None:
    trial = Trial({"t1-served": "t1", "t5-served": "t5"})
    for robot, fact in (("r1", "t1-served"), ("r1", "t1-served"), ("r2", "t1-served"), ("r3", "seen")):
        trial.report(robot, [Fact(fact)])
    trial.served = {"place-1": 80.0, "place-5": 200.5}
    spells = {"r1": [Interval("serve-1", "t1", 0.0, 9.0)], "r2": [Interval("serve-1", "t1", 4.0, 9.0)]}
    idle = {name: [*own, Interval("visit", "t0", 9.0, 50.0)] for name, own in spells.items()}
    outcome = ended(ActivityTrace(idle))
    assert trial.columns(outcome) == {
        "served": 2, "served_again": 1, "duplicated_work_s": 5.0, "replaced_s": 110.5,
    }  # fmt: skip
    trial.served.pop("place-5")
    assert "replaced_s" not in trial.columns(outcome)


def test_the_table_has_wilsons_interval_and_times_of_accomplished_runs_alone(tmp_path: Path) -> None:
    cell = cell_of("murdoch", "yes", 0.1)
    rows = [row_of(cell, k, accomplished=k < 3, duration_s=100.0 * k, distance_m=100.0) for k in (1, 2, 3)]
    (table,) = EXPERIMENT.tables(Results(rows))
    (line,) = (row for row in table.rows if row[:3] == ["MURDOCH", "islands", "10%"])
    assert line[3:5] == ["2 of 3", "0.67 (0.21 to 0.94)"]
    assert str(line[5]).startswith("150 ")
    assert line[6] == "100 (100 to 100)"


def test_the_figure_has_a_column_for_each_radio_and_a_line_for_each_coordinator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[Sequence[Panel], int]] = []

    def keep(panels: Sequence[Panel], along: Axis, heading: str, path: Path, across: int) -> list[Drawing]:
        drawn.append((panels, across))
        return [Drawing(path, heading)]

    monkeypatch.setattr("robotd.experiments.service.line_charts", keep)
    rows = [row_of(cell.name, 1, bytes=9000) for cell in EXPERIMENT.cells()]
    (drawing,) = EXPERIMENT.figures(Results(rows, tmp_path))
    ((panels, across),) = drawn
    assert drawing.path == tmp_path / "figures" / "service.svg"
    assert [panel.name for panel in panels[:across]] == ["whole room in range", "islands"]
    assert {tuple(line.label for line in panel.lines) for panel in panels} == {tuple(COORDINATORS.values())}
    values = {panel.label: [one.value for one in panel.lines[0].means] for panel in panels}
    assert values["radio (kB)"] == [9.0] * len(LOSSES)
    assert values["share accomplished"] == [1.0] * len(LOSSES)

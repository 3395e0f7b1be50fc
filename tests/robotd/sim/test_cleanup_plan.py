"""Cleanup as a plan: the same mission by ALLIANCE inside BITE, with the same motivations."""

from pathlib import Path

import pytest

from robotd.api import simulate
from robotd.config.load import ConfigError, find_mission, load_mission
from robotd.experiments.base import Results
from robotd.experiments.cleanup_plan import EXPERIMENT, ONCE, PLAIN, PLAN
from tests.robotd.experiments.fakes import row_of

WRITTEN = find_mission("cleanup-plan").read_text(encoding="utf-8")


def test_it_is_cleanup_but_for_the_coordinator_and_the_task_that_holds_the_others_together() -> None:
    plain, plan = (load_mission(find_mission(name)).content for name in (PLAIN, PLAN))
    differing = {"name", "description", "tasks", "coordinator"}
    assert plan.model_dump(exclude=differing) == plain.model_dump(exclude=differing)
    assert {name: plan.tasks[name] for name in plain.tasks} == plain.tasks
    assert plan.parameters["interactions"]["alliance"]["parameters"] == plain.parameters


def test_a_coordinator_inside_chooses_among_all_sets_of_a_child_as_each_robot_is_motivated() -> None:
    found = simulate("cleanup-plan", 3, events=["1 remove green"], time_limit_s=45.0).story
    assert "find-locations-wander" in {one.set for one in found.spells["blue"]}


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("fast_rate = 3.0", "fast_rate = -3.0", "sets.find-locations-wander.motivation.fast_rate"),
        ("patience_s = 150.0\n", "", "sets.report-progress.motivation.patience_s"),
        ("fast_rate = 0.42", "fast_rate = -0.42", "robots.gold.sets.report-progress.motivation.fast_rate"),
    ],
)
def test_the_own_tables_of_sets_are_checked_for_the_coordinator_inside(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    assert old in WRITTEN
    path = tmp_path / "plan.toml"
    path.write_text(WRITTEN.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_mission(path)
    assert key in {one.key for one in caught.value.problems}


def test_the_experiment_compares_times_and_tasks_in_pairs() -> None:
    done = {f"done_{task}": 1 for task in ONCE}
    rows = [dict(row_of(cell, seed, duration_s=time + seed, **done))
            for cell, time in ((PLAIN, 1000.0), (PLAN, 1050.0)) for seed in (1, 2, 3)]  # fmt: skip
    rows[-1][f"done_{ONCE[0]}"] = 0
    same, near = EXPERIMENT.claims(Results(rows))
    assert same.holds == [True, True, False]
    assert near.holds == [True]
    assert near.counted.startswith("1.0")

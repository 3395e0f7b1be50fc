"""MURDOCH on the whole daemon: mission files and their faults, tasks of run time, replay."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robotd.advice.coverage import coverage
from robotd.api import simulate
from robotd.config.load import ConfigError, Mission, load_mission
from robotd.model.choice import Job
from robotd.record.replay import replay
from robotd.record.rows import Row
from robotd.robot.build import mind_of_part
from tests.robotd.sim.small import events_of, rows_of, text

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "rounds.toml"
ALL = """
[coordinators.murdoch]
introducer = "green"
reannounce_s = 6.0
"""
RIGHT = "[tasks.move-spill-right.terms.murdoch]\n"
BY_ORDER = f'{RIGHT}resources = ["mobile", "gripper"]\n'


def mission(folder: Path, tail: str = BY_ORDER, **changes: Any) -> Mission:
    path = folder / "small.toml"
    path.write_text(text(("green", "blue")) + tail)
    return load_mission(path, {"coordinator.name": "murdoch", **changes})


def ran(folder: Path, *events: str, tail: str = BY_ORDER, for_s: float = 60.0) -> Mapping[str, list[Row]]:
    """A run by robot; its log replays."""
    log = folder / "run.jsonl"
    outcome = simulate(mission(folder, tail), 1, events=events, duration_s=for_s, log=log)
    assert not outcome.extra.get("raised")
    assert replay(log, mind_of_part).difference is None
    return rows_of(log)


def last_jobs(rows: list[Row]) -> tuple[Job, ...]:
    return [row.choice.jobs for row in rows if row.choice is not None][-1]


@pytest.mark.long
def test_a_mission_of_alliance_is_accomplished_by_auctions_of_one_introducer(tmp_path: Path) -> None:
    outcome = simulate(mission(tmp_path, ALL), 1)
    assert outcome.accomplished
    assert not outcome.extra.get("raised")


@pytest.mark.long
def test_the_example_with_a_tree_and_a_metric_of_its_own_is_accomplished_and_replays(tmp_path: Path) -> None:
    found = load_mission(EXAMPLE)
    log = tmp_path / "run.jsonl"
    outcome = simulate(found, 1, events=("5 add-task desk guard:length_s=30", "40 kill olive"), log=log)
    assert outcome.accomplished
    assert replay(log, partial(mind_of_part, plugins=found.plugins)).difference is None
    assert {job.task.id: job.state for job in last_jobs(rows_of(log)["desk"])}["first-round"] == "done"
    assert "day" not in coverage(found)


def test_a_task_that_a_person_adds_is_auctioned_done_and_listed(tmp_path: Path) -> None:
    rows = ran(tmp_path, "0.2 add-task blue find-locations:length_s=20", for_s=60.0)
    (job,) = last_jobs(rows["blue"])
    assert (job.task.id, job.state) == ("blue.0", "done")
    assert events_of(rows["blue"], "introduced") == [("find-locations", "as blue.0, ordered by simulation")]


def test_the_task_of_a_winner_that_is_killed_is_done_by_the_other(tmp_path: Path) -> None:
    tail = '[robots.blue.terms.murdoch]\nresources = ["door-opener"]\n'
    rows = ran(tmp_path, "0.2 add-task blue find-locations:length_s=60", "25 kill green", tail=tail, for_s=150.0)
    awards = [cause for _, cause in events_of(rows["blue"], "awarded")]
    assert len(awards) == 2 or awards[0].split()[2] == "blue"
    assert last_jobs(rows["blue"])[0].state == "done"


def test_where_no_robot_has_a_resource_the_answer_names_it(tmp_path: Path) -> None:
    rows = ran(tmp_path, "0.2 add-task blue move-spill-right", tail=f'{RIGHT}resources = ["overhead-camera"]\n')
    (job,) = last_jobs(rows["blue"])
    assert job.state == "refused"
    assert "no robot in reach has overhead-camera" in job.why


@pytest.mark.parametrize(
    ("tail", "key"),
    [
        ("[coordinators.murdoch]\nintroducer = 'pink'\n", "coordinators.murdoch.introducer"),
        ("[coordinators.murdoch]\nauction_s = 0\n", "coordinators.murdoch.auction_s"),
        (f"{RIGHT}metrics = ['haste']\n", "metrics"),
        (f"{RIGHT}metrics = {{ fitness = -1.0 }}\n", "metrics"),
        (f"{RIGHT}children = ['move-spill']\n", "children"),
        (f"{RIGHT}children = ['move-spill-left']\n", "resources"),
        (f"{RIGHT}by = 'pink'\n", "by"),
        (f"{RIGHT}length_s = 1e6\n", "length_s"),
        (f"{RIGHT}lenght_s = 10\n", "lenght_s"),
        (f"{RIGHT}resources = ['mobile']\nchildren = ['move-spill-right']\n", "children"),
        ("[robots.green.terms.murdoch]\nresource = ['x']\n", "resource"),
    ],
)
def test_a_fault_of_the_settings_is_reported_at_its_key(tmp_path: Path, tail: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        mission(tmp_path, tail)
    assert any(key in problem.key for problem in caught.value.problems)
    assert all(problem.line for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("find-location", "did you mean 'find-locations'?"),
        ("find-locations:length_s=-3", "greater|above|at least"),
        ("find-locations:lenght_s=3", "did you mean 'length_s'?"),
    ],
)
def test_an_order_with_a_wrong_word_is_refused(tmp_path: Path, words: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        ran(tmp_path, f"3 add-task blue {words}")


def test_what_is_agreed_in_the_mission_file_cannot_be_changed_by_an_order(tmp_path: Path) -> None:
    rows = ran(tmp_path, "3 add-task blue move-spill-right:range_m=3", for_s=6.0)
    ((task, cause),) = events_of(rows["blue"], "refused")
    assert task == "move-spill-right"
    assert "range_m" in cause


def test_robots_with_other_settings_do_not_read_each_other(tmp_path: Path) -> None:
    other = BY_ORDER + "[coordinators.murdoch]\nauction_s = 2.0\n"
    tails = BY_ORDER, BY_ORDER.replace("gripper", "sound"), other
    assert len({mission(tmp_path, tail).table.digest for tail in tails}) == 3

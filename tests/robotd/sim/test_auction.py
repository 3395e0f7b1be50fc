"""The auction of docs/examples beside ALLIANCE, on one mission file: its own tasks, and tasks of run time."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robotd.api import simulate
from robotd.config.load import ConfigError, Mission, load_mission
from robotd.files.plugins import load_files
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Job
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import MAX_PENDING
from robotd.model.tasks import Feedback, Task
from robotd.record.replay import replay
from robotd.record.rows import Row
from robotd.robot.build import mind_of_part
from tests.robotd.sim.small import events_of, rows_of, text

AUCTION = Path(__file__).parents[3] / "docs" / "examples" / "auction.py"
TERMS = """
[coordinators.auction]
silence_timeout_beats = 4
round_beats = 2

[tasks.move-spill-right.terms.auction]
length_s = 200

[robots.blue.terms.auction]
eagerness = 0.5
"""
RESERVED = {  # for the mission's own task no robot bids enough
    "tasks.find-locations.terms": {"auction": {"reserve": 1.0}},
    "robots.green.terms": {"auction": {"eagerness": 0.9}},
}


def mission(folder: Path, coordinator: str, length_s: float = 200.0, **changes: Any) -> Mission:
    """One file for both coordinators."""
    path = folder / "both.toml"
    path.write_text(f"plugins = ['{AUCTION}']\n" + text(("green", "blue")) + TERMS.replace("200", f"{length_s:g}"))
    return load_mission(path, {"coordinator.name": coordinator, **changes})


def ran(folder: Path, *events: str, for_s: float = 60.0, **changes: Any) -> Mapping[str, list[Row]]:
    """A run of the auction, by robot."""
    log = folder / "run.jsonl"
    outcome = simulate(mission(folder, "auction", **changes), 1, events=events, duration_s=for_s, log=log)
    assert not outcome.extra.get("raised")
    return rows_of(log)


def jobs_of(rows: list[Row]) -> list[tuple[float, tuple[Job, ...]]]:
    """The jobs of each decision, with its time."""
    return [(row.inputs.now, row.choice.jobs) for row in rows if row.choice is not None]


def states_of(rows: list[Row], name: str) -> list[str]:
    """The states that a job went through, without repetition."""
    states: list[str] = []
    for _, jobs in jobs_of(rows):
        for job in jobs:
            if job.task.id == name and states[-1:] != [job.state]:
                states.append(job.state)
    return states


def test_an_added_task_is_announced_won_by_the_highest_bid_and_done(tmp_path: Path) -> None:
    rows = ran(tmp_path, "0.2 add-task blue find-locations:length_s=150,reserve=0.1", for_s=100.0, **RESERVED)
    assert events_of(rows["blue"], "introduced") == [("find-locations", "as blue.0, ordered by simulation")]
    assert states_of(rows["blue"], "blue.0") == ["announced", "awarded", "done"]
    assert {job.who for _, jobs in jobs_of(rows["blue"]) for job in jobs if job.state == "awarded"} == {1}
    assert events_of(rows["green"], "done")[0][0] == "blue.0"  # green is the more eager one
    page = [fact for row in rows["blue"] if row.choice for fact in row.choice.facts][-1]
    assert (page.name, page.value[:5]) == ("jobs-of-blue", (0.0, 0.0, 0.0, 1.0, 0.0))
    again = replay(tmp_path / "run.jsonl", partial(mind_of_part, plugins=load_files([AUCTION])))
    assert again.difference is None


@pytest.mark.long
def test_twenty_tasks_at_once_are_announced_in_turn_and_never_fill_the_radio(tmp_path: Path) -> None:
    rows = ran(tmp_path, *["3 add-task blue move-spill-right"] * 20, for_s=94.0)
    assert max(len(row.choice.statements) for row in rows["blue"] if row.choice) <= MAX_PENDING
    assert max(len(jobs) for _, jobs in jobs_of(rows["blue"])) == 20
    announced = {s.fields[0] for row in rows["blue"] for frame in row.sent for s in frame.statements
                 if s.kind == "announcement" and row.inputs.now <= 3 + 30 * 3.0}  # fmt: skip
    assert announced == set(range(20))


def test_a_task_that_no_robot_may_do_waits_and_has_what_each_robot_answered(tmp_path: Path) -> None:
    rows = ran(tmp_path, "2 add-task blue move-spill-left", "2 kill green", for_s=40.0)
    (job,) = jobs_of(rows["blue"])[-1][1]
    assert (job.state, job.who) in (("waiting", 0), ("announced", 0))
    whys = {job.why for _, jobs in jobs_of(rows["blue"]) for job in jobs}
    assert any("green: silent" in why and "blue: " in why for why in whys)


def test_the_task_of_a_winner_that_dies_is_awarded_anew(tmp_path: Path) -> None:
    rows = ran(tmp_path, "0.2 add-task blue find-locations:reserve=0", "20 kill green", for_s=60.0, **RESERVED)
    states = states_of(rows["blue"], "blue.0")
    assert states[:5] == ["announced", "awarded", "waiting", "announced", "awarded"]
    winners = [job.who for _, jobs in jobs_of(rows["blue"]) for job in jobs if job.state == "awarded"]
    assert (winners[0], winners[-1]) == (1, 2)


def test_a_subtask_is_one_job_for_as_long_as_it_is_asked_for(tmp_path: Path) -> None:
    table = mission(tmp_path, "auction").table
    auction = load_files([AUCTION]).get("robotd.coordinators", "auction")
    made = auction(auction.Settings(), [("look", "find-locations", None)], table, 0.2)
    made.begin(0.0, 1, [entry.task for entry in table.tasks], table.team, 0)
    wanted = (Task("move-spill", (("spill", "left"),), "look/left"), Task("fly", (), "look/up"))
    ends: list[Choice] = []
    for k in range(20):
        asked = Inputs(k / 5, 2 * k, Senses(), Capabilities(), subtasks=wanted if 5 <= k < 15 else ())
        ends.append(made.step(asked, Beliefs(table, 1), lambda *_: Feedback(applicable=False), (), ()))
    left, up = ends[12].jobs
    assert (left.task.id, left.task.args, left.state) == ("look/left", (("spill", "left"),), "announced")
    assert (up.task.id, up.state) == ("look/up", "refused")
    assert "no task of kind 'fly'" in up.why
    assert [job.state for job in ends[-1].jobs] == ["ended", "refused"]
    assert [s.fields[:2] for s in ends[12].statements if s.kind == "announcement"] == [(0, "move-spill-left")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("find-location", "did you mean 'find-locations'?"),
        ("find-locations:lenght_s=3", "did you mean 'length_s'?"),
        ("find-locations:length_s=-3", "above 0"),
    ],
)
def test_a_task_with_terms_that_the_auction_has_not_is_refused(tmp_path: Path, words: str, message: str) -> None:
    with pytest.raises(ConfigError, match="add-task") as caught:
        ran(tmp_path, f"3 add-task blue {words}")
    assert message in str(caught.value)


def test_a_job_that_is_shorter_than_a_round_is_a_fault_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        mission(tmp_path, "auction", length_s=5.0)
    (fault,) = caught.value.problems
    assert fault.key == "tasks.move-spill-right.terms.auction.length_s"


def test_robots_of_auctions_with_other_rounds_do_not_read_each_other(tmp_path: Path) -> None:
    one = mission(tmp_path, "auction").table.digest
    other = mission(tmp_path, "auction", **{"coordinators.auction.round_beats": 3.0}).table.digest
    assert len({one, other, mission(tmp_path, "alliance").table.digest}) == 3

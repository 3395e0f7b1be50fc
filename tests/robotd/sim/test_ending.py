"""How a mission ended, in words: what is lacking, who had it, and what became of that robot."""

from typing import Any

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.model.choice import Job
from robotd.model.tasks import Task
from robotd.sim.activity_trace import ActivityTrace, Interval
from robotd.sim.ending import ending_of
from robotd.sim.team import build_world


def ending(mission: str, story: ActivityTrace, *happened: tuple[float, str, str], **more: Any) -> str:
    loaded = load_mission(find_mission(mission))
    events = [{"at_s": at, "verb": verb, "robot": robot, "arg": ""} for at, verb, robot in happened]
    return ending_of(loaded, build_world(loaded, 1), story, events, **more)


def had(robot: str, task: str, until: float) -> ActivityTrace:
    return ActivityTrace(spells={robot: [Interval("set", task, 1.0, until)]})


@pytest.mark.parametrize(
    ("happened", "words"),
    [
        ([(20.0, "kill", "amber")], "amber, its process killed at 20 s, had it until 20 s"),
        ([(20.0, "remove", "amber")], "amber, taken out of the room at 20 s, had it until 20 s"),
        ([(20.0, "remove", "amber"), (25.0, "return", "amber")], "amber, had it until 20 s"),
        ([(20.0, "kill", "olive")], "amber, had it until 20 s"),
    ],
)
def test_a_task_that_is_not_done_names_the_robot_that_had_it_and_what_became_of_it(
    happened: list[tuple[float, str, str]], words: str
) -> None:
    assert f"first-round is not done (with no robot; {words})" in ending(
        "patrol", had("amber", "first-round", 20.0), *happened
    )


def test_a_task_that_robots_know_to_be_done_is_not_lacking_and_nothing_is_once_all_is_accomplished() -> None:
    story = had("amber", "first-round", 20.0)
    assert "first-round" not in ending("patrol", story, known={"first-driven"})
    assert ending("patrol", story, accomplished=True) == "no task was done"


def test_areas_that_are_left_are_named() -> None:
    assert ending("service", ActivityTrace()).startswith("0 of 6 areas are clean (not place-1, place-2, ")


def test_what_was_introduced_at_run_time_and_is_open_has_its_winner_and_its_introducer() -> None:
    open_ = Job(Task("track", (), "desk.0"), "awarded", 2, "it works on it")
    done = Job(Task("track", (), "desk.1"), "done", 2, "it is done")
    story = ActivityTrace(jobs={"desk": (open_, done)})
    words = ending("murdoch-box", story, (9.0, "kill", "desk"))
    assert "desk.0 is awarded to " in words
    assert "(it works on it; desk, its process killed at 9 s, introduced it)" in words
    assert "desk.1" not in words

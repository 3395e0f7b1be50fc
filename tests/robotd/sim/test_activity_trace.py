"""Who did what and when, and how a run is reported to people and programs."""

import json

from robotd.model.choice import Choice
from robotd.model.tasks import Assignment, Task
from robotd.sim.activity_trace import ActivityTrace, Outcome

FIND, MOVE = Task("find", (), "find"), Task("move", (), "move")


def does(name: str, task: Task, held: Task | None = None, finished: tuple[Task, ...] = ()) -> Choice:
    return Choice((Assignment(name, task),), held, finished=finished)


def reported() -> ActivityTrace:
    story = ActivityTrace()
    story.decided("green", 1.0, does("search", FIND))
    story.decided("blue", 2.0, does("wander", FIND))
    story.decided("green", 3.0, does("search", FIND))
    story.decided("green", 4.0, does("carry", MOVE, finished=(FIND,)))
    story.decided("blue", 5.0, Choice())
    story.decided("green", 6.0, Choice(finished=(MOVE,)))
    story.decided("blue", 7.0, does("carry", MOVE))
    return story


def test_a_spell_lasts_until_another_set_acts_or_none_does() -> None:
    story = reported()
    assert story.spells == {
        "green": [("search", "find", 1.0, 4.0), ("carry", "move", 4.0, 6.0)],
        "blue": [("wander", "find", 2.0, 5.0)],
    }


def test_what_lasts_at_the_end_is_cut_there_and_what_is_gone_where_it_went() -> None:
    story = reported()
    story.close(9.0)
    assert story.spells["blue"] == [("wander", "find", 2.0, 5.0), ("carry", "move", 7.0, 9.0)]
    story = reported()
    story.gone("blue", 8.0)
    story.close(9.0)
    assert story.spells["blue"][-1] == ("carry", "move", 7.0, 8.0)


def test_each_occasion_of_a_task_has_the_robot_that_finished_it() -> None:
    story = reported()
    story.decided("blue", 8.0, Choice(finished=(MOVE,)))
    assert story.done == {"find": [(4.0, "green")], "move": [(6.0, "green"), (8.0, "blue")]}


def test_robots_with_a_task_active_or_suspended_hold_it_and_no_other_does() -> None:
    story = reported()
    assert (story.holding["find"], story.holding["move"]) == (set(), {"blue"})
    story.decided("blue", 8.0, does("report", FIND, held=MOVE))
    assert (story.holding["find"], story.holding["move"]) == ({"blue"}, {"blue"})
    story.gone("blue", 9.0)
    assert (story.holding["find"], story.holding["move"]) == (set(), set())


def test_every_set_of_a_path_has_its_interval_and_holds_its_task() -> None:
    story, names = ActivityTrace(), ("walk", "lead", "follow")
    walk, lead, follow = (Assignment(name, Task(name, (), name)) for name in names)
    story.decided("green", 1.0, Choice((walk, lead)))
    assert [story.holding[task] for task in names[:2]] == [{"green"}, {"green"}]
    story.decided("green", 4.0, Choice((walk, follow)))
    assert [story.holding[task] for task in names] == [{"green"}, set(), {"green"}]
    story.close(6.0)
    assert story.spells["green"] == [
        ("lead", "lead", 1.0, 4.0), ("follow", "follow", 4.0, 6.0), ("walk", "walk", 1.0, 6.0),
    ]  # fmt: skip


def test_one_set_on_task_after_task_has_an_interval_each_and_a_condition_holds_none() -> None:
    story = ActivityTrace()
    for now, task in enumerate(("r1.1", "r1.2", "")):
        story.decided("green", float(now), Choice((Assignment("attach", Task("attach", (), task)),)))
    story.close(3.0)
    assert story.spells["green"] == [
        ("attach", task, float(now), now + 1.0) for now, task in enumerate(("r1.1", "r1.2", ""))
    ]
    assert story.holding == {"r1.1": set(), "r1.2": set()}


def test_the_timeline_is_in_order_of_time_and_of_the_robots_asked_for() -> None:
    story = reported()
    assert [line.split()[2:4] for line in story.lines(["green", "blue"])] == [
        ["green", "search"], ["blue", "wander"], ["green", "carry"],
    ]  # fmt: skip
    assert [line.split()[2] for line in story.lines(["blue"])] == ["blue"]


def test_for_programs_an_outcome_is_one_object_with_every_robot_in_it() -> None:
    outcome = Outcome(
        "tidy", 7, accomplished=True, reason="accomplished", duration_s=9.00049, story=reported(),
        robots=("red", "green"), radio={"sent": 3}, ticks={"count": 90, "skipped": 0}, log="run.jsonl",
        extra={"pids": {"green": [1, 2]}}, ending="all is tidy",
    )  # fmt: skip
    assert json.loads(json.dumps(outcome.as_json())) == {
        "mission": "tidy", "seed": 7, "accomplished": True, "reason": "accomplished",
        "ending": "all is tidy", "duration_s": 9.0,
        "tasks": {"find": [{"done_at_s": 4.0, "by": "green"}], "move": [{"done_at_s": 6.0, "by": "green"}]},
        "robots": {"green": [["search", 1.0, 4.0], ["carry", 4.0, 6.0]], "red": []},
        "radio": {"sent": 3}, "ticks": {"count": 90, "skipped": 0}, "log": "run.jsonl", "pids": {"green": [1, 2]},
    }  # fmt: skip

"""What each column of a row counts, on runs that are small enough to count by hand."""

import pytest

from boards.mock.settings import WorldSettings
from radio.mock.channel import BIT_RATE
from robotd.api import simulate
from robotd.experiments.measure import COLUMNS, Measure, duplicated, reallocations, row_of, switches
from robotd.sim.activity_trace import ActivityTrace, Interval
from tests.robotd.experiments.fakes import TASKS, story
from tests.robotd.sim.small import small


def test_work_on_one_task_at_once_counts_as_duplicated_beyond_the_first_robot() -> None:
    assert duplicated(story(green=[("search", 0.0, 10.0)], blue=[("wander", 4.0, 12.0)])) == 6.0
    three = story(a=[("carry", 0.0, 10.0)], b=[("carry", 0.0, 10.0)], c=[("carry", 5.0, 10.0)])
    assert duplicated(three) == 15.0
    assert duplicated(story(green=[("search", 0.0, 4.0), ("carry", 4.0, 9.0)], blue=[("search", 4.0, 9.0)])) == 0
    assert (duplicated(three, [TASKS["carry"]]), duplicated(three, [TASKS["search"]])) == (15.0, 0.0)


def test_a_switch_is_another_set_than_the_robots_last_with_or_without_a_pause() -> None:
    spells = [("search", 0.0, 1.0), ("search", 2.0, 3.0), ("carry", 3.0, 4.0), ("search", 8.0, 9.0)]
    assert switches(story(green=spells, blue=[("carry", 0.0, 1.0)])) == 2
    assert switches(story()) == 0


def test_a_reallocation_is_another_robot_on_a_task_that_was_not_done_meanwhile() -> None:
    handed = {"green": [("carry", 0.0, 5.0)], "blue": [("carry", 5.0, 9.0)]}
    assert reallocations(story(**handed)) == 1
    assert reallocations(story([("move", [(5.0, "green")])], **handed)) == 0
    again = {"green": [("carry", 0.0, 2.0), ("carry", 4.0, 5.0)]}
    assert reallocations(story(**again)) == 0
    there_and_back = {"green": [("search", 0.0, 2.0), ("search", 4.0, 5.0)], "blue": [("wander", 2.0, 4.0)]}
    assert reallocations(story(**there_and_back)) == 2


def test_tasks_of_run_time_are_counted_each_for_itself_though_one_set_does_them() -> None:
    attach = [Interval("attach", f"r1.{k}", 0.0, 10.0) for k in range(3)]
    three = ActivityTrace(spells={"a": attach[:1], "b": attach[1:2], "c": attach[2:]})
    assert (duplicated(three), reallocations(three)) == (0.0, 0)


def test_sets_of_one_path_count_once_as_work_and_each_as_a_begun_set() -> None:
    path = [
        Interval("lead", "lead", 0.0, 4.0), Interval("follow", "follow", 4.0, 9.0),
        Interval("walk", "walk", 0.0, 9.0),
    ]  # fmt: skip
    other = [Interval("walk", "walk", 2.0, 5.0)]
    both = ActivityTrace(spells={"a": path, "b": other})
    assert (duplicated(both), switches(both), reallocations(both)) == (3.0, 2, 1)


def test_what_a_robot_does_for_a_condition_is_no_task_that_two_could_do() -> None:
    charging = {robot: [Interval("charge", "", 0.0, 10.0)] for robot in "ab"}
    assert (duplicated(ActivityTrace(charging)), reallocations(ActivityTrace(charging))) == (0.0, 0)


@pytest.fixture(scope="module")
def run():
    measure = Measure()
    mission = small(("green", "blue"))
    outcome = simulate(mission, 1, events=["6 remove blue"], duration_s=20.0, watch=measure)
    return outcome, measure, row_of(outcome, measure, "alliance")


def test_where_each_set_has_one_task_intervals_name_the_task_of_their_set(run) -> None:
    sets = small(("green", "blue")).content.sets
    spells = [one for each in run[0].story.spells.values() for one in each]
    assert len(spells) > 1
    assert all(one.task == sets[one.set].task for one in spells)


def test_a_row_has_every_column_and_no_other(run) -> None:
    assert tuple(run[2]) == ("coordinator", *COLUMNS)
    assert (run[2]["coordinator"], run[2]["accomplished"], run[2]["duration_s"]) == ("alliance", False, 20.0)
    assert str(run[2]["reason"]).startswith("cut after 20 s")


def test_the_reason_names_events_that_did_not_happen(run) -> None:
    assert "happen" not in str(run[2]["reason"])
    mission, measure = small(("green", "blue")), Measure()
    missed = simulate(mission, 1, events=["60 seize blue"], duration_s=2.0, watch=measure)
    reason = row_of(missed, measure, "alliance")["reason"]
    assert str(reason).endswith("; '60 seize blue' did not happen: the run ended before it")


def test_messages_are_counted_by_kind_as_they_left_and_airtime_is_that_of_their_bytes(run) -> None:
    outcome, _, row = run
    assert row["frames"] == outcome.radio["sent"]
    assert row["messages_activity"] + row["messages_stop"] <= row["frames"] <= row["messages_activity"] + 2
    assert row["messages_bid"] == 0
    assert row["bytes"] == outcome.radio["bytes"]
    assert row["airtime_s"] == pytest.approx(8 * row["bytes"] / BIT_RATE, abs=1e-3)


def test_idle_and_work_add_up_to_the_time_of_robots_in_the_room(run) -> None:
    row = run[2]
    assert row["idle_s"] + row["work_s"] == pytest.approx(20.0 + 6.0, abs=2.0)


def test_the_distance_is_that_of_the_world_and_being_carried_away_is_no_driving() -> None:
    still, away = Measure(), Measure()
    mission = small(("green",))
    simulate(mission, 1, events=["0 seize green"], duration_s=8.0, watch=still)
    assert still.distance_m < 0.05
    simulate(mission, 1, events=["5 remove green", "6 return green"], duration_s=8.0, watch=away)
    assert 0.1 < away.distance_m < 8.0 * WorldSettings().max_speed_m_s
    assert still.idle_s < 8.0


def test_a_watcher_changes_nothing() -> None:
    mission = small(("green", "blue"))
    watched = simulate(mission, 3, duration_s=15.0, watch=Measure())
    assert watched == simulate(mission, 3, duration_s=15.0)

"""What each column of a row counts, on runs that are small enough to count by hand."""

from __future__ import annotations

import pytest

from radio.mock.channel import BIT_RATE
from robotd.api import simulate
from robotd.experiments.measure import COLUMNS, Measure, duplicated, reallocations, row_of, switches
from robotd.sim.activity_trace import ActivityTrace
from tests.robotd.sim.small import small

TASKS = {"search": "find", "wander": "find", "carry": "move", "report": "report"}


def story(done=(), **spells) -> ActivityTrace:
    return ActivityTrace(spells=spells, done=dict(done))


def test_work_on_one_task_at_once_counts_as_duplicated_beyond_the_first_robot() -> None:
    assert duplicated(story(green=[("search", 0.0, 10.0)], blue=[("wander", 4.0, 12.0)]), TASKS) == 6.0
    three = story(a=[("carry", 0.0, 10.0)], b=[("carry", 0.0, 10.0)], c=[("carry", 5.0, 10.0)])
    assert duplicated(three, TASKS) == 15.0
    assert (
        duplicated(story(green=[("search", 0.0, 4.0), ("carry", 4.0, 9.0)], blue=[("search", 4.0, 9.0)]), TASKS)
        == 0
    )


def test_a_switch_is_another_set_than_the_robots_last_with_or_without_a_pause() -> None:
    spells = [("search", 0.0, 1.0), ("search", 2.0, 3.0), ("carry", 3.0, 4.0), ("search", 8.0, 9.0)]
    assert switches(story(green=spells, blue=[("carry", 0.0, 1.0)])) == 2
    assert switches(story()) == 0


def test_a_reallocation_is_another_robot_on_a_task_that_was_not_done_meanwhile() -> None:
    handed = {"green": [("carry", 0.0, 5.0)], "blue": [("carry", 5.0, 9.0)]}
    assert reallocations(story(**handed), TASKS) == 1
    assert reallocations(story([("move", [(5.0, "green")])], **handed), TASKS) == 0
    again = {"green": [("carry", 0.0, 2.0), ("carry", 4.0, 5.0)]}
    assert reallocations(story(**again), TASKS) == 0
    there_and_back = {"green": [("search", 0.0, 2.0), ("search", 4.0, 5.0)], "blue": [("wander", 2.0, 4.0)]}
    assert reallocations(story(**there_and_back), TASKS) == 2


@pytest.fixture(scope="module")
def run():
    measure = Measure()
    mission = small(("green", "blue"))
    outcome = simulate(mission, 1, events=["6 remove blue"], duration_s=20.0, watch=measure)
    tasks = {name: entry.task for name, entry in mission.content.sets.items()}
    return outcome, measure, row_of(outcome, measure, "alliance", tasks)


def test_a_row_has_every_column_and_no_other(run) -> None:
    assert tuple(run[2]) == ("coordinator", *COLUMNS)
    assert (run[2]["coordinator"], run[2]["accomplished"], run[2]["duration_s"]) == ("alliance", False, 20.0)
    assert str(run[2]["reason"]).startswith("cut after 20 s")


def test_the_reason_tells_of_events_that_did_not_happen(run) -> None:
    assert "happen" not in str(run[2]["reason"])
    mission, measure = small(("green", "blue")), Measure()
    missed = simulate(mission, 1, events=["60 seize blue"], duration_s=2.0, watch=measure)
    tasks = {name: entry.task for name, entry in mission.content.sets.items()}
    reason = row_of(missed, measure, "alliance", tasks)["reason"]
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
    assert 0.1 < away.distance_m < 8.0 * mission_speed()
    assert still.idle_s < 8.0


def mission_speed() -> float:
    from boards.mock.settings import WorldSettings

    return WorldSettings().max_speed_m_s


def test_a_watcher_changes_nothing() -> None:
    mission = small(("green", "blue"))
    watched = simulate(mission, 3, duration_s=15.0, watch=Measure())
    assert watched == simulate(mission, 3, duration_s=15.0)

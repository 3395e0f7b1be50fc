"""Patrol: legs straight on, turned by chance, until the wheels have turned for long enough."""

import pytest

from behaviors.patrol.patrol import Patrol
from robotd.config.load import find_mission, load_mission
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from tests.behaviors.senses import percept

TABLE = load_mission(find_mission("patrol")).content.table()
TASK = TABLE.task_entries["first-round"].task
ROLLING = (0.1, 0.1)


def patrol(**parameters):
    """A set that is awake on the first round, and what its robot believes."""
    made = Patrol(Patrol.Settings(**parameters))
    made.enter(0.0, TASK)
    return made, Beliefs(TABLE, 1)


def act(made, beliefs, n, wheels=ROLLING):
    return made.behaviors[0].act(percept(n, wheels=wheels), beliefs)


def test_it_drives_straight_on_at_first_and_turns_aside_after_a_leg():
    made, beliefs = patrol(leg_s=3.0, speed=0.5)
    drives = [act(made, beliefs, n).drive for n in range(1, 100)]
    assert {drive.speed for drive in drives[:29]} == {0.5}
    assert {abs(drive.turn) for drive in drives} == {0.0, 0.8}
    assert all(drive.speed == 0.0 or drive.turn == 0.0 for drive in drives)


def test_a_round_is_over_once_its_time_is_driven_and_is_stated_once():
    made, beliefs = patrol(round_s=2.0)
    outs = [act(made, beliefs, n) for n in range(1, 30)]
    told = [(n, out.facts) for n, out in enumerate(outs, 1) if out is not None and out.facts]
    assert told == [(20, (Fact("first-driven"),))]
    assert made.assess(percept(30), beliefs, TASK).done
    assert outs[-1] is None


@pytest.mark.parametrize("wheels", [(0.0, 0.0), (0.01, -0.01)])
def test_time_in_which_the_wheels_stand_does_not_count(wheels):
    made, beliefs = patrol(round_s=2.0)
    assert all(act(made, beliefs, n, wheels).facts == () for n in range(1, 200))
    assert not made.assess(percept(200), beliefs, TASK).done


def test_a_robot_that_cannot_measure_its_wheels_goes_by_the_clock():
    made, beliefs = patrol(round_s=2.0)
    assert any(out is not None and out.facts for out in (act(made, beliefs, n, None) for n in range(1, 30)))


def test_a_pause_between_two_ticks_is_not_driven():
    made, beliefs = patrol(round_s=20.0)
    act(made, beliefs, 1)
    act(made, beliefs, 500)
    assert made.assess(percept(500), beliefs, TASK).progress < 0.1


def test_it_is_of_use_until_the_round_is_known_to_be_driven():
    made, beliefs = patrol()
    assert made.assess(percept(), beliefs, TASK).applicable
    assert not made.assess(percept(), beliefs.learn((Fact("first-driven"),)), TASK).applicable
    assert made.assess(percept(), beliefs.learn((Fact("second-driven"),)), TASK).applicable

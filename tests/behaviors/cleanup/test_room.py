"""The room seen from its entrance."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from behaviors.cleanup.room import Extremes, known_room, locations
from behaviors.parts import FAR, by_sector
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.table import NumberTable
from tests.behaviors.senses import ranges

KINDS = tuple(FactKind(name, k + 1, "place") for k, name in enumerate(("spill-left", "spill-right", "goal")))
TABLE = NumberTable((), (), (*KINDS, FactKind("located", 4, "flag")))


def extremes(low_x, high_x, low_y, high_y):
    reached = Extremes()
    reached.take(low_x, high_y)
    reached.take(high_x, low_y)
    return reached


@pytest.mark.parametrize(
    ("wall", "left", "right", "goal"),
    [
        ("south", (1.5, 1.5), (4.5, 1.5), (3.0, 7.5)),
        ("north", (4.5, 7.5), (1.5, 7.5), (3.0, 1.5)),
        ("west", (1.0, 6.75), (1.0, 2.25), (5.0, 4.5)),
        ("east", (5.0, 2.25), (5.0, 6.75), (1.0, 4.5)),
    ],
)
def test_spills_lie_left_and_right_of_a_robot_that_comes_in_in_the_front_third_and_the_goal_at_the_back(
    wall, left, right, goal
):
    facts = locations(extremes(0.5, 5.5, 0.5, 8.5), 0.5, wall)
    values = {"spill-left": left, "spill-right": right, "goal": goal, "located": ()}
    assert {fact.name: fact.value for fact in facts} == values


def test_no_room_is_known_before_all_places_are():
    beliefs = Beliefs(TABLE, 1).learn([Fact("spill-left", (1.0, 1.0)), Fact("goal", (2.0, 5.0))])
    assert known_room(beliefs) is None


sizes = st.floats(2.0, 20.0)


@given(st.sampled_from(["south", "north", "west", "east"]), sizes, sizes, st.floats(-5, 5), st.floats(-5, 5))
def test_the_room_can_be_worked_out_again_from_the_places(wall, width, depth, x, y):
    facts = locations(extremes(x, x + width, y, y + depth), 0.0, wall)
    room = known_room(Beliefs(TABLE, 1).learn(facts))
    across = wall in ("west", "east")
    assert math.isclose(room.width, depth if across else width, abs_tol=0.1)
    assert math.isclose(room.depth, width if across else depth, abs_tol=0.1)
    a, b = room.along(*room.at(0.7, 1.3))
    assert math.isclose(a, 0.7, abs_tol=1e-6)
    assert math.isclose(b, 1.3, abs_tol=1e-6)


def test_readings_go_by_sector_and_nothing_seen_is_far():
    eyes = by_sector(ranges({0: 0.5, 15: 0.4, -45: 0.3, 90: 0.2, 180: 0.1}))
    assert (eyes.ahead, eyes.ahead_left, eyes.right_diagonal, eyes.left, eyes.rear) == (0.5, 0.4, 0.3, 0.2, 0.1)
    assert eyes.front == 0.4
    assert eyes.ahead_right == eyes.right == FAR

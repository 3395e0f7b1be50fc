"""Move-spill: what it searches and sees, one object moved, and an empty spill that is concluded to be moved."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from behaviors.cleanup.move_spill.behavior_set import MoveSpill
from behaviors.cleanup.move_spill.memory import CARRY, GRASP, Spill, in_hand
from behaviors.cleanup.move_spill.scan import beyond, neighbor, runs
from behaviors.cleanup.move_spill.search import views
from behaviors.cleanup.move_spill.zero_in import is_wide
from behaviors.cleanup.room import Extremes, Room, locations
from boards.mock.settings import WorldSettings
from robotd.model.facts import Fact
from robotd.model.senses import Capabilities, Grip
from tests.behaviors.harness import TASKS, Team
from tests.behaviors.senses import BODY, percept, sensing

ROOM = Room(0.0, 0.0, 0.0, 1.0, 5.5, 6.5)
GOAL = (2.75, 5.5)
HELD = Grip(0.476, 1.0, beam=True, bump=True)
LEFT = TASKS["move-spill-left"]


@given(st.lists(st.booleans(), max_size=40))
def test_runs_on_a_ring_cover_exactly_the_marks(marks):
    covered = [k % len(marks) for first, last in runs(marks) for k in range(first, last + 1)]
    assert sorted(covered) == [k for k, mark in enumerate(marks) if mark]


def test_walls_are_interpolated_between_readings():
    wall = [(a, math.cos(a) / 0.5) for a in (-0.3, -0.1, 0.1, 0.3)]  # half a metre ahead
    means = sorted((a % (2 * math.pi), far) for a, far in wall)
    assert beyond(0.2, means) == pytest.approx(0.5 / math.cos(0.2), abs=0.01)
    assert beyond(0.2, []) > 5.0


def test_only_objects_abreast_are_neighbors_in_the_gripper():
    thing = (0.4, 0.0)
    assert neighbor(thing, [thing, (0.4, 0.4)]) == (0.4, 0.4)
    assert neighbor(thing, [thing, (0.6, 0.0), (0.4, 1.5)]) is None


@pytest.mark.parametrize("side", ["left", "right"])
def test_every_spot_of_its_half_but_the_goal_is_seen_from_some_place(side):
    settings = MoveSpill.Settings()
    places = views(settings, side, ROOM, GOAL)
    for a in range(1, 28):
        for b in range(1, 65):
            at = (a / 10 if side == "left" else 5.5 - a / 10, b / 10)
            if math.dist(at, GOAL) > settings.keep_m + 0.3:
                assert min(math.dist(at, place) for place in places) < 0.72, at
    assert all(math.dist(place, GOAL) > settings.keep_m for place in places)


def test_what_was_no_object_is_left_alone_for_a_while_and_looked_at_once_more():
    spill = Spill(x=1.0, y=2.0, view=3)
    spill.miss(10.0, 25.0)
    assert not spill.rejects(1.0, 2.0, 11.0)
    spill.miss(10.0, 25.0, hopeless=True)
    assert spill.rejects(1.1, 2.0, 11.0)
    assert not spill.rejects(2.0, 2.0, 11.0)
    assert not spill.rejects(1.0, 2.0, 36.0)
    assert spill.missed == 1 << 3


def test_an_object_is_in_hand_only_if_lifted_or_pressed_between_the_fingers():
    assert in_hand(percept(grip=HELD))
    assert not in_hand(percept(grip=replace(HELD, beam=False)))
    assert in_hand(percept(grip=replace(HELD, lift=0.0)))
    assert not in_hand(percept(grip=replace(HELD, lift=0.0, bump=False)))
    assert not in_hand(percept(grip=replace(HELD, opening=1.0)))
    assert not in_hand(percept(grip=None))


# In the world

NARROW = {"width_m": 3.2, "depth_m": 4.5, "goal": {"radius_m": 0.9}}


def room(left=1, **changes):
    spills = [{"name": "right", "x_m": 2.5, "y_m": 1.0, "objects": 1, "spread_m": 0.0}]
    if left:
        spills.append({"name": "left", "x_m": 0.8, "y_m": 1.0, "objects": left, "spread_m": 0.2})
    return WorldSettings(**{**NARROW, "spills": spills, **changes})


def located(team):
    reached, world = Extremes(), team.world.settings
    reached.take(0.0, 0.0)
    reached.take(world.width_m, world.depth_m)
    team.tell(*locations(reached, 0.0, "south"))


def mover(world=None, seed=1):
    team = Team(world=world or room(), seed=seed, settings={"move-spill-left": {"keep_m": 0.8}})
    located(team)
    team.tick()
    team.bots["green"].choose(team.now, "move-spill-left")
    return team, team.bots["green"]


def memory(bot):
    return bot.behaviors._sets["move-spill-left"].memory


def test_an_object_is_found_lifted_carried_and_put_down_at_the_goal():
    team, bot = mover()
    took = team.run(lambda: memory(bot).delivered == 1, 120.0)
    assert took < 120.0
    assert team.world.delivered("left") == 1
    assert team.world.held("green") == ""


def test_avoiding_is_suppressed_while_it_picks_up_and_only_then():
    team, bot = mover()
    seen = set()

    def note(team):
        if team.n > 1:
            seen.add((memory(bot).phase in ("zero-in", GRASP), dict(bot.acted.drivers).get("drive")))

    team.run(lambda: memory(bot).phase == CARRY, 90.0, note)
    assert (True, "grasp") in seen
    assert (True, "avoid-obstacles") not in seen
    assert (True, "bump-escape") not in seen


def test_a_robot_that_finds_a_spills_place_empty_concludes_that_it_is_moved():
    team, bot = mover(room(left=0))
    assert team.run(lambda: team.done("green", "move-spill-left"), 200.0) < 200.0
    assert [fact.name for _, _, fact in team.facts] == ["spill-left-moved"]
    assert not bot.feedback["move-spill-left"].applicable
    assert bot.feedback["move-spill-right"].applicable


def test_it_is_applicable_only_while_the_locations_are_known_and_the_spill_is_not_known_moved():
    team = Team(world=room())
    bot = team.bots["green"]
    team.run(lambda: team.n >= 2, 1.0)
    assert not bot.feedback["move-spill-left"].applicable
    located(team)
    team.run(lambda: team.n >= 4, 1.0)
    assert bot.feedback["move-spill-left"].applicable
    team.tell(Fact("spill-left-moved"))
    team.run(lambda: team.n >= 6, 1.0)
    assert not bot.feedback["move-spill-left"].applicable


def test_an_object_in_hand_outlives_an_interruption_and_is_brought_home_even_if_the_spill_is_reported_moved():
    team, bot = mover()
    team.run(lambda: memory(bot).phase == CARRY, 90.0)
    assert bot.feedback["move-spill-left"].holding
    bot.choose(team.now, "report-progress")
    team.run(lambda: team.done("green", "report-progress"), 90.0)
    assert team.world.held("green") == "left-1"
    assert not bot.feedback["move-spill-left"].holding  # it is not the active set
    team.tell(Fact("spill-left-moved"))
    bot.choose(team.now, "move-spill-left")
    team.run(lambda: team.done("green", "move-spill-left"), 90.0)
    assert team.world.delivered("left") == 1
    assert not bot.feedback["move-spill-left"].applicable


def test_an_object_lost_on_the_way_is_searched_for_where_it_was_lost():
    team, bot = mover()
    team.run(lambda: memory(bot).phase == CARRY, 90.0)
    team.run(lambda: team.world.pose("green")[1] > 2.0, 60.0)
    team.world.robots["green"].drop()
    assert team.run(lambda: memory(bot).phase == GRASP, 60.0) < 60.0


def test_without_its_gripper_it_is_not_applicable_and_without_front_sensors_only_to_bring_home():
    group = MoveSpill(MoveSpill.Settings())
    blind = Capabilities(tuple(r for r in BODY.resources if r != "front-range"), (), 0.25)
    lame = Capabilities(tuple(r for r in BODY.resources if r != "gripper"), (), 0.25)
    assert group.lacking(replace(percept(), capabilities=lame)) == ("gripper",)
    assert group.lacking(replace(percept(), capabilities=blind)) == ("front-range",)
    assert group.lacking(replace(percept(grip=HELD), capabilities=blind)) == ()


@pytest.mark.parametrize(
    ("seen", "wide"),
    [
        ({0: 0.2, 15: 0.22, -15: 0.21}, True),
        ({0: 0.2, 15: 0.22}, False),
        ({0: 0.1, 15: 0.11, -15: 0.1}, False),  # two objects abreast, nearly in the gripper
        ({0: 0.2, 15: 0.35, -15: 0.21}, False),
    ],
)
def test_what_all_three_sensors_ahead_see_near_by_is_too_wide_for_an_object(seen, wide):
    assert is_wide(percept(seen=seen)) is wide


def test_a_reading_at_the_least_that_a_sensor_can_read_says_nothing_of_the_width():
    near = percept(seen={0: 0.17, 15: 0.2, -15: 0.21})
    assert is_wide(near)
    sonars = tuple(replace(one, kind="sonar", low=0.17) for one in near.senses.ranges)
    assert not is_wide(sensing(near, ranges=sonars))

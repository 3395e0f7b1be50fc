"""The always-on layers on hand-made senses."""

import itertools

import pytest

from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.layers.bump_escape import BumpEscape
from behaviors.layers.clear_gripper import ClearGripper
from behaviors.parts import Drive
from boards.mock.settings import SpillSettings, WorldSettings
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Bump, Grip
from robotd.model.table import NumberTable
from tests.behaviors.harness import Team
from tests.behaviors.senses import percept, sensing

BELIEFS = Beliefs(NumberTable((), (), ()), 1)
ON = Drive(0.8, 0.0)


def avoider():
    return AvoidObstacles(AvoidObstacles.Settings())


def test_avoiding_leaves_a_free_way_and_a_standing_robot_alone():
    assert avoider().act(percept(wanted=ON), BELIEFS) is None
    assert avoider().act(percept(seen={0: 0.1}), BELIEFS) is None
    assert avoider().act(percept(seen={0: 0.1}, wanted=Drive(-0.5, 0.0)), BELIEFS) is None


@pytest.mark.parametrize(("seen", "side"), [({0: 0.2, 15: 0.2}, -1), ({0: 0.2, -15: 0.2}, 1), ({0: 0.2}, -1)])
def test_avoiding_turns_to_the_opener_side_and_right_where_both_are_alike(seen, side):
    out = avoider().act(percept(seen=seen, wanted=ON), BELIEFS)
    assert out.drive.turn * side > 0.0
    assert 0.0 <= out.drive.speed < ON.speed


def test_avoiding_does_not_touch_what_is_right_before_it():
    assert avoider().act(percept(seen={0: 0.05}, wanted=ON), BELIEFS).drive.speed == 0.0


def test_avoiding_does_not_turn_back_at_once_to_what_it_turned_away_from():
    layer = avoider()
    layer.act(percept(0, {0: 0.2, 15: 0.2}, wanted=ON), BELIEFS)
    on_the_spot = layer.act(percept(5, wanted=Drive(0.0, 1.0)), BELIEFS)
    assert on_the_spot.drive.turn <= 0.0
    assert on_the_spot.drive.speed > 0.0
    assert layer.act(percept(6, wanted=Drive(0.0, -1.0)), BELIEFS) is None
    assert layer.act(percept(40, wanted=Drive(0.5, 1.0)), BELIEFS) is None


def test_avoiding_changes_the_side_once_before_small_things_side_by_side():
    layer, sides = avoider(), []
    for n in range(40):  # whichever way it turns, the other side is the opener one
        seen = {0: 0.2, (15 if n // 3 % 2 else -15): 0.1}
        sides.append(layer.act(percept(n, seen, wanted=ON), BELIEFS).drive.turn > 0)
    assert sum(one != other for one, other in itertools.pairwise(sides)) == 1
    assert layer.act(percept(99, {0: 0.2, 15: 0.1}, wanted=ON), BELIEFS).drive.turn < 0.0  # another encounter


@pytest.mark.parametrize(("seed", "x"), [(1, 1.0), (2, 1.5)])
def test_a_robot_comes_past_a_heap_on_its_way_without_dithering_before_it(seed, x):
    heap = SpillSettings(name="left", x_m=1.5, y_m=1.5, objects=7)
    place = {"entrance_x_m": 1.5, "entrance_y_m": 0.5, "near_m": 0.3, "tune_s": 0.5}
    team = Team(world=WorldSettings(spills=(heap,)), seed=seed, settings={"report-progress": place})
    body, bot = team.world.robots["green"], team.bots["green"]
    body.remove()
    body.put((x, 3.5), -1.5)
    team.tick()
    bot.choose(team.now, "report-progress")
    assert team.run(lambda: team.done("green", "report-progress"), 60.0) < 40.0  # 20 s straight on


def test_avoiding_leans_off_a_wall_beside_it_but_goes_straight_between_two():
    assert avoider().act(percept(seen={90: 0.05}, wanted=ON), BELIEFS).drive.turn < 0.0
    both = avoider().act(percept(seen={90: 0.05, -90: 0.05}, wanted=ON), BELIEFS)
    assert both is None or both.drive.turn == 0.0


def escaper():
    return BumpEscape(BumpEscape.Settings())


def test_a_bump_or_cliff_ahead_is_backed_off_then_turned_from_then_over():
    assert escaper().act(sensing(percept(0), cliffs=(Bump(0.2, pressed=True),)), BELIEFS).drive.speed < 0.0
    layer = escaper()
    assert layer.act(percept(0, bumped=40), BELIEFS).drive.speed < 0.0
    assert layer.act(percept(5), BELIEFS).drive.speed < 0.0
    turned = layer.act(percept(10), BELIEFS).drive
    assert turned.speed == 0.0
    assert turned.turn < 0.0
    assert layer.act(percept(40), BELIEFS) is None


def test_a_bump_from_behind_is_driven_away_from_but_backing_stops_before_a_wall():
    assert escaper().act(percept(bumped=145), BELIEFS).drive.speed > 0.0
    assert escaper().act(percept(seen={180: 0.04}, bumped=0), BELIEFS).drive.speed == 0.0


def test_no_bump_is_no_escape_even_for_a_robot_that_stands():
    layer = escaper()
    assert all(layer.act(percept(n, wanted=Drive(0.0, 0.0), wheels=(0, 0)), BELIEFS) is None for n in range(200))


def test_wheels_that_do_not_turn_as_wanted_count_as_a_bump_after_a_while():
    layer = escaper()
    outs = [layer.act(percept(n, wanted=ON, wheels=(0.0, 0.0)), BELIEFS) for n in range(25)]
    assert outs[10] is None
    assert outs[24].drive.speed < 0.0
    rolling = escaper()
    for n in range(60):
        assert rolling.act(percept(n, pose=(n / 50, 0, 0), wanted=ON, wheels=(0.2, 0.2)), BELIEFS) is None


def test_turns_that_undo_each_other_count_as_a_bump_and_a_full_turn_does_not():
    layer, spinner = escaper(), escaper()
    swing = [layer.act(percept(n, pose=(1, 1, 0.3 * (n % 2)), wanted=ON), BELIEFS) for n in range(80)]
    assert swing[-1] is not None
    spin = [spinner.act(percept(n, pose=(1, 1, 0.12 * n), wanted=Drive(0.0, 1.2)), BELIEFS) for n in range(80)]
    assert spin == [None] * 80


def carrying(n, heading, front):
    held = Grip(0.47, 1.0, beam=True, bump=True)
    return percept(n, {0: front} if front else {}, (1.0, 1.0, heading), ON, grip=held)


def clearer():
    return ClearGripper(ClearGripper.Settings())


def test_something_that_stays_at_the_fingers_however_it_turns_is_let_go_and_backed_off_from():
    layer = clearer()
    outs = [layer.act(carrying(n, 0.1 * n, 0.04), BELIEFS) for n in range(40)]
    assert outs[10] is None
    assert (outs[-1].gripper, outs[-1].lift) == (1.0, 0.0)
    opened = percept(41, {0: 0.04}, (1.0, 1.0, 4.0), ON, grip=Grip(1.0, 0.0, beam=True, bump=False))
    layer.act(opened, BELIEFS)
    assert layer.act(opened, BELIEFS).drive.speed < 0.0


def test_something_at_the_fingers_that_turning_loses_is_none_of_its_business():
    layer = clearer()
    assert all(layer.act(carrying(n, 0.1 * n, 0.04 if n % 5 else 0.0), BELIEFS) is None for n in range(100))


def lowered(**grip):
    hand = {"opening": 1.0, "lift": 0.0, "beam": False, "bump": False, **grip}
    return percept(wanted=ON, grip=Grip(**hand))


def test_no_robot_drives_about_with_an_open_gripper_on_the_floor():
    raised = clearer().act(lowered(), BELIEFS)
    assert (raised.drive.speed, raised.gripper, raised.lift) == (0.0, 0.0, 1.0)
    held = clearer().act(lowered(opening=0.47, beam=True, bump=True), BELIEFS)
    assert (held.gripper, held.lift) == (0.0, 1.0)
    assert clearer().act(lowered(lift=0.9), BELIEFS) is None
    minded = lowered()
    minded.handled = True
    assert clearer().act(minded, BELIEFS) is None


def test_an_object_between_open_fingers_is_left_where_it_is():
    layer, at = clearer(), lowered(beam=True)
    layer.act(at, BELIEFS)
    layer.act(at, BELIEFS)
    assert layer.act(at, BELIEFS).drive.speed < 0.0

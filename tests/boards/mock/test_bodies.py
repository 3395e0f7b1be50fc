"""Bodies that push, stall, turn and grip, and what people and fate do to them."""

import math

import pytest

from boards.mock.driver import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.hand import ONE_OBJECT, TEAM, Hand, fetch, lone, move


def test_a_wall_stops_a_robot_and_presses_the_bumpers_towards_it():
    world, board = lone()
    senses = Hand(board).drive(40, 0.25, 0.25)
    assert world.pose("green")[1] == pytest.approx(8.0 - 0.155, abs=0.01)
    pressed = {round(math.degrees(bump.bearing)) for bump in senses.bumps if bump.pressed}
    assert 0 in pressed
    assert pressed <= {0, 40, -40}
    assert senses.stalled
    away = Hand(board, 40 * 20).drive(1, -0.25, -0.25)
    assert not any(bump.pressed for bump in away.bumps)
    assert not away.stalled


def test_a_robot_at_rest_holds_against_one_that_pushes_it():
    world = World(WorldSettings(spills=()), TEAM, 1)
    move(world, "gold", 3.0, 4.0, 0.0)
    move(world, "green", 2.6, 4.0, 0.0)
    for n in range(100):
        world.command("green", n / 20, Command(0.2, 0.2))
    world.advance(5.0)
    assert world.pose("gold")[0] == pytest.approx(3.0, abs=0.02)


def test_the_top_speed_follows_the_world_and_the_robots_own_factor():
    world = World(WorldSettings(max_speed_m_s=0.2), [BodySpec("green", "r2", 1, speed=1.2)], 1)
    board = MockR2(world, "green")
    assert board.capabilities(0.0).max_speed == pytest.approx(0.24)
    hand = Hand(board)
    hand.drive(2, 9, 9)
    assert world.wheel_speeds("green") == pytest.approx((0.24, 0.24), abs=0.005)


def test_a_command_that_comes_again_drives_what_the_body_then_can():
    world, board = lone()
    asked, driven = Command(9.0, 9.0), []
    for n, verb in enumerate(("", "", "motors-dead", "restore", "remove", "return")):
        if verb:
            apply(world, verb, "green", "", n / 10)
        driven.append(board.command(n / 10, asked).left)
    assert driven == [0.25, 0.25, 0.0, 0.25, 0.0, 0.25]
    board.swapped = True
    assert board.command(1.0, Command(0.1, 0.2)) == Command(0.1, 0.2)
    assert board.driven(1.0) == (0.2, 0.1)


def test_a_turn_is_as_fast_as_the_wheels_and_their_distance_state():
    world, board = lone()
    move(world, "green", 3.0, 4.0, 0.0)
    hand = Hand(board)
    hand.drive(0.5, -0.1, 0.1)
    before = world.pose("green")[2]
    hand.drive(2.0, -0.1, 0.1)
    assert world.pose("green")[2] - before == pytest.approx(2.0 * 0.2 / 0.22, rel=0.02)


def test_an_object_is_gripped_lifted_carried_over_others_and_delivered():
    goal = {"x_m": 2.0, "y_m": 4.5, "radius_m": 0.4}
    world, board = lone(spills=ONE_OBJECT, goal=goal)
    hand = Hand(board)
    grip = fetch(world, hand).grip
    assert grip.bump
    assert grip.beam
    assert 0.4 < grip.opening < 0.5
    assert world.held("green") == "left-1"
    assert world.objects()[0].held_by == "green"
    assert world.delivered("left") == 0
    hand.drive(30, 0.2, 0.2, until=lambda _: world.pose("green")[1] > 4.4)
    assert world.delivered("left") == 0  # it is there, but not let go
    hand.drive(3, lift=0.0)
    senses = hand.drive(1.5, opening=1.0)
    assert not senses.grip.bump
    assert senses.grip.beam
    assert not hand.drive(2, -0.2, -0.2).grip.beam
    assert world.held("green") == ""
    assert world.delivered("left") == world.total("left") == 1


def test_fingers_that_close_on_nothing_hold_nothing():
    _, board = lone(spills=ONE_OBJECT)
    hand = Hand(board)
    hand.drive(3, opening=1.0, lift=0.0)
    grip = hand.drive(1.5, opening=0.0).grip
    assert (grip.opening, grip.bump, grip.beam) == (0.0, False, False)


def test_a_gripper_that_is_up_or_closed_pushes_the_object_instead():
    world, board = lone(spills=ONE_OBJECT)
    hand = Hand(board)
    move(world, "green", 2.0, 1.5)
    assert not hand.drive(15, 0.1, 0.1).grip.beam
    pushed = world.objects()[0]
    assert pushed.y > 3.0
    assert pushed.y - world.pose("green")[1] == pytest.approx(0.155 + 0.05, abs=0.02)
    assert hand.drive(0, 0).wheels.left > 0.09  # a light thing does not slow it


def test_the_axes_take_their_time():
    _, board = lone()
    hand = Hand(board)
    grip = hand.drive(1.0, opening=1.0, lift=0.0).grip
    assert grip.opening == pytest.approx(0.95, abs=0.06)
    assert grip.lift == pytest.approx(0.53, abs=0.06)


def test_a_removed_robot_is_gone_puts_down_what_it_held_and_returns_to_the_entrance():
    world, board = lone(spills=ONE_OBJECT)
    hand = Hand(board)
    fetch(world, hand)
    where = world.pose("green")
    apply(world, "remove", "green", "", hand.now)
    senses = hand.drive(1, 0.2, 0.2)
    assert world.pose("green") is None
    assert senses.lifted
    assert senses.pose is None
    assert all(reading.distance is None for reading in senses.ranges)
    assert world.held("green") == ""
    assert math.dist((world.objects()[0].x, world.objects()[0].y), where[:2]) < 0.2
    apply(world, "return", "green", "", hand.now)
    hand.drive(0.5)
    assert world.robots["green"].gripper.opening < 0.1  # what it was closing on is gone
    apply(world, "remove", "green", "", hand.now)
    apply(world, "return", "green", "", hand.now)
    assert world.pose("green") == (3.0, 0.45, math.pi / 2)
    assert not hand.drive(1).lifted


def test_a_robot_returns_beside_one_that_is_on_its_place():
    world = World(WorldSettings(), TEAM, 1)
    apply(world, "remove", "green", "", 0.0)
    move(world, "blue", 2.5, 0.5)
    apply(world, "return", "green", "", 0.1)
    world.advance(1.0)
    assert math.dist(world.pose("green")[:2], world.pose("blue")[:2]) > 0.4


def test_removing_twice_or_returning_a_robot_that_is_there_changes_nothing():
    world, _ = lone()
    for verb in ("return", "remove", "remove", "return", "return", "release"):
        apply(world, verb, "green", "", 0.0)
    assert world.pose("green") is not None


def test_a_seized_robot_does_not_move_can_be_removed_and_drives_again_after_its_return():
    world, board = lone()
    hand = Hand(board)
    before = world.pose("green")
    apply(world, "seize", "green", "", 0.0)
    hand.drive(3, 0.2, 0.2)
    assert world.pose("green") == pytest.approx(before, abs=0.005)
    for verb in ("remove", "return"):
        apply(world, verb, "green", "", hand.now)
    hand.drive(2, 0.2, 0.2)
    assert world.pose("green")[1] > 0.7


def test_a_slow_robot_is_slow_by_the_factor_until_it_is_mended():
    world, board = lone()
    hand = Hand(board)
    apply(world, "slow", "green", "0.5", 0.0)
    hand.drive(2, 0.2, 0.2)
    assert world.wheel_speeds("green") == pytest.approx((0.1, 0.1), abs=0.005)
    apply(world, "slow", "green", "1", hand.now)
    hand.drive(2, 0.2, 0.2)
    assert world.wheel_speeds("green") == pytest.approx((0.2, 0.2), abs=0.005)


def test_events_for_all_reach_every_robot():
    world = World(WorldSettings(), TEAM, 1)
    apply(world, "remove", "all", "", 0.0)
    assert [world.pose(name) for name in world.robots] == [None] * 3


@pytest.mark.parametrize(
    ("verb", "who", "arg", "words"),
    [
        ("kill", "green", "", "valid: remove, return"),
        ("remove", "red", "", "valid: all, green"),
        ("dead", "green", "antenna", "it has: all, infrared"),
        ("dead", "green", "", "it has: all, infrared"),
        ("frozen", "green", "motors", "no sensor"),
        ("slow", "green", "fast", "factor from 0 to 2"),
        ("slow", "green", "-1", "factor from 0 to 2"),
    ],
)
def test_an_event_that_cannot_happen_is_refused_with_what_is_valid(verb, who, arg, words):
    world, _ = lone()
    with pytest.raises(ValueError, match=words):
        apply(world, verb, who, arg, 0.0)

"""What people and fate do to bodies."""

from __future__ import annotations

import math

import pytest

from boards.mock.scenario import apply
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.hand import ONE_OBJECT, TEAM, Hand, fetch, lone, move


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


def test_a_robot_returns_beside_whoever_stands_on_its_place():
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


def test_a_seized_robot_does_not_move_until_it_is_released():
    world, board = lone()
    hand = Hand(board)
    before = world.pose("green")
    apply(world, "seize", "green", "", 0.0)
    hand.drive(3, 0.2, 0.2)
    assert world.pose("green") == pytest.approx(before, abs=0.005)
    apply(world, "release", "green", "", hand.now)
    hand.drive(2, 0.2, 0.2)
    assert world.pose("green")[1] > before[1] + 0.3


def test_a_seized_robot_can_be_removed_and_drives_again_after_its_return():
    world, board = lone()
    hand = Hand(board)
    for verb in ("seize", "remove", "return"):
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


def test_a_tune_is_noted_once_for_as_long_as_it_is_asked_for():
    world, board = lone()
    for n in range(10):
        board.command(n / 10, Command(tune=1))
    board.command(1.0, Command())
    board.command(1.1, Command(tune=1))
    apply(world, "dead", "green", "sound", 1.2)
    board.command(1.3, Command())
    assert board.command(1.4, Command(tune=1)).tune is None
    assert world.tunes == [(0.0, "green", 1), (1.1, "green", 1)]

"""The heavy box: who can move it and how, who sees and feels it, where robots stand at it."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from boards.mock.anatomy import FRONT, HULLS
from boards.mock.bodies import BodySpec
from boards.mock.goals import progress
from boards.mock.r2 import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.hand import TEAM, move

BOX = {"x_m": 3.0, "y_m": 1.2, "goal_y_m": 3.0}
ENDS = [BodySpec("green", "r2", 1, end="left"), BodySpec("blue", "r2", 2, end="right")]
SLOW = Command(0.05, 0.05)


def world(bodies=tuple(ENDS), **changes):
    return World(WorldSettings(spills=(), box={**BOX, **changes}), list(bodies), 1)


def push(room, seconds, *names):
    """Who is named drives straight on; the robots' and the box's way, m."""
    boards = [MockR2(room, name) for name in names]
    for n in range(round(seconds * 10)):
        now = room.now + 0.1 if n else room.now
        for board in boards:
            board.command(now, SLOW)
    room.advance(room.now + 0.1)


def test_a_robot_in_the_middle_cannot_move_it_and_stalls():
    room = world([ENDS[0]])
    move(room, "green", 3.0, 1.2 - 0.15 - 0.02 - FRONT)
    board = MockR2(room, "green")
    before = room.box.pose()
    push(room, 4.0, "green")
    assert room.box.pose() == pytest.approx(before, abs=0.02)
    assert max(room.wheel_speeds("green")) < 0.01
    for _ in range(10):  # it is told to go on for a second more
        board.command(room.now + 0.1, SLOW)
        stalled = board.senses(room.now).stalled
    assert stalled


def test_both_ends_pushed_at_once_move_it_straight_on():
    room = world()
    push(room, 6.0, "green", "blue")
    x, y, angle = room.box.pose()
    assert y - 1.2 > 0.2
    assert abs(x - 3.0) < 0.02
    assert abs(math.degrees(angle)) < 2.0


@pytest.mark.parametrize(("name", "sign"), [("green", -1), ("blue", 1)])
def test_one_end_pushed_turns_it_about_its_other_runner_and_creeps_it_on(name, sign):
    room = world()
    push(room, 4.0, name)
    _, y, angle = room.box.pose()
    assert 3.0 < sign * math.degrees(angle) < 12.0
    assert 0.03 < y - 1.2 < 0.15


def test_two_robots_overcome_its_drag_and_one_does_not():
    drag = WorldSettings(box=BOX).box.drag_n
    assert HULLS["r2"].force < drag < 2 * HULLS["r2"].force


def test_a_weaker_and_slower_body_moves_its_end_less():
    gone = {}
    for factor in (1.0, 0.85, 0.5):
        room = world([BodySpec("blue", "genghis", 1, force=factor, end="right")])
        push(room, 4.0, "blue")
        gone[factor] = room.box.pose()[2]
    assert gone[1.0] >= gone[0.85] > 0.02
    assert gone[0.5] < 0.005  # too weak for even one end


def test_rays_meet_it_and_bumpers_feel_it():
    room = world([ENDS[0]])
    senses = MockR2(room, "green").senses(0.0)
    ahead = next(r for r in senses.ranges if r.bearing == 0.0)
    assert ahead.distance is not None
    assert ahead.distance <= 0.06
    outer, inner = (next(r for r in senses.ranges if math.isclose(math.degrees(r.bearing), b)) for b in (45, -45))
    assert outer.distance is None  # past its end
    assert inner.distance is not None
    push(room, 2.0, "green")
    assert any(b.pressed and abs(b.bearing) < 1.0 for b in MockR2(room, "green").senses(room.now).bumps)


def test_far_from_it_nothing_is_seen_or_felt():
    room = world([ENDS[0]])
    move(room, "green", 3.0, 3.0)
    senses = MockR2(room, "green").senses(0.0)
    assert all(r.distance is None for r in senses.ranges)
    assert not any(b.pressed for b in senses.bumps)


def test_who_has_an_end_begins_there_and_who_comes_second_or_has_none_waits_at_the_entrance():
    room = world([*ENDS, BodySpec("gold", "r2", 3, end="right"), BodySpec("red", "r2", 4)])
    assert room.pose("green")[0] < 2.3
    assert room.pose("blue")[0] > 3.7
    assert {round(room.pose(name)[1], 2) for name in ("gold", "red")} == {0.45}


def test_progress_counts_centimetres_up_to_the_line_and_never_beyond():
    room = world()
    assert progress(room) == (0, 180)
    room.box.body.position = 3.0, 2.0
    assert progress(room)[0] in (79, 80)
    room.box.body.position = 3.0, 3.5
    assert progress(room) == (180, 180)
    room.box.body.position = 3.0, 1.0
    assert progress(room) == (0, 180)


def test_a_robot_is_put_back_square_to_its_end_once_the_other_is_busy_at_its_own():
    room = world()
    apply(room, "remove", "blue", "", 0.0)
    assert room.may_return("blue", 0.0)
    move(room, "green", 3.0, 0.7, 0.0)  # on its way along the box
    assert not room.may_return("blue", 0.0)
    place = room.box.place_at("left", FRONT)
    move(room, "green", *place)
    assert room.may_return("blue", 0.0)
    MockR2(room, "green").command(0.0, Command(-0.1, -0.1))  # it backs off: it is about to leave
    assert not room.may_return("blue", 0.0)
    room.box.body.angle = 0.1
    apply(room, "return", "blue", "", 0.0)
    assert room.pose("blue")[2] == pytest.approx(math.pi / 2 + 0.1)
    assert math.dist(room.pose("blue")[:2], room.box.place_at("right", FRONT)) < 1e-6


def test_without_a_box_anybody_may_be_put_back_at_any_time():
    room = World(WorldSettings(), TEAM, 1)
    apply(room, "remove", "blue", "", 0.0)
    assert room.may_return("blue", 0.0)
    apply(room, "return", "blue", "", 0.0)
    assert room.pose("blue")[1] == 0.45


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x_m": 0.5}, "does not fit"),
        ({"goal_y_m": 7.95}, "does not fit"),
        ({"goal_y_m": 1.2}, "beyond its y_m"),
        ({"drag_n": 0}, "greater than 0"),
        ({"lenght_m": 2}, "Extra inputs"),
    ],
)
def test_a_box_that_cannot_be_is_refused_with_the_reason(changes, words):
    with pytest.raises(ValidationError, match=words):
        WorldSettings(box={**BOX, **changes})

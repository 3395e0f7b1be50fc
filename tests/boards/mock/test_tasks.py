"""Areas with work for tools, the dirt sensor, the finish, and the heavy box: what counts as brought about."""

import math

import pytest

from boards.mock.anatomy import FRONT
from boards.mock.driver import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World, progress
from robotd.model.command import Command
from tests.boards.hand import TEAM, move

BIN = {"name": "bin", "kind": "garbage", "x_m": 1.0, "y_m": 1.0, "work_s": 2.0, "litter_on": "floor"}
FLOOR = {"name": "floor", "kind": "dirt", "x_m": 3.0, "y_m": 3.0, "width_m": 2.0, "depth_m": 1.0, "work_s": 1.0}
DESK = {"name": "desk", "kind": "dust", "x_m": 1.0, "y_m": 5.0, "work_s": 1.0}
TOOLS = ("broom", "duster", "tipper")


def room(clumsy=0.0, tools=TOOLS, areas=(BIN, FLOOR, DESK), seed=1):
    body = BodySpec("green", "r2", 1, tools=tools, clumsy=clumsy)
    world = World(WorldSettings(spills=(), areas=areas), [body], seed)
    return world, MockR2(world, "green")


def run(world, board, seconds, tool=None, at=None):
    """Stand somewhere and let a tool run; the senses at the end."""
    if at is not None:
        move(world, "green", *at)
    begun = world.count
    for n in range(round(seconds * 20)):
        board.command((begun + n) / 20, Command(tool=tool))
    return board.senses((begun + round(seconds * 20)) / 20)


def left(world):
    return {name: area.left for name, area in world.areas.by_name.items()}


def test_the_fitting_tool_in_the_area_and_nothing_else_does_its_work():
    world, board = room()
    run(world, board, 0.5, "broom", (1.0, 1.0))
    run(world, board, 0.5, "tipper", (2.0, 1.0))
    run(world, board, 0.5, None, (1.0, 1.0))
    assert left(world) == {"bin": 40, "desk": 20, "floor": 20}
    run(world, board, 0.5, "tipper", (1.0, 1.0))
    assert left(world) == {"bin": 30, "desk": 20, "floor": 20}


def test_a_tool_stops_with_the_last_command_as_the_wheels_do():
    world, board = room()
    run(world, board, 0.05, "tipper", (1.0, 1.0))
    board.senses(5.0)
    assert left(world)["bin"] == pytest.approx(40 - 11, abs=1)


def test_a_tool_that_is_not_fitted_or_is_dead_is_not_driven_and_not_among_the_capabilities():
    world, board = room(tools=("broom",))
    assert {"broom", "dirt-sensor"} <= set(board.capabilities(0.0).resources)
    assert "tipper" not in board.capabilities(0.0).resources
    assert list(board.capabilities(0.0).resources) == sorted(board.capabilities(0.0).resources)
    assert board.command(0.0, Command(tool="tipper")).tool is None
    assert board.command(0.0, Command(tool="broom")).tool == "broom"
    apply(world, "dead", "green", "broom", 0.0)
    assert board.command(0.0, Command(tool="broom")).tool is None
    assert dict(board.capabilities(0.0).missing) == {"broom": "broom is dead"}
    apply(world, "restore", "green", "broom", 0.0)
    assert "broom" in board.capabilities(0.0).resources
    with pytest.raises(ValueError, match="broom is no sensor"):
        apply(world, "frozen", "green", "broom", 0.0)


def test_a_body_without_tools_has_no_dirt_sensor():
    _, board = room(tools=())
    assert "dirt-sensor" not in board.capabilities(0.0).resources
    assert board.senses(0.0).sights == ()


def test_the_sensor_reports_what_is_left_of_an_area_only_in_it_or_near_it():
    world, board = room()
    (inside,) = run(world, board, 0.2, None, (1.0, 1.0)).sights
    assert (inside.kind, inside.label, inside.size, inside.range) == ("garbage", "bin", 1.0, 0.0)
    (near,) = run(world, board, 0.2, None, (1.8, 1.0, math.pi)).sights
    assert (near.range, near.bearing) == (pytest.approx(0.4, abs=0.05), 0.0)
    assert run(world, board, 0.2, None, (2.0, 1.0)).sights == ()
    (almost,) = run(world, board, 1.9, "tipper", (1.0, 1.0)).sights
    assert 0.0 < almost.size <= 0.1
    (empty,) = run(world, board, 0.2, "tipper").sights
    assert empty.size == 0.0


def test_a_dead_sensor_reports_nothing_a_frozen_one_the_same_and_a_noisy_one_now_and_then_the_contrary():
    world, board = room()
    run(world, board, 0.2, None, (1.0, 1.0))
    apply(world, "frozen", "green", "dirt-sensor", world.now)
    assert run(world, board, 2.5, "tipper").sights[0].size == 1.0
    apply(world, "dead", "green", "dirt-sensor", world.now)
    assert run(world, board, 0.2).sights == ()
    assert "dirt-sensor" in dict(board.capabilities(world.now).missing)
    apply(world, "restore", "green", "dirt-sensor", world.now)
    assert run(world, board, 0.2).sights[0].size == 0.0
    apply(world, "noisy", "green", "dirt-sensor", world.now)
    sizes = [run(world, board, 0.05).sights[0].size for _ in range(200)]
    assert set(sizes) == {0.0, 1.0}
    assert sizes.count(1.0) == pytest.approx(20, abs=15)


def test_a_clumsy_robot_drops_litter_and_all_of_the_floor_is_dirty_again():
    world, board = room(clumsy=1.0)
    run(world, board, 1.5, "broom", (3.0, 3.0))
    assert progress(world) == (1, 3)
    run(world, board, 2.0, "tipper", (1.0, 1.0))
    assert progress(world) == (1, 3)
    assert left(world)["floor"] == 20
    assert (world.areas.cleaned_again("dirt"), world.areas.repeated_s("dirt")) == (0, 0.0)
    run(world, board, 1.5, "broom", (3.0, 3.0))
    assert (world.areas.cleaned_again("dirt"), world.areas.repeated_s("dirt")) == (1, 1.0)
    assert world.areas.cleaned_again("garbage") == 0
    run(world, board, 1.5, "duster", (1.0, 5.0))
    assert progress(world) == (3, 3)


def test_a_robot_that_is_not_clumsy_drops_none():
    world, board = room(clumsy=0.0)
    run(world, board, 1.5, "broom", (3.0, 3.0))
    run(world, board, 2.0, "tipper", (1.0, 1.0))
    assert left(world)["floor"] == 0


def test_robots_past_the_finish_count_of_those_that_are_in_the_room():
    team = [BodySpec("green", "r2", 1), BodySpec("blue", "r2", 2)]
    world = World(WorldSettings(spills=(), finish={"y_m": 5.0}), team, 1)
    assert progress(world) == (0, 2)
    move(world, "green", 2.0, 5.5)
    assert progress(world) == (1, 2)
    apply(world, "remove", "blue", "", 0.0)
    assert progress(world) == (1, 1)
    apply(world, "remove", "green", "", 0.0)
    assert progress(world) == (0, 2)  # none is there: nothing is brought about


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
    for _ in range(10):  # it is commanded to go on for a second more
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


def test_a_robot_with_an_end_begins_there_and_a_second_one_or_one_without_waits_at_the_entrance():
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


@pytest.mark.parametrize(("goal", "came"), [({}, 0.9), ({"goal_x_m": 3.0}, 0.815), ({"goal_x_m": 4.2}, 0.959)])
def test_the_box_comes_as_far_as_its_middle_gets_nearer_to_its_goal(goal, came):
    room = world(**goal)
    assert room.box_came_m(0.0) == pytest.approx(0.0)
    room.box.body.position = 3.4, 2.1
    assert room.box_came_m(0.0) == pytest.approx(came, abs=0.001)


def test_without_a_box_every_robot_may_be_put_back_at_any_time():
    room = World(WorldSettings(), TEAM, 1)
    apply(room, "remove", "blue", "", 0.0)
    assert room.may_return("blue", 0.0)
    apply(room, "return", "blue", "", 0.0)
    assert room.pose("blue")[1] == 0.45

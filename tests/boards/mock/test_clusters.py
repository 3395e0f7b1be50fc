"""Clusters of pucks: when a puck is held, and who sees it."""

import math

import pytest

from boards.mock.driver import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World, progress
from robotd.model.command import Command
from tests.boards.hand import Hand

ROUND = {"fov_deg": 360.0, "reach_m": 5.0}


def room(pucks=1, bodies=({},), seed=1, **changes):
    """A room of 8 x 8 m with pucks round its middle, and a robot before each puck or at the place of its body."""
    cluster = {"colour": "red", "x_m": 4.0, "y_m": 4.0, "pucks": pucks}
    settings = WorldSettings(
        **{"width_m": 8.0, "depth_m": 8.0, "spills": (), "clusters": {"t1": cluster}, **changes}
    )
    places = list(World(settings, [], seed).clusters.by_name["t1"].places.values())
    specs = []
    for k, body in enumerate(bodies):
        x, y = places[k % pucks]
        way = math.atan2(y - 4.0, x - 4.0)
        inside = {
            "x_m": x - 0.33 * math.cos(way),
            "y_m": y - 0.33 * math.sin(way),
            "heading_deg": math.degrees(way),
        }
        specs.append(BodySpec("abcd"[k], "robot", k + 1, **{"hull": "pioneer", "camera": ROUND, **inside, **body}))
    world = World(settings, specs, seed)
    return world, *(MockR2(world, spec.name) for spec in specs)


def lamps(board, now=0.2):
    return [sight.size for sight in board.senses(now).sights if sight.kind == "puck"]


def test_pucks_lie_on_a_ring_a_robot_apart_and_each_seed_turns_it():
    world = room(4)[0]
    places = list(world.clusters.by_name["t1"].places.values())
    assert [math.dist(place, (4.0, 4.0)) for place in places] == pytest.approx([1.5] * 4)
    assert min(math.dist(a, b) for a in places for b in places if a != b) > 2.0
    assert places == list(room(4)[0].clusters.by_name["t1"].places.values())
    assert places != list(room(4, seed=2)[0].clusters.by_name["t1"].places.values())


def test_a_puck_is_held_while_a_robot_rests_at_it_and_not_while_it_moves():
    world, board = room(2)
    hand = Hand(board)
    hand.drive(0.5)
    assert world.held_at("t1") == (1, 2)
    assert list(world.holders().values()) == ["a"]
    hand.drive(0.5, -0.1, -0.1)
    assert world.held_at("t1") == (0, 2)
    hand.drive(2.0, -0.1, -0.1)
    hand.drive(0.5)
    assert world.held_at("t1") == (0, 2)  # it rests, but elsewhere


def test_one_robot_holds_one_puck_and_two_bring_about_that_all_are_held():
    assert progress(room(2)[0], ["held"]) == (1, 2)
    assert progress(room(2, [{}, {}])[0], ["held"]) == (2, 2)
    assert progress(room(2, [{}, {}])[0]) == (0, 0)  # only where it is asked for


def test_a_robot_that_misses_the_colour_touches_a_puck_and_does_not_hold_it():
    assert room(1, [{"blind_to": ["red"]}])[0].held_at("t1") == (0, 1)
    world, board = room(1, [{"blind_to": ["blue"]}])
    assert world.held_at("t1") == (1, 1)
    apply(world, "blind", "a", "red", 0.1)
    Hand(board).drive(0.5)
    assert world.held_at("t1") == (0, 1)


def test_a_robot_out_of_the_room_holds_nothing():
    world, board = room()
    world.robots["a"].remove()
    Hand(board).drive(0.1)
    assert world.held_at("t1") == (0, 1)


def test_a_robot_that_sees_the_colour_sees_above_robots_which_pucks_are_held():
    far = {"x_m": 4.0, "y_m": 4.0}
    _, one, other = room(2, [{}, far])
    assert lamps(one) == lamps(other) == [1.0, 0.0]
    between = {"x_m": 4.0, "y_m": 0.6}
    assert sorted(lamps(room(2, [{}, {}, between])[3])) == [1.0, 1.0]


def test_a_camera_that_misses_the_colour_sees_no_puck_and_nothing_reports_it():
    _, blind = room(2, [{"blind_to": ["red"]}])
    assert lamps(blind) == []
    sound = room(2)[1]
    assert blind.capabilities(0.2) == sound.capabilities(0.2)
    assert lamps(room(2, [{"blind_to": ["blue"]}])[1]) == [1.0, 0.0]


def test_walls_and_distance_hide_pucks():
    behind = {"x_m": 0.6, "y_m": 0.6}
    wall = {"x1_m": 0.0, "y1_m": 2.0, "x2_m": 2.0, "y2_m": 0.0}
    near = {"camera": {"fov_deg": 360.0, "reach_m": 2.0}, "x_m": 0.6, "y_m": 0.6}
    assert len(lamps(room(1, [{**behind, "camera": {"fov_deg": 360.0, "reach_m": 8.0}}])[1])) == 1
    assert lamps(room(1, [{**behind, "camera": {"fov_deg": 360.0, "reach_m": 8.0}}], walls=[wall])[1]) == []
    assert lamps(room(1, [near])[1]) == []


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        ({"pucks": 12, "x_m": 4.0}, "less than 0.9 m apart"),
        ({"x_m": 9.0}, "outside the room"),
        ({"pucks": 0}, "pucks"),
    ],
)
def test_pucks_that_do_not_fit_are_refused(cluster, words):
    with pytest.raises(ValueError, match=words):
        WorldSettings(width_m=8.0, clusters={"t1": {"colour": "red", "x_m": 4.0, "y_m": 4.0, **cluster}})


@pytest.mark.parametrize(("x", "y"), [(1.0, 4.0), (4.0, 1.0), (7.0, 4.0), (4.0, 7.0)])
def test_a_ring_that_reaches_through_a_wall_is_refused(x: float, y: float) -> None:
    cluster = {"colour": "red", "x_m": x, "y_m": y, "pucks": 1, "radius_m": 1.5}
    with pytest.raises(ValueError, match="ring"):
        WorldSettings(width_m=8.0, depth_m=8.0, spills=(), clusters={"t1": cluster})


def test_the_holder_of_a_puck_is_that_of_the_last_step_whenever_it_is_asked_for() -> None:
    world, board = room()
    board.senses(0.2)
    assert set(world.holders().values()) == {"a"}
    board.command(0.2, Command(0.3, 0.3))
    assert set(world.holders().values()) == {"a"}
    world.advance(0.5)
    assert world.holders() == {}

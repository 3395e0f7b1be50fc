"""Areas with work for tools, the dirt sensor, and the finish: what the world counts as brought about."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from boards.mock.bodies import BodySpec
from boards.mock.goals import progress
from boards.mock.r2 import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.bench import DirectBench
from tests.boards.contract import BoardContract
from tests.boards.hand import move

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


class TestMockR2WithTools(BoardContract):
    @pytest.fixture
    def bench(self):
        body = BodySpec("green", "r2", 1, tools=("broom",))
        return DirectBench(World(WorldSettings(spills=(), areas=(FLOOR,)), [body], 7))


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


def test_the_sensor_tells_what_is_left_of_an_area_only_in_it_or_near_it():
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


def test_a_dead_sensor_tells_nothing_a_frozen_one_the_same_and_a_noisy_one_now_and_then_the_contrary():
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


def test_who_is_clumsy_drops_litter_and_all_of_the_floor_is_dirty_again():
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


def test_who_is_not_clumsy_drops_none():
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
    assert progress(world) == (0, 2)  # nobody is there: nothing is brought about


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"areas": ({**BIN, "x_m": 0.2}, FLOOR)}, "area bin reaches out of the room"),
        ({"areas": (FLOOR, FLOOR)}, "two areas have the same name"),
        ({"areas": ({**BIN, "litter_on": "flor"}, FLOOR)}, r"litter_on of area bin: .* \(there are: floor\)"),
        ({"areas": (BIN,)}, "there is none"),
        ({"areas": ({**FLOOR, "litter_on": "floor"},)}, "garbage drops on an area of dirt"),
        ({"areas": ({**FLOOR, "kind": "mud"},)}, "'garbage', 'dust' or 'dirt'"),
        ({"areas": ({**FLOOR, "work_s": 0.0},)}, "greater than 0"),
        ({"finish": {"y_m": 9.0}}, "the finish at y = 9.0 m is outside the room, 8.0 m deep"),
    ],
)
def test_an_area_or_finish_that_cannot_be_is_refused_with_the_reason(changes, words):
    with pytest.raises(ValidationError, match=words):
        WorldSettings(**changes)

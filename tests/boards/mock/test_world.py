"""The simulated room: where things start, time, the same run from the same seed; the board of a robot in it."""

import math

import pytest

from boards.mock.driver import MockR2
from boards.mock.objects import GAP
from boards.mock.r2 import MockBoard
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World, progress
from robotd.model.command import Command
from tests.boards.bench import DirectBench
from tests.boards.contract import BoardContract
from tests.boards.hand import TEAM, lone


def test_robots_start_side_by_side_at_the_entrance_by_number_facing_in():
    world = World(WorldSettings(), list(reversed(TEAM)), 1)
    places = [world.pose(name) for name in ("green", "blue", "gold")]
    assert [x for x, _, _ in places] == pytest.approx([2.5, 3.0, 3.5])
    assert {(y, heading) for _, y, heading in places} == {(0.45, math.pi / 2)}


def test_more_robots_than_the_room_is_wide_wait_in_rows_apart_from_each_other():
    world = World(WorldSettings(width_m=2.0, spills=()), [BodySpec(f"r{k}", "r2", k) for k in range(1, 10)], 1)
    spots = [world.pose(name)[:2] for name in world.robots]
    assert min(math.dist(a, b) for a in spots for b in spots if a != b) > 0.49
    assert all(0.2 < x < 1.8 and y > 0.2 for x, y in spots)


@pytest.mark.parametrize("seed", range(5))
def test_objects_lie_within_their_spill_a_grip_apart_where_the_seed_puts_them(seed):
    world = World(WorldSettings(), TEAM, seed)
    for spill in world.settings.spills:
        spots = [(o.x, o.y) for o in world.objects() if o.spill == spill.name]
        assert len(spots) == spill.objects == world.total(spill.name)
        assert all(math.dist(spot, (spill.x_m, spill.y_m)) <= spill.spread_m for spot in spots)
        assert min(math.dist(a, b) for a in spots for b in spots if a != b) >= GAP
    assert world.objects() == World(WorldSettings(), TEAM, seed).objects()
    assert world.objects() != World(WorldSettings(), TEAM, seed + 1).objects()


def test_more_objects_than_fit_are_refused():
    crowded = WorldSettings(spills=({"name": "left", "x_m": 1.0, "y_m": 1.0, "objects": 20, "spread_m": 0.1},))
    with pytest.raises(ValueError, match="do not fit"):
        World(crowded, TEAM, 1)


def test_two_robots_of_one_name_are_refused():
    with pytest.raises(ValueError, match="same name"):
        World(WorldSettings(), [TEAM[0], TEAM[0]], 1)


def drive_team(order, asked, seconds=20):
    """The truth of a run with the team listed in `order`, asked in the order `asked` at each instant."""
    world = World(WorldSettings(), [TEAM[k] for k in order], 3)
    boards = {spec.name: MockR2(world, spec.name) for spec in TEAM}
    truth = []
    for n in range(seconds * 10):
        now = n / 10
        for k in asked:
            board, senses = boards[TEAM[k].name], boards[TEAM[k].name].senses(now)
            near = any(r.distance is not None and r.distance < 0.3 for r in senses.ranges)
            board.command(now, Command(-0.1, 0.2) if near else Command(0.25, 0.2 + k / 50))
            truth.append((now, TEAM[k].name, senses, board.capabilities(now)))
        if n == 50:
            apply(world, "noisy", "blue", "infrared", now)
        if n == 100:
            apply(world, "remove", "gold", "", now)
        if n == 150:
            apply(world, "return", "gold", "", now)
    poses = [world.pose(spec.name) for spec in TEAM]
    return sorted(truth, key=lambda row: row[:2]), poses, world.objects()


def test_neither_the_order_of_the_team_nor_of_asking_changes_one_bit():
    assert drive_team([0, 1, 2], [0, 1, 2]) == drive_team([2, 0, 1], [1, 2, 0])


def test_stepping_in_many_small_requests_or_one_great_one_is_the_same():
    worlds = [World(WorldSettings(), TEAM, 1) for _ in range(2)]
    for world in worlds:
        world.command("green", 0.0, Command(0.2, 0.15))
    for k in range(1, 101):
        worlds[0].advance(k * 0.013)
    worlds[1].advance(1.3)
    assert worlds[0].pose("green") == worlds[1].pose("green")
    assert worlds[0].count == worlds[1].count == round(1.3 * WorldSettings().steps_per_s)


def test_a_command_acts_from_the_next_step_and_time_never_runs_back():
    world, board = lone()
    board.command(1.0, Command(0.2, 0.2))
    assert board.senses(1.0).wheels.left == 0
    world.advance(0.5)
    assert world.count == WorldSettings().steps_per_s
    assert board.senses(1.2).wheels.left > 0.1


def test_progress_counts_what_is_delivered_of_all_objects_of_all_spills():
    world = World(WorldSettings(), TEAM, 1)
    total = sum(spill.objects for spill in world.settings.spills)
    assert progress(world) == (0, total)
    world.pucks[0].take("green")
    world.pucks[0].put(world.settings.goal_xy)
    assert progress(world) == (1, total)


class TestMockR2(BoardContract):
    @pytest.fixture
    def bench(self):
        return DirectBench()


def test_as_a_plug_in_it_drives_in_its_own_world_from_whenever_it_is_first_asked():
    table = {"seed": 3, "body": {"lacks": ["side-range"]}, "world": {"width_m": 5.0}}
    board = MockBoard(MockBoard.Settings(**table))
    start = 98765.4
    assert "side-range" not in board.capabilities(start).resources
    for n in range(20):
        board.command(start + n / 20, Command(0.2, 0.2))
    assert board.senses(start + 1.0).wheels.left > 0.15
    assert not MockBoard.needs_port

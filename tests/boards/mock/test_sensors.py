"""What the sensors of the mock R-2 report: rates, noise, ranges, and gross errors."""

import math

import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boards.mock import anatomy as r2
from boards.mock.anatomy import HULLS
from boards.mock.driver import MockR2
from boards.mock.noise import eight_uniforms, four_normals
from boards.mock.rays import cast, scene
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.hand import ONE_OBJECT, TEAM, Hand, lone, move

coordinate = st.floats(0.3, 3.7)
pose = st.tuples(coordinate, coordinate, st.floats(-4, 4))


HULL_NAMES = st.sampled_from(sorted(HULLS))
walls = st.tuples(pose, st.tuples(st.floats(0.1, 1.0), st.floats(0.02, 0.1)))


def oracle(at, hull, robots, objects, blocks):
    """The rays of `cast` in a room of 4 x 4 m by the physics library's own queries."""
    space = pymunk.Space()
    corners = [(0, 0), (4, 0), (4, 4), (0, 4)]
    for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
        space.add(pymunk.Segment(space.static_body, one, other, 0))
    for (x, y, heading), (long, deep) in [*((place, its.halves) for place, its in robots), *blocks]:
        body = pymunk.Body(1, 1)
        body.position, body.angle = (x, y), heading
        space.add(body, pymunk.Poly.create_box(body, (2 * long, 2 * deep)))
    for x, y in objects:
        body = pymunk.Body(1, 1)
        body.position = x, y
        low = pymunk.Circle(body, r2.OBJECT_RADIUS + 0.01)
        low.filter = pymunk.ShapeFilter(categories=4)
        space.add(body, low)
    seen = []
    for sensor in r2.INFRARED:
        angle = at[2] + sensor.bearing
        way = math.cos(angle), math.sin(angle)
        mount = min(hull.front / max(abs(math.cos(sensor.bearing)), 1e-12),
                    hull.width / 2 / max(abs(math.sin(sensor.bearing)), 1e-12))  # fmt: skip
        found = []
        for reach, mask in ((mount + r2.RANGE_HIGH, 0xFFFFFFFB), (mount + r2.OBJECT_SEEN, 4 if sensor.low else 0)):
            end = at[0] + way[0] * reach, at[1] + way[1] * reach
            hit = space.segment_query_first(at[:2], end, 0, pymunk.ShapeFilter(mask=mask))
            found += [hit.alpha * reach - mount] if hit is not None else []
        seen.append(min(found, default=math.inf))
    return seen


@given(
    pose,
    HULL_NAMES,
    st.lists(st.tuples(pose, HULL_NAMES), max_size=3),
    st.lists(st.tuples(coordinate, coordinate), max_size=4),
    st.lists(walls, max_size=2),
)
@settings(max_examples=200, deadline=None)
def test_rays_agree_with_the_physics_librarys_own_queries(at, name, robots, objects, blocks):
    hull = HULLS[name]
    apart = [(other, HULLS[its]) for other, its in robots]
    apart = [(o, its) for o, its in apart if math.dist(at[:2], o[:2]) > hull.radius + its.radius]
    objects = [place for place in objects if math.dist(at[:2], place) > hull.radius + 0.06]
    blocks = [block for block in blocks if math.dist(at[:2], block[0][:2]) > hull.radius + math.hypot(*block[1])]
    seen = cast(scene(at, hull, apart, objects, blocks), 4, 4)
    for mine, theirs in zip(seen, oracle(at, hull, apart, objects, blocks), strict=True):
        near_limit = min(abs(theirs - r2.RANGE_HIGH), abs(mine - r2.RANGE_HIGH)) < 1e-6
        assert mine == pytest.approx(theirs, abs=1e-6) or near_limit


def test_low_sensors_see_an_object_only_near_and_high_ones_never():
    world, board = lone(spills=ONE_OBJECT)
    hand = Hand(board)
    seen = {}
    for gap in (0.2, 0.45, 0.6):
        move(world, "green", 2.0, 2.5 - 0.05 - 0.155 - gap)
        seen[gap] = {round(math.degrees(r.bearing)): r.distance for r in hand.drive(0.2).ranges}
    assert seen[0.2][0] == pytest.approx(0.2, abs=0.02)
    assert seen[0.45][0] == pytest.approx(0.45, abs=0.02)
    assert seen[0.6][0] is None
    for bearing in (90, -90, 180):
        assert seen[0.2][bearing] is None
    move(world, "green", 1.6, 2.5)
    assert {r.bearing: r.distance for r in hand.drive(0.2).ranges}[-math.pi / 2] is None


def test_the_sensor_on_the_objects_side_sees_it_so_that_a_robot_can_zero_in():
    world, board = lone(spills=ONE_OBJECT)
    hand = Hand(board)
    for x, side in ((1.92, -15), (2.08, 15)):
        move(world, "green", x, 2.15)
        seen = {round(math.degrees(r.bearing)): r.distance for r in hand.drive(0.2).ranges}
        assert seen[side] is not None
        assert seen[-side] is None


def test_ranges_come_ten_times_a_second_fixes_five_times_and_unchanged_readings_stay_the_same_objects():
    world, board = lone(steps_per_s=50)
    move(world, "green", 0.4, 4.0, 0.0)
    kept = [board.senses(n / 50) for n in range(50)]
    assert len({senses.ages.ranges == 0.0 for senses in kept}) == 2
    assert sum(senses.ages.ranges < 1e-9 for senses in kept) == 10
    assert sum(senses.ages.pose < 1e-9 for senses in kept) == 5
    assert max(senses.ages.pose for senses in kept) < 0.2
    assert kept[11].ranges is kept[14].ranges
    assert kept[11].pose is kept[14].pose
    assert len({id(senses.bumps) for senses in kept}) == 1
    assert len({senses.pose for senses in kept}) == 5


def test_a_reading_taken_a_hair_before_its_step_has_no_age_below_nothing():
    _, board = lone()
    ages = board.senses(0.35 - 1e-10).ages
    assert (ages.wheels, math.copysign(1.0, ages.wheels)) == (0.0, 1.0)


def test_the_same_scene_reads_the_same_and_what_comes_near_is_seen_at_once():
    world = World(WorldSettings(spills=()), TEAM, 1)
    move(world, "green", 0.4, 4.0, 0.0)
    board = MockR2(world, "green")
    still = [board.senses(n / 10).ranges for n in range(20)]
    assert all(ranges is still[0] for ranges in still)
    assert still[0][0].distance is None
    move(world, "blue", 1.0, 4.0)
    assert board.senses(2.0).ranges[0].distance == pytest.approx(0.6 - 0.155 - 0.125, abs=0.02)
    move(world, "blue", 3.0, 4.0)
    assert board.senses(2.1).ranges[0].distance is None


def test_the_beacons_error_is_as_great_as_stated_and_lasts_for_seconds():
    world = World(WorldSettings(spills=()), [BodySpec(f"r{k}", "r2", k) for k in range(1, 31)], 5)
    boards = {name: MockR2(world, name) for name in world.robots}
    errors = {name: [] for name in boards}
    for now in (0.0, 0.5, 60.0):
        for name, board in boards.items():
            fix, (x, y, _) = board.senses(now).pose, world.pose(name)
            errors[name].append((fix.x - x, fix.y - y))
    errors = list(errors.values())
    rms = math.sqrt(sum(e[0] ** 2 + e[1] ** 2 for robot in errors for e in robot[::2]) / 60)
    assert rms == pytest.approx(0.15, rel=0.25)
    soon = sum(a[0] * b[0] + a[1] * b[1] for a, b, _ in errors) / 30
    late = sum(a[0] * c[0] + a[1] * c[1] for a, _, c in errors) / 30
    assert soon > 0.7 * 0.15**2
    assert abs(late) < 0.5 * 0.15**2


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_noise_has_the_moments_that_it_claims(seed):
    normals = [x for k in range(250) for x in four_normals(seed, "green", "test", k)]
    assert abs(sum(normals) / 1000) < 0.15
    assert sum(x * x for x in normals) / 1000 == pytest.approx(1.0, abs=0.25)
    uniforms = [x for k in range(100) for x in eight_uniforms(seed, "green", "test", k)]
    assert min(uniforms) >= -1
    assert max(uniforms) < 1
    assert abs(sum(uniforms) / 800) < 0.1


def test_being_carried_is_no_way_travelled():
    world, board = lone()
    hand = Hand(board)
    before = hand.drive(1, 0.1, 0.1).odometry
    apply(world, "remove", "green", "", hand.now)
    hand.drive(1)
    apply(world, "return", "green", "", hand.now)
    assert hand.drive(0.5).odometry == before


@pytest.mark.parametrize(
    ("part", "wild"),
    [
        ("infrared", lambda s: not 0.38 < next(r.distance for r in s.ranges if 1.5 < r.bearing < 1.6) < 0.42),
        ("positioning", lambda s: math.dist((s.pose.x, s.pose.y), (0.525, 4.0)) > 0.6),
        ("bumpers", lambda s: any(bump.pressed for bump in s.bumps)),
        ("gripper", lambda s: s.grip.beam),
        ("wheels", lambda s: abs(s.wheels.left) > 0.05),
    ],
)
def test_a_noisy_part_reads_wildly_now_and_then_and_a_mended_one_does_not(part, wild):
    world, board = lone()
    move(world, "green", 0.525, 4.0, math.pi / 2)
    hand = Hand(board)
    apply(world, "noisy", "green", part, 0.0)
    assert sum(wild(hand.drive(0.1)) for _ in range(50)) > 0
    apply(world, "restore", "green", part, hand.now)
    assert sum(wild(hand.drive(0.1)) for _ in range(50)) == 0


def test_a_part_never_fitted_is_neither_there_nor_missing():
    world = World(WorldSettings(spills=()), [BodySpec("green", "r2", 1, lacks=("side-range", "gripper"))], 1)
    board = MockR2(world, "green")
    found = board.capabilities(0.0)
    assert not {"side-range", "gripper"} & set(found.resources)
    assert found.missing == ()
    apply(world, "restore", "green", "all", 0.1)
    assert board.capabilities(0.2).resources == found.resources
    assert board.senses(0.2).grip is None


def test_what_is_dead_stays_dead_when_the_rest_grows_noisy():
    world, board = lone()
    apply(world, "dead", "green", "side-range", 0.0)
    apply(world, "noisy", "green", "infrared", 0.0)
    assert "side-range" not in board.capabilities(0.1).resources
    assert len(board.senses(0.1).ranges) == 6


def test_one_dead_sensor_is_named():
    world, board = lone()
    apply(world, "dead", "green", "left-side", 0.0)
    assert dict(board.capabilities(0.1).missing) == {"side-range": "left-side is dead"}


def test_a_dead_gripper_keeps_what_it_holds_and_obeys_nothing():
    world, board = lone()
    apply(world, "dead", "green", "gripper", 0.0)
    driven = board.command(0.1, Command(opening=1.0, lift=0.0))
    assert (driven.opening, driven.lift) == (None, None)
    world.advance(2.0)
    assert world.robots["green"].gripper.opening == 0.0

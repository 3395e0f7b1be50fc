"""Hulls, cameras, lasers, batteries, pucks, marks, chargers and walls of the simulated world."""

import math

import pytest

from boards.mock.driver import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.command import Command
from tests.boards.hand import Hand, move

RED = {"colour": "red", "x_m": 3.0, "y_m": 3.0}
BLUE = {"colour": "blue", "x_m": 3.4, "y_m": 3.0}
BOTH = {"gripper", "bumpers"}
WIDE = {"fov_deg": 90.0, "reach_m": 3.0}


def room(bodies=({},), seed=1, **changes):
    """A room of 6 x 8 m with robots a, b, ... of these bodies; and their boards."""
    names = "abcdefgh"[: len(bodies)]
    specs = [
        BodySpec(name, "robot", k, **body) for k, (name, body) in enumerate(zip(names, bodies, strict=True), 1)
    ]
    world = World(WorldSettings(**{"spills": (), **changes}), specs, seed)
    return world, *(MockR2(world, name) for name in names)


def at(x, y, heading_deg=90.0, **body):
    return {"x_m": x, "y_m": y, "heading_deg": heading_deg, **body}


def seen(board, now=0.0, kind=None):
    return [sight for sight in board.senses(now).sights if kind in (None, sight.kind)]


@pytest.mark.parametrize(
    ("hull", "base", "radius", "without"),
    [
        ("r2", 0.22, 0.2, set()),
        ("pioneer", 0.33, 0.3, {"gripper"}),
        ("walker", 0.13, 0.17, {"gripper", "bumpers"}),
    ],
)
def test_a_hull_has_its_own_measures_and_parts(hull, base, radius, without):
    _, board = room([{"hull": hull}])
    known = board.capabilities(0.0)
    assert (known.wheel_base, known.radius) == (base, radius)
    assert without == BOTH - set(known.resources)
    assert not known.missing  # never fitted is not lost


@pytest.mark.parametrize("hull", ["r2", "pioneer", "walker"])
def test_every_hull_turns_by_its_own_wheel_base(hull):
    world, board = room([at(3.0, 4.0, 0.0, hull=hull)])
    base = board.capabilities(0.0).wheel_base
    Hand(board).drive(4.0, -0.05, 0.05)
    assert world.pose("a")[2] == pytest.approx(4.0 * 0.1 / base, rel=0.08)
    heading = math.remainder(world.pose("a")[2], math.tau)
    assert board.senses(4.0).odometry.heading == pytest.approx(heading, abs=0.1)


@pytest.mark.parametrize(("hull", "halves"), [("r2", 0.31), ("pioneer", 0.44), ("walker", 0.28)])
def test_two_hulls_meet_nose_to_nose_at_the_sum_of_their_halves(hull, halves):
    world, one, other = room([at(3.0, 2.0, 90.0, hull=hull), at(3.0, 3.5, -90.0, hull=hull)])
    for n in range(300):
        one.command(n / 20, Command(0.1, 0.1))
        other.command(n / 20, Command())
    assert world.pose("b")[1] - world.pose("a")[1] == pytest.approx(halves, abs=0.02)


def test_waiting_pioneers_do_not_overlap():
    world, *_ = room([{"hull": "pioneer"}] * 5)
    poses = [world.pose(name)[:2] for name in "abcde"]
    assert min(math.dist(p, q) for p in poses for q in poses if p is not q) > 0.6


def test_the_order_at_the_entrance_is_by_number_or_drawn_from_the_seed():
    def order(seed, drawn):
        world, *_ = room([{}] * 3, seed=seed, entrance={"drawn": drawn})
        return "".join(sorted("abc", key=lambda name: world.pose(name)[0]))

    assert {order(seed, drawn=False) for seed in range(6)} == {"abc"}
    drawn = [order(seed, drawn=True) for seed in range(12)]
    assert len(set(drawn)) > 2
    assert drawn == [order(seed, drawn=True) for seed in range(12)]


def test_a_camera_sees_pucks_marks_and_chargers_ahead_and_none_behind_or_too_far():
    _, board = room(
        [at(3.0, 1.0, camera=WIDE)],
        pucks=[RED, {"colour": "red", "x_m": 3.0, "y_m": 0.4}, {"colour": "red", "x_m": 3.0, "y_m": 4.5}],
        marks=[{"name": "goal", "x_m": 2.0, "y_m": 3.0}],
        chargers=[{"name": "station", "x_m": 4.0, "y_m": 3.0}],
    )
    sights = {(sight.kind, sight.label): sight for sight in seen(board)}
    assert sorted(sights) == [("charger", "station"), ("mark", "goal"), ("puck", "red")]
    assert sights["puck", "red"].range == pytest.approx(2.0, abs=0.4)
    assert sights["mark", "goal"].bearing == pytest.approx(math.atan2(1, 2), abs=0.05)
    assert sights["charger", "station"].bearing == pytest.approx(-math.atan2(1, 2), abs=0.05)
    assert all(sight.angle is None for sight in sights.values())
    assert "camera" in board.capabilities(0.0).resources


def test_without_a_camera_nothing_is_seen_and_none_is_named():
    _, board = room([at(3.0, 1.0)], pucks=[RED])
    assert seen(board) == []
    assert "camera" not in {*board.capabilities(0.0).resources, *dict(board.capabilities(0.0).missing)}


def test_a_camera_that_is_blind_to_a_colour_misses_it_and_nothing_reports_it():
    things = {"pucks": [RED, BLUE], "marks": [{"name": "leader", "colour": "red", "x_m": 3.0, "y_m": 2.5}]}
    _, blind = room([at(3.0, 1.0, camera=WIDE, blind_to=["red"])], **things)
    _, sound = room([at(3.0, 1.0, camera=WIDE)], **things)
    assert [sight.label for sight in seen(blind)] == ["blue"]
    assert [sight.label for sight in seen(sound)] == ["red", "blue", "leader"]
    assert blind.capabilities(0.0) == sound.capabilities(0.0)


def test_a_mark_on_a_robot_moves_with_it_and_goes_with_it():
    marks = [{"name": "leader", "colour": "red", "robot": "b"}]
    world, board, _ = room([at(3.0, 1.0, camera=WIDE), at(3.0, 2.0)], marks=marks)
    assert seen(board)[0].bearing == pytest.approx(0.0, abs=0.05)
    move(world, "b", 2.0, 2.0)
    assert seen(board, 0.2)[0].bearing == pytest.approx(math.pi / 4, abs=0.05)
    apply(world, "remove", "b", "", 0.4)
    assert seen(board, 0.4) == []
    with pytest.raises(ValueError, match="on no robot of the team; robots: a"):
        room([{}], marks=[{"name": "leader", "robot": "z"}])


@pytest.mark.parametrize(
    ("between", "sees"),
    [
        ({}, True),
        ({"walls": [{"x1_m": 2.5, "y1_m": 2.0, "x2_m": 3.5, "y2_m": 2.0}]}, False),
        ({"walls": [{"x1_m": 4.5, "y1_m": 2.0, "x2_m": 5.5, "y2_m": 2.0}]}, True),
        ({"box": {"x_m": 3.0, "y_m": 2.0, "goal_y_m": 5.0}}, False),
    ],
)
def test_a_wall_or_the_box_hides_what_is_behind_it(between, sees):
    _, board = room([at(3.0, 1.0, camera=WIDE)], pucks=[RED], **between)
    assert bool(seen(board, kind="puck")) == sees


def test_another_robot_hides_what_is_behind_it():
    _, board, _ = room([at(3.0, 1.0, camera=WIDE), at(3.0, 2.0)], pucks=[RED])
    assert seen(board) == []


def test_a_mark_of_a_known_size_shows_how_large_it_looks_in_place_of_its_range():
    marks = [{"name": "leader", "x_m": 3.0, "y_m": 3.0, "size_m": 0.2}]
    _, board = room([at(3.0, 1.0, camera=WIDE)], marks=marks)
    (sight,) = seen(board)
    assert sight.range is None
    assert sight.size == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize(("above", "count"), [(True, 1), (False, 0)])
def test_robots_hide_a_mark_unless_it_is_above_them_and_walls_hide_both(above, count):
    marks = [{"name": "leader", "x_m": 3.0, "y_m": 3.0, "above": above}]
    _, board, _ = room([at(3.0, 1.0, camera=WIDE), at(3.0, 2.0)], marks=marks)
    assert len(seen(board)) == count
    wall = {"x1_m": 2.0, "y1_m": 2.5, "x2_m": 4.0, "y2_m": 2.5}
    _, walled = room([at(3.0, 1.0, camera=WIDE)], marks=marks, walls=[wall])
    assert not seen(walled)


def test_a_camera_misses_a_thing_for_whole_seconds_as_often_as_set():
    _, board = room([at(3.0, 1.0, camera={**WIDE, "misses": 0.3})], pucks=[RED])
    there = [bool(seen(board, tick / 5)) for tick in range(1000)]
    seconds = [there[k : k + 5] for k in range(0, len(there), 5)]
    assert all(len(set(one)) == 1 for one in seconds)
    assert 0.2 < sum(not one[0] for one in seconds) / len(seconds) < 0.4


def test_blind_hides_what_has_a_colour_until_the_camera_is_restored():
    world, board = room([at(3.0, 1.0, camera=WIDE)], pucks=[RED, BLUE])
    apply(world, "blind", "a", "red", 0.0)
    assert [sight.label for sight in seen(board)] == ["blue"]
    assert "camera" in board.capabilities(0.0).resources
    apply(world, "restore", "a", "front-range", 0.2)
    assert [sight.label for sight in seen(board, 0.2)] == ["blue"]
    apply(world, "restore", "a", "camera", 0.4)
    assert [sight.label for sight in seen(board, 0.4)] == ["red", "blue"]
    with pytest.raises(ValueError, match="a colour"):
        apply(world, "blind", "a", "", 0.6)


def test_robots_that_wait_at_the_entrance_are_put_a_little_off_their_places():
    exact, *_ = room([{}, {}])
    off, *_ = room([{}, {}], entrance={"spread_m": 0.05})
    again, *_ = room([{}, {}], entrance={"spread_m": 0.05})
    for name in "ab":
        assert off.pose(name) == again.pose(name) != exact.pose(name)
        assert all(abs(a - b) <= 0.05 for a, b in zip(off.pose(name)[:2], exact.pose(name)[:2], strict=True))


def test_camera_noise_depends_on_the_period_and_not_on_who_asked_when():
    def readings(instants):
        _, board = room([at(3.0, 1.0, camera=WIDE)], pucks=[RED, BLUE])
        return {now: board.senses(now).sights for now in instants}

    often, seldom = readings([k / 20 for k in range(60)]), readings([0.4, 1.0, 2.2])
    assert all(often[now] == sights for now, sights in seldom.items())
    assert often[0.0] is not often[0.4]
    assert often[0.0] == often[0.15]  # five pictures a second
    assert len({often[k / 5][0].bearing for k in range(10)}) > 3


def test_faults_of_a_camera():
    world, board = room([at(3.0, 1.0, camera=WIDE)], pucks=[RED])
    first = seen(board)
    apply(world, "frozen", "a", "camera", 0.0)
    move(world, "a", 3.0, 1.0, -math.pi / 2)
    assert seen(board, 0.4) == first
    apply(world, "dead", "a", "camera", 0.4)
    assert seen(board, 0.6) == []
    assert dict(board.capabilities(0.6).missing) == {"camera": "camera is dead"}
    apply(world, "restore", "a", "camera", 0.6)
    move(world, "a", 3.0, 1.0)
    assert "camera" in board.capabilities(0.8).resources
    apply(world, "noisy", "a", "camera", 0.8)
    wild = [seen(board, 1.0 + k / 5) for k in range(30)]
    assert max(abs(sights[0].bearing) for sights in wild if sights) > 0.2
    assert [] in wild


def test_a_camera_sees_the_box_as_far_as_it_is_in_the_picture():
    box = {"x_m": 3.0, "y_m": 3.0, "length_m": 2.0, "goal_y_m": 5.0}
    _, board = room([at(3.0, 1.0, camera={"fov_deg": 120.0, "reach_m": 4.0})], box=box)
    (whole,) = seen(board)
    assert whole.bearing == pytest.approx(0.0, abs=0.05)
    assert whole.size == pytest.approx(2 * math.atan2(1.0, 1.85), abs=0.08)
    _, board = room([at(2.2, 2.5, camera=WIDE)], box=box)  # at its left end: it reaches out of the right
    (part,) = seen(board)
    assert part.bearing < -0.05
    _, board = room([at(3.0, 1.0, -90.0, camera=WIDE)], box=box)
    assert seen(board) == []


@pytest.mark.parametrize("turned", [-0.3, 0.0, 0.3])
def test_a_laser_measures_how_far_a_face_is_turned(turned):
    world, board = room([at(3.0, 1.0, laser=True)], box={"x_m": 3.0, "y_m": 3.0, "goal_y_m": 5.0})
    world.box.body.angle = turned
    face = max(seen(board), key=lambda sight: sight.size)
    assert face.kind == "face"
    assert face.angle == pytest.approx(turned, abs=0.1)
    assert face.range == pytest.approx(1.85, abs=0.1)
    assert face.bearing == pytest.approx(0.0, abs=0.15)


def test_a_laser_behind_the_box_measures_its_back_and_one_that_looks_away_nothing():
    box = {"x_m": 3.0, "y_m": 3.0, "goal_y_m": 7.0}
    _, board = room([at(3.0, 5.0, -90.0, laser=True)], box=box)
    assert [round(sight.angle, 0) for sight in seen(board)] == [0.0]
    _, board = room([at(3.0, 5.0, 90.0, laser=True)], box=box)
    assert seen(board) == []
    _, board = room([at(3.0, 5.0, -90.0)], box=box)
    assert seen(board) == []


def drained(board, seconds, speed, start=0.0):
    """The battery, and whether it charges, after so long."""
    for n in range(round(seconds * 10)):
        board.command(start + n / 10, Command(speed, -speed))
    senses = board.senses(start + seconds)
    return senses.battery, senses.charging


def test_a_battery_lasts_its_time_while_driving_and_four_times_that_at_rest():
    _, board = room([{"battery_s": 100.0}])
    assert board.senses(0.0).battery == 1.0
    assert drained(board, 50.0, 0.05)[0] == pytest.approx(0.5, abs=0.02)
    _, board = room([{"battery_s": 100.0}])
    assert drained(board, 50.0, 0.0)[0] == pytest.approx(0.875, abs=0.02)
    _, board = room()
    assert board.senses(0.0).battery is None


def test_an_empty_battery_turns_no_motor_and_is_named():
    world, board = room([{"battery_s": 5.0}])
    drained(board, 6.0, 0.1)
    assert board.senses(6.0).battery == 0.0
    assert max(map(abs, world.wheel_speeds("a"))) < 0.01
    assert dict(board.capabilities(6.0).missing) == {"mobile": "the battery is empty"}


def test_a_charger_fills_the_robot_that_rests_on_it_and_no_other():
    charger = {"name": "station", "x_m": 3.0, "y_m": 3.0, "full_s": 20.0}
    for place, charges in ((at(3.1, 3.0), True), (at(3.5, 3.0), False)):
        _, board = room([{**place, "battery_s": 10.0}], chargers=[charger])
        assert drained(board, 5.0, 0.05)[0] == pytest.approx(0.5, abs=0.03)
        assert not board.senses(5.0).charging  # it turns on the spot
        level, charging = drained(board, 4.0, 0.0, start=5.0)
        assert (level > 0.6, charging) == (charges, charges)
    _, board = room([{**at(3.0, 3.0), "battery_s": 10.0}], chargers=[charger])
    assert drained(board, 5.0, 0.0) == (1.0, False)  # a full one is not charged


def test_a_fixed_puck_stops_a_robot_and_a_loose_one_is_pushed():
    for fixed in (True, False):
        world, board = room([at(3.0, 2.0)], pucks=[{**RED, "fixed": fixed}])
        Hand(board).drive(8.0, 0.2, 0.2)
        truth = world.objects()[0]
        assert (truth.colour, truth.name) == ("red", "red-1")
        assert (truth.y == 3.0) == fixed
        assert (world.pose("a")[1] > 2.9) != fixed


def test_a_fixed_puck_cannot_be_gripped():
    world, board = room([at(3.0, 2.7)], pucks=[{**RED, "fixed": True}])
    hand = Hand(board)
    hand.drive(3.0, opening=1.0, lift=0.0)
    hand.drive(5.0, 0.1, 0.1)
    hand.drive(2.0, opening=0.0)
    assert world.held("a") == ""


def test_a_wall_stops_bodies_and_rays():
    wall = {"x1_m": 1.0, "y1_m": 3.0, "x2_m": 5.0, "y2_m": 3.0}
    world, board = room([at(3.0, 2.5)], walls=[wall])
    ahead = next(r for r in board.senses(0.0).ranges if r.bearing == 0.0)
    assert ahead.distance == pytest.approx(3.0 - 0.05 - 2.5 - 0.155, abs=0.02)
    senses = Hand(board).drive(6.0, 0.2, 0.2)
    assert world.pose("a")[1] == pytest.approx(3.0 - 0.05 - 0.155, abs=0.02)
    assert any(bump.pressed for bump in senses.bumps)
    world, board = room([at(3.0, 2.5)])
    Hand(board).drive(6.0, 0.2, 0.2)
    assert world.pose("a")[1] > 3.5


def test_the_box_can_have_a_point_as_its_goal():
    world, _ = room(box={"x_m": 2.0, "y_m": 2.0, "goal_x_m": 3.58, "goal_y_m": 4.25, "goal_radius_m": 0.5})
    done, total = world.box.progress()
    assert (done, total) == (0, 275)
    world.box.body.position = 2.0, 4.25  # on the line, beside the point
    assert world.box.progress()[0] < total
    world.box.body.position = 3.2, 4.0
    assert world.box.progress() == (total, total)


def test_where_robots_were_is_known_for_a_minute_whenever_it_is_asked_for():
    def places(early):
        world, board = room([at(3.0, 1.0, 0.0)])
        world.keep_places()
        kept = {}
        for n in range(100):
            board.command(n / 20, Command(0.2, 0.2))
            if early:
                kept[n / 20] = world.was_at("a", n / 20)
        world.advance(60.0)
        return {n / 20: kept[n / 20] if early else world.was_at("a", n / 20) for n in range(100)}, world

    first, _ = places(early=True)
    later, world = places(early=False)
    assert first == later
    assert later[4.0][0] > later[2.0][0] > 3.1
    apply(world, "remove", "a", "", 61.0)
    assert world.was_at("a", 62.0) is None
    assert world.was_at("a", 60.5) is not None
    with pytest.raises(ValueError, match="keeps no places"):
        room()[0].was_at("a", 0.0)


def test_a_robot_that_starts_outside_of_the_room_is_refused():
    with pytest.raises(ValueError, match="outside the room"):
        room([at(7.0, 1.0)])

"""Geometry and control law of the watcher and the pushers."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from behaviors.box_moving.push_box import ASTRAY_S, USUAL_M_S, Place, PushBox
from behaviors.box_moving.watch_box import EndOfBox, View, WatchBox, are_alike, velocities
from behaviors.parts import Eyes, Percept
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Capabilities, Pose, Senses, Sight
from robotd.model.table import NumberTable
from robotd.model.tasks import Task
from tests.behaviors.senses import sensing

SETTINGS = WatchBox.Settings()
BELIEFS = Beliefs(NumberTable((), (), ()), 1)
HERE = Pose(0.0, 0.0, 0.0, 0.0)
METRES = st.floats(-5.0, 5.0)
ANGLES = st.floats(-math.pi, math.pi)


def percept(*sights: Sight) -> Percept:
    return Percept(0.0, 0, Senses(sights=sights), Capabilities(), None, Eyes())


@given(METRES, METRES, ANGLES, METRES, METRES, METRES)
def test_a_place_along_the_box_is_found_again(
    x: float, y: float, heading: float, touched: float, along: float, behind: float
) -> None:
    place = Place(known=True, x=x, y=y, heading=heading, along=touched)
    found = place.locate(Pose(*place.point(along, behind), 0.0, 0.0))
    assert found == pytest.approx((along, behind), abs=1e-9)


def test_a_robot_that_faces_the_box_has_larger_places_to_its_right() -> None:
    place = Place(known=True, heading=math.pi / 2)
    assert place.locate(Pose(1.0, 0.0, 0.0, 0.0)) == pytest.approx((1.0, 0.0))
    assert place.locate(Pose(0.0, -1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0))


@given(st.floats(-math.pi, math.pi))
def test_velocities_stay_within_the_greatest_and_turn_the_box_towards_the_goal(error: float) -> None:
    left, right = velocities(error, SETTINGS)
    assert 0.0 <= min(left, right) <= max(left, right) <= SETTINGS.speed_m_s
    assert (right - left) * error >= 0.0
    assert velocities(-error, SETTINGS) == pytest.approx((right, left))


def test_a_box_that_faces_the_goal_is_pushed_at_both_ends_alike_and_fastest() -> None:
    assert velocities(0.0, SETTINGS) == (SETTINGS.speed_m_s, SETTINGS.speed_m_s)


@pytest.mark.parametrize(
    ("new", "asked", "alike"),
    [
        ((0.08, 0.10), (0.10, 0.10), True),
        ((0.06, 0.10), (0.10, 0.10), False),
        ((0.10, 0.10), (0.06, 0.10), True),  # the box comes back
        ((0.10, 0.08), (0.06, 0.10), False),
        ((0.00, 0.09), (0.02, 0.09), False),  # the left end is to stop
        ((0.00, 0.09), (0.00, 0.10), True),
    ],
)
def test_new_velocities_are_asked_for_where_they_turn_the_box_otherwise_or_stop_an_end(
    new: tuple[float, float], asked: tuple[float, float], alike: bool
) -> None:
    assert are_alike(new, asked, 0.035) is alike


@pytest.mark.parametrize(("goal", "sign"), [((-3.0, -1.0), 1.0), ((-3.0, 1.0), -1.0), ((-3.0, 0.0), 0.0)])
def test_the_error_is_positive_where_the_box_must_turn_counter_clockwise(
    goal: tuple[float, float], sign: float
) -> None:
    view = View((1.0, 0.0), goal, math.pi)  # the face looks back along the x axis
    assert math.copysign(1.0, view.error) * (abs(view.error) > 1e-9) == sign


FACE = Sight("face", 0.0, 1.8, 1.0, "box", 0.0)
GOAL = Sight("mark", math.pi, None, 2.0, "goal")


def looking(*looks: tuple[Sight, ...], at: Pose = HERE, every_s: float = 0.2) -> tuple[WatchBox, Percept]:
    """A watcher after these looks, and what it senses at the last of them."""
    watcher = WatchBox(SETTINGS)
    for k, sights in enumerate(looks):
        i = sensing(replace(percept(*sights), now=k * every_s), odometry=at)
        watcher.assess(i, BELIEFS, Task("watch-box"))
    return watcher, i


def test_box_and_goal_are_placed_by_what_camera_and_laser_see() -> None:
    watcher, i = looking((FACE, GOAL))
    view = watcher.look(i)
    assert view is not None
    assert view.box == pytest.approx((1.15, 0.0))
    assert view.left_m == pytest.approx(3.15)
    assert view.error == pytest.approx(0.0)


@pytest.mark.parametrize("sights", [(), (FACE,), (GOAL,)])
def test_nothing_is_placed_where_one_of_both_was_never_in_sight(sights: tuple[Sight, ...]) -> None:
    watcher, i = looking(sights)
    assert watcher.look(i) is None


def test_a_goal_that_the_box_hides_is_where_it_was_in_the_room() -> None:
    watcher, i = looking((FACE, GOAL))
    turned = sensing(i, sights=(FACE,), odometry=Pose(0.0, 0.0, math.pi / 2, 0.0))
    view = watcher.look(turned)
    assert view is not None
    assert view.goal == pytest.approx((0.0, 2.0))


@pytest.mark.parametrize(("turned", "straight"), [(0.05, True), (-0.05, True), (0.6, False)])
def test_the_first_pushes_are_straight_ahead_unless_the_box_must_turn_by_more_than_the_dead_band(
    turned: float, straight: bool
) -> None:
    watcher, i = looking(*[(replace(FACE, angle=turned), GOAL)] * 5)
    (watching,) = watcher.behaviors
    watching.enter(i.now, Task("watch-box"))
    out = watching.act(i, BELIEFS)
    assert out is not None
    speeds = [float(task.arg("speed")) for task in out.subtasks]
    assert (speeds == [SETTINGS.speed_m_s] * 2) is straight


def test_errors_of_the_laser_in_the_place_of_the_box_are_averaged() -> None:
    faces = [replace(FACE, bearing=0.05 * (-1) ** k) for k in range(50)]
    watcher, i = looking(*((face, GOAL) for face in faces))
    view = watcher.look(i)
    assert view is not None
    assert abs(view.box[1]) < 0.01


def test_a_lifted_watcher_forgets_where_the_goal_was() -> None:
    watcher, i = looking((FACE, GOAL))
    watcher.assess(sensing(i, lifted=True), BELIEFS, Task("watch-box"))
    assert watcher.look(sensing(i, sights=(FACE,))) is None


def test_readings_of_a_box_that_turns_steadily_give_the_rate_at_which_it_turns() -> None:
    faces = [replace(FACE, angle=0.05 * k * 0.2) for k in range(200)]
    watcher, i = looking(*((face, GOAL) for face in faces))
    assert watcher.memory.rate == pytest.approx(0.05, abs=0.002)
    view = watcher.look(i)
    assert view is not None
    assert math.remainder(view.outward - math.pi, 2 * math.pi) == pytest.approx(faces[-1].angle, abs=0.002)


@given(st.lists(st.floats(-0.03, 0.03), max_size=200))
def test_errors_of_the_laser_do_not_add_up_to_progress(errors: list[float]) -> None:
    end = EndOfBox()
    end.note(0.0, 0.0, 0.0)
    for error in errors:
        end.note(error, 0.0, 0.0)
    assert end.came_m < 0.05


def test_an_end_makes_progress_ahead_and_none_on_the_way_back_or_until_it_is_there_again() -> None:
    end = EndOfBox()
    came = []
    for x in (1.0, 1.2, 1.1, 1.2, 1.3):
        for _ in range(100):
            end.note(x, 0.0, 0.0)
        came.append(end.came_m)
    assert came == pytest.approx([0.0, 0.2, 0.2, 0.2, 0.3], abs=0.001)


@pytest.mark.parametrize(("max_speed", "astray_s"), [(USUAL_M_S, ASTRAY_S), (USUAL_M_S / 3.0, 3.0 * ASTRAY_S)])
def test_a_pusher_that_does_not_come_to_the_box_looks_for_it_by_its_camera_again_a_slow_one_later(
    max_speed: float, astray_s: float
) -> None:
    pusher = PushBox(PushBox.Settings())
    (pushing,) = pusher.behaviors
    pushing.enter(0.0, Task("push-box", (("end", "right"),), "watch-box/right"))
    for now, known in ((astray_s - 0.1, True), (astray_s + 0.1, False)):
        pusher.memory = Place(known=True, along=-0.8)
        i = replace(percept(), now=now, capabilities=Capabilities(max_speed=max_speed))
        pushing.act(sensing(i, odometry=HERE), BELIEFS)
        assert pusher.memory.known is known


def test_a_pusher_whose_box_is_out_of_sight_continues_with_no_fitness_and_one_that_never_saw_it_does_not() -> None:
    task, pusher = Task("push-box", (("end", "right"),), "watch-box/right"), PushBox(PushBox.Settings())
    assert not pusher.assess(percept(), BELIEFS, task).applicable
    assert pusher.assess(percept(Sight("box", -0.2, 0.5, None, "")), BELIEFS, task).applicable
    turned_away = pusher.assess(percept(), BELIEFS, task)
    assert (turned_away.applicable, turned_away.fitness) == (True, 0.0)


@pytest.mark.parametrize(("bearing", "drives"), [(0.6, False), (0.3, True)])
def test_a_pusher_before_something_that_is_not_the_box_turns_to_the_box_and_does_not_push(
    bearing: float, drives: bool
) -> None:
    pusher = PushBox(PushBox.Settings())
    (pushing,) = pusher.behaviors
    pushing.enter(0.0, Task("push-box", (("end", "right"),), "watch-box/right"))
    i = percept(Sight("box", bearing, 0.8, None, ""))
    i = replace(i, eyes=Eyes(ahead=0.05), capabilities=Capabilities(max_speed=0.4))
    out = pushing.act(i, BELIEFS)
    assert out is not None
    assert out.drive is not None
    assert (out.drive.speed > 0.0) is drives
    assert drives or out.drive.turn > 0.0

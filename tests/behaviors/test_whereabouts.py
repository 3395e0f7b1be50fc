"""The steadied pose: beacons that err slowly, odometry that drifts, and robots that are carried."""

import math

from hypothesis import given
from hypothesis import strategies as st

from behaviors.whereabouts import Estimate, steady, wrap
from robotd.model.senses import Pose, Senses
from robotd.model.streams import Stream


@given(st.floats(-100.0, 100.0))
def test_wrapping_keeps_the_direction_and_stays_within_half_a_turn(angle):
    assert -math.pi < wrap(angle) <= math.pi
    assert math.isclose(math.sin(wrap(angle)), math.sin(angle), abs_tol=1e-9)


def drive_straight(seconds, unequal=0.0, errors=0.15):
    """A robot goes along x at 0.2 m/s; beacons err with 6 s of memory. Largest error of the last half, m."""
    stream, e, worst = Stream(1, "r", "test"), Estimate(), 0.0
    dx = dy = 0.0
    for n in range(seconds * 10):
        x = n * 0.02
        keep = math.exp(-0.1 / 6.0)
        dx = keep * dx + math.sqrt(1 - keep * keep) * stream.normal(0.0, errors / math.sqrt(2))
        dy = keep * dy + math.sqrt(1 - keep * keep) * stream.normal(0.0, errors / math.sqrt(2))
        turned = -unequal * x
        way = (x, 0.0) if not unequal else (-math.sin(turned) / unequal, (math.cos(turned) - 1) / unequal)
        senses = Senses(odometry=Pose(*way, turned, 0.0), pose=Pose(x + dx, dy, stream.normal(0.0, 0.05), 0.15))
        pose = steady(e, n / 10, senses)
        if n > seconds * 5:
            worst = max(worst, math.hypot(pose.x - x, pose.y))
    return worst


def test_the_steadied_pose_is_better_than_a_reading_even_with_unequal_wheels():
    assert drive_straight(60) < 0.2
    assert drive_straight(60, unequal=0.05) < 0.25


def test_nothing_is_known_before_a_first_reading_and_odometry_carries_on_after_it():
    e = Estimate()
    assert steady(e, 0.0, Senses(odometry=Pose(5.0, 5.0, 1.0, 0.0))) is None
    assert steady(e, 0.1, Senses(odometry=Pose(5.0, 5.0, 1.0, 0.0), pose=Pose(1.0, 2.0, 0.0, 0.15))).x == 1.0
    moved = Pose(5.0 + 0.1 * math.cos(1.0), 5.0 + 0.1 * math.sin(1.0), 1.0, 0.0)
    on = steady(e, 0.2, Senses(odometry=moved))
    assert math.isclose(on.x, 1.1, abs_tol=1e-9)
    assert math.isclose(on.y, 2.0, abs_tol=1e-9)


def test_one_wild_reading_is_ignored_and_several_mean_that_it_was_carried():
    e, at = Estimate(), Pose(1.0, 1.0, 0.0, 0.15)
    for n in range(10):
        steady(e, n / 10, Senses(pose=Pose(1.0 + n / 1000, 1.0, 0.0, 0.15), odometry=at))
    assert steady(e, 1.1, Senses(pose=Pose(4.0, 4.0, 0.0, 0.15), odometry=at)).x < 1.1
    for n in range(12, 20):
        last = steady(e, n / 10, Senses(pose=Pose(4.0 + n / 1000, 4.0, 0.0, 0.15), odometry=at))
    assert last.x > 3.9


def test_a_lifted_robot_knows_nothing_until_the_next_reading():
    e = Estimate()
    steady(e, 0.0, Senses(pose=Pose(1.0, 1.0, 0.0, 0.15)))
    assert steady(e, 0.1, Senses(lifted=True)) is None
    assert steady(e, 0.2, Senses(pose=Pose(3.0, 0.5, 1.5, 0.15))).x == 3.0


def test_odometry_that_starts_afresh_does_not_move_the_estimate():
    e = Estimate()
    steady(e, 0.0, Senses(odometry=Pose(7.0, 3.0, 2.0, 0.0), pose=Pose(1.0, 1.0, 0.0, 0.15)))
    assert steady(e, 0.1, Senses(odometry=Pose(0.0, 0.0, 0.0, 0.0))).x == 1.0

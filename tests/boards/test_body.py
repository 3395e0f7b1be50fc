"""A body of a base and add-ons keeps the board contract, and notices a slip of its wheels."""

import math

import pytest

from boards.body import SURELY, Body, Slip
from robotd.model.command import Command
from robotd.model.senses import Pose
from tests.boards.bench import BodyBench, fast_world
from tests.boards.contract import BoardContract

FORWARD = Command(0.1, 0.1)
BENCH = BodyBench
EXACT = {"position_noise_m": 0.0, "heading_noise_rad": 0.0}


class TestBody(BoardContract):
    @pytest.fixture
    def bench(self):
        return BodyBench(fast_world())


def test_its_resources_are_those_of_all_its_parts_and_each_part_is_lost_alone(bench):
    united = {"mobile", "front-range", "gripper", "odometry", "positioning"}
    assert united <= bench.able
    assert bench.board.capabilities(bench.now) is bench.board.capabilities(bench.now)
    bench.pairs = [pair for pair in bench.pairs if pair[0] is not bench.gripper]
    bench.run(1.0, FORWARD)
    assert set(bench.missing) == {"gripper"}
    assert min(bench.wheels()) > 0.05


def test_a_base_that_is_silent_is_so_although_its_add_ons_go_on(bench):
    bench.emulator.line.fault("mute", math.inf)
    bench.run(1.5, FORWARD)
    senses = bench.board.senses(bench.now)
    assert bench.able == {"gripper", "positioning"}
    assert min(senses.ages.wheels, senses.ages.ranges, senses.ages.bumps) > 1.0
    assert senses.pose is not None
    assert bench.board.command(bench.now, FORWARD).left == 0


def test_what_is_driven_reports_the_gripper_only_while_it_answers(bench):
    assert bench.board.command(bench.now, Command(opening=0.7, lift=0.2)).opening == 0.7
    bench.servos.deaf = True
    bench.run(1.0)
    driven = bench.board.command(bench.now, Command(opening=0.7, lift=0.2))
    assert (driven.opening, driven.lift) == (None, None)


def test_restarts_are_those_of_all_parts(bench):
    bench.run(0.5, Command(opening=1.0))
    bench.servos.reboot(bench.now)
    bench.run(1.0, FORWARD)
    assert bench.board.reboots == 1
    bench.emulator.reboot(bench.now)
    bench.run(7.0)
    assert bench.board.reboots == 2


def test_wheels_that_turn_on_the_spot_where_the_positioning_stands_slip():
    bench = BodyBench(fast_world(**EXACT))
    bench.run(1.0)
    bench.run(3.0, FORWARD)
    assert "odometry" in bench.able
    count = bench.emulator.chassis.ways

    def spinning(now):
        return tuple(way + 0.3 * max(0.0, now - 4.0) for way in count(now))

    bench.emulator.chassis.ways = spinning
    bench.run(2.0, Command(0.4, 0.4))
    missing = bench.missing
    assert "do they slip?" in missing["odometry"]
    assert bench.board.senses(bench.now).odometry is None
    bench.emulator.chassis.ways = lambda now: tuple(way + 0.6 for way in count(now))
    bench.run(6.0, Command(0.05, 0.05))
    assert "odometry" in bench.able
    assert bench.board.senses(bench.now).odometry is not None


def test_a_robot_that_drives_long_with_noisy_positions_slips_not():
    bench = BodyBench(fast_world())
    bench.run(1.0)
    for command in (Command(0.2, 0.2), Command(-0.1, 0.1), Command(0.2, 0.1), Command(-0.2, -0.2)) * 2:
        bench.run(1.0, command)
        assert bench.missing == {}


def noted(slip, way, went, accuracy=0.02):
    """The word after five seconds at which the wheels went `way` and the positioning `went`, m."""
    word = ""
    for n in range(51):
        share = n / 50
        odometry = Pose(share * way, 0.0, 0.0, 0.05 * share * way)
        word = slip.note(n / 10, odometry, Pose(3.0, share * went, 1.57, accuracy), 0.0)
    return word


@pytest.mark.parametrize(
    ("way", "went", "accuracy", "word"),
    [
        (1.0, 1.0, 0.02, ""),
        (1.0, 0.6, 0.02, "do they slip?"),
        (1.0, 0.6, 0.15, ""),
        (0.0, 0.5, 0.02, "was it moved?"),
    ],
)
def test_ways_may_differ_by_what_both_doubt_and_no_more(way, went, accuracy, word):
    assert word in noted(Slip(), way, went, accuracy)
    assert bool(word) == bool(noted(Slip(), way, went, accuracy))


def test_neither_without_positions_nor_without_odometry_is_there_a_slip():
    slip = Slip()
    assert noted(slip, 1.0, 0.2)
    assert slip.note(5.1, None, Pose(0, 0, 0, 0.02), 0.0) == ""
    assert slip.note(5.2, Pose(9, 9, 0, 0.02), Pose(0, 0, 0, 0.02), 0.0) == ""
    assert slip.note(5.3, Pose(9, 9, 0, 0.02), None, 0.0) == ""


def starting(latency, rolled_late=0.0, speed=0.5, known=True, hz=20):
    """What is sent in the five seconds after a start, with positions good to 5 mm that come `latency` s late."""
    slip, words = Slip(), []
    for n in range(-2 * hz, 5 * hz):
        now = n / hz
        rolled, went = (speed * max(0.0, now - late) for late in (rolled_late, latency))
        odometry, pose = Pose(rolled, 0.0, 0.0, 0.05 * rolled), Pose(3.0, went, 1.57, 0.005)
        words.append(slip.note(now, odometry, pose, latency if known else 0.0, rolled_late))
    return {word for word in words if word}


@pytest.mark.parametrize("latency", [0.0, 0.05, 0.3, 0.7, 2.0])
@pytest.mark.parametrize("rolled_late", [0.0, 0.1, 0.4])
def test_a_fix_is_compared_with_the_odometry_of_its_own_time_whichever_of_them_comes_late(latency, rolled_late):
    for hz in (5, 20, 100):
        assert starting(latency, rolled_late, hz=hz) == set()


def test_a_latency_that_is_not_reported_looks_like_a_slip():
    assert starting(0.4, known=False)


def test_wheels_that_spin_slip_also_where_positions_come_late():
    slip, words = Slip(), ""
    for n in range(60):
        words = words or slip.note(n / 20, Pose(n / 40, 0.0, 0.0, 0.0), Pose(0.0, 0.0, 0.0, 0.005), 0.5)
    assert "do they slip?" in words


def test_a_fix_that_is_seen_again_counts_once():
    slip = Slip()
    pose = Pose(0.0, 0.0, 0.0, 0.02)
    for n in range(40):  # one fix, ever older, while the robot drives
        assert slip.note(n / 20, Pose(n / 20, 0.0, 0.0, 0.0), pose, n / 20) == ""
    assert slip.note(2.0, Pose(2.0, 0.0, 0.0, 0.0), Pose(2.0 + SURELY / 2, 0.0, 0.0, 0.02), 0.0) == ""


def test_a_body_without_add_ons_is_its_base(bench):
    body = Body(bench.base, ())
    assert body.capabilities(bench.now) == bench.base.capabilities(bench.now)
    assert body.senses(bench.now) == bench.base.senses(bench.now)

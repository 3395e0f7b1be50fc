"""The suite that every board passes, ours or others'.

To hold another board to it, write a bench like those of `tests.boards.bench` (an emulator of the real protocol
behind the driver) and subclass `BoardContract` with a fixture `bench` that returns one, ready or not.
"""

import math
import operator

import pytest

from boards.conformance import CHECKS, NotObservableError
from robotd.model.command import Command
from robotd.model.senses import Senses
from tests.boards.bench import play

READY_S = 1.0  # a board answers within
WITHIN_S = 1.0  # a part that fails leaves the capabilities within, and is back within
GUARD_S = 0.25  # a guardian kills a daemon that has finished no tick for so long
RESTS_S = 0.5  # from then on the wheels of a robot whose daemon has failed rest
FORWARD = Command(0.1, 0.1)
TURNING = Command(-0.05, 0.05)
NAMED = operator.attrgetter("name")
PARTS = ("positioning", "front-range", "side-range", "bumpers", "gripper")  # resources of the same name
SENSORS = [*((part, part) for part in PARTS), ("wheels", "odometry")]


def shown(senses: Senses, part: str) -> bool:
    """Whether the senses hold a reading of a part."""
    present = {
        "positioning": senses.pose is not None,
        "front-range": any(abs(r.bearing) < 0.2 for r in senses.ranges),
        "side-range": any(1.5 < abs(r.bearing) < 1.6 for r in senses.ranges),
        "bumpers": bool(senses.bumps),
        "gripper": senses.grip is not None,
        "wheels": senses.wheels is not None and senses.odometry is not None,
    }
    return present[part]


def played(bench, check):
    """A script of the shipped suite; skipped where the board shows nothing of it."""
    try:
        play(bench, check)
    except NotObservableError as why:
        pytest.skip(str(why))


class BoardContract:
    """Subclass with a fixture `bench`."""

    @pytest.fixture
    def ready(self, bench):
        """A bench whose board has had time to answer."""
        bench.run(READY_S)
        return bench

    def test_it_is_usable_within_a_second(self, bench):
        bench.run(READY_S)
        assert {"mobile", "bumpers"} <= bench.able
        assert bench.missing == {}
        senses = bench.board.senses(bench.now)
        assert (senses.wheels is not None) == ("odometry" in bench.able)
        ranged = any(name.endswith("-range") for name in bench.able)
        assert bool(senses.ranges) == ranged
        assert max(senses.ages.wheels, senses.ages.ranges, senses.ages.pose) < bench.fresh_s
        assert ("positioning" in bench.able) == (senses.pose is not None)

    @pytest.mark.parametrize("check", [check for check in CHECKS if check.needs == "board"], ids=NAMED)
    def test_it_does_what_the_shipped_suite_asks_of_every_board(self, bench, check):
        bench.run(READY_S)
        played(bench, check)

    def test_it_clamps_a_wheel_to_its_top_speed_and_reports_it(self, ready):
        top = ready.board.capabilities(ready.now).max_speed
        driven = ready.run(0.5, Command(50.0, -50.0))
        assert (driven.left, driven.right) == pytest.approx((top, -top), abs=ready.resolution)
        assert ready.wheels() == pytest.approx((top, -top), abs=0.01)

    @pytest.mark.parametrize(("part", "resource"), SENSORS)
    def test_a_dead_part_leaves_within_a_second_and_comes_back_by_itself(self, ready, part, resource):
        if resource not in ready.able:
            pytest.skip(f"the board has no {part}")
        if f"dead {part}" in ready.hides:
            pytest.skip(f"the board does not notice a dead {part}")
        assert shown(ready.board.senses(ready.now), part)
        ready.event("dead", part)
        ready.run(WITHIN_S)
        assert resource not in ready.able
        assert ready.missing[resource]
        assert not shown(ready.board.senses(ready.now), part)
        ready.event("restore", part)
        ready.run(WITHIN_S)
        assert resource in ready.able
        assert resource not in ready.missing
        assert shown(ready.board.senses(ready.now), part)

    @pytest.mark.parametrize(("part", "resource"), SENSORS)
    def test_a_frozen_part_leaves_within_a_second_of_motion_but_not_at_rest(self, ready, part, resource):
        if resource not in ready.able:
            pytest.skip(f"the board has no {part}")
        if f"frozen {part}" in ready.hides:
            pytest.skip(f"the board does not notice a frozen {part}")
        ready.event("frozen", part)
        ready.run(2.0, Command())
        assert resource in ready.able
        ready.run(WITHIN_S + 0.1, TURNING)
        assert resource not in ready.able
        assert ready.missing[resource]
        ready.run(1.0, Command())
        assert resource not in ready.able
        ready.event("restore", part)
        ready.run(WITHIN_S)
        assert resource in ready.able

    def test_dead_motors_leave_and_what_is_driven_is_zero(self, ready):
        if "dead motors" in ready.hides:
            pytest.skip("the board does not notice dead motors")
        ready.event("motors-dead")
        driven = ready.run(WITHIN_S, FORWARD)
        assert (driven.left, driven.right) == (0, 0)
        assert "mobile" not in ready.able
        ready.event("restore", "motors")
        ready.run(WITHIN_S, FORWARD)
        assert "mobile" in ready.able
        assert min(ready.wheels()) > 0.05

    def test_a_robot_that_is_held_states_that_it_stalls(self, ready):
        if "stalled" in ready.hides:
            pytest.skip("the board does not feel that it is held")
        assert not ready.board.senses(ready.now).stalled
        ready.event("seize")
        ready.run(1.0, FORWARD)
        assert ready.board.senses(ready.now).stalled
        ready.event("release")
        ready.run(1.0, FORWARD)
        assert not ready.board.senses(ready.now).stalled

    def test_a_lifted_robot_reports_it_and_its_wheels_rest(self, ready):
        if "lifted" in ready.hides:
            pytest.skip("the board does not feel that it is lifted")
        ready.run(0.5, FORWARD)
        ready.event("remove")
        driven = ready.run(WITHIN_S, FORWARD)
        assert ready.board.senses(ready.now).lifted
        assert "mobile" not in ready.able
        assert (driven.left, driven.right) == (0, 0)
        assert ready.wheels() == (0, 0)

    def test_the_gripper_goes_where_it_is_sent_and_stays_where_it_is_not(self, ready):
        if "gripper" not in ready.able:
            pytest.skip("the board has no gripper")
        ready.run(3.0, Command(opening=1.0, lift=0.0))
        grip = ready.board.senses(ready.now).grip
        assert (grip.opening, grip.lift) == (1.0, 0.0)
        partly = 0.5 if ready.steps else 0.0
        ready.run(3.0, Command(opening=partly))
        grip = ready.board.senses(ready.now).grip
        assert (grip.opening, grip.lift) == (partly, 0.0)

    def test_odometry_follows_the_way_within_its_stated_accuracy(self, ready):
        if "odometry" not in ready.able:
            pytest.skip("the board has no odometry")
        if hasattr(getattr(ready, "emulator", None), "count_at"):
            ready.emulator.count_at(ready.now, 65500, 65530)  # encoders that wrap on the way
            ready.run(0.5)
        start, before = ready.world.pose("green"), ready.board.senses(ready.now).odometry
        for command, seconds in ((Command(0.2, 0.2), 3.0), (Command(-0.1, 0.1), 1.5), (Command(0.2, 0.2), 3.0)):
            ready.run(seconds, command)
        ready.run(1.0)
        end, after = ready.world.pose("green"), ready.board.senses(ready.now).odometry
        way = math.dist((after.x, after.y), (before.x, before.y))
        assert way == pytest.approx(math.dist(start[:2], end[:2]), abs=after.accuracy)
        assert abs(math.remainder(after.heading - before.heading - end[2] + start[2], math.tau)) < 0.05
        assert after.accuracy > before.accuracy

    def test_a_tune_is_played_once_for_each_change_of_it(self, ready):
        if "sound" not in ready.able:
            pytest.skip("the board makes no sound")
        for tune, seconds in ((2, 1.0), (None, 0.2), (2, 1.0), (3, 0.2)):
            ready.run(seconds, Command(tune=tune))
        assert [tune for _, _, tune in ready.world.tunes] == [2, 2, 3]


class SerialBoardContract(BoardContract):
    """What a board behind a line keeps too; the bench has `alone`, `emulator` (with `line`, `deaf`, `reboot`)."""

    @pytest.mark.parametrize("check", [check for check in CHECKS if check.needs == "line"], ids=NAMED)
    def test_it_does_what_the_shipped_suite_asks_of_a_board_behind_a_line(self, bench, check):
        bench.run(READY_S)
        played(bench, check)

    def test_it_is_not_ready_and_drives_nothing_before_an_answer(self, bench):
        bench.emulator.deaf = True
        driven = bench.run(2.0, FORWARD)
        assert not bench.board.ready
        assert (driven.left, driven.right) == (0, 0)
        assert bench.able == set()
        assert bench.missing["mobile"]
        assert bench.board.senses(bench.now).wheels is None
        bench.emulator.deaf = False
        bench.run(READY_S)
        assert bench.board.ready
        assert "mobile" in bench.able

    def test_a_board_that_restarts_is_noticed_greeted_again_and_works(self, ready):
        ready.run(1.0, FORWARD)
        ready.emulator.reboot(ready.now)
        ready.run(max(0.1, ready.notice_s))
        assert "mobile" not in ready.able
        assert ready.wheels() == pytest.approx((0, 0), abs=0.001)
        ready.run(ready.restart_s, FORWARD)
        assert ready.board.reboots == 1
        assert "mobile" in ready.able
        assert min(ready.wheels()) > 0.05

    def test_halt_stops_the_wheels_after_any_part_of_a_command(self, ready):
        ready.run(0.5, FORWARD)
        ready.board.command(ready.now, FORWARD)
        whole = b"".join(ready.board.transmit(ready.now))
        for cut in range(len(whole) + 1):
            ready.run(ready.again_s, FORWARD)
            assert min(ready.wheels()) > 0.05
            ready.emulator.receive(ready.now, whole[:cut] + ready.board.halt)
            assert ready.emulator.body.driven(ready.now) == (0, 0)

    def test_a_command_that_was_cut_at_any_byte_does_not_eat_the_stop_after_it(self, ready):
        ready.run(0.5, FORWARD)
        ready.board.command(ready.now, FORWARD)
        whole = b"".join(ready.board.transmit(ready.now))
        for cut in range(len(whole)):
            ready.run(0.4, FORWARD)
            assert min(ready.wheels()) > 0.05
            ready.emulator.receive(ready.now, whole[:cut])
            ready.run(RESTS_S, Command())
            assert ready.wheels() == pytest.approx((0, 0), abs=0.001)

    @pytest.mark.parametrize("unnoticed_s", [0.0, GUARD_S], ids=["killed", "frozen"])
    def test_the_halt_of_its_guardian_stops_the_wheels_whatever_its_driver_had_sent(self, ready, unnoticed_s):
        ready.run(0.5, FORWARD)
        ready.board.command(ready.now, FORWARD)
        whole = b"".join(ready.board.transmit(ready.now))
        for cut in range(len(whole) + 1):
            ready.run(ready.again_s, FORWARD)
            assert min(ready.wheels()) > 0.05
            ready.emulator.receive(ready.now, whole[:cut])
            ready.alone(unnoticed_s)
            ready.alone(RESTS_S - unnoticed_s, ready.board.halt)
            for _ in range(3):
                assert ready.wheels() == pytest.approx((0, 0), abs=0.001)
                ready.alone(0.2)

    @pytest.mark.parametrize(
        "fault", ["garbage", "drop", "flip", "insert", "cut", "split", "drip", "late", "twice"]
    )
    def test_it_lives_with_a_line_that_spoils_every_fourth_frame(self, ready, fault):
        before = ready.able
        for _ in range(20):
            ready.emulator.line.fault(fault)
            ready.run(0.2, FORWARD)
            assert ready.board.ready
        ready.run(2.0, FORWARD)
        assert ready.able == before

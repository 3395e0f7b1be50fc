"""What the R-2's driver sends and believes, frame by frame; its emulated board, and the faults of its line."""

import math

import pytest

from boards.emulator import FAULTS, FaultyLine
from boards.mock.driver import MockR2
from boards.r2 import frames as wire
from boards.r2.driver import R2
from boards.r2.emulator import R2Emulator
from robotd.model.command import Command
from tests.boards.bench import world
from tests.boards.hand import BaseTalk

IDENTITY = {
    "version": 1, "started": 0, "max_speed": 250, "wheel_base": 220, "radius": 200,
    "ranges": [{"bearing": 0, "low": 40, "high": 800}], "bumps": [0],
}  # fmt: skip
SENSES = {
    "number": 1, "command": 0, "battery": 100, "pose_age": 0, "ranges_age": 0, "opening": 0, "lift": 0,
    "flags": {"charging": False, "bump": False, "beam": False, "stalled": False, "lifted": False},
    "parts": {"sound": 1, "wheels": 1, "gripper": 1, "positioning": 1, "motors": 1},
    "driven": [0, 0], "speeds": [0, 0], "ranges": [300], "pressed": 0, "bumps_dead": 0, "bumps_stuck": 0,
    "odometry": {"x": 0, "y": 0, "heading": 0, "accuracy": 0},
    "pose": {"x": 1000, "y": 2000, "heading": 0, "accuracy": 150},
}  # fmt: skip


class Talk(BaseTalk):
    """What it sends is given as (kind, fields)."""

    driver = R2

    def sent(self, now):
        return wire.FrameParser().feed(super().sent(now))

    def kinds(self, now):
        return [kind for kind, _ in self.sent(now)]

    def receive(self, now, **changes):
        self.board.receive(now, wire.frame(wire.SENSES, **{**SENSES, **changes}))

    def greet(self, now=0.0, **changes):
        assert self.kinds(now) == [wire.HELLO]
        self.board.receive(now, wire.frame(wire.IDENTITY, **{**IDENTITY, **changes}))
        self.receive(now)


def test_senses_before_an_identity_are_not_believed():
    talk = Talk()
    talk.sent(0.0)
    talk.receive(0.01)
    assert not talk.board.ready


def test_of_two_commands_only_the_newest_is_sent(talk):
    talk.board.command(0.1, Command(0.1, 0.1))
    talk.board.command(0.1, Command(-0.05, 0.2, opening=0.5, lift=None, tune=3))
    ((kind, fields),) = talk.sent(0.1)
    assert kind == wire.DRIVE
    assert (fields.left, fields.right, fields.opening, fields.lift) == (-50, 200, 500, wire.LEAVE)
    assert (fields.tune, fields.expiry) == (3, 500)
    assert talk.kinds(0.1) == []


def test_a_command_that_waited_is_sent_with_the_time_that_it_has_left(talk):
    talk.board.command(0.1, Command(0.1, 0.1))
    talk.receive(0.28)
    ((_, fields),) = talk.sent(0.3)
    assert 290 <= fields.expiry <= 300


def test_a_board_of_another_version_is_named_and_not_driven():
    talk = Talk()
    talk.sent(0.0)
    talk.board.receive(0.01, wire.frame(wire.IDENTITY, **{**IDENTITY, "version": 2}))
    talk.receive(0.02)
    assert not talk.board.ready
    assert "speaks version 2" in talk.missing(0.03)["mobile"]
    assert talk.board.command(0.03, Command(0.1, 0.1)).left == 0


def test_the_robot_files_limit_holds_below_the_boards_own():
    talk = Talk(max_speed_m_s=0.1)
    talk.greet()
    assert talk.board.capabilities(0.0).max_speed == 0.1
    assert talk.board.command(0.0, Command(0.2, 0.2)).left == 0.1


def test_a_board_states_only_what_it_has():
    talk = Talk()
    parts = {"sound": 0, "wheels": 0, "gripper": 0, "positioning": 0, "motors": 1}
    talk.greet(ranges=[], bumps=[])
    talk.receive(0.01, parts=parts, ranges=[], battery=255)
    assert talk.board.capabilities(0.01).resources == ("mobile",)
    assert talk.missing(0.01) == {}
    senses = talk.board.senses(0.01)
    assert (senses.wheels, senses.odometry, senses.pose, senses.grip, senses.battery) == (None,) * 5
    assert (senses.ranges, senses.bumps) == ((), ())


@pytest.mark.parametrize(
    ("changes", "resource", "words"),
    [
        ({"pose": {"x": 2_000_000, "y": 0, "heading": 0, "accuracy": 150}}, "positioning", "out of its range"),
        ({"pose": {"x": 0, "y": 0, "heading": 4000, "accuracy": 150}}, "positioning", "out of its range"),
        ({"pose_age": 60}, "positioning", "no fresh reading"),
        ({"ranges": [900]}, "front-range", "infrared at 0 degrees reads out of its range"),
        ({"ranges": [wire.NO_READING]}, "front-range", "is dead"),
        ({"ranges": [wire.STANDS_STILL]}, "front-range", "stands still"),
        ({"ranges_age": 255}, "front-range", "no fresh reading"),
        ({"opening": 1001}, "gripper", "out of its range"),
        ({"bumps_dead": 1}, "bumpers", "bump sensor at 0 degrees is dead"),
        ({"bumps_stuck": 1}, "bumpers", "stands still"),
        ({"parts": {**SENSES["parts"], "motors": 2}}, "mobile", "motors is dead"),
    ],
)
def test_a_reading_that_cannot_be_takes_its_part_along_and_a_good_one_brings_it_back(
    talk, changes, resource, words
):
    talk.receive(0.1, **changes)
    assert words in talk.missing(0.1)[resource]
    assert resource not in talk.board.capabilities(0.1).resources
    talk.receive(0.15)
    assert resource in talk.board.capabilities(0.15).resources
    assert talk.missing(0.15) == {}


def test_nothing_seen_is_no_fault_and_too_near_reads_as_the_nearest(talk):
    talk.receive(0.1, ranges=[wire.NOTHING])
    assert talk.board.senses(0.1).ranges[0].distance is None
    talk.receive(0.2, ranges=[10])
    assert talk.board.senses(0.2).ranges[0].distance == 0.04
    assert talk.missing(0.2) == {}


def test_a_position_that_stands_while_the_wheels_turn_is_noticed_without_the_boards_help(talk):
    for n in range(1, 20):
        talk.receive(n / 20, speeds=[100, 100])
    assert "stands still" in talk.missing(0.95)["positioning"]
    talk.receive(1.0, speeds=[100, 100], pose={"x": 1001, "y": 2000, "heading": 0, "accuracy": 150})
    assert "positioning" in talk.board.capabilities(1.0).resources


def test_senses_that_do_not_fit_the_identity_are_dropped_and_counted(talk):
    talk.receive(0.1, ranges=[300, 300])
    assert talk.board.counts == {"identity": 1}
    assert talk.board.senses(0.1).ages.wheels == pytest.approx(0.1)


def test_ages_grow_with_what_the_board_states_and_with_time(talk):
    talk.receive(0.1, pose_age=5, ranges_age=8)
    ages = talk.board.senses(0.15).ages
    assert (ages.wheels, ages.pose, ages.ranges) == pytest.approx((0.05, 0.10, 0.13))


FRAME = wire.frame(wire.HELLO, version=1)
DRIVE = {"number": 1, "left": 100, "right": 100, "opening": wire.LEAVE, "lift": wire.LEAVE, "tune": 255}


def switched_on():
    """An emulator after its first word, and what that was."""
    emulator = R2Emulator(MockR2(world(), "green"))
    return emulator, wire.FrameParser().feed(b"".join(emulator.transmit(0.0)))


def kinds(emulator, now):
    return [kind for kind, _ in wire.FrameParser().feed(b"".join(emulator.transmit(now)))]


def test_it_reports_unasked_that_it_was_switched_on_and_is_silent_until_it_is_greeted():
    emulator, sent = switched_on()
    assert [(kind, fields.started) for kind, fields in sent] == [(wire.IDENTITY, 1)]
    assert emulator.wake_at is None
    emulator.receive(0.1, FRAME)
    assert emulator.wake_at == 0.1
    assert kinds(emulator, 0.1) == [wire.IDENTITY]
    assert emulator.wake_at == pytest.approx(0.15)
    assert kinds(emulator, 0.15) == [wire.SENSES]


def test_it_drives_only_for_a_computer_that_has_greeted_it_and_stops_for_any():
    emulator, _ = switched_on()
    drive = wire.frame(wire.DRIVE, **DRIVE, expiry=500)
    emulator.receive(0.1, drive)
    assert emulator.body.driven(0.2) == (0, 0)
    emulator.receive(0.2, FRAME + drive)
    assert emulator.body.driven(0.3) == (0.1, 0.1)
    emulator.reboot(0.3)
    assert emulator.body.driven(0.3) == (0, 0)
    emulator.receive(0.4, FRAME + drive)
    emulator.receive(0.45, wire.HALT)
    assert emulator.body.driven(0.45) == (0, 0)


def sent(*faults, frames=1, times=1):
    """What becomes of `FRAME` on a line with faults: (time, bytes)."""
    line = FaultyLine(1, "green")
    for fault in faults:
        line.fault(fault, frames)
    for _ in range(times):
        line.send(0.0, FRAME)
    out = []
    while line.wake_at is not None:
        now = line.wake_at
        out += [(now, data) for data in line.take(now)]
    return out


def test_a_healthy_line_changes_nothing_and_a_fault_lasts_as_long_as_was_set():
    assert sent() == [(0.0, FRAME)]
    assert sent("mute", times=2) == [(0.0, FRAME)]
    assert sent("mute", frames=math.inf, times=9) == []


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"mute"}))
def test_each_fault_does_to_a_frame_what_its_words_state(fault):
    out = sent(fault)
    data, times = b"".join(piece for _, piece in out), [at for at, _ in out]
    lengths = {"garbage": 7, "drop": -1, "insert": 1, "cut": len(FRAME) // 2 - len(FRAME), "twice": len(FRAME)}
    assert len(data) - len(FRAME) == lengths.get(fault, 0)
    assert times == sorted(times)
    expected_end = {"split": 0.01, "drip": 0.02 * (len(FRAME) - 1), "late": 0.2}.get(fault, 0.0)
    assert times[-1] == pytest.approx(expected_end)
    assert (data == FRAME) == (fault in ("split", "drip", "late"))


def test_an_unknown_fault_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="it has: mute, garbage"):
        FaultyLine(1, "green").fault("static")

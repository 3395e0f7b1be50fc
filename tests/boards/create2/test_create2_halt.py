"""The halt of a Create 2: after every command, cut at every byte, the wheels stand and stay so."""

from __future__ import annotations

import pytest

from boards.create2 import frames as wire
from boards.create2.emulator import Create2Emulator
from boards.mock.r2 import MockR2
from tests.boards.bench import fast_world

NEVER_SAID = {wire.BAUD_RATE}  # cut and padded it would mean 300 baud: the driver changes the rate at no time


def commands():
    """Every command whole, with data that could be taken for commands; the longest song and lists."""
    for command, size in sorted(wire.DATA_BYTES.items()):
        if command not in NEVER_SAID:
            yield bytes([command]) + bytes([wire.STREAM] * size)
    yield wire.song(1, [(60, 64)] * 16)
    for command in (wire.STREAM, wire.QUERY):
        yield wire.listed(command, sorted(wire.PACKETS))
        yield wire.listed(command, wire.SENSED)


COMMANDS = list(commands())


@pytest.fixture(scope="module")
def robot():
    """An emulated robot; each test brings it to speed anew."""
    return Create2Emulator(MockR2(fast_world(), "green"))


def at_full_speed(emulator, now, mode):
    emulator.receive(now, bytes([wire.START, mode]) + wire.drive(400, 400))
    assert emulator.body.driven(now) == pytest.approx((0.4, 0.4))


@pytest.mark.parametrize("mode", [wire.SAFE, wire.FULL])
@pytest.mark.parametrize("whole", COMMANDS, ids=lambda whole: str(whole[0]))
def test_halt_stops_the_wheels_after_every_part_of_a_command_and_closes_the_interface(robot, whole, mode):
    """A13, A8."""
    now = robot.body.world.now
    for cut in range(1, len(whole)):
        robot._boots_until = 0.0
        robot._begun.clear()
        at_full_speed(robot, now, mode)
        robot.receive(now, whole[:cut])
        robot.receive(now, wire.HALT)
        assert robot.body.driven(now) == (0, 0)
        assert robot.mode == wire.OFF_MODE


def test_a_stop_without_padding_is_eaten(robot):
    now = robot.body.world.now
    at_full_speed(robot, now, wire.FULL)
    robot.receive(now, wire.listed(wire.STREAM, wire.SENSED)[:3] + wire.HALT.lstrip(b"\0"))
    assert robot.body.driven(now) != (0, 0)
    robot.receive(now, wire.HALT)
    assert robot.body.driven(now) == (0, 0)


def test_after_a_halt_nothing_moves_until_somebody_starts_the_interface_again(robot):
    now = robot.body.world.now
    at_full_speed(robot, now, wire.FULL)
    robot.receive(now, wire.HALT + wire.drive(400, 400))
    for n in range(1, 100):
        robot.transmit(now + n / 50)
    assert robot.body.driven(now + 2.0) == (0, 0)
    assert not robot.asleep
    assert robot.wake_at is None


def test_without_a_halt_the_robot_drives_on_for_ever(
    robot,
):
    """B8 of boards without a watchdog: nothing but the host stops it."""
    now = robot.body.world.now
    at_full_speed(robot, now, wire.FULL)
    for n in range(1, 101):
        robot.transmit(now + n / 10)
    assert robot.body.driven(now + 10.0) == pytest.approx((0.4, 0.4))

"""The halt of every board: after every message, cut at every byte, the wheels of its emulator stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from boards.create2 import frames as create2
from boards.firmata import frames as firmata
from boards.firmata.driver import Firmata
from boards.firmata.pins import FirmataSettings
from boards.kobuki import frames as kobuki
from boards.pioneer import frames as pioneer
from tests.boards.bench import Create2Bench, FirmataBench, KobukiBench, PioneerBench, ready

NEVER_SENT = {create2.BAUD_RATE}  # cut and padded it would mean 300 baud: the driver changes the rate at no time


@dataclass(frozen=True)
class Kit:
    """What brings a robot to speed, and the speed; the messages that are cut; those that the driver itself sends,
    which the first `short` bytes of the halt stop too; a stop that a cut message swallows."""

    bench: type[Any]
    fast: bytes
    speed: float
    messages: Sequence[bytes]
    halt: Callable[[Any], bytes]
    own: Sequence[bytes] = ()
    short: int = 0
    eaten: bytes = b""


def create2_messages():
    """Every command whole, with data that could be taken for commands; the longest song and lists."""
    for command, size in sorted(create2.DATA_BYTES.items()):
        if command not in NEVER_SENT:
            yield bytes([command]) + bytes([create2.STREAM] * size)
    yield create2.song(1, [(60, 64)] * 16)
    for command in (create2.STREAM, create2.QUERY):
        yield create2.listed(command, sorted(create2.PACKETS))
        yield create2.listed(command, create2.SENSED)


def create2_kit(mode):
    fast = bytes([create2.START, mode]) + create2.drive(400, 400)
    eaten = create2.listed(create2.STREAM, create2.SENSED)[:3] + create2.HALT.lstrip(b"\0")
    return Kit(Create2Bench, fast, 0.4, tuple(create2_messages()), lambda board: board.halt, eaten=eaten)


FIRMATA = (
    firmata.analogue(5, 255), firmata.analogue(20, 255), firmata.pin_mode(9, firmata.SERVO),
    firmata.pin_value(4, high=True), firmata.servo_config(9, 544, 2400), firmata.sampling(50),
    firmata.report_analogue(3), firmata.report_digital(1), firmata.sysex(firmata.CAPABILITY_QUERY),
    firmata.sysex(firmata.STATE_QUERY, b"\5"), firmata.port(0, 255), firmata.text(firmata.TEXT, b"", "x" * 60),
    b"\xf0", b"\xf9", b"\xff",
)  # fmt: skip


def firmata_kit(halt):
    fast = b"".join(firmata.pin_mode(pin, firmata.PWM) for pin in (5, 6))
    fast += b"".join(firmata.pin_value(pin, high=high) for pin, high in ((4, True), (7, False), (8, True)))
    fast += firmata.analogue(5, 255) + firmata.analogue(6, 255)
    eaten = firmata.sampling(50)[:3] + firmata.analogue(5, 0) + firmata.analogue(6, 0)
    return Kit(FirmataBench, fast, 0.25, FIRMATA, halt, eaten=eaten)


KOBUKI = (kobuki.drive(-400, 250), kobuki.request(kobuki.VERSIONS), kobuki.play(3), kobuki.STOP)
KOBUKI_OTHERS = (
    kobuki.packet((0x0D, bytes(range(13)))),
    kobuki.packet((0x0C, b"\xaa\x55"), (kobuki.SOUND, b"\xaa\x55\xaa")),
    *(kobuki.HEADER + bytes([length, 0]) for length in range(256)),  # cut behind any length that damage announces
)
FAST = pioneer.order(pioneer.VEL, 400)
PIONEER = (
    FAST, pioneer.order(pioneer.RVEL, -100), pioneer.order(pioneer.GRIPPER, 1), pioneer.order(pioneer.PULSE),
    pioneer.order(pioneer.ENABLE, 1), pioneer.order(pioneer.SETA, -1000),
    pioneer.order(pioneer.SAY, "\xfa\xfb" * 97),
    *(pioneer.HEADER + bytes([length, 0]) for length in range(256)),
)  # fmt: skip
KITS = {
    "create2-safe": create2_kit(create2.SAFE),
    "create2-full": create2_kit(create2.FULL),
    "firmata": firmata_kit(lambda board: board.halt),
    "firmata-no-robot-file": firmata_kit(lambda board: Firmata(FirmataSettings()).halt),
    "kobuki": Kit(KobukiBench, kobuki.drive(400, 0), 0.4, KOBUKI + KOBUKI_OTHERS, lambda board: board.halt,
                  KOBUKI, 26, KOBUKI[0][:5] + kobuki.STOP),
    "pioneer": Kit(PioneerBench, FAST, 0.4, PIONEER, lambda board: board.halt, (FAST,), 15),
}  # fmt: skip


class Robot:
    """The emulated robot of a kit."""

    def __init__(self, kit):
        self.kit, bench = kit, ready(kit.bench)
        self.emulator, self.now, self.halt = bench.emulator, bench.now, kit.halt(bench.board)

    @property
    def driven(self):
        return self.emulator.body.driven(self.now)

    def speed_up(self):
        """Forget what was cut before, and drive."""
        part = getattr(self.emulator, "_gathered", None) or self.emulator._begun
        part.clear()
        self.emulator._boots_until = 0.0
        self.emulator.receive(self.now, self.kit.fast)
        assert self.driven == pytest.approx((self.kit.speed, self.kit.speed))

    def take(self, data):
        self.emulator.receive(self.now, data)


@pytest.fixture(params=sorted(KITS))
def robot(request):
    return Robot(KITS[request.param])


def test_halt_stops_the_wheels_after_every_part_of_a_message(robot):
    """A13, A8."""
    for whole in robot.kit.messages:
        for cut in range(len(whole)):
            robot.speed_up()
            robot.take(whole[:cut])
            robot.take(robot.halt)
            assert robot.driven == (0, 0), (whole, cut)
            assert getattr(robot.emulator, "mode", create2.OFF_MODE) == create2.OFF_MODE
            assert getattr(robot.emulator, "connected", True)


@pytest.mark.parametrize("robot", [name for name, kit in KITS.items() if kit.own], indirect=True)
def test_what_the_driver_sends_is_stopped_by_the_first_bytes_of_the_halt(robot):
    for whole in robot.kit.own:
        for cut in range(len(whole)):
            robot.speed_up()
            robot.take(whole[:cut] + robot.halt[: robot.kit.short])
            assert robot.driven == (0, 0)


@pytest.mark.parametrize("robot", [name for name, kit in KITS.items() if kit.eaten], indirect=True)
def test_a_stop_alone_is_swallowed_by_a_message_that_was_cut(robot):
    robot.speed_up()
    robot.take(robot.kit.eaten)
    assert robot.driven != (0, 0)
    robot.take(robot.halt)
    assert robot.driven == (0, 0)


def test_without_a_halt_a_robot_without_a_watchdog_drives_on(robot):
    """B8 of boards without a watchdog: nothing but the computer stops it."""
    robot.speed_up()
    for _ in range(100):
        robot.now += 0.1
        robot.emulator.transmit(robot.now)
    drives_on = robot.kit.bench is not PioneerBench
    assert robot.driven == pytest.approx((robot.kit.speed * drives_on,) * 2)


def test_a_halted_create_2_does_not_move_until_its_interface_is_started():
    robot = Robot(KITS["create2-full"])
    robot.speed_up()
    robot.take(robot.halt + create2.drive(400, 400))
    for n in range(1, 100):
        robot.emulator.transmit(robot.now + n / 50)
    assert robot.driven == (0, 0)
    assert not robot.emulator.asleep
    assert robot.emulator.wake_at is None

"""`robotd halt` on ports with emulated robots at full speed behind them, and a command of their host cut short."""

from __future__ import annotations

import asyncio
import pkgutil
from typing import Any

import pytest

from boards.create2 import frames as create2_frames
from boards.firmata import frames as firmata_frames
from boards.kobuki import frames as kobuki_frames
from boards.mock.bodies import BodySpec
from boards.mock.r2 import MockR2
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from boards.pioneer import frames as pioneer_frames
from boards.r2 import frames as r2_frames
from robotd.__main__ import main
from robotd.files.plugins import Plugins
from robotd.sim.ptys import EmulatedPort
from tests.robotd.transport.serial_helper import Pty

DRIVE = r2_frames.frame(r2_frames.HELLO, version=1) + r2_frames.frame(
    r2_frames.DRIVE, number=1, left=200, right=200, opening=r2_frames.LEAVE, lift=r2_frames.LEAVE,
    tune=r2_frames.NO_TUNE, expiry=500,
)  # fmt: skip
GREETING = b"".join(pioneer_frames.order(step) for step in (0, 1, 2)) + b"".join(
    pioneer_frames.order(*order) for order in ((pioneer_frames.OPEN, 1), (pioneer_frames.ENABLE, 1))
)
ROBOTS = {  # what brings it to speed, a command cut short
    "create2": (
        bytes([128, 132]) + create2_frames.drive(200, 200),
        create2_frames.listed(create2_frames.STREAM, create2_frames.SENSED)[:4],
    ),
    "firmata": (
        b"".join(
            firmata_frames.pin_mode(pin, firmata_frames.PWM) + firmata_frames.analogue(pin, 216) for pin in (5, 6)
        ) + firmata_frames.pin_value(4, high=True) + firmata_frames.pin_value(8, high=True),
        firmata_frames.sampling(50)[:3],
    ),
    "kobuki": (
        kobuki_frames.drive(200, 0), kobuki_frames.drive(200, 0)[:5],
    ),
    "pioneer": (
        GREETING + pioneer_frames.order(pioneer_frames.VEL, 200),
        pioneer_frames.order(pioneer_frames.VEL, 200)[:3],
    ),
    "r2": (DRIVE, DRIVE[:-4]),
}  # fmt: skip


def driver_of(board: str) -> Any:
    return Plugins().get("robotd.boards", board)


def run(*arguments: str) -> int:
    return main(["halt", *map(str, arguments)])


@pytest.mark.parametrize("board", ROBOTS)
async def test_a_robot_at_full_speed_stands_when_its_port_is_halted(board):
    driver, (speed_up, cut) = driver_of(board), ROBOTS[board]
    emulator = pkgutil.resolve_name(driver.emulator)
    loop = asyncio.get_running_loop()
    now = loop.time()
    world = World(WorldSettings(spills=()), [BodySpec("green", "r2", 1)], 7, now)
    robot = emulator(MockR2(world, "green"))
    port = EmulatedPort(robot, driver(driver.Settings()).line.baud)
    try:
        port.kick()  # which switches some on
        robot.receive(now := loop.time(), speed_up + cut)
        port.kick()
        assert robot.body.driven(now) == pytest.approx((0.2, 0.2), abs=1e-9)
        assert await asyncio.to_thread(run, "--board", board, port.end.path) == 0
        for _ in range(200):  # a second: a Pioneer would stop by itself after two, most others never
            if robot.body.driven(loop.time()) == (0, 0):
                break
            await asyncio.sleep(0.005)
        assert robot.body.driven(loop.time()) == (0, 0)
    finally:
        port.close()


@pytest.mark.parametrize("board", ROBOTS)
def test_each_board_on_a_port_is_sent_its_own_halt(board, tmp_path):
    with Pty(tmp_path) as pty:
        assert run("--board", board, str(pty.link)) == 0
        assert pty.read() == driver_of(board)(driver_of(board).Settings()).halt

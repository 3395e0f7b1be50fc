"""A robot at full speed whose computer dies, and what udev starts there when it is back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path
from typing import NamedTuple

from robotd.experiments.stop.stage import NAME, Stage, as_hardware
from robotd.experiments.stop.trial import FULL
from robotd.guardian import halt_cache
from robotd.model.command import Command
from robotd.sim.ptys import EmulatedPort
from robotd.sim.seen import STANDS_M_S

AWAY_S, BACK_S = 10.0, 0.2
UP_TO_SPEED_S = 5.0  # greeting and all
SPIN = Command(-10.0, 10.0)
LOOK_S = 0.002
DRIVING, STANDING = "at full speed", "standing"


class Return(NamedTuple):
    """What became of the wheels of a robot whose computer died at full speed; times from its port's return, s.

    `goes_on`: nothing of its own stops it, as its driver says. `was`: when its port came back it was `DRIVING`,
    `STANDING`, or slower. `first_s`: until the halt's first byte came. `zero_s`: until the wheels stood, on the
    clock of the emulated world.
    """

    goes_on: bool
    was: str
    first_s: float
    zero_s: float


async def returned(board: str) -> Return:
    """Ten seconds without a host, then `robotd halt` as a process; TimeoutError where the robot never stands."""
    stage, loop = Stage(board, 1), asyncio.get_running_loop()
    await _speed_up(stage)
    await _alone(stage, loop.time() + AWAY_S)
    goes_on = stage.emulated.driver(stage, NAME).when_computer_dies.startswith("nothing")
    with stage.files("none") as folder, as_hardware():
        robot = _with_card(stage, folder)
        was = _motion(stage, loop.time())
        back_at = stage.world.now
        port = EmulatedPort(stage.emulator, stage.baud, stage.end)
        try:
            first_at, zero_at = await _halted(stage, robot)
        finally:
            port.close()
    return Return(goes_on, was, first_at - back_at, zero_at - back_at)


def _motion(stage: Stage, now: float) -> str:
    speed, commanded = stage.speed(now), stage.commanded(now)
    if commanded > 0 and speed >= FULL * commanded:
        return DRIVING
    return STANDING if speed <= STANDS_M_S and not commanded else f"at {speed:.2f} m/s"


async def _alone(stage: Stage, end: float) -> None:
    """Nobody says anything to the board, and nobody hears what it says."""
    loop = asyncio.get_running_loop()
    while loop.time() < end:
        stage.emulator.transmit(loop.time())
        await asyncio.sleep(0.02)


async def _speed_up(stage: Stage) -> None:
    """By its driver, without a line between; its last words stay as they were."""
    loop, driver = asyncio.get_running_loop(), stage.emulated.driver(stage, NAME)
    driver.connect(loop.time())
    end = loop.time() + UP_TO_SPEED_S
    while stage.commanded(loop.time()) < 0.1 or stage.speed(loop.time()) < FULL * stage.commanded(loop.time()):
        now = loop.time()
        if now > end:
            raise TimeoutError(f"{stage.board} does not get up to speed")
        driver.command(now, SPIN)
        stage.emulator.receive(now, b"".join(part for part in driver.transmit(now) if isinstance(part, bytes)))
        for part in stage.emulator.transmit(now):
            driver.receive(now, part)
        await asyncio.sleep(0.02)


def _with_card(stage: Stage, folder: Path) -> Path:
    robot = folder / "robot.toml"
    entry = halt_cache.Entry(stage.end.path, stage.baud, stage.halt.hex())
    robot.with_name(halt_cache.NAME).write_bytes(
        halt_cache.format_cache(robot.read_bytes(), sys.executable, halt_cache.HaltCache((entry,), complete=True))
    )
    return robot


def _as_its_unit() -> None:
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


async def _halted(stage: Stage, robot: Path) -> tuple[float, float]:
    """When the first byte came from the program that udev starts, and when the wheels stood after it."""
    loop = asyncio.get_running_loop()
    words = ("-m", "robotd", "halt", "--plugged", stage.end.path, str(robot))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdout=asyncio.subprocess.DEVNULL, preexec_fn=_as_its_unit
    )
    first_at: float | None = None
    async with asyncio.timeout(UP_TO_SPEED_S):
        while (
            stage.end.received < len(stage.halt)
            or stage.commanded(loop.time())
            or stage.speed(loop.time()) > STANDS_M_S
        ):
            if first_at is None and stage.end.received:
                first_at = stage.world.now
            await asyncio.sleep(LOOK_S)
    zero_at = stage.world.now
    await process.wait()
    return first_at if first_at is not None else zero_at, zero_at

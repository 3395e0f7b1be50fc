"""Line 2: at full speed, whatever becomes of the daemon, the port or the computer, the wheels stand in time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from robotd.experiments.stop.stage import NAME, Stage, as_hardware
from robotd.experiments.stop.trial import CAUSES, FULL, WITHIN_S
from robotd.guardian import halt_cache
from robotd.model.command import Command
from robotd.sim.emulated import BOARDS
from robotd.sim.ptys import EmulatedPort
from robotd.sim.seen import STANDS_M_S
from tests.accept.alliance.experiments import Output, Series, accomplished
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

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
    loop = asyncio.get_running_loop()
    while loop.time() < end:
        stage.emulator.transmit(loop.time())
        await asyncio.sleep(0.02)


async def _speed_up(stage: Stage) -> None:
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


SERIES = Series("stop", 1000, 30)


def in_time(output: Output) -> Found:
    """How many trials the wheels stood in, and, of many, that all boards and causes were among them."""
    rows = output.rows()
    found = accomplished(rows)
    drawn = {(row.get("board"), row.get("cause")) for row in rows}
    missing = [f"{board} {cause}" for board in BOARDS for cause in CAUSES if (board, cause) not in drawn]
    figure = found.figure + (f"; not drawn: {', '.join(missing)}" if missing else "")
    return Found(
        figure, f"{found.bound}, each board and cause", found.ok and (not missing or len(rows) < SERIES.runs)
    )


def times(output: Output, by: str) -> Found:
    groups: dict[str, list[float]] = {}
    for row in output.rows():
        groups.setdefault(str(row.get(by)), []).append(float(row.get("zero_s", "inf")))
    figure = ", ".join(
        f"{name}: {median(values):.3f}, worst {max(values):.3f} s" for name, values in sorted(groups.items())
    )
    worst = max(max(values) for values in groups.values())
    return Found(figure, f"at most {WITHIN_S} s", worst <= WITHIN_S)


def nothing_after(output: Output) -> Found:
    counts = [int(row["bytes_after"]) for row in output.rows() if "bytes_after" in row]
    return Found(f"{sum(counts)} bytes after {len(counts)} stops", "0 bytes", bool(counts) and not any(counts))


def computer_again(desk: Desk) -> Found:
    """A host that dies and starts again: `robotd halt` as udev has it started, for each robot that drives on."""

    def run() -> Mapping[str, Any]:
        return {board: asyncio.run(returned(board))._asdict() for board in BOARDS}

    found = {board: Return(**values) for board, values in desk.kept("computer again", run).items()}
    figure = "; ".join(f"{board} {_format(one)}" for board, one in found.items())
    goes_on = [one for one in found.values() if one.goes_on]
    stood = all(one.zero_s <= one.first_s + BACK_S for one in goes_on)
    as_said = all(one.was == (DRIVING if one.goes_on else STANDING) for one in found.values())
    bound = (
        f"those that nothing stops at full speed until then, the others standing; wheels at zero {BACK_S} s after "
        "the port's return and the program's start"
    )
    return Found(figure, bound, bool(goes_on) and stood and as_said)


def _format(one: Return) -> str:
    if not one.goes_on:
        return f"{one.was}, by itself" if one.was == STANDING else f"{one.was}, though it stops by itself"
    return (
        f"{one.was}, wheels at zero after {one.zero_s:.3f} s, {one.first_s / one.zero_s:.0%} of that the "
        f"program's start, {one.zero_s - one.first_s:.3f} s the rest"
    )


CHECKS = (
    SERIES.check("2.1", "wheels at zero, for good, in trials over boards, causes and bytes", in_time),
    SERIES.check("2.2", "median and worst by board", lambda output: times(output, "board")),
    SERIES.check("2.3", "median and worst by cause", lambda output: times(output, "cause")),
    SERIES.check("2.4", "nothing written afterwards", nothing_after),
    Check("2.7", "the computer dead for 10 s: wheels at zero 0.2 s after the port's return, beside the start of "
          "the halt that udev starts", "robotd halt --plugged PORT ROBOT.toml", computer_again),
)  # fmt: skip

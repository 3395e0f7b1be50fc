"""An emulator on a pseudo-terminal, for a process that writes faster than the line carries."""

import asyncio
import os
from pathlib import Path

import pytest

from robotd.config.load import find_mission
from robotd.sim.emulated import emulations
from robotd.sim.emulation import Emulation, devices_of, read_mission
from robotd.sim.process import RobotProcess
from robotd.sim.ptys import EmulatedPort
from tests.patience import WAIT_S
from tests.robotd.sim.test_lines import Device

BAUD = 9600


def test_what_waits_for_a_busy_line_is_looked_at_when_the_line_is_free_and_not_all_the_time() -> None:
    device = Device()

    async def play() -> int:
        port = EmulatedPort(device, BAUD)
        port.end.read_bytes = 16
        whole = asyncio.Event()

        def answer(data: bytes) -> bytes:
            if sum(len(part) for _, part in device.got) == 64:
                whole.set()
            return b""

        device.answer = answer
        selector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
        turns, select = 0, selector.select

        def turn(timeout: float | None) -> object:
            nonlocal turns
            turns += 1
            return select(timeout)

        selector.select = turn
        writer = os.open(port.end.path, os.O_WRONLY | os.O_NOCTTY)
        try:
            os.write(writer, bytes(64))
            async with asyncio.timeout(WAIT_S):
                await whole.wait()
        finally:
            os.close(writer)
            port.close()
        return turns

    assert 4 <= asyncio.run(play()) < 80


def test_a_port_that_is_closed_while_its_line_is_busy_stays_closed() -> None:
    device = Device()

    async def play() -> int:
        port = EmulatedPort(device, BAUD)
        writer = os.open(port.end.path, os.O_WRONLY | os.O_NOCTTY)
        os.write(writer, bytes(64))
        os.close(writer)
        await asyncio.sleep(0.001)
        port.close()
        before = len(device.got)
        await asyncio.sleep(0.1)
        return before

    assert asyncio.run(play()) == len(device.got)


def open_files() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


async def test_a_robot_that_cannot_be_started_leaves_no_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*words: object, **options: object) -> None:
        raise OSError("no process can be had")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    before = open_files()
    with pytest.raises(OSError, match="no process"):
        await RobotProcess("green", tmp_path, tmp_path).start()
    assert open_files() <= before


async def test_devices_of_which_one_cannot_be_emulated_leave_no_port() -> None:
    mission, known = read_mission(find_mission("patrol"), ()), emulations()
    devices = devices_of(["create2+xbee"], ("amber",), known, team=False)
    before = open_files()
    with pytest.raises(LookupError):
        Emulation(mission, devices, known._replace(radios={}), 1)
    assert open_files() <= before

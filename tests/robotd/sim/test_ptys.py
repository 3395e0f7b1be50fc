"""An emulator on a pseudo-terminal, for a process that writes faster than the line carries."""

import asyncio
import os

from robotd.sim.ptys import EmulatedPort
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
            async with asyncio.timeout(30.0):
                await whole.wait()
        finally:
            os.close(writer)
            port.close()
        return turns

    assert 4 <= asyncio.run(play()) < 80


def test_a_port_that_is_closed_while_its_line_is_busy_stays_closed() -> None:
    device = Device()

    async def play() -> None:
        port = EmulatedPort(device, BAUD)
        writer = os.open(port.end.path, os.O_WRONLY | os.O_NOCTTY)
        os.write(writer, bytes(64))
        os.close(writer)
        await asyncio.sleep(0.001)
        port.close()
        await asyncio.sleep(0.1)

    asyncio.run(play())
    assert sum(len(data) for _, data in device.got) < 64

"""What befalls a board that drives: nothing moves afterwards until acknowledged, and the status says why."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from robotd.loop import run_virtual
from robotd.model.inputs import Order
from robotd.model.streams import Stream
from robotd.sim.emulated import BOARDS
from tests.robotd.cable import Ride

AWAY_S = 3.0  # longer than any board's patience with a silent line
USABLE_S = 12.0  # a Create 2 takes five seconds to boot, and a silent line is asked for at growing intervals


async def garbage(ride: Ride) -> None:
    """Arbitrary bytes instead of what the board says."""
    ride.cable.garbage = Stream(1, "garbage", "bytes")
    await asyncio.sleep(AWAY_S)
    ride.cable.garbage = None


async def mute(ride: Ride) -> None:
    """The board says nothing, and goes on listening."""
    ride.emulator.line.fault("mute", float("inf"))
    await asyncio.sleep(AWAY_S)
    ride.emulator.line.fault("mute", 0)


async def unplugged(ride: Ride) -> None:
    """The cable is pulled."""
    ride.cable.unplug()
    await asyncio.sleep(AWAY_S)
    ride.cable.plugged = True


async def rebooted(ride: Ride) -> None:
    """The board is switched off and on."""
    ride.emulator.reboot(ride.now)


HAPPENINGS: dict[Callable[[Ride], Awaitable[None]], tuple[str, str]] = {
    garbage: ("board-silent", "nothing that can be read"),
    mute: ("board-silent", "nothing"),
    unplugged: ("port-lost", "the device hung up"),
    rebooted: ("board-restarted", "started anew"),
}


def ridden(board: str, scene: Callable[[Ride], Awaitable[Any]]) -> None:
    """Play a scene with a robot at full speed."""

    async def play() -> None:
        ride = Ride(board)
        try:
            await ride.at_speed()
            await scene(ride)
        finally:
            await ride.close()

    run_virtual(play())


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("happens", HAPPENINGS, ids=lambda happens: happens.__name__)
def test_after_it_nothing_moves_until_acknowledged_and_the_status_says_what_and_what_to_do(board, happens) -> None:
    fault, words = HAPPENINGS[happens]

    async def scene(ride: Ride) -> None:
        await happens(ride)
        await ride.until(lambda: not ride.rolls, 0.8)
        usable = asyncio.ensure_future(
            ride.until(lambda: "mobile" in ride.driver.capabilities(ride.now).resources, USABLE_S)
        )
        while not usable.done():
            await ride.stands_for(0.05)
        usable.result()
        await ride.stands_for(2.0)
        state = ride.status["state"]
        assert fault in ride.faults
        assert (state["word"], state["next_step"]) == ("faulted", "mend the cause, then robotd ack")
        assert f"{fault}: " in state["reason"]
        assert words in state["reason"]
        ride.robot.submit(Order("acknowledge", by="test"))
        await ride.at_speed()
        assert ride.faults == []

    ridden(board, scene)


@pytest.mark.parametrize("board", BOARDS)
def test_a_noisy_line_is_no_fault(board) -> None:
    async def scene(ride: Ride) -> None:
        for _ in range(8):
            ride.emulator.line.fault("flip")
            await asyncio.sleep(0.3)
            assert ride.faults == []
        assert ride.rolls

    ridden(board, scene)

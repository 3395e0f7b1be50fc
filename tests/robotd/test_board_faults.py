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

AWAY_S = 2.5  # longer than any board's patience with a silent line
PULLED_S, BACK_S = 10.0, 0.2
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
    """The cable is pulled; some boards stop by themselves then, and all as soon as it is back."""
    ride.cable.unplug()
    await asyncio.sleep(PULLED_S)
    assert ride.rolls == ride.driver.when_computer_dies.startswith("nothing")
    ride.cable.plugged = True
    assert await ride.until(lambda: not ride.rolls, BACK_S) <= BACK_S


async def rebooted(ride: Ride) -> None:
    """The board is switched off and on."""
    ride.emulator.reboot(ride.now)


HAPPENINGS: dict[Callable[[Ride], Awaitable[None]], dict[str, str]] = {
    garbage: {"board-silent": "nothing that can be read"},
    mute: {"board-silent": "nothing"},
    unplugged: {"port-lost": "the device hung up"},
    rebooted: {
        "board-restarted": "started anew",
        "board-silent": "nothing",
    },  # one that boots for long is silent
}
"""By what happens the faults that it may be, and words of each."""


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
    possible = HAPPENINGS[happens]

    async def scene(ride: Ride) -> None:
        await happens(ride)
        await ride.until(lambda: not ride.rolls, 0.8)
        await ride.until(lambda: possible.keys() & ride.faults, 1.5)
        usable = asyncio.ensure_future(
            ride.until(lambda: "mobile" in ride.driver.capabilities(ride.now).resources, USABLE_S)
        )
        while not usable.done():
            await ride.stands_for(0.05)
        usable.result()
        await ride.stands_for(1.0)
        state = ride.status["state"]
        fault = next(name for name in possible if name in ride.faults)
        assert (state["word"], state["next_step"]) == ("faulted", "mend the cause, then robotd ack")
        assert f"{fault}: " in state["reason"]
        assert possible[fault] in state["reason"]
        ride.robot.submit(Order("acknowledge", by="test"))
        await ride.at_speed()
        assert fault not in ride.faults

    ridden(board, scene)


@pytest.mark.parametrize("board", BOARDS)
def test_a_robot_whose_computer_starts_anew_stands_at_the_halt_that_comes_first(board) -> None:
    async def scene(ride: Ride) -> None:
        await ride.freeze()
        await asyncio.sleep(PULLED_S)
        assert ride.rolls == ride.driver.when_computer_dies.startswith("nothing")
        ride.cable.put(ride.driver.halt)
        assert await ride.until(lambda: not ride.rolls, BACK_S) <= BACK_S
        await ride.stands_for(1.0)

    ridden(board, scene)


@pytest.mark.parametrize("board", BOARDS)
def test_a_noisy_line_is_no_fault(board) -> None:
    async def scene(ride: Ride) -> None:
        for _ in range(4):
            ride.emulator.line.fault("flip")
            await asyncio.sleep(0.3)
            assert ride.faults == []
        assert ride.rolls

    ridden(board, scene)

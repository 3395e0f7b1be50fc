"""What befalls a board that drives: nothing moves afterwards until acknowledged, and the status has the reason."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from boards.body import Body
from boards.create2.driver import Create2, Create2Settings
from boards.mock.scenario import apply
from robotd.model.inputs import Order
from robotd.model.senses import Ages, Capabilities, Senses
from robotd.model.streams import Stream
from robotd.robot.faults import BoardWatch, Faults
from robotd.sim.emulated import emulations
from robotd.timing.virtual_loop import run_virtual
from tests.robotd.robot.stand_ins import FakeBoard
from tests.robotd.transport.cable import Ride

BOARDS = emulations().boards

AWAY_S = 2.5  # longer than any board's patience with a silent line
PULLED_S, BACK_S = 10.0, 0.2
AWAY = Senses(ages=Ages(9.0, 9.0, 9.0, 9.0))
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
    rebooted: {"board-restarted": "started anew", "board-silent": "nothing"},  # one that boots for long is silent
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
def test_after_it_nothing_moves_until_acknowledged_and_the_status_has_what_and_what_to_do(board, happens) -> None:
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
        assert (state["word"], state["next_step"]) == ("faulted", "robotd ack")
        assert f"{fault}: " in state["reason"]
        assert possible[fault] in state["reason"]
        ride.robot.submit(Order("acknowledge", by="test"))
        await ride.at_speed()
        assert fault not in ride.faults

    ridden(board, scene)


@pytest.mark.parametrize("board", BOARDS)
def test_a_robot_whose_computer_starts_anew_rests_at_the_halt_that_comes_first(board) -> None:
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


@pytest.mark.parametrize("after", [0.0, 0.02, 0.04])
def test_a_create_2_that_restarts_quickly_and_whose_report_of_it_is_lost_is_held_too(after) -> None:
    async def scene(ride: Ride) -> None:
        await asyncio.sleep(after)
        ride.emulator.boot_s = 0.3
        ride.emulator.line.fault("mute")
        ride.emulator.reboot(ride.now)
        await ride.until(lambda: "board-silent" in ride.faults, 1.2)
        await ride.until(lambda: not ride.rolls, 0.1)
        await ride.stands_for(3.0)
        assert "mobile" in ride.driver.capabilities(ride.now).resources

    ridden("create2", scene)


@pytest.mark.parametrize("away", [0.1, 0.5, 0.9])
def test_a_create_2_whose_line_is_away_for_less_than_a_second_goes_on_in_its_mode_by_itself(away) -> None:
    async def scene(ride: Ride) -> None:
        ride.emulator.line.fault("mute", float("inf"))
        await asyncio.sleep(away)
        ride.emulator.line.fault("mute", 0)
        await ride.at_speed()
        assert ride.faults == []
        assert ride.driver.drive_mode_exits == 0

    ridden("create2", scene)


def test_who_presses_the_button_of_a_create_2_has_stopped_it_until_somebody_acknowledges() -> None:
    async def scene(ride: Ride) -> None:
        ride.emulator.clean(ride.now)
        await ride.until(lambda: "board-left-mode" in ride.faults, 0.1)
        await ride.until(lambda: not ride.rolls, 0.5)
        await ride.stands_for(2.0)
        assert "was a button on it pressed?" in ride.status["state"]["reason"]
        ride.robot.submit(Order("acknowledge", by="test"))
        await ride.at_speed()
        assert ride.faults == []

    ridden("create2", scene)


def test_a_mode_that_a_base_with_add_ons_left_is_a_fault_and_a_board_without_modes_has_none() -> None:
    base = Create2(Create2Settings())
    for board in (base, Body(base, ()), FakeBoard()):
        faults = Faults()
        watch = BoardWatch(board, faults)
        base.drive_mode_exits += 1
        watch.look(1.0, Senses(), Capabilities())
        opened = [fault.name for fault in faults.open() if fault.name != "board-silent"]
        assert opened == ([] if isinstance(board, FakeBoard) else ["board-left-mode"])


def test_a_board_that_is_silent_when_its_lost_port_was_acknowledged_is_a_fault_then() -> None:
    faults = Faults()
    watch = BoardWatch(FakeBoard(), faults)
    faults.open_fault("port-lost", "the device hung up", 0.0)
    for now in (1.0, 2.0):
        watch.look(now, AWAY, Capabilities())
        assert [fault.name for fault in faults.open()] == ["port-lost"]
    faults.clear("port-lost")
    faults.acknowledge(3.0)
    watch.look(3.0, AWAY, Capabilities())
    assert [fault.name for fault in faults.open()] == ["board-silent"]


@pytest.mark.parametrize("board", ["create2", "kobuki", "r2"])
def test_a_robot_that_is_lifted_rests_and_continues_when_it_is_set_down(board) -> None:
    async def scene(ride: Ride) -> None:
        apply(ride.world, "remove", "red", "", ride.now)
        await ride.until(lambda: not ride.rolls, 0.5)
        await ride.until(lambda: ride.driver.senses(ride.now).lifted, 0.5)
        await ride.stands_for(1.0)
        apply(ride.world, "return", "red", "", ride.now)
        await ride.at_speed()
        assert ride.faults == []

    ridden(board, scene)

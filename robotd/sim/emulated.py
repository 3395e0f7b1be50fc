"""Robots whose boards and modems speak their real bytes to emulators, over lines in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from boards.mock.emulator import R2Emulator
from boards.mock.r2 import MockR2
from boards.mock.world import World
from boards.r2 import R2
from radio.mock.channel import Channel
from radio.mock.emulator import TransparentEmulator
from radio.mock.modem import MockModem
from radio.mock.reyax import ReyaxEmulator
from radio.mock.udp import UdpEmulator
from radio.mock.xbee import XBeeEmulator
from radio.reyax import Reyax
from radio.transparent import Transparent
from radio.udp import Udp
from radio.xbee import XBee
from robotd.sim.attach import MOCK, Attached
from robotd.sim.lines import End, Line

if TYPE_CHECKING:
    from robotd.sim.team import Team


@dataclass(frozen=True)
class Emulated:
    """A device's driver, its emulator for a robot of a team at an instant, and the settings that both go by."""

    driver: Callable[[], Any]
    emulator: Callable[[Desk, str, float], End]
    parameters: Mapping[str, Any] = field(default_factory=dict)  # as the robot file has them


class Desk(Protocol):
    """Where emulators find the world and the air."""

    world: World
    channel: Channel

    @property
    def numbers(self) -> Mapping[str, int]:
        """Every robot's number by name."""


LORA: Mapping[str, Any] = {"band_hz": 869_525_000}  # where Europe allows 10 % of the time

BOARDS: Mapping[str, Emulated] = {
    "r2": Emulated(
        lambda: R2(R2.Settings()), lambda desk, name, now: R2Emulator(MockR2(desk.world, name), desk.world.seed)
    ),
}
RADIOS: Mapping[str, Emulated] = {
    "transparent": Emulated(
        lambda: Transparent(Transparent.Settings()),
        lambda desk, name, now: TransparentEmulator(desk.channel, desk.numbers[name], now),
    ),
    "xbee": Emulated(
        lambda: XBee(XBee.Settings()),
        lambda desk, name, now: XBeeEmulator(desk.channel, desk.numbers[name], now),
    ),
    "reyax": Emulated(
        lambda: Reyax(Reyax.Settings(**LORA)),
        lambda desk, name, now: ReyaxEmulator(desk.channel, desk.numbers[name], now),
        LORA,
    ),
    "udp": Emulated(
        lambda: Udp(Udp.Settings()),
        lambda desk, name, now: UdpEmulator(desk.channel, desk.numbers[name], now),
    ),
}


def attach_emulated(team: Team, name: str, board: str, radio: str) -> Attached:
    """Board and modem of a robot, each direct (`mock`) or behind a line with its emulator at the other end."""
    now = asyncio.get_running_loop().time()
    lines: list[Line] = []

    def behind_line(emulated: Emulated) -> Any:
        driver = emulated.driver()
        driver.connect(now)
        line = Line(driver, emulated.emulator(team, name, now), driver.line.baud)
        lines.append(line)
        return driver

    body = MockR2(team.world, name) if board == MOCK else behind_line(BOARDS[board])
    modem = MockModem(team.channel, team.numbers[name]) if radio == MOCK else behind_line(RADIOS[radio])

    def kick() -> None:
        for line in lines:
            line.kick()

    def detach() -> None:
        team.channel.unwatch(kick)
        for line in lines:
            line.close()

    team.channel.watch(kick)
    kick()
    return Attached(body, modem, kick, detach)

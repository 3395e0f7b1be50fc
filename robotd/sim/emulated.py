"""Robots whose boards and modems speak their real bytes to emulators, over lines in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from boards.create2 import Create2
from boards.firmata import Firmata
from boards.kobuki import Kobuki
from boards.mock.emulators import Create2Emulator, FirmataEmulator, KobukiEmulator, PioneerEmulator, R2Emulator
from boards.mock.emulators.firmata import WIRING
from boards.mock.r2 import MockR2
from boards.mock.world import World
from boards.pioneer import Pioneer
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


class Desk(Protocol):
    """Where emulators find the world and the air."""

    world: World
    channel: Channel

    @property
    def numbers(self) -> Mapping[str, int]:
        """Every robot's number by name."""


def _defaults(desk: Desk, name: str) -> dict[str, Any]:
    """No table: every setting as the plug-in has it."""
    return {}


def _no_faster_than_its_body(desk: Desk, name: str) -> dict[str, Any]:
    """For robots whose greatest speed, 0.5 m/s, is beyond that of the world's bodies; 0.1 is what they can set."""
    return {"max_speed_m_s": min(max(desk.world.top_speed(name), 0.1), 0.5)}


def _wired(desk: Desk, name: str) -> dict[str, Any]:
    """For an Arduino: what hangs on the emulated one's pins."""
    return dict(WIRING)


def _in_europe(desk: Desk, name: str) -> dict[str, Any]:
    """For LoRa modems: a carrier on which Europe allows 10 % of the time."""
    return {"band_hz": 869_525_000}


@dataclass(frozen=True)
class Emulated:
    """A device's driver, its emulator for a robot of a team at an instant, and its table of the robot file."""

    plugin: Any
    emulator: Callable[[Desk, str, float], End]
    parameters: Callable[[Desk, str], dict[str, Any]] = _defaults

    def driver(self, desk: Desk, name: str) -> Any:
        """The driver for a robot of a team."""
        return self.plugin(self.plugin.Settings(**self.parameters(desk, name)))


def _board(plugin: Any, emulator: Any, parameters: Callable[[Desk, str], dict[str, Any]] = _defaults) -> Emulated:
    """A board whose emulator is made for a body and the seed of its faults."""
    return Emulated(
        plugin, lambda desk, name, now: emulator(MockR2(desk.world, name), desk.world.seed), parameters
    )


BOARDS: Mapping[str, Emulated] = {
    "create2": _board(Create2, Create2Emulator, _no_faster_than_its_body),
    "firmata": _board(Firmata, FirmataEmulator, _wired),
    "kobuki": _board(Kobuki, KobukiEmulator, _no_faster_than_its_body),
    "pioneer": _board(Pioneer, PioneerEmulator, _no_faster_than_its_body),
    "r2": _board(R2, R2Emulator),
}
RADIOS: Mapping[str, Emulated] = {
    "transparent": Emulated(
        Transparent, lambda desk, name, now: TransparentEmulator(desk.channel, desk.numbers[name], now)
    ),
    "xbee": Emulated(XBee, lambda desk, name, now: XBeeEmulator(desk.channel, desk.numbers[name], now)),
    "reyax": Emulated(
        Reyax, lambda desk, name, now: ReyaxEmulator(desk.channel, desk.numbers[name], now), _in_europe
    ),
    "udp": Emulated(Udp, lambda desk, name, now: UdpEmulator(desk.channel, desk.numbers[name], now)),
}


def attach_emulated(team: Team, name: str, board: str, radio: str) -> Attached:
    """Board and modem of a robot, each direct (`mock`) or behind a line with its emulator at the other end."""
    now = asyncio.get_running_loop().time()
    lines: list[Line] = []

    def behind_line(emulated: Emulated) -> Any:
        driver = emulated.driver(team, name)
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

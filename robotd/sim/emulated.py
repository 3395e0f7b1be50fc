"""Robots whose boards and modems speak their real bytes to emulators, over lines in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from boards.create2.driver import Create2
from boards.firmata.driver import Firmata
from boards.firmata.emulator import WIRING
from boards.kobuki.driver import Kobuki
from boards.maestro.driver import Maestro
from boards.maestro.emulator import WIRING as SERVOS
from boards.mock.emulators import (
    Create2Emulator,
    FirmataEmulator,
    KobukiEmulator,
    MaestroEmulator,
    PioneerEmulator,
    PositioningEmulator,
    R2Emulator,
)
from boards.mock.r2 import MockR2
from boards.mock.world import World
from boards.pioneer.driver import Pioneer
from boards.pioneer.emulator import HULL
from boards.positioning.driver import Positioning
from boards.r2.driver import R2
from radio.mock.airs import Airs
from radio.reyax.emulator import ReyaxEmulator
from radio.reyax.modem import Reyax
from radio.transparent.emulator import TransparentEmulator
from radio.transparent.modem import Transparent
from radio.udp.emulator import UdpEmulator
from radio.udp.modem import Udp
from radio.xbee.emulator import XBeeEmulator
from radio.xbee.modem import XBee
from radio.zenoh.emulator import ZenohEmulator
from radio.zenoh.modem import Zenoh
from robotd.sim.lines import End, Line

MOCK = "mock"  # a board or modem without a protocol between


class EmulationContext(Protocol):
    """Where emulators find the world and the airs."""

    @property
    def world(self) -> World:
        """Where the bodies are."""

    @property
    def airs(self) -> Airs:
        """What the modems hear."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each by name."""


def _defaults(desk: EmulationContext, name: str) -> dict[str, Any]:
    """No table: every setting as the plug-in has it."""
    return {}


def _no_faster_than_its_body(desk: EmulationContext, name: str) -> dict[str, Any]:
    """For robots whose greatest speed, 0.5 m/s, is beyond that of the world's bodies; 0.1 is what they can set."""
    return {"max_speed_m_s": min(max(desk.world.top_speed(name), 0.1), 0.5)}


def _on_its_hull(desk: EmulationContext, name: str) -> dict[str, Any]:
    """For a Pioneer: no faster than its body, its sonars where those of the emulated one look from."""
    return {**HULL, **_no_faster_than_its_body(desk, name)}


def _wired(desk: EmulationContext, name: str) -> dict[str, Any]:
    """For an Arduino: what hangs on the emulated one's pins."""
    return dict(WIRING)


def _on_servos(desk: EmulationContext, name: str) -> dict[str, Any]:
    """For a Maestro: what hangs on the emulated one's channels."""
    return dict(SERVOS)


def _in_europe(desk: EmulationContext, name: str) -> dict[str, Any]:
    """For LoRa modems: a carrier on which Europe allows 10 % of the time."""
    return {"band_hz": 869_525_000}


@dataclass(frozen=True)
class Emulated:
    """A device's driver, its emulator for a robot of a team at an instant, and its table of the robot file."""

    plugin: Any
    emulator: Callable[[EmulationContext, str, float], End]
    parameters: Callable[[EmulationContext, str], dict[str, Any]] = _defaults

    def driver(self, desk: EmulationContext, name: str) -> Any:
        """The driver for a robot of a team."""
        return self.plugin(self.plugin.Settings(**self.parameters(desk, name)))

    def behind_line(self, desk: EmulationContext, name: str, now: float) -> tuple[Any, Line]:
        """A driver, connected, with its emulator at the other end of a line."""
        driver = self.driver(desk, name)
        driver.connect(now)
        return driver, Line(driver, self.emulator(desk, name, now), driver.line.baud)


def _board(
    plugin: Any, emulator: Any, parameters: Callable[[EmulationContext, str], dict[str, Any]] = _defaults
) -> Emulated:
    """A board whose emulator is made for a body and the seed of its faults."""
    return Emulated(
        plugin, lambda desk, name, now: emulator(MockR2(desk.world, name), desk.world.seed), parameters
    )


BOARDS: Mapping[str, Emulated] = {
    "create2": _board(Create2, Create2Emulator, _no_faster_than_its_body),
    "firmata": _board(Firmata, FirmataEmulator, _wired),
    "kobuki": _board(Kobuki, KobukiEmulator, _no_faster_than_its_body),
    "pioneer": _board(Pioneer, PioneerEmulator, _on_its_hull),
    "r2": _board(R2, R2Emulator),
}
ADD_ONS: Mapping[str, Emulated] = {
    "maestro": _board(Maestro, MaestroEmulator, _on_servos),
    "positioning": _board(Positioning, PositioningEmulator),
}


def _radio(kind: str, plugin: Any, emulator: Any, parameters: Any = _defaults) -> Emulated:
    """A modem whose emulator is made for an air and a number in it."""
    return Emulated(
        plugin, lambda desk, name, now: emulator(desk.airs.of(kind), desk.numbers[name], now), parameters
    )


RADIOS: Mapping[str, Emulated] = {
    "transparent": _radio("transparent", Transparent, TransparentEmulator),
    "xbee": _radio("xbee", XBee, XBeeEmulator),
    "reyax": _radio("reyax", Reyax, ReyaxEmulator, _in_europe),
    "udp": _radio("udp", Udp, UdpEmulator),
    "zenoh": _radio("zenoh", Zenoh, ZenohEmulator),
}

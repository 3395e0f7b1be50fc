"""Robots whose boards and modems speak their real bytes to emulators, over lines in memory."""

import contextlib
import functools
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from boards.contract import BoardPlugin, plugin_of
from boards.mock.driver import MockR2
from boards.mock.world import World
from radio.contract import RadioPlugin
from radio.contract import plugin_of as radio_plugin_of
from radio.mock.channel import Channels
from robotd.files.plugins import INSTALLED, Plugins
from robotd.model.value import value
from robotd.sim.lines import End, Line

MOCK = "mock"  # a board or modem without a protocol between
NONE = "none"  # the board of a member without wheels


class EmulationContext(Protocol):
    """Where emulators find the world and the airs."""

    @property
    def world(self) -> World:
        """Where the bodies are."""

    @property
    def airs(self) -> Channels:
        """What the modems hear."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each by name."""


def _defaults(context: EmulationContext, name: str) -> dict[str, Any]:
    """No table: every setting as the plug-in has it."""
    return {}


@value
class Emulated:
    """A device's driver, its emulator for a robot of a team at an instant, and its table of the robot file."""

    plugin: Any
    emulator: Callable[[EmulationContext, str, float], End]
    parameters: Callable[[EmulationContext, str], dict[str, Any]] = _defaults

    def driver(self, context: EmulationContext, name: str) -> Any:
        """The driver for a robot of a team."""
        return self.plugin(self.plugin.Settings(**self.parameters(context, name)))

    def behind_line(self, context: EmulationContext, name: str, now: float) -> tuple[Any, Line]:
        """A driver, connected, with its emulator at the other end of a line."""
        driver = self.driver(context, name)
        driver.connect(now)
        return driver, Line(driver, self.emulator(context, name, now), driver.line.baud)


def _board(plugin: BoardPlugin) -> Emulated:
    """A board whose emulator is made for a body and the seed of its faults."""

    def emulator(context: EmulationContext, name: str, now: float) -> End:
        made: End = emulator_of(plugin)(MockR2(context.world, name), context.world.seed)
        return made

    def parameters(context: EmulationContext, name: str) -> dict[str, Any]:
        return dict(emulator_of(plugin).parameters(context.world.top_speed(name)))

    return Emulated(plugin.make, emulator, parameters)


def emulator_of(plugin: BoardPlugin | RadioPlugin) -> Any:
    """The class that a plug-in names as its emulator, also in a module beside the plug-in's file."""
    with _importable(Path(inspect.getfile(plugin.make)).parent):
        return pkgutil.resolve_name(plugin.emulator)


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """While inside, modules of `folder` can be imported, after all others."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _radio(kind: str, radio: RadioPlugin) -> Emulated:
    """A modem, with the emulator that it names for an air and a number in it."""

    def emulator(context: EmulationContext, name: str, now: float) -> Any:
        return emulator_of(radio)(context.airs.of(kind), context.numbers[name], now)

    return Emulated(radio.make, emulator, lambda context, name: dict(radio.emulated))


class Emulations(NamedTuple):
    """The boards, add-ons and modems that have an emulator, by name."""

    boards: Mapping[str, Emulated]
    add_ons: Mapping[str, Emulated]
    radios: Mapping[str, Emulated]


@functools.lru_cache(maxsize=8)
def emulations(plugins: Plugins = INSTALLED) -> Emulations:
    """Those of installed packages, and of the plug-in files in `plugins`; it imports every driver and modem."""
    of = ((name, plugin_of(plugins.get("robotd.boards", name))) for name in plugins.names("robotd.boards"))
    boards = [(name, one) for name, one in of if one.emulator]
    modems = (
        (name, radio_plugin_of(plugins.get("robotd.radios", name))) for name in plugins.names("robotd.radios")
    )
    return Emulations(
        {name: _board(one) for name, one in boards if not one.add_on},
        {name: _board(one) for name, one in boards if one.add_on},
        {name: _radio(name, one) for name, one in modems if one.emulator},
    )

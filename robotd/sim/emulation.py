"""Emulated boards and modems that other programs open: `robotd emulate` puts each behind a port of its own."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from boards.contract import plugin_of
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from radio.mock.channel import Channels
from robotd.config.load import Mission, load_mission
from robotd.files.nearest import unknown
from robotd.sim.airs import air
from robotd.sim.emulated import Emulated, Emulations
from robotd.sim.ptys import EmulatedPort, PortEnd, PtyEnd, TcpEnd, end_for

TOP_SPEED = 0.6  # m/s of a wheel: beyond what any driver commands by default
PARTS = ("board", "add-on", "radio")
SHARED = "shared"  # the one air of all modems


class Device(NamedTuple):
    """An emulated device of a robot; `part`: one of `PARTS`."""

    robot: str
    part: str
    name: str


def read_mission(path: Path, plugins: Sequence[str]) -> Mission:
    """The mission at `path` in a world as fast as real boards; ConfigError."""
    return load_mission(path, {"world.max_speed_m_s": TOP_SPEED}, plugins=plugins)


def devices_of(texts: Sequence[str], robots: Sequence[str], known: Emulations, *, team: bool) -> list[Device]:
    """What `[ROBOT=]KIND[+KIND...]` ask for; without ROBOT for the next robot, or in a `team` for each.

    ValueError for an unknown kind or robot, two boards or two radios of one robot, and more than there are robots.
    """
    found: list[Device] = []
    for text in texts:
        robot, equals, kinds = text.rpartition("=")
        if equals and robot not in robots:
            raise ValueError(f"{text}: {unknown('robot', robot, robots)}")
        taken = {device.robot for device in found}
        free = [name for name in robots if team or name not in taken]
        if not (equals or free):
            raise ValueError(f"{text}: the mission has {len(robots)} robots, and each has its devices already")
        for owner in [robot] if equals else free if team else free[:1]:
            found += [Device(owner, _part_of(kind, known, text), kind) for kind in kinds.split("+")]
    _refuse_twins(found)
    return found


def _part_of(kind: str, known: Emulations, text: str) -> str:
    for part, names in zip(PARTS, known, strict=True):
        if kind in names:
            return part
    there = [name for names in known for name in names]
    raise ValueError(f"{text}: {unknown('emulated board, add-on or radio', kind, there)}")


def _refuse_twins(devices: Sequence[Device]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for robot, part, name in devices:
        key = (robot, name if part == "add-on" else part)
        if key in seen:
            raise ValueError(f"{robot} has two devices of one kind, {seen[key]} and {name}: expected one {part}")
        seen[key] = name


class Emulation:
    """The bodies of some robots in a mission's room and their modems in one air, each device behind a port.

    All modems receive each other, whatever their kinds, with the mission's loss. `tcp`: the first of the TCP ports
    on this computer for lines of bytes, 0 for free ones, None for pseudo-terminals. Call `advance` now and then:
    the room is not simulated while no one asks. OSError where a port cannot be had.
    """

    def __init__(
        self, mission: Mission, devices: Sequence[Device], known: Emulations, seed: int, tcp: int | None = None
    ) -> None:
        content, loop = mission.content, asyncio.get_running_loop()
        self.numbers: Mapping[str, int] = {name: member.number for name, member in content.team.items()}
        bodies = [
            BodySpec(name, content.team[name].type, number, **content.body_of(name))
            for name, number in self.numbers.items()
            if any(device.robot == name and device.part != "radio" for device in devices)
        ]
        self.world = World(WorldSettings(**content.world), bodies, seed, loop.time())
        self.airs = Channels(air(mission, seed, [SHARED]).of(SHARED))
        self._known, self._loop, self._tcp = known, loop, tcp
        self._ports: dict[Device, EmulatedPort] = {}
        try:
            for device in devices:
                self._ports[device] = self._serve(device)
        except BaseException:
            self.close()
            raise

    def _emulated(self, device: Device) -> Emulated:
        return self._known[PARTS.index(device.part)][device.name]

    def _serve(self, device: Device) -> EmulatedPort:
        emulated = self._emulated(device)
        driver = emulated.driver(self, device.robot)
        emulator = emulated.emulator(self, device.robot, self._loop.time())
        port = EmulatedPort(emulator, driver.line.baud, self._end_for(device, driver))
        if device.part == "radio":
            self.airs.of(device.name).watch(port.kick)
        return port

    def _end_for(self, device: Device, driver: object) -> PortEnd:
        if self._tcp is not None and "tcp" in plugin_of(driver).schemes:
            return TcpEnd(self._tcp + len(self._ports) if self._tcp else 0)
        return end_for(driver) if device.part == "radio" else PtyEnd()

    def advance(self) -> None:
        """Let the room catch up with the loop's clock."""
        self.world.advance(self._loop.time())

    def path(self, device: Device) -> str:
        """What a robot file names as the device's port."""
        return self._ports[device].end.path

    def parameters(self, device: Device) -> dict[str, Any]:
        """Its table in a robot file, where the driver's defaults do not do."""
        emulated = self._emulated(device)
        settings = emulated.plugin.Settings(**emulated.parameters(self, device.robot))
        table: dict[str, Any] = settings.model_dump(mode="json", exclude_defaults=True)
        return table

    def close(self) -> None:
        """Close all ports."""
        for port in self._ports.values():
            port.close()

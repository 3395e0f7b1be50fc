"""The base station of a simulated team: the program itself, with an emulated radio in each of the team's airs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boards.mock.world import World
from radio.base_station import NUMBER, BaseRadio, BaseStation
from radio.keys import Keys
from radio.link import BASE_STATION
from radio.mock.channel import Channels
from radio.mock.modem import MockModem
from robotd.config.load import Mission
from robotd.daemon.base_station import TICK_S, kept_document
from robotd.sim.airs import team_key
from robotd.sim.emulated import MOCK, emulations
from robotd.sim.lines import Line
from robotd.sim.parts import Parts
from robotd.status.station import Document, brief, document_of
from robotd.storage.document import KeptDocument
from robotd.storage.store import MemoryStore
from robotd.transport.port import PortStatus


def station_of(mission: Mission, world: World, airs: Channels, parts: Parts) -> SimulatedStation | None:
    """The base station that the parts ask for, switched off; None where they ask for none."""
    return SimulatedStation(mission, world, airs, parts.airs) if parts.base_station else None


@dataclass
class StationContext:
    """Where the emulators of its modems find the world and the airs."""

    world: World
    airs: Channels
    numbers: Mapping[str, int] = field(default_factory=lambda: {BASE_STATION: NUMBER})


class SimulatedStation:
    """On the running loop, from `switch_on` to `switch_off`; its memory outlives that."""

    def __init__(self, mission: Mission, world: World, airs: Channels, kinds: Sequence[str]) -> None:
        self._mission, self._kinds = mission, kinds
        self._context = StationContext(world, airs)
        self._store = MemoryStore()
        self._lines: list[tuple[str, Line]] = []
        self._task: asyncio.Task[None] | None = None
        self._thinks: BaseStation | None = None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """What runs it; None while it is off."""
        return self._task

    def document(self) -> Document:
        """What an outcome reports of it: its state when it was last on."""
        if self._thinks is None:
            return {}
        ports = [PortStatus("ready", "", 0.0)] * len(self._kinds)
        return brief(document_of(self._thinks.status(), self._mission, ports, 0.0, 0.0, "").model_dump())

    def switch_on(self) -> None:
        """Start it; ValueError as of `BaseStation`."""
        self.switch_off()
        now = asyncio.get_running_loop().time()
        radios = [BaseRadio(kind, self._modem(kind, now)) for kind in self._kinds]
        team = self._mission.content.radio.team
        keys = Keys((team_key(team),))
        self._thinks = BaseStation(self._mission.table, keys, team, radios, self._store.load(BASE_STATION), None)
        self._thinks.begin(now)
        memory = kept_document(self._store, self._thinks)
        memory.keep(now)
        self._kick()
        self._task = asyncio.ensure_future(self._run(self._thinks, memory, now))

    def switch_off(self) -> None:
        """It pauses, and so do its modems."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        for kind, line in self._lines:
            self._context.airs.of(kind).unwatch(line.kick)
            line.close()
        self._lines = []

    def _modem(self, kind: str, now: float) -> Any:
        channel = self._context.airs.of(kind)
        if kind == MOCK:
            return MockModem(channel, NUMBER)
        driver, line = emulations().radios[kind].behind_line(self._context, BASE_STATION, now)
        self._lines.append((kind, line))
        channel.watch(line.kick)
        return driver

    def _kick(self) -> None:
        for _, line in self._lines:
            line.kick()

    async def _run(self, thinks: BaseStation, memory: KeptDocument, start: float) -> None:
        loop, n = asyncio.get_running_loop(), 0
        while True:
            n += 1
            await asyncio.sleep(start + n * TICK_S - loop.time())
            thinks.step(loop.time())
            memory.keep(loop.time())
            self._kick()

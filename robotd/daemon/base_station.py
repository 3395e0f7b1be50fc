"""The process of a base station: its memory and the ports of its radios, round what it thinks."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from radio.base_station import BaseRadio, BaseStation
from radio.link import BASE_STATION
from robotd.config.base_station import StationConfig
from robotd.files import keyfile
from robotd.guardian.systemd import notify
from robotd.model.plain import Json
from robotd.status.station import Document, document_of
from robotd.storage.background import BackgroundStore
from robotd.storage.store import Store
from robotd.timing import clock
from robotd.timing.ticker import Ticker
from robotd.transport.port import Port

log = logging.getLogger(__name__)
TICK_S = 0.02  # less than LEAD_S, by which a frame is handed over before its instant
TELL_TICKS = 500  # between two status lines: 10 s


class Memory:
    """Keeps what a base station must remember in a store."""

    def __init__(self, store: Store) -> None:
        self._store, self._saved = store, -1

    def load(self) -> Json:
        """What was kept; None where nothing was."""
        return self._store.load(BASE_STATION)

    def set_aside(self, why: str) -> None:
        """What was kept is of no use."""
        self._store.set_aside(BASE_STATION, why)

    def keep(self, station: BaseStation, save: Callable[[str, Json], None] | None = None) -> None:
        """Save (by `save`) what has changed since the last call; OSError where the store tells at once."""
        version = station.memory_version
        if version != self._saved:
            (save or self._store.save)(BASE_STATION, station.memory())
            self._saved = version


class Station:
    """Everything that waits on behalf of a base station. `tell` is given its status every 10 s, and at the end.

    OSError where its memory cannot be kept; ValueError as of `BaseStation`.
    """

    def __init__(self, config: StationConfig, state: Path, tell: Callable[[Document], None]) -> None:
        self._config, self._tell = config, tell
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        modems = [radio.modem() for radio in config.radios]
        named = list(zip(config.radios, modems, strict=True))
        self._ports = [Port(radio.name, radio.part.port, modem) for radio, modem in named]
        self._store = BackgroundStore(state)
        self._memory = Memory(self._store)
        content = config.mission.content
        keys = keyfile.read(config.key_file, content.numbers())
        radios = [BaseRadio(radio.name, modem, radio.band) for radio, modem in named]

        def made(memory: Json) -> BaseStation:
            minutes = clock.minutes_since_2026()
            return BaseStation(config.mission.table, keys, content.radio.team, radios, memory, minutes)

        memory = self._memory.load()
        try:
            self.thinks = made(memory)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            self.thinks = made(None)  # whatever is wrong with the radios is told here
            if memory is not None:
                log.error("what it remembered cannot be used, so it starts afresh: %s", error)
                self._memory.set_aside(str(error))

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        for name in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(name, self._stop.set)
        started = self._loop.time()
        self.thinks.begin(started)
        self._memory.keep(self.thinks, self._store.save_now)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(port.run()) for port in self._ports]
                tasks.append(group.create_task(self._tick(started)))
                notify("READY=1")
                await self._stop.wait()
                notify("STOPPING=1")
                for task in tasks:
                    task.cancel()
        finally:
            self._tell(self._document(started))
            self._store.close()

    async def _tick(self, started: float) -> None:
        ticker = Ticker(TICK_S)
        advised = [""] * len(self._ports)
        try:
            while True:
                n = await ticker.next()
                self.thinks.step(self._loop.time())
                self._memory.keep(self.thinks)
                for port in self._ports:
                    port.poke()
                if n % TELL_TICKS == 0:
                    self._advise(advised)
                    self._tell(self._document(started))
        finally:
            ticker.close()

    def _advise(self, advised: list[str]) -> None:
        """Log what people should change about a modem, once."""
        robots, beat_s = len(self._config.mission.content.team), self.thinks.slicing.beat_s
        for i, port in enumerate(self._ports):
            modem: Any = port.device
            advice = modem.advice(robots, beat_s)
            if advice and advice != advised[i]:
                log.warning("%s: %s", port.name, advice)
            advised[i] = advice

    def _document(self, started: float) -> Document:
        now = self._loop.time()
        ports = [port.status for port in self._ports]
        return document_of(self.thinks.status(), self._config.mission, ports, now, started, self._store.trouble)

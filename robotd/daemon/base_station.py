"""The process of a base station: its memory and the ports of its radios, round what it decides."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from radio.base_station import BaseRadio, BaseStation
from radio.link import BASE_STATION
from robotd.config.base_station import StationConfig
from robotd.daemon.forks import withhold
from robotd.files import keyfile
from robotd.guardian.reports import notify
from robotd.model.plain import Json
from robotd.status.station import StationStatus, document_of
from robotd.storage.background import BackgroundStore
from robotd.storage.document import UNFIT, KeptDocument
from robotd.storage.store import Store
from robotd.timing import clock
from robotd.timing.ticker import Ticker
from robotd.transport.port import Port

log = logging.getLogger(__name__)
TICK_S = 0.02  # less than LEAD_S, by which a frame is handed over before its instant
REPORT_TICKS = 500  # between two status lines: 10 s


def kept_document(store: Store, station: BaseStation) -> KeptDocument:
    """What keeps the station's memory in the store."""
    memory, persisted = station.memory, station.mark_persisted
    return KeptDocument(store, BASE_STATION, memory, lambda: station.memory_version, persisted)


class Station:
    """Everything that waits on behalf of a base station. `report` is given its status every 10 s, and at the end.

    OSError where its memory cannot be kept; ValueError as of `BaseStation`.
    """

    def __init__(self, config: StationConfig, state: Path, report: Callable[[StationStatus], None]) -> None:
        self._config, self._report = config, report
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self.stop = self._stop.set  # to end in order
        named = [(radio, radio.modem()) for radio in config.radios]
        self._ports = [Port(radio.name, radio.part.port, modem) for radio, modem in named]
        self._advised: dict[str, str] = {}
        self._store = BackgroundStore(state)
        content = config.mission.content
        keys = keyfile.read(config.key_file, content.numbers())
        radios = [BaseRadio(radio.name, modem, radio.band) for radio, modem in named]

        def made(memory: Json) -> BaseStation:
            minutes = clock.minutes_since_2026()
            return BaseStation(config.mission.table, keys, content.radio.team, radios, memory, minutes)

        memory = self._store.load(BASE_STATION)
        try:
            self.thinks = made(memory)
        except UNFIT as error:
            self.thinks = made(None)  # raises where the radios are what is wrong
            if memory is not None:
                log.error("the saved state cannot be used, so it starts afresh: %s", error)
                self._store.set_aside(BASE_STATION, str(error))
        self._kept = kept_document(self._store, self.thinks)

    async def run(self) -> None:
        """Serve until SIGTERM, SIGINT or SIGHUP, or `stop`."""
        with withhold(lambda: [port.fileno() for port in self._ports]):
            await self._serve()

    async def _serve(self) -> None:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._loop.add_signal_handler(name, self.stop)
        started = self._loop.time()
        self.thinks.begin(started)
        self._kept.keep(started, self._store.save_now)
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
            with contextlib.closing(self._store):
                self._report(self._document(started))

    async def _tick(self, started: float) -> None:
        with contextlib.closing(Ticker(TICK_S)) as ticker:
            while True:
                n = await ticker.next()
                self.thinks.step(self._loop.time())
                self._kept.keep(self._loop.time())
                for port in self._ports:
                    port.poke()
                if n % REPORT_TICKS == 0:
                    self._advise()
                    self._report(self._document(started))

    def _advise(self) -> None:
        """Log what people should change about a modem, once."""
        robots, beat_s = len(self._config.mission.content.team), self.thinks.slot_plan.beat_s
        for port in self._ports:
            modem: Any = port.device
            before, advice = self._advised.get(port.name), modem.advice(robots, beat_s)
            if advice and advice != before:
                log.warning("%s: %s", port.name, advice)
            self._advised[port.name] = advice

    def _document(self, started: float) -> StationStatus:
        now = self._loop.time()
        ports = [port.status for port in self._ports]
        return document_of(self.thinks.status(), self._config.mission, ports, now, started, self._store.trouble)

"""The process of a base station: its memory and the ports of its radios, round what it decides."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radio.base_station import BaseRadio, BaseStation
from radio.link import BASE_STATION
from robotd.config.base_station import StationConfig
from robotd.config.robot import HttpPart
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

if TYPE_CHECKING:
    from robotd.status.station_page import StationServer  # which needs aiohttp; simulations have no page of it

log = logging.getLogger(__name__)
TICK_S = 0.02  # less than LEAD_S, by which a frame is handed over before its instant
PAGE_TICKS = 10  # between two looks at what its page shows: 0.2 s
REPORT_TICKS = 500  # between two status lines: 10 s


def kept_document(store: Store, station: BaseStation) -> KeptDocument:
    """What keeps the station's memory in the store."""
    memory, persisted = station.memory, station.mark_persisted
    return KeptDocument(store, BASE_STATION, memory, lambda: station.memory_version, persisted)


class Station:
    """Everything that waits on behalf of a base station. `report` is given its status every 10 s, and at the end.
    `http`: where it serves its page; None: nowhere.

    OSError where its memory cannot be kept; ValueError as of `BaseStation`.
    """

    def __init__(
        self,
        config: StationConfig,
        state: Path,
        report: Callable[[StationStatus], None],
        http: HttpPart | None = None,
    ) -> None:
        self._config, self._report = config, report
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self.stop = self._stop.set  # to end in order
        named = [(radio, radio.modem()) for radio in config.radios]
        self._ports = [Port(radio.name, radio.part.port, modem) for radio, modem in named]
        self._advised: dict[str, str] = {}
        self._store = BackgroundStore(state)
        self.station = self._recall([BaseRadio(radio.name, modem, radio.band) for radio, modem in named])
        self._kept = kept_document(self._store, self.station)
        self._started = self._loop.time()
        self.http: StationServer | None = None
        if http is not None:
            from robotd.status import station_page

            self.http = station_page.StationServer(http, config.mission, self.station, self._document)

    def _recall(self, radios: Sequence[BaseRadio]) -> BaseStation:
        """The station with its memory; one that is of no use is set aside."""
        mission = self._config.mission
        keys = keyfile.read(self._config.key_file, mission.content.numbers())

        def made(memory: Json) -> BaseStation:
            minutes = clock.minutes_since_2026()
            return BaseStation(mission.table, keys, mission.content.radio.team, radios, memory, minutes)

        memory = self._store.load(BASE_STATION)
        try:
            return made(memory)
        except UNFIT as error:
            station = made(None)  # raises where the radios are what is wrong
            if memory is not None:
                log.error("the saved state cannot be used, so it starts afresh: %s", error)
                self._store.set_aside(BASE_STATION, str(error))
            return station

    async def run(self) -> None:
        """Serve until SIGTERM, SIGINT or SIGHUP, or `stop`."""
        with withhold(lambda: [port.fileno() for port in self._ports]):
            await self._serve()

    async def _serve(self) -> None:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._loop.add_signal_handler(name, self.stop)
        self._started = self._loop.time()
        self.station.begin(self._started)
        self._kept.keep(self._started, self._store.save_now)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(port.run()) for port in self._ports]
                tasks.append(group.create_task(self._tick()))
                if self.http is not None:
                    tasks.append(group.create_task(self.http.run()))
                notify("READY=1")
                await self._stop.wait()
                notify("STOPPING=1")
                for task in tasks:
                    task.cancel()
        finally:
            with contextlib.closing(self._store):
                self._report(self._document())

    async def _tick(self) -> None:
        with contextlib.closing(Ticker(TICK_S)) as ticker:
            while True:
                n = await ticker.next()
                self.station.step(now := self._loop.time())
                self._kept.keep(now)
                for port in self._ports:
                    port.poke()
                if self.http is not None and n % PAGE_TICKS == 0:
                    self.http.note(now)
                    self.http.poll(now)
                if n % REPORT_TICKS == 0:
                    self._advise()
                    self._report(self._document())

    def _advise(self) -> None:
        """Log what people should change about a modem, once."""
        robots, beat_s = len(self._config.mission.content.team), self.station.slot_plan.beat_s
        for port in self._ports:
            modem: Any = port.device
            before, advice = self._advised.get(port.name), modem.advice(robots, beat_s)
            if advice and advice != before:
                log.warning("%s: %s", port.name, advice)
            self._advised[port.name] = advice

    def _document(self) -> StationStatus:
        ports, status, now = [port.status for port in self._ports], self.station.status(), self._loop.time()
        return document_of(status, self._config.mission, ports, now, self._started, self._store.trouble)

"""The page of a base station: the whole team as far as its frames state it."""

import asyncio
from collections import deque
from collections.abc import Callable

from radio.base_station import BaseStation
from radio.link import BASE_STATION
from robotd.config.load import Mission
from robotd.config.robot import HttpPart
from robotd.record.why import Happened
from robotd.status import metrics, web
from robotd.status.answers import HEADERS, encode, refuse, respond
from robotd.status.events import Numbered
from robotd.status.guards import refuse_host
from robotd.status.page import PageServer
from robotd.status.robot_page import event_of, facts_of, last_frame, tasks_of, teammates_of
from robotd.status.scene import Data, done_of, frame_of, scene_of
from robotd.status.station import StationRadioStatus, StationStatus
from robotd.status.words import format_duration

KEPT = 200  # events


class StationServer(PageServer):
    """Serves the page of `station` and its status, as `describe` returns it now, while it runs."""

    def __init__(
        self, config: HttpPart, mission: Mission, station: BaseStation, describe: Callable[[], StationStatus]
    ) -> None:
        super().__init__(config)
        self._mission, self._station, self._describe = mission, station, describe
        self._started = asyncio.get_running_loop().time()
        self._known: dict[int, tuple[bool, str]] = {}
        self._events: deque[Numbered] = deque(maxlen=KEPT)
        self._count = self._shown = 0

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `Listener`."""
        hint = "ask for localhost, or name the host with --allow-host"
        if refusal := refuse_host(request, self.config, "this base station", hint):
            return refusal
        if page := await self.answer_page(request):
            return page
        if request.path not in ("/status", "/metrics") or request.method not in ("GET", "HEAD"):
            return refuse(404, "there is no such page", "there are /, /status and /metrics")
        if request.path == "/metrics":
            return await self._answer_metrics()
        return respond(200, encode(self._describe().model_dump()))

    async def _answer_metrics(self) -> web.Response:
        if not await metrics.load():
            return refuse(501, metrics.MISSING, "or read /status")
        beliefs, now, robots = self._station.beliefs, asyncio.get_running_loop().time(), []
        for member in sorted(beliefs.table.team, key=lambda one: one.number):
            age_s, received = last_frame(beliefs, member.number, now)
            robots.append({"name": member.name, "age_s": age_s, "received": received})
        document = {**self._describe().model_dump(), "teammates": robots}
        body, kind = metrics.exposed(document, metrics.STATION)
        return web.Response(body=body, headers={**HEADERS, "Content-Type": kind})

    def note(self, now: float) -> None:
        """Take in what the station has received; whoever looks on must stop no beacon."""
        try:
            self._note(now)
        except Exception as error:  # noqa: BLE001 - a frame of a plug-in's kind may state anything
            self.complain("events", f"what has happened is not shown: {type(error).__name__}: {error}")

    def _note(self, now: float) -> None:
        """Look at what has changed since the last call: robots that fall silent, come back, claim a task."""
        beliefs = self._station.beliefs
        for number, known in sorted(beliefs.teammates.items()):
            _, received = last_frame(beliefs, number, now)
            before, self._known[number] = self._known.get(number), (received, known.task)
            name = beliefs.table.name(number)
            if before is None or before[0] != received:
                silence = f"no frame for {format_duration(now - known.last_received)}"
                what, cause = ("received", "a frame came") if received else ("silent", silence)
                self._happened(now, name, what, cause)
            if received and known.task and (before is None or before[1] != known.task):
                self._happened(now, name, f"on {known.task}", "it states so", known.task)
        doing = {
            beliefs.table.name(number): task if on else "" for number, (on, task) in sorted(self._known.items())
        }
        self.activities.note(now - self._started, doing)

    def _happened(self, now: float, who: str, what: str, cause: str, task: str = "") -> None:
        self._count += 1
        one = Happened(now - self._started, f"{who} {what}", cause, what, "", task)
        self._events.append(Numbered(self._count, one))

    def scene(self) -> Data:
        """See `PageServer`."""
        return {**scene_of(self._mission, BASE_STATION), "room": None}  # where robots are is not on the air

    def history(self) -> Data:
        """See `PageServer`."""
        return {"type": "history", "events": [event_of("", one) for one in self._events], "clicked": []}

    def news(self) -> list[Data]:
        """See `PageServer`."""
        shown, self._shown = self._shown, self._count
        return [event_of("", one) for one in self._events if one.n > shown]

    def frame(self) -> Data:
        """See `PageServer`."""
        status, beliefs, now = self._describe(), self._station.beliefs, asyncio.get_running_loop().time()
        contacts = [contact for radio in status.radios for contact in radio.heard]
        return frame_of(
            status.uptime_s,
            list(teammates_of(beliefs, now)),
            state=f"not sending: {status.silent}" if status.silent else "listening and sending beacons",
            run=[beliefs.run, beliefs.running],
            tasks=tasks_of(beliefs, now),
            facts=facts_of(beliefs, BASE_STATION),
            done=done_of(beliefs.table, beliefs.facts),
            radio={"alive": any(radio.alive for radio in status.radios), "refused": sum(status.refused.values()),
                   "sent": sum(radio.beacons + radio.repeated for radio in status.radios),
                   "received": sum(one.frames for one in contacts),
                   "missed": sum(one.missed for one in contacts)},
            warnings=[status.trouble] if status.trouble else [],
            details=[_radios(status), *map(_senders, status.radios)],
        )  # fmt: skip


def _radios(status: StationStatus) -> list[object]:
    heads = ["radio", "port", "beacons", "repeated", "left out", "airtime of the hour"]
    return ["radios", heads, [_radio(one) for one in status.radios]]


def _radio(one: StationRadioStatus) -> list[str]:
    port = one.port if one.alive else f"cannot be used ({one.port}): {one.detail}"
    budget = f" of {one.hour_budget_s:.1f} s" if one.hour_budget_s is not None else ""
    counts = [str(count) for count in (one.beacons, one.repeated, one.left_out)]
    return [one.name, port, *counts, f"{one.hour_used_s:.1f} s{budget}"]


def _senders(radio: StationRadioStatus) -> list[object]:
    rows = [
        [one.name, f"{format_duration(one.age_s)} ago", str(one.frames), str(one.missed),
         "-" if one.strength_dbm is None else f"{one.strength_dbm:.0f} dBm"]
        for one in radio.heard
    ]  # fmt: skip
    return [f"received by {radio.name}", ["sender", "last", "frames", "missed", "RSSI"], rows]

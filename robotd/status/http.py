"""The status of a robot over HTTP, made from the last snapshot alone, so that a request costs a tick nothing."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping

from robotd.config.robot import HttpPart
from robotd.control.orders import Orders
from robotd.files.nearest import nearest
from robotd.robot.snapshot import Snapshot
from robotd.status import metrics, web
from robotd.status.acting import Acting
from robotd.status.answers import HEADERS, encode, refuse, respond
from robotd.status.events import EventLog, Numbered
from robotd.status.guards import LOOPBACK, Bearers, Links, refuse_host
from robotd.status.model import Health, Status
from robotd.status.openapi import PATHS, REFUSED, openapi
from robotd.status.page import PAGE_HEADERS, PageServer
from robotd.status.robot_page import event_of, robot_frame
from robotd.status.scene import Data
from robotd.status.status import describe
from robotd.status.streams import Streams, part_of

HEALTHY_S = 1.0  # ticks come every 5 ms to 1 s; a motor command lives half of this
USED = "this link was used already, or is older than two minutes"
ANOTHER = (
    "robotd page prints another link on the robot's computer; without a link this address shows the page, too"
)
NOT_YET = "no tick has finished yet"
WAIT = "ask again in a moment, or look at the robot's log"
STREAM = "text/event-stream"


class HttpServer(PageServer):
    """Answers GET and HEAD of the paths of `openapi` while it runs.

    `snapshot` returns the last tick's, None before the first; `mission` is the mission's name; `now` the clock of
    the snapshots, by default the loop's. `warnings` follow the snapshot's own in the status. `events.watch` takes
    each snapshot.
    """

    def __init__(
        self,
        config: HttpPart,
        snapshot: Callable[[], Snapshot | None],
        *,
        mission: str | None = None,
        now: Callable[[], float] | None = None,
        scene: Callable[[], Data] = dict,
    ) -> None:
        super().__init__(config)
        self._make_scene, self._scene = scene, Data()
        self._snapshot = snapshot
        self._mission = mission
        self._now = now
        self._status: tuple[Snapshot, Status] | None = None
        self._encoded: tuple[Status, bytes] | None = None
        self._metrics: tuple[Status, bytes, str] | None = None
        self._openapi = b""
        self.acting: Acting | None = None
        self.links = Links("robotd")
        self.events = EventLog(os.urandom(4).hex(), lambda: self.later(self._send_events))
        self._sent = self._framed = 0  # the last event that streams, and pages, were sent
        self._event_streams = Streams(b": alive\n\n")
        self.streams.append(self._event_streams)
        self._answers: dict[str, Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]] = {
            "/status": self._get_status,
            "/healthz": self._get_health,
            "/events": self._get_events,
            "/metrics": self._get_metrics,
            "/openapi.json": self._get_openapi,
        }

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        hint = f"ask for {LOOPBACK[0]}, or list the host in allowed_hosts of [http]"
        if refusal := refuse_host(request, self.config, "this robot", hint):
            return refusal
        if request.path == "/" and "token" in request.query and request.method == "GET":  # no preview uses it up
            return self.links.admit(request, PAGE_HEADERS) or refuse(401, USED, ANOTHER)
        if page := await self.answer_page(request):
            return page
        if request.path not in PATHS:
            near = nearest(request.path[:100], PATHS)
            return refuse(404, REFUSED[404], f"ask for {near}" if near else f"there are {', '.join(PATHS)}")
        takes = PATHS[request.path].allows
        if request.method not in takes.split(", "):
            return refuse(405, REFUSED[405], f"{request.path} takes {takes}", {"Allow": takes})
        if request.method == "POST":
            return await self._act(request)
        if request.body_exists:
            return refuse(413, REFUSED[413], "send no body", {"Connection": "close"})
        return await self._answers[request.path](request)

    async def _act(self, request: web.BaseRequest) -> web.StreamResponse:
        if self.acting is None:
            return refuse(409, "this robot takes no orders over HTTP", "use its control socket")
        return await self.acting.answer(request)

    def serve_orders(self, orders: Orders, tokens: Mapping[str, tuple[bytes, ...]]) -> None:
        """Take orders too, of those who have one of the tokens or a link."""
        self.acting = Acting(orders, Bearers(tokens), self.links, self.complain)

    def link(self) -> str:
        """A link that works once, for a browser that may act then; ValueError where nothing listens."""
        if self.address is None:
            raise ValueError("; ".join(self.warnings) or "it serves no page")
        host, port = self.config.host, self.address[1]
        host = socket.gethostname() if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not bound to
        self.links.cookie = f"robotd-{port}"  # browsers keep one for all ports of a host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/?token={self.links.token()}"

    async def _get_status(self, request: web.BaseRequest) -> web.Response:
        status = self._described()
        if status is None:
            return refuse(503, NOT_YET, WAIT)
        if self._encoded is None or self._encoded[0] is not status:
            self._encoded = (status, encode(status.model_dump()))
        return respond(200, self._encoded[1])

    def _described(self) -> Status | None:
        """The status after the last tick; made once for each tick that is asked for."""
        snapshot = self._snapshot()
        if snapshot is None:
            return None
        if self._status is None or self._status[0] is not snapshot:
            self._status = (snapshot, describe(snapshot, mission=self._mission, warnings=self.warnings))
        return self._status[1]

    async def _get_metrics(self, request: web.BaseRequest) -> web.Response:
        if not await metrics.load():
            return refuse(501, metrics.MISSING, "or read /status")
        status = self._described()
        if status is None:
            return refuse(503, NOT_YET, WAIT)
        if self._metrics is None or self._metrics[0] is not status:
            self._metrics = (status, *metrics.exposed(status.model_dump()))
        _, body, kind = self._metrics
        return web.Response(body=body, headers={**HEADERS, "Content-Type": kind})

    def watch(self, snapshot: Snapshot) -> None:
        """Take in a finished tick; whoever looks on must stop no robot."""
        try:
            self.events.watch(snapshot)
            account = self.events.account
            self.activities.note(snapshot.inputs.now - snapshot.started_at, {account.robot: account.set})
        except Exception as error:  # noqa: BLE001 - an event of a plug-in may hold anything
            self.complain("events", f"an event is not shown: {type(error).__name__}: {error}")
        self.poll(snapshot.inputs.now)

    def scene(self) -> Data:
        """See `PageServer`."""
        self._scene = self._scene or self._make_scene()
        return self._scene

    def history(self) -> Data:
        """See `PageServer`."""
        if not len(self.pages):
            self._framed = self.events.count
        events = [event_of(self.events.account.robot, one) for one in self.events.since(0)]
        return {"type": "history", "events": events, "clicked": []}

    def frame(self) -> Data | None:
        """See `PageServer`."""
        snapshot, status = self._snapshot(), self._described()
        if snapshot is None or status is None:
            return None
        return robot_frame(snapshot, status, self.events.account)

    def news(self) -> list[Data]:
        """See `PageServer`."""
        events, self._framed = self.events.since(self._framed), self.events.count
        return [event_of(self.events.account.robot, one) for one in events]

    def may_act(self, request: web.BaseRequest) -> bool:
        """See `PageServer`."""
        return self.links.admitted(request)

    async def _get_health(self, request: web.BaseRequest) -> web.Response:
        health = health_of(self._snapshot(), (self._now or asyncio.get_running_loop().time)())
        return respond(200 if health.healthy else 503, encode(health.model_dump()))

    async def _get_events(self, request: web.BaseRequest) -> web.StreamResponse:
        """Those since `since`: one document, or a stream that goes on where that is what the client accepts."""
        cursor = request.headers.get("Last-Event-ID", request.query.get("since", "0"))
        try:
            since = self.events.number(cursor)
        except ValueError as error:
            return refuse(400, str(error), "since=0 gives all that are kept")
        if request.method == "HEAD" or STREAM not in request.headers.get("Accept", ""):
            return respond(200, encode(self.events.document(since)))
        return await self.stream(self._event_streams, request, map(self._part, self.events.since(since)))

    def _send_events(self) -> None:
        """To all streams, when a tick that had events is over."""
        if len(self._event_streams):
            for one in self.events.since(self._sent):
                self._event_streams.send(self._part(one))
        self._sent = self.events.count

    def _part(self, one: Numbered) -> bytes:
        return part_of(encode(one.part().model_dump()), f"{self.events.boot}.{one.n}")

    async def _get_openapi(self, request: web.BaseRequest) -> web.Response:
        if not self._openapi:
            self._openapi = encode(await asyncio.to_thread(openapi))  # ticks go on meanwhile
        return respond(200, self._openapi)


def health_of(snapshot: Snapshot | None, now: float) -> Health:
    """Whether the robot ticks, at `now` (loop clock, s)."""
    if snapshot is None:
        return Health.of(healthy=False, reason=NOT_YET, state=None, tick=None, age_s=None)
    age = max(0.0, now - snapshot.inputs.now)
    reason = "" if age <= HEALTHY_S else f"no tick has finished for {age:.1f} s"
    state, tick = snapshot.decision.state.word, snapshot.inputs.n
    return Health.of(healthy=not reason, reason=reason, state=state, tick=tick, age_s=age)

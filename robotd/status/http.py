"""The read-only status over HTTP, made from the last snapshot alone, so that a request costs a tick nothing.

Any page in a browser on this computer can send requests here, under whatever name its server has made resolve to
this address; so the Host header must name a host that this robot answers to, and no CORS header is ever sent.
All that comes from outside is bounded: connections, their age, the size of a request, lines in the log.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import os
import re
import socket
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from robotd.advice.advice import exposure, is_loopback
from robotd.config.robot import HttpPart
from robotd.files.nearest import nearest
from robotd.robot.snapshot import Snapshot
from robotd.status.model import Error, Health
from robotd.status.openapi import PATHS, REFUSED, openapi
from robotd.status.status import status_of

log = logging.getLogger(__name__)

LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEALTHY_S = 1.0  # ticks come every 5 ms to 1 s; a motor command lives half of this
STOP_S = 1.0  # answers take milliseconds; a request that is incomplete by then is cut off
IDLE_S = 15.0  # a dashboard asks more often
LIFE_S = 60.0  # of a connection: one that does not read its answer must not keep its place
MAX_CONNECTIONS = 16  # a few browsers with six each would do; each costs a descriptor, of 1,024
MAX_HEAD = 4096  # bytes of a request line, and of a header
RETRY_S = 5.0  # between two tries at a port that another program has
QUIET_S = 600.0  # between two lines in the log about one kind of trouble
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Server": "robotd"}
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:/\[\]\s]+))(?::[0-9]*)?")
NOT_YET = "no tick has finished yet"


class HttpServer:
    """Answers GET and HEAD of /status, /healthz and /openapi.json while it runs.

    `snapshot` returns the last tick's, None before the first; `mission` is the mission's name; `now` the clock of
    the snapshots, by default the loop's. `warnings` follow the snapshot's own in the status.
    """

    def __init__(
        self,
        config: HttpPart,
        snapshot: Callable[[], Snapshot | None],
        *,
        mission: str | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self.warnings: tuple[str, ...] = tuple(exposure(config))
        self._config = config
        self._snapshot = snapshot
        self._mission = mission
        self._now = now
        self._server: asyncio.Server | None = None
        self._manager: web.Server | None = None
        self._connections: dict[Connection, asyncio.TimerHandle] = {}  # the oldest first
        self._logged: dict[str, float] = {}
        self._status: tuple[Snapshot, bytes] | None = None
        self._openapi = b""

    @property
    def address(self) -> tuple[str, int] | None:
        """Where it listens, or None while it does not."""
        listening = self._server.sockets if self._server is not None else ()
        return listening[0].getsockname()[:2] if listening else None

    async def run(self) -> None:
        """Serve until cancelled. A port in use is a warning, and is tried again for as long as it is."""
        try:
            while True:
                if await self.start():
                    await asyncio.get_running_loop().create_future()
                await asyncio.sleep(RETRY_S)
        finally:
            await self.stop()

    async def start(self) -> bool:
        """Listen; False, with a warning, where that is not possible now."""
        loop = asyncio.get_running_loop()
        manager = web.Server(self._handle, handler_cancellation=True)
        try:
            self._server = await loop.create_server(
                lambda: Connection(self, manager), self._config.host, self._config.port, backlog=MAX_CONNECTIONS
            )
        except OSError as error:
            self._warn(f"no HTTP on {self._config.host} port {self._config.port}: {_reason(error)}")
            return False
        self._manager = manager
        self.warnings = tuple(exposure(self._config))
        log.info("HTTP on %s port %s", *(self.address or ("nothing", 0)))
        return True

    async def stop(self) -> None:
        """Cut all connections, within `STOP_S`; twice is harmless."""
        server, self._server = self._server, None
        if server is None or self._manager is None:
            return
        server.close()
        for connection in tuple(self._connections):
            connection.cut()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._manager.shutdown(STOP_S / 2), STOP_S)

    def admit(self, connection: Connection) -> bool:
        """Note a new connection; where there are too many the oldest one goes. False while stopping."""
        if self._server is None:
            return False
        if len(self._connections) >= MAX_CONNECTIONS:
            self.complain("connections", f"more than {MAX_CONNECTIONS} HTTP connections: the oldest are closed")
            next(iter(self._connections)).cut()
        self._connections[connection] = asyncio.get_running_loop().call_later(LIFE_S, connection.cut)
        return True

    def drop(self, connection: Connection) -> None:
        if timer := self._connections.pop(connection, None):
            timer.cancel()

    def complain(self, kind: str, text: str) -> None:
        """Log a warning, at most once in `QUIET_S` of each kind: others decide how often there is cause."""
        now = asyncio.get_running_loop().time()
        if now - self._logged.get(kind, -QUIET_S) >= QUIET_S:
            self._logged[kind] = now
            log.warning("%s", text)

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            log.warning("%s", text)
            self.warnings = (*exposure(self._config), text)

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        hosts = request.headers.getall("Host", ["none"])
        if len(hosts) > 1 or not is_answered(hosts[0], self._config):
            hint = f"ask for {LOOPBACK[0]}, or list the host in allowed_hosts of [http]"
            return refuse(403, f"this robot does not answer to the host {', '.join(hosts)[:100]!r}", hint)
        if request.path not in PATHS:
            near = nearest(request.path[:100], PATHS)
            return refuse(404, REFUSED[404], f"ask for {near}" if near else f"there are {', '.join(PATHS)}")
        if request.method not in ("GET", "HEAD"):
            return refuse(405, REFUSED[405], f"{request.path} takes GET, HEAD", {"Allow": "GET, HEAD"})
        if request.body_exists:
            return refuse(413, REFUSED[413], "send no body", {"Connection": "close"})
        if request.path == "/status":
            return self._get_status()
        return self._get_health() if request.path == "/healthz" else await self._get_openapi()

    def _get_status(self) -> web.Response:
        snapshot = self._snapshot()
        if snapshot is None:
            return refuse(503, NOT_YET, "ask again in a moment, or look at the robot's log")
        if self._status is None or self._status[0] is not snapshot:
            document = status_of(snapshot, mission=self._mission, warnings=self.warnings)
            self._status = (snapshot, encode(document))
        return respond(200, self._status[1])

    def _get_health(self) -> web.Response:
        health = health_of(self._snapshot(), (self._now or asyncio.get_running_loop().time)())
        return respond(200 if health.healthy else 503, encode(health.model_dump()))

    async def _get_openapi(self) -> web.Response:
        if not self._openapi:
            self._openapi = encode(await asyncio.to_thread(openapi))  # ticks go on meanwhile
        return respond(200, self._openapi)


class Connection(web.RequestHandler):
    """One client. Bodies are neither inflated nor read; whatever its bytes raise ends it and nothing else."""

    def __init__(self, server: HttpServer, manager: web.Server) -> None:
        super().__init__(
            manager,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=IDLE_S,
            access_log=None,  # type: ignore[arg-type]  # its way to say that there is none
            max_line_size=MAX_HEAD,
            max_field_size=MAX_HEAD,
            lingering_time=STOP_S / 2,  # a body is dropped for so long, so that the answer arrives
            auto_decompress=False,
        )
        self._own_server = server
        self._own_transport: asyncio.Transport | None = None

    def cut(self) -> None:
        """End the connection now, whatever is unsent."""
        self._own_server.drop(self)
        if self._own_transport is not None:
            self._own_transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._own_transport = transport
        if self._own_server.admit(self):
            super().connection_made(transport)
        else:
            transport.abort()

    def connection_lost(self, exc: BaseException | None) -> None:
        self._own_server.drop(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except Exception as error:  # noqa: BLE001 - a stranger's bytes must not become a fault of this robot
            self.log_exception(type(error).__name__)
            self.cut()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:  # fmt: skip
        """The answer to what is no HTTP request, or where answering has failed."""
        self.log_exception("malformed" if status == 400 else f"{type(exc).__name__}: {exc}")
        hint = f"send GET /status HTTP/1.1, each line of at most {MAX_HEAD} bytes" if status == 400 else ""
        response = refuse(status, REFUSED.get(status, REFUSED[500]), hint)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """One line of the log, without a traceback and not for each."""
        what = str(args[0]) if args else "unknown"
        self._own_server.complain(what[:40], f"an HTTP request was not answered: {what[:200]}")


def health_of(snapshot: Snapshot | None, now: float) -> Health:
    """Whether the robot ticks, at `now` (loop clock, s)."""
    if snapshot is None:
        return Health.of(healthy=False, reason=NOT_YET, state=None, tick=None, age_s=None)
    age = max(0.0, now - snapshot.inputs.now)
    reason = "" if age <= HEALTHY_S else f"no tick has finished for {age:.1f} s"
    state, tick = snapshot.thought.state.word, snapshot.inputs.n
    return Health.of(healthy=not reason, reason=reason, state=state, tick=tick, age_s=age)


def is_answered(host: str, config: HttpPart) -> bool:
    """Whether a Host header names this robot.

    Loopback and `allowed_hosts` do always. Where it listens beyond loopback, so do every literal address, which no
    foreign name server can point here, and this computer's own name, alone and with `.local` (multicast DNS).
    """
    name, here = parse_host(host), config.host.lower()
    if not name or name in LOOPBACK or name in map(parse_host, config.allowed_hosts):
        return bool(name)
    if is_loopback(here):
        return name == here
    own = socket.gethostname().lower()
    names = {own, own.partition(".")[0], here}
    return _is_address(name) or name in names | {f"{one}.local" for one in names}


def _is_address(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(text))
    return False


def parse_host(host: str) -> str:
    """The name or address of a Host header (RFC 9110, section 7.2), without port, brackets and final dot, in lower
    case; '' where it is none. An address of IPv6 may lack its brackets."""
    host = host.strip().lower()
    found = _HOST.fullmatch(host)
    return host if _is_address(host) else (found[1] or found[2].rstrip(".")) if found else ""


def _reason(error: OSError) -> str:
    """Without the address, which asyncio puts into the text."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else str(error)  # negative: of the name service


def encode(document: Mapping[str, Any]) -> bytes:
    """A document as it travels; ValueError for a number that is not finite."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def respond(status: int, body: bytes, headers: Mapping[str, str] = HEADERS) -> web.Response:
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


def refuse(status: int, error: str, hint: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer as `robotd.status.model.Error` describes it."""
    body = encode(Error.of(error=error, status=status, hint=hint).model_dump())
    return respond(status, body, {**HEADERS, **(headers or {})})

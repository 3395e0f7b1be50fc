"""The read-only status over HTTP. It sees the last snapshot and nothing else, so that asking costs a tick nothing.

Any page in a browser on this computer can send requests here, under whatever name its server has made resolve to
this address; so the Host header must name a host that this robot answers to, and no CORS header is ever sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from robotd.advice.advice import exposure
from robotd.config.robot import HttpPart
from robotd.config.schema import nearest
from robotd.robot.snapshot import Snapshot
from robotd.status.openapi import PATHS, REFUSED, openapi
from robotd.status.status import status_of

log = logging.getLogger(__name__)

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - to be told from others, not to be bound
HEALTHY_S = 1.0  # ticks come every 5 ms to 1 s; a motor command lives half of this
STOP_S = 1.0  # answers take milliseconds; whoever has not finished asking by then is cut off
KEEP_ALIVE_S = 15.0  # a dashboard asks more often
RETRY_S = 5.0  # between two tries at a port that another program has
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Server": "robotd"}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:/\[\]\s]+)(?::[0-9]*)?")  # RFC 9110, section 7.2
NOT_YET = "no tick has finished yet"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class HttpServer:
    """Answers GET and HEAD of /status, /healthz and /openapi.json while it runs.

    `snapshot` gives what the last tick left, None before the first; `mission` is the mission's name; `now` the
    clock of the snapshots, by default the loop's. `warnings` are told in the status after the snapshot's own.
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
        self._hosts = hosts_of(config)
        self._runner: web.AppRunner | None = None
        self._status: tuple[Snapshot, bytes] | None = None
        self._openapi = b""

    @property
    def address(self) -> tuple[str, int] | None:
        """Where it listens, or None while it does not."""
        listening = self._runner.addresses if self._runner is not None else []
        return (str(listening[0][0]), int(listening[0][1])) if listening else None

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
        app = web.Application(middlewares=[self._guard])
        for path, handler in (
            ("/status", self._get_status),
            ("/healthz", self._get_health),
            ("/openapi.json", self._get_openapi),
        ):
            app.router.add_get(path, handler)
        runner = web.AppRunner(
            app, access_log=None, handle_signals=False, keepalive_timeout=KEEP_ALIVE_S, shutdown_timeout=STOP_S / 2
        )
        try:
            await runner.setup()
            await web.TCPSite(runner, self._config.host, self._config.port).start()
            self._runner = runner
        except OSError as error:
            self._warn(f"no HTTP on {self._config.host} port {self._config.port}: {_reason(error)}")
            return False
        finally:
            if self._runner is not runner:
                await runner.cleanup()
        self.warnings = tuple(exposure(self._config))
        log.info("HTTP on %s port %s", *(self.address or ("nothing", 0)))
        return True

    async def stop(self) -> None:
        """Close all connections, within `STOP_S`; twice is harmless."""
        runner, self._runner = self._runner, None
        if runner is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(runner.cleanup(), STOP_S)

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            log.warning("%s", text)
            self.warnings = (*exposure(self._config), text)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse strangers' hosts; turn what the router refuses into words."""
        hosts = request.headers.getall("Host", ["none"])
        if len(hosts) > 1 or host_name(hosts[0]) not in self._hosts:
            host = ", ".join(hosts)
            hint = f"ask for {', '.join(sorted(self._hosts))}, or list it in allowed_hosts of [http]"
            return refusal(403, f"this robot does not answer to the host {host[:100]!r}", hint)
        try:
            return await handler(request)
        except web.HTTPNotFound:
            near = nearest(request.path[:100], PATHS)
            return refusal(404, REFUSED[404], f"ask for {near}" if near else f"there are {', '.join(PATHS)}")
        except web.HTTPMethodNotAllowed as error:
            allow = ", ".join(sorted(error.allowed_methods))
            return refusal(405, REFUSED[405], f"{request.path} takes {allow}", {"Allow": allow})

    async def _get_status(self, request: web.Request) -> web.Response:
        snapshot = self._snapshot()
        if snapshot is None:
            return refusal(503, NOT_YET, "ask again in a moment, or look at the robot's log")
        if self._status is None or self._status[0] is not snapshot:
            document = status_of(snapshot, mission=self._mission, warnings=self.warnings)
            self._status = (snapshot, encoded(document))
        return answer(200, self._status[1])

    async def _get_health(self, request: web.Request) -> web.Response:
        now = self._now() if self._now is not None else asyncio.get_running_loop().time()
        document = health_of(self._snapshot(), now)
        return answer(200 if document["healthy"] else 503, encoded(document))

    async def _get_openapi(self, request: web.Request) -> web.Response:
        if not self._openapi:
            self._openapi = encoded(await asyncio.to_thread(openapi))  # ticks go on meanwhile
        return answer(200, self._openapi)


def health_of(snapshot: Snapshot | None, now: float) -> dict[str, Any]:
    """The document that `robotd.status.model.Health` describes, at `now` (loop clock, s)."""
    if snapshot is None:
        return {"healthy": False, "reason": NOT_YET, "state": None, "tick": None, "age_s": None}
    age = max(0.0, now - snapshot.inputs.now)
    reason = "" if age <= HEALTHY_S else f"no tick has finished for {age:.1f} s"
    return {
        "healthy": not reason,
        "reason": reason,
        "state": snapshot.thought.state.word,
        "tick": snapshot.inputs.n,
        "age_s": round(age, 6),
    }


def hosts_of(config: HttpPart) -> frozenset[str]:
    """The hosts that are answered: loopback, the address that is bound where it is one, the allowed ones."""
    own = () if config.host in ANY_ADDRESS else (config.host,)
    names = {host_name(f"[{name}]" if name.count(":") > 1 else name) for name in (*own, *config.allowed_hosts)}
    return frozenset({*LOOPBACK, *names} - {""})


def host_name(host: str) -> str:
    """The name in a Host header: without port and final dot, in lower case; '' where it is none."""
    found = _HOST.fullmatch(host.strip().lower())
    return found[1].rstrip(".") if found else ""


def _reason(error: OSError) -> str:
    """Without the address, which asyncio puts into the text."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else str(error)  # negative: of the name service


def encoded(document: Mapping[str, Any]) -> bytes:
    """A document as it travels; ValueError where a number is none."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def answer(status: int, body: bytes, headers: Mapping[str, str] = HEADERS) -> web.Response:
    """A JSON answer."""
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


def refusal(status: int, error: str, hint: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer as `robotd.status.model.Error` describes it."""
    document = {"error": error, "status": status, "hint": hint}
    return answer(status, encoded(document), {**HEADERS, **(headers or {})})

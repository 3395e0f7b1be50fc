"""A server of HTTP inside a program that has more to do: all that comes from outside is bounded.

Connections, their age, the size of a request, lines in the log; streams have places of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from robotd.advice.exposure import exposure
from robotd.config.robot import HttpPart
from robotd.status import web
from robotd.status.answers import HEADERS, in_form, refuse
from robotd.status.openapi import REFUSED
from robotd.status.streams import Streams

log = logging.getLogger(__name__)

STOP_S = 1.0  # answers take milliseconds; a request that is incomplete by then is cut off
IDLE_S = 15.0  # a dashboard asks more often
LIFE_S = 60.0  # of a connection: one that does not read its answer must not keep its place
MAX_CONNECTIONS = 64  # all who look on come back at once after a restart; each costs a descriptor, of 1,024
MAX_HEAD = 8190  # bytes of a request line, and of a header: a browser sends the cookies of all ports of a host
RETRY_S = 5.0  # between two tries at a port that another program has
QUIET_S = 600.0  # between two lines in the log about one kind of trouble


class Listener:
    """Listens while it runs, and gives each request to `answer`, which a subclass has.

    `cancels`: an answer is given up where its client has gone; `life_s`: of a connection, where answers may take
    longer than `LIFE_S`; `example` is a request that is answered.
    """

    max_connections = MAX_CONNECTIONS
    cancels = True
    life_s: float | None = None
    example = "GET /status"

    def __init__(self, config: HttpPart) -> None:
        self.warnings: tuple[str, ...] = tuple(exposure(config))
        self.config = config
        self.streams: list[Streams] = []
        self._server: asyncio.Server | None = None
        self._manager: web.Server | None = None
        self._connections: dict[Connection, asyncio.TimerHandle] = {}  # the oldest first
        self._streaming: set[Connection] = set()
        self._logged: dict[str, float] = {}

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        raise NotImplementedError

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
        try:
            await self.listen()
        except OSError as error:
            self._warn(f"no HTTP on {self.config.host} port {self.config.port}: {_reason(error)}")
            return False
        self.warnings = tuple(exposure(self.config))
        log.info("HTTP on %s port %s", *(self.address or ("nothing", 0)))
        return True

    async def listen(self) -> None:
        """Listen; OSError where that is not possible now."""
        manager = web.Server(self._respond, handler_cancellation=self.cancels)
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self, manager), self.config.host, self.config.port, backlog=self.max_connections
        )
        self._manager = manager

    async def _respond(self, request: web.BaseRequest) -> web.StreamResponse:
        return in_form(request, await self.answer(request))

    async def stop(self) -> None:
        """Cut all connections, within `STOP_S`; twice is harmless."""
        server, self._server = self._server, None
        if server is None or self._manager is None:
            return
        server.close()
        for streams in self.streams:
            streams.end()
        for connection in (*self._connections, *self._streaming):
            connection.cut()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._manager.shutdown(STOP_S / 2), STOP_S)

    def admit(self, connection: Connection) -> bool:
        """Note a new connection; where there are too many the oldest one goes. False while stopping."""
        if self._server is None:
            return False
        if len(self._connections) >= self.max_connections:
            self.complain(
                "connections", f"more than {self.max_connections} HTTP connections: the oldest are closed"
            )
            next(iter(self._connections)).cut()
        self._connections[connection] = asyncio.get_running_loop().call_later(
            self.life_s or LIFE_S, connection.cut
        )
        return True

    async def stream(
        self,
        streams: Streams,
        request: web.BaseRequest,
        past: Iterable[bytes],
        headers: Mapping[str, str] = HEADERS,
    ) -> web.StreamResponse:
        """See `Streams.serve`; the connection of a stream lives on, and takes no place of others."""
        connection = request.protocol
        if isinstance(connection, Connection) and connection in self._connections and not streams.full:
            self.drop(connection)
            self._streaming.add(connection)
        return await streams.serve(request, past, headers)

    def drop(self, connection: Connection) -> None:
        self._streaming.discard(connection)
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
            self.warnings = (*exposure(self.config), text)


class Connection(web.RequestHandler):
    """One client. Bodies are neither inflated nor read; whatever its bytes raise ends it and nothing else."""

    def __init__(self, server: Listener, manager: web.Server) -> None:
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
        example = f"send {self._own_server.example} HTTP/1.1, each line of at most {MAX_HEAD} bytes"
        hint = example if status == 400 else ""
        response = refuse(status, REFUSED.get(status, REFUSED[500]), hint)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """One line of the log, without a traceback and not for each."""
        what = str(args[0]) if args else "unknown"
        self._own_server.complain(what[:40], f"an HTTP request was not answered: {what[:200]}")


def _reason(error: OSError) -> str:
    """Without the address, which asyncio puts into the text."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else str(error)  # negative: of the name service

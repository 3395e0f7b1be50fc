"""The live page over HTTP: the page itself, a stream of Server-Sent Events, and commands by POST.

Nothing answers without the cookie that the one-time link gives, be it on loopback: any page in a browser of this
computer can send requests here. So the Host header must name an address that this server answers to, and the
Origin of a POST its own. A client that does not read its stream is cut; others and the run do not wait for it.
"""

import logging
import math
from typing import Self

from aiohttp import web

from robotd.config.robot import HttpPart
from robotd.live.run import Address
from robotd.live.seat import METHODS, Seat
from robotd.live.stage import Run
from robotd.status.answers import refuse
from robotd.status.guards import Links, refuse_host
from robotd.status.page import PAGE_HEADERS, SHARED, send_file

STOP_S = 1.0
quiet = logging.getLogger(f"{__name__}.strangers")  # of what others send that is no HTTP: nobody's business
quiet.setLevel(logging.CRITICAL + 1)
USED = "this link was used, or is of an earlier start; end the command and start it again for a new one"


class Door:
    """One-time links that wait for as long as the server runs; `token` is the secret of the next one."""

    def open(self, cookie: str) -> None:
        """`cookie` is its name: browsers keep one for all ports of a host."""
        self.links = Links(cookie, math.inf, math.inf)
        self.token = self.links.token()

    def admit(self, request: web.BaseRequest) -> web.Response | None:
        """The answer to the link, which is used up thereby; None where something else is asked for."""
        if request.path != "/" or "token" not in request.query:
            return None
        response = self.links.admit(request, PAGE_HEADERS)
        if response is None:
            return refuse(401, USED, "open the link of the last start")
        self.token = self.links.token()
        return response


class PageServer:
    """Listens while it is entered (`async with`); a subclass begins, answers and ends."""

    def __init__(self, config: HttpPart) -> None:
        self._config = config
        self.port = config.port

    async def __aenter__(self) -> Self:
        """OSError where it cannot listen there; ValueError for a run that does not start."""
        server = web.Server(self._handle, access_log=None, logger=quiet)
        self._runner = web.ServerRunner(server, shutdown_timeout=STOP_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._config.host, self._config.port)
        try:
            await site.start()
            self.port = self._runner.addresses[0][1]
            await self.begin()
        except BaseException:
            await self._runner.cleanup()
            await self.end()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.end()
        await self._runner.cleanup()

    async def begin(self) -> None:
        raise NotImplementedError

    async def end(self) -> None:
        raise NotImplementedError

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        raise NotImplementedError

    def url(self, host: str = "") -> str:
        """Of the page, by the address that it listens on or another of this computer."""
        host = host or self._config.host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if refusal := refuse_host(request, self._config, "this page", "name the host with --allow-host"):
            return refusal
        return await self.answer(request)


class LiveServer(PageServer):
    """Serves one run at a time; `link` is what a person opens."""

    def __init__(self, run: Run, config: HttpPart, foxglove: Address | None = None) -> None:
        super().__init__(config)
        self.seat = Seat(run, foxglove=foxglove)
        self._door = Door()

    async def begin(self) -> None:
        """See `PageServer`."""
        self._door.open(f"robotd-live-{self.port}")
        await self.seat.begin()

    async def end(self) -> None:
        """See `PageServer`."""
        await self.seat.stop()

    @property
    def link(self) -> str:
        return f"{self.url()}?token={self._door.token}"

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `PageServer`."""
        if answer := self._door.admit(request):
            return answer
        if not self._door.links.admitted(request):
            return refuse(401, "this page needs the link that robotd live printed", "open that link")
        return await answer_seat(self.seat, request, request.path)


async def answer_seat(seat: Seat, request: web.BaseRequest, path: str) -> web.StreamResponse:
    """The page of a run, its files, its stream and its commands."""
    if path == "/":
        return send_file(request, "index.html")
    if path in SHARED:
        return send_file(request, path[1:])
    if path not in METHODS:
        return refuse(404, "there is no such page", f"there are {', '.join(['/', *SHARED, *METHODS])}")
    return await seat.answer(request, path)

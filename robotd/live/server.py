"""The live page over HTTP: the page itself, a stream of Server-Sent Events, and commands by POST.

Nothing answers without the cookie that the one-time link gives, be it on loopback: any page in a browser of this
computer can send requests here. So the Host header must name an address that this server answers to, and the
Origin of a POST its own. A client that does not read its stream is cut; others and the run do not wait for it.
"""

import math
from collections.abc import Callable
from typing import Self

from robotd.config.robot import HttpPart, refused_address
from robotd.live.run import Address
from robotd.live.runs import Run
from robotd.live.seat import METHODS, Seat
from robotd.status import web
from robotd.status.answers import refuse
from robotd.status.guards import Links, refuse_host
from robotd.status.listener import Listener
from robotd.status.page import PAGE_HEADERS, SHARED, refuse_method, send_file
from robotd.status.streams import part_of

USED = "this link was used already, or is of an earlier start"
ANOTHER = "open the last link that robotd has printed in its terminal: it prints another one once a link was used"
UNSEEN = "this browser has not opened the link of this page"
TO_SEE = (
    "open the last link that robotd has printed in its terminal, then paste a link of a run under 'Another run'"
)


class Door:
    """One-time links that wait for as long as the server runs; `token` is the secret of the next one.

    `hint`: what to do where it was used.
    """

    def __init__(self, hint: str = ANOTHER) -> None:
        self._hint = hint

    def open(self, cookie: str, used: Callable[[], None]) -> None:
        """`cookie` is its name: browsers keep one for all ports of a host; `used` is called after each use."""
        self._used = used
        self.links = Links(cookie, math.inf, math.inf)
        self.token = self.links.token()

    def admit(self, request: web.BaseRequest) -> web.Response | None:
        """The answer to the link, which is used up thereby; None where something else is asked for."""
        if request.path != "/" or "token" not in request.query or request.method != "GET":  # no preview uses it up
            return None
        response = self.links.admit(request, PAGE_HEADERS)
        if response is None:
            return refuse(401, USED, self._hint)
        self.token = self.links.token()
        self._used()
        return response


class SimulationServer(Listener):
    """Listens while it is entered (`async with`); a subclass begins runs, answers for them and ends them."""

    cancels = False  # a browser that has gone leaves no run half begun
    life_s = 900.0  # another run begins after those of a whole class that were asked for before
    example = "GET /"
    option = "--bind"  # that names where it listens

    def __init__(self, config: HttpPart) -> None:
        super().__init__(config)
        self.port = config.port
        self.used: Callable[[], None] = lambda: None
        """Is called when a one-time link was used and there is another."""

    async def __aenter__(self) -> Self:
        """OSError where it cannot listen there; ValueError for a run that does not start."""
        try:
            await self.listen()
        except OSError as error:
            raise OSError(refused_address(error, self.option, self.config.host, self.config.port)) from None
        assert self.address is not None
        self.port = self.address[1]
        try:
            await self.begin()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.end()
        await self.stop()

    async def begin(self) -> None:
        raise NotImplementedError

    async def end(self) -> None:
        raise NotImplementedError

    async def answer_here(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `Listener.answer`, of a request that names this computer."""
        raise NotImplementedError

    def url(self, host: str = "") -> str:
        """Of the page, by the address that it listens on or another of this computer."""
        host = host or self.config.host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `Listener`."""
        if refusal := refuse_host(request, self.config, "this page", "name the host with --allow-host"):
            return refusal
        return await self.answer_here(request)

    async def answer_seat(self, seat: Seat, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """The page of a run, its files, its stream and its commands."""
        if path == "/":
            return send_file(request, "index.html")
        if path in SHARED:
            return send_file(request, path[1:])
        if path not in METHODS:
            return refuse(404, "there is no such page", f"there are {', '.join(['/', *SHARED, *METHODS])}")
        if request.method != METHODS[path]:
            return refuse_method(path, METHODS[path])
        if path == "/stream":  # one JSON object each: first what was before, then what the run writes
            return await self.stream(seat.streams, request, map(part_of, seat.live.history()), PAGE_HEADERS)
        if path == "/choices":
            return await seat.choices(request)
        return await seat.do(request) if path == "/do" else seat.about()


class LiveServer(SimulationServer):
    """Serves one run at a time; `link` is what a person opens.

    `hint_used`, `hint_unseen`: what to do, for a browser whose link was used, and for one that has opened none.
    """

    hint_used, hint_unseen = ANOTHER, TO_SEE

    def __init__(self, run: Run, config: HttpPart, foxglove: Address | None = None) -> None:
        super().__init__(config)
        self.seat = Seat(run, foxglove=foxglove)
        self._door = Door(self.hint_used)

    async def begin(self) -> None:
        """See `SimulationServer`."""
        self._door.open(f"robotd-live-{self.port}", self.used)
        await self.seat.begin()

    async def end(self) -> None:
        """See `SimulationServer`."""
        await self.seat.stop()

    @property
    def link(self) -> str:
        return f"{self.url()}?token={self._door.token}"

    async def answer_here(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `SimulationServer`."""
        if answer := self._door.admit(request):
            return answer
        if not self._door.links.admitted(request):
            return refuse(401, UNSEEN, self.hint_unseen)
        return await self.answer_seat(self.seat, request, request.path)

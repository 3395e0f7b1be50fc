"""A class: one server, one address for all, a team for each seat, and a page for the teacher.

Who opens the address of the class gets the next free seat, and the same seat again from the same browser. The
teacher's link works once, as that of `robotd live`.
"""

import asyncio
import os
import secrets
from collections.abc import Mapping
from typing import Any

from robotd.config.robot import HttpPart
from robotd.live.runs import Run
from robotd.live.seat import FOREIGN, Seat, read_command
from robotd.live.server import Door, SimulationServer
from robotd.status import web
from robotd.status.answers import encode, refuse, respond
from robotd.status.guards import give_cookie, own_origin
from robotd.status.listener import MAX_CONNECTIONS
from robotd.status.page import ALIVE, PAGE_HEADERS, SHARED, refuse_method, send_file
from robotd.status.streams import Streams, part_of

MOST_SEATS = 64
CODE = 5  # characters of the address, without those that look alike
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
OF_BROWSER = 6  # connections that a browser opens to one host at most
MOST_LOST = 1000  # browsers that read why they have no seat any more
FREED = "the teacher has ended this team"
ADDRESS = "open the address of the class, with its code, to get a team"
LOOK_S = 0.5  # between two looks of the teacher's page at all seats
OVERVIEW = ("/", "/class.js", "/class.css", "/seats", "/do")


class ClassServer(SimulationServer):
    """Serves `seats` runs; `code` ends the address for all."""

    def __init__(self, run: Run, seats: int, config: HttpPart) -> None:
        super().__init__(config)
        self.max_connections = MAX_CONNECTIONS + seats * OF_BROWSER
        self._first, self._count = run, seats
        self.code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
        self._seats: dict[str, Seat] = {}  # by the cookie of the browser that has it
        self._lost: dict[str, str] = {}  # why browsers that had one have none, the oldest first
        self._teachers, self._door = Streams(ALIVE), Door()
        self._held = False
        self._turns = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        self._beginning: set[asyncio.Future[None]] = set()

    async def begin(self) -> None:
        """See `SimulationServer`."""
        self._door.open(f"robotd-teacher-{self.port}", self.used)
        self._looking = asyncio.ensure_future(self._look())

    async def end(self) -> None:
        """See `SimulationServer`."""
        self._looking.cancel()
        self._teachers.end()
        await asyncio.gather(*(seat.stop() for seat in self._seats.values()))
        await asyncio.gather(*self._beginning)

    @property
    def _cookie(self) -> str:
        return f"robotd-seat-{self.port}"

    def teacher_link(self, host: str = "") -> str:
        """Of the teacher, by an address of this computer; works once."""
        return f"{self.url(host)}?token={self._door.token}"

    async def answer_here(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `SimulationServer`."""
        path = request.path
        if path == f"/{self.code}":
            return self._seat(request) if request.method == "GET" else refuse_method(path, "GET")
        if answer := self._door.admit(request):
            return answer
        if self._door.links.admitted(request):
            return await self._answer_teacher(request)
        seat = self._seats.get(request.cookies.get(self._cookie, ""))
        if seat is None:
            why = self._lost.get(request.cookies.get(self._cookie, ""), "this browser has no seat")
            return refuse(401, why, ADDRESS)
        return await self.answer_seat(seat, request, path)

    def _seat(self, request: web.BaseRequest) -> web.Response:
        """The way to the seat that this browser has, or to the next free one, whose run begins in its turn."""
        cookie = request.cookies.get(self._cookie, "")
        if cookie not in self._seats:
            taken = {seat.number for seat in self._seats.values()}
            number = next((k for k in range(1, self._count + 1) if k not in taken), None)
            if number is None:
                hint = "ask the teacher to free one, then load this page again"
                return refuse(503, f"all {self._count} seats are taken", hint)
            seat, cookie = Seat(self._first, number, turns=self._turns), secrets.token_urlsafe(16)
            seat.held, self._seats[cookie] = self._held, seat
            beginning = asyncio.ensure_future(self._begin(cookie, seat))
            self._beginning.add(beginning)
            beginning.add_done_callback(self._beginning.discard)
        return give_cookie(self._cookie, cookie, PAGE_HEADERS)

    async def _begin(self, cookie: str, seat: Seat) -> None:
        """Start the run of a seat; where it cannot be, its browser reads why, and the seat is free."""
        try:
            await seat.begin()
        except (ValueError, OSError) as error:  # a busy computer, or one without room for a process more
            if cookie in self._seats:
                await self._end(cookie, f"no run began: {error}")

    async def _end(self, cookie: str, why: str) -> None:
        """Free the seat of a browser, which reads why."""
        self._lost[cookie] = why
        while len(self._lost) > MOST_LOST:
            del self._lost[next(iter(self._lost))]
        await self._seats.pop(cookie).stop()

    async def _answer_teacher(self, request: web.BaseRequest) -> web.StreamResponse:
        """The overview, and under /seat/NUMBER/ the page of each seat."""
        path = request.path
        number, _, rest = path.removeprefix("/seat/").partition("/")
        if path.startswith("/seat/"):
            seat = next((one for one in self._seats.values() if str(one.number) == number), None)
            if seat is None:
                return refuse(404, f"seat {number[:10]!r} is not taken", "look at the overview")
            return await self.answer_seat(seat, request, f"/{rest}")
        if path in SHARED or path in ("/class.js", "/class.css"):
            return send_file(request, path[1:])
        if path == "/":
            return send_file(request, "class.html")
        if path == "/seats" and request.method == "GET":
            return await self.stream(self._teachers, request, [part_of(encode(self._overview()))], PAGE_HEADERS)
        if path == "/do" and request.method == "POST":
            return await self._do(request)
        return refuse(404, "there is no such page", f"there are {', '.join(OVERVIEW)} and /seat/NUMBER/")

    async def _do(self, request: web.BaseRequest) -> web.Response:
        """A command of the teacher: {"do": "pause"} or "play" for all, "free" a `seat`."""
        if not own_origin(request):
            return refuse(403, *FOREIGN)
        try:
            await self._obey(await read_command(request))
        except (ValueError, RecursionError) as error:
            return refuse(400, str(error)[:500], 'send {"do": "pause"}, "play", or "free" with a seat')
        return respond(200, b"{}")

    async def _obey(self, command: Mapping[str, Any]) -> None:
        what = command.get("do")
        if what in ("pause", "play"):
            self._held = what == "pause"
            for seat in self._seats.values():
                seat.hold(held=self._held)
        elif what == "free":
            number = command.get("seat")
            cookie = next((key for key, seat in self._seats.items() if seat.number == number), None)
            if cookie is None:
                raise ValueError(f"seat {str(number)[:10]} is not taken")
            await self._end(cookie, FREED)
        else:
            raise ValueError(f"{str(what)[:20]!r}: expected pause, play or free")
        self._teachers.send(part_of(encode(self._overview())))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if self._teachers:
                self._teachers.send(part_of(encode(self._overview())))

    def _overview(self) -> Mapping[str, Any]:
        """What the teacher's page shows of all seats."""
        taken = sorted(self._seats.values(), key=lambda seat: seat.number)
        seats = [{"seat": one.number, "pages": len(one.streams), **one.live.overview()} for one in taken]
        return {"type": "seats", "count": self._count, "held": self._held, "code": self.code, "seats": seats}

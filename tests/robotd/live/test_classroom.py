"""A class: a seat for each browser, the same seat again, and a teacher whose pause nobody else takes back."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import aiohttp
import pytest
import pytest_asyncio

from robotd.config.robot import HttpPart
from robotd.live import seat
from robotd.live.classroom import FREED, ClassServer
from robotd.live.runs import Run
from tests.patience import WAIT_S

pytestmark = pytest.mark.asyncio(loop_scope="module")  # few processes of runs for all tests
Data = dict[str, Any]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server() -> AsyncIterator[ClassServer]:
    # slow: a run that is over takes no clicks
    async with ClassServer(Run("patrol", speed=0.1), 2, HttpPart(port=0)) as one:
        yield one


def browser() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))  # of addresses too


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def pupil(server: ClassServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with browser() as one:
        await get_seat(server, one)
        yield one


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def teacher(server: ClassServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with browser() as one:
        assert (await one.get(server.teacher_link())).status == 200
        yield one


async def do(server: ClassServer, client: aiohttp.ClientSession, command: Data, path: str = "do") -> int:
    headers = {"Origin": server.url()[:-1]}
    return (await client.post(f"{server.url()}{path}", json=command, headers=headers)).status


async def get_seat(server: ClassServer, client: aiohttp.ClientSession) -> None:
    """Open the address of the class, and wait until the run of the seat has begun."""
    assert (await client.get(f"{server.url()}{server.code}")).status == 200
    async with asyncio.timeout(2 * WAIT_S), client.get(f"{server.url()}stream") as stream:
        async for line in stream.content:
            if b'"type":"scene"' in line:
                return


async def seat_of(server: ClassServer, client: aiohttp.ClientSession) -> int:
    return int((await (await client.get(f"{server.url()}about")).json())["seat"])


async def look(server: ClassServer, teacher: aiohttp.ClientSession) -> AsyncIterator[Data]:
    """What the teacher's page receives."""
    async with asyncio.timeout(WAIT_S), teacher.get(f"{server.url()}seats") as stream:
        async for line in stream.content:
            if line.startswith(b"data: ") and (data := json.loads(line[6:]))["type"] == "seats":
                yield data


async def test_each_browser_has_one_seat_and_none_is_left_for_a_third(
    server: ClassServer, pupil: aiohttp.ClientSession
) -> None:
    address = f"{server.url()}{server.code}"
    assert await seat_of(server, pupil) == 1
    assert (await pupil.get(address)).status == 200
    assert await seat_of(server, pupil) == 1
    async with browser() as second, browser() as third:
        assert (await third.get(server.url())).status == 401
        assert (await third.get(f"{server.url()}zzzzz")).status == 401
        assert (await second.head(address)).status == 405  # of a preview: it takes no seat
        assert (await second.get(address)).status == 200
        assert await seat_of(server, second) == 2
        full = await third.get(address, headers={"Accept": "text/html,*/*;q=0.8"})
        assert (full.status, full.content_type) == (503, "text/html")
        assert "All 2 seats are taken." in await full.text()
        assert (await (await third.get(address)).json())["status"] == 503


async def test_a_pupil_reaches_neither_the_teachers_page_nor_other_seats(
    server: ClassServer, pupil: aiohttp.ClientSession
) -> None:
    for path in ("seats", "class.js", "seat/1/", "seat/2/stream"):
        assert (await pupil.get(f"{server.url()}{path}")).status == 404
    assert await do(server, pupil, {"do": "free", "seat": 1}) == 200  # to the own run, which knows no such command
    assert await seat_of(server, pupil) == 1
    async with browser() as stranger:
        assert await do(server, stranger, {"do": "pause"}) == 401


async def test_a_click_of_a_pupil_is_seen_by_the_teacher_with_the_state_of_the_run(
    server: ClassServer, pupil: aiohttp.ClientSession, teacher: aiohttp.ClientSession
) -> None:
    assert await do(server, pupil, {"do": "event", "event": "remove amber"}) == 200
    seats = look(server, teacher)
    async for data in seats:
        first = data["seats"][0]
        if first["clicked"] and first["robots"]:  # which begin to move a moment later on a busy machine
            break
    await seats.aclose()
    assert (data["count"], data["held"], first["seat"], first["mission"]) == (2, False, 1, "patrol")
    assert re.fullmatch(r"[0-3] of 3 tasks are done", first["counted"][0])
    assert "remove amber" in first["clicked"]
    assert {name for name, _, _ in first["robots"]} >= {"amber", "olive"}
    assert (await teacher.get(f"{server.url()}seat/1/about")).status == 200
    assert (await teacher.get(f"{server.url()}seat/3/")).status == 404


async def test_the_pause_of_the_teacher_holds_whatever_pupils_ask_for(
    server: ClassServer, pupil: aiohttp.ClientSession, teacher: aiohttp.ClientSession
) -> None:
    assert await do(server, teacher, {"do": "pause"}) == 200
    for command in ({"do": "play"}, {"do": "step"}, {"do": "restart", "run": {"mission": "patrol"}}):
        assert await do(server, pupil, command) == 409
    assert await do(server, pupil, {"do": "event", "event": "return amber"}) == 200
    seats = look(server, teacher)
    async for data in seats:
        if all(seat["paused"] for seat in data["seats"]):
            break
    await seats.aclose()
    assert data["held"]
    assert await do(server, teacher, {"do": "play"}) == 200
    assert await do(server, pupil, {"do": "pause"}) == 200
    assert await do(server, pupil, {"do": "play"}) == 200


@pytest.mark.parametrize("command", [{}, {"do": "free"}, {"do": "free", "seat": 9}, {"do": "shutdown"}])
async def test_a_wrong_command_of_the_teacher_is_refused(
    server: ClassServer, teacher: aiohttp.ClientSession, command: Data
) -> None:
    assert await do(server, teacher, command) == 400
    assert (await teacher.post(f"{server.url()}do", json={"do": "pause"})).status == 403  # of no page


async def test_a_seat_that_is_freed_is_no_longer_its_browsers(
    server: ClassServer, pupil: aiohttp.ClientSession, teacher: aiohttp.ClientSession
) -> None:
    assert await do(server, teacher, {"do": "free", "seat": 1}) == 200
    refused = await pupil.get(f"{server.url()}about")
    assert (refused.status, (await refused.json())["error"]) == (401, FREED)
    async with browser() as stranger:
        assert (await (await stranger.get(f"{server.url()}about")).json())["error"] != FREED
    seats = look(server, teacher)
    assert 1 not in {seat["seat"] for seat in (await anext(seats))["seats"]}
    await seats.aclose()


async def test_once_a_link_of_the_teacher_was_used_there_is_another() -> None:
    server, links = ClassServer(Run("patrol"), 1, HttpPart(port=0)), list[str]()
    server.used = lambda: links.append(server.teacher_link())
    async with server:
        links.append(server.teacher_link())
        for _ in range(2):
            async with browser() as client:
                assert (await client.get(links[-1])).status == 200
                used = await client.get(links[-2])
            assert used.status == 401
        assert len(set(links)) == 3


class Going:
    """A run without a process; `all` are those made. It begins when all may, or when it is stopped."""

    all: ClassVar[list["Going"]] = []
    may: ClassVar[asyncio.Event]

    def __init__(self, *_: object) -> None:
        self.shows = self.goes = False
        self._stopped = asyncio.Event()
        self.all.append(self)

    async def start(self) -> str:
        self.goes = True
        waits = [asyncio.ensure_future(event.wait()) for event in (self.may, self._stopped)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for one in waits:
            one.cancel()
        return ""

    async def stop(self) -> None:
        self.goes = False
        self._stopped.set()

    def command(self, command: Data) -> bool:
        return False

    def history(self) -> list[bytes]:
        return []

    def make_way(self) -> None:
        """There is no process that could."""


@pytest.fixture
def going(monkeypatch: pytest.MonkeyPatch) -> list[Going]:
    """Runs without processes."""
    monkeypatch.setattr(seat, "LiveRun", Going)
    Going.may = asyncio.Event()
    Going.all.clear()
    return Going.all


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_seat_that_is_freed_while_another_run_begins_leaves_none(going: list[Going]) -> None:
    Going.may.set()
    freed = seat.Seat(Run("patrol"))
    await freed.begin()
    Going.may.clear()
    restarting = asyncio.ensure_future(freed._restart(Run("patrol")))
    await settle()
    assert [run.goes for run in going] == [True, True]
    await freed.stop()
    Going.may.set()
    await restarting
    assert [run.goes for run in going] == [False, False]


async def test_a_few_seats_begin_at_a_time_and_one_that_is_freed_before_its_turn_never_does(
    going: list[Going],
) -> None:
    turns = asyncio.Semaphore(2)
    seats = [seat.Seat(Run("patrol"), number, turns=turns) for number in range(1, 6)]
    beginning = asyncio.gather(*(one.begin() for one in seats))
    await settle()
    assert [run.goes for run in going] == [True, True, False, False, False]
    await seats[1].stop()  # while it begins
    await seats[3].stop()  # before
    Going.may.set()
    await beginning
    assert [run.goes for run in going] == [True, False, True, False, True]


async def test_where_no_run_begins_the_browser_reads_why_and_the_seat_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(_: seat.Seat) -> None:
        raise ValueError("it did not start within 60 s")

    async with ClassServer(Run("patrol"), 1, HttpPart(port=0)) as server, browser() as client:
        monkeypatch.setattr(seat.Seat, "begin", fail)
        for _ in range(2):
            refused = await client.get(f"{server.url()}{server.code}")  # which leads to the page of the seat
            assert refused.status == 401
            assert "60 s" in (await refused.json())["error"]
            assert not server._seats


async def test_all_seats_have_their_page_at_once_and_a_server_that_ends_leaves_no_run(
    going: list[Going], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    async with ClassServer(Run("patrol"), 9, HttpPart(port=0)) as server:
        for number in range(1, 10):
            async with browser() as client:
                assert (await client.get(f"{server.url()}{server.code}")).status == 200
                assert await seat_of(server, client) == number
                assert await do(server, client, {"do": "pause"}) == 409
        assert sum(run.goes for run in going) == 2
        Going.may.set()
    assert not any(run.goes for run in going)

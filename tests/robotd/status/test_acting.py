"""Acting over HTTP: nothing without a token, nothing for other pages, not too often, and every use is logged."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from robotd.config.robot import HttpPart
from robotd.model.inputs import Order
from robotd.status import acting
from robotd.status.guards import Allowance, Links
from robotd.status.http import HttpServer
from robotd.status.model import Error, ReplyPart
from tests.patience import WAIT_S
from tests.robotd.control.stand_in import RUNNING, WAITING, Robot, orders_of, tick
from tests.robotd.transport.serial_helper import until

KEY = bytes(range(32))
TOKENS = {"ann": (KEY,), "": (KEY[::-1],)}
BEARER = {"Authorization": f"Bearer {KEY.hex()}"}


class Page:
    """A robot that ticks after each order, its server, and a client of that."""

    def __init__(self, client: aiohttp.ClientSession, state: Any = WAITING) -> None:
        self.robot, self.client = Robot(state), client
        self.server = HttpServer(HttpPart(port=0), lambda: self.robot.snapshot)
        self.server.serve_orders(orders_of(self.robot), TOKENS)

    @property
    def url(self) -> str:
        assert self.server.address is not None
        return f"http://127.0.0.1:{self.server.address[1]}"

    async def post(self, path: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        own = {"Content-Type": "application/json", **headers}
        async with self.client.post(f"{self.url}{path}", data=data, headers=own) as response:
            answer = await response.read()
            (ReplyPart if response.status == 200 else Error).model_validate_json(answer)
            return response.status, json.loads(answer)

    async def do(self, what: str, *args: str, **headers: str) -> int:
        return (await self.post("/orders", {"do": what, "args": args}, **{**BEARER, **headers}))[0]


@contextlib.asynccontextmanager
async def serving(state: Any = WAITING) -> AsyncIterator[Page]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:  # of addresses too
        page = Page(client, state)
        assert await page.server.start()
        ticking = asyncio.create_task(tick(page.robot))
        yield page
        ticking.cancel()
        await page.server.stop()


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with serving() as one:
        yield one


async def test_an_order_with_a_token_reaches_the_tick_and_is_logged_with_who_gave_it(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    status, reply = await page.post("/orders", {"do": "start"}, **BEARER)
    assert (status, reply["state"]["word"], reply["robot"]) == (200, "running", "green")
    other = {"Authorization": f"bearer {KEY[::-1].hex().upper()}"}
    assert (await page.post("/orders", {"do": "ack", "args": []}, **other))[0] == 200
    assert page.robot.taken == [
        Order("start", (), "ann over HTTP"),
        Order("acknowledge", (), "the token over HTTP"),
    ]
    assert [line for line in caplog.messages if "start " in line] == ["start by ann over HTTP (127.0.0.1): done"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {bytes(32).hex()}"},
        {"Authorization": f"Basic {KEY.hex()}"},
        {"Cookie": "robotd=x"},
        {"Cookie": "robotd=\udcff\udcfe"},
    ],
)
async def test_nothing_acts_without_a_token_that_holds_be_it_on_loopback(
    page: Page, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    for path, body in (("/orders", {"do": "stop"}), ("/drive", {"speed": 0.1, "turn": 0.0})):
        status, answer = await page.post(path, body, **headers)
        assert (status, "robotd page" in answer["hint"]) == (401, True)
    assert (page.robot.taken, page.robot.orders) == ([], [])
    assert len([line for line in caplog.messages if "without a token" in line]) == 1


async def test_a_link_works_once_and_gives_the_browser_of_this_page_alone_the_right_to_act(page: Page) -> None:
    link = page.server.link()
    async with page.client.head(link, allow_redirects=False) as response:
        assert response.status == 200  # the page, for those who only look: a preview does not use the link up
    for expected in (303, 401):
        async with page.client.get(link, allow_redirects=False) as response:
            assert response.status == expected
    assert (await page.post("/orders", {"do": "start"}, Origin=page.url))[0] == 200
    assert page.robot.taken == [Order("start", (), "the page over HTTP")]
    for origin in ({}, {"Origin": "null"}, {"Origin": "http://evil.example"}, {"Origin": "http://127.0.0.1:1"}):
        assert (await page.post("/orders", {"do": "start"}, **origin))[0] in (401, 403)
    assert await page.do("start", Origin="http://evil.example") == 403
    assert len(page.robot.taken) == 1


async def test_links_and_cookies_end_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Request:
        def __init__(self, token: str = "", cookie: str = "") -> None:
            self.query, self.cookies = {"token": token}, {"c": cookie}

    loop, now = asyncio.get_running_loop(), 0.0
    monkeypatch.setattr(loop, "time", lambda: now)
    links = Links("c", link_s=120.0, cookie_s=1000.0)
    token, late = links.token(), links.token()
    now = 119.0
    response = links.admit(Request(token), {})  # type: ignore[arg-type]
    assert response is not None
    cookie = response.cookies["c"].value
    now = 121.0
    assert links.admit(Request(late), {}) is None  # type: ignore[arg-type]
    assert links.admitted(Request(cookie=cookie))  # type: ignore[arg-type]
    now = 1200.0
    assert not links.admitted(Request(cookie=cookie))  # type: ignore[arg-type]
    assert len({*(links.token() for _ in range(99))} & set(links._tokens)) == 16  # the newest hold


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/orders", {"do": "radio-forget", "args": ["red"]}),
        ("/orders", {"do": "page"}),
        ("/orders", {"do": "start", "args": ["x"] * 17}),
        ("/orders", {"do": "start", "by": "the president"}),
        ("/orders", ["start"]),
        ("/orders", b"nonsense"),
        ("/orders", b"[" * 4000),
        ("/orders", b" " * 5000),
        ("/drive", {"speed": 2, "turn": 0}),
        ("/drive", {"speed": 0.1}),
        ("/drive", b'{"speed": NaN, "turn": 0}'),
        ("/drive", {"speed": "1", "turn": 0}),
    ],
)
async def test_what_is_no_order_is_refused_with_what_is_wrong(page: Page, path: str, body: Any) -> None:
    status, answer = await page.post(path, body, **BEARER)
    assert (status, bool(answer["error"]), page.robot.orders) == (400, True, [])
    if not isinstance(body, bytes):
        assert (await page.post(path, body, **BEARER, **{"Content-Type": "text/plain"}))[0] == 400


async def test_only_post_acts(page: Page) -> None:
    for path in ("/orders", "/drive"):
        for method in ("GET", "PUT", "DELETE"):
            async with page.client.request(method, f"{page.url}{path}", headers=BEARER) as response:
                assert (response.status, response.headers["Allow"]) == (405, "POST")


async def test_too_many_orders_are_refused_and_a_stop_always_gets_through(page: Page) -> None:
    found = await asyncio.gather(*(page.do("start") for _ in range(60)))
    assert set(found) == {200, 429}
    assert await page.do("stop") == 200
    assert page.robot.taken[-1].kind == "stop"
    found = await asyncio.gather(*(page.post("/orders", {"do": "stop"}) for _ in range(60)))
    assert {status for status, _ in found} == {401, 429}
    assert await page.do("stop") == 200  # whoever guesses tokens keeps nobody from acting


async def test_arguments_are_logged_in_one_bounded_line_whether_the_order_is_done_or_refused(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for body in ({"do": "start", "args": ["a\n\x1b[2J", "x" * 3000]}, {"do": "task-add", "args": ["b\n\x1b[2J"]}):
        await page.post("/orders", body, **BEARER)
    done, refused = (line for line in caplog.messages if "by ann" in line)
    assert done.startswith("start a??[2J xxx")
    assert refused.startswith("task-add b??[2J by ann")
    assert all(line.isprintable() and len(line) < 2 * acting.MAX_LOGGED + 60 for line in (done, refused))


def test_an_allowance_is_a_burst_and_then_a_rate() -> None:
    allowance = Allowance(2.0, 3)
    assert [allowance.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert [allowance.take(now) for now in (0.4, 0.5, 0.6, 100.0)] == [False, True, False, True]


async def test_a_robot_is_driven_by_hand_and_that_is_logged_at_its_beginning_and_its_end(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    loop, began = asyncio.get_running_loop(), asyncio.get_running_loop().time()
    async with serving(RUNNING) as page:
        for expiry_s in (WAIT_S, WAIT_S, 0.1):  # the last one is not followed by another
            monkeypatch.setattr(acting, "EXPIRY_S", expiry_s)
            assert (await page.post("/drive", {"speed": 0.5, "turn": -0.25}, **BEARER))[0] == 200
        await until(lambda: len(page.robot.taken) == 3 and any("no longer" in line for line in caplog.messages))
        assert {replace(order, at=None) for order in page.robot.taken} == {
            Order("drive", ("0.5", "-0.25"), "ann over HTTP")
        }
        ages = [order.age(loop.time()) for order in page.robot.taken]
        assert ages == sorted(ages, reverse=True)
        assert 0.1 <= ages[-1] < ages[0] <= loop.time() - began
    hand = [line for line in caplog.messages if "by hand" in line]
    assert [line.startswith("driven") for line in hand] == [True, False]


async def test_a_robot_that_may_not_move_is_not_driven(page: Page) -> None:
    status, answer = await page.post("/drive", {"speed": 0.5, "turn": 0}, **BEARER)
    assert (status, "waiting for start" in answer["error"], page.robot.orders) == (409, True, [])

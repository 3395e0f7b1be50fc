"""The server of the page: nothing without its cookie, nothing for other pages, and no client is waited for."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from robotd.config.robot import HttpPart
from robotd.live.run import PAST, LiveRun, Past
from robotd.live.runs import Run
from robotd.live.server import ANOTHER, LiveServer
from robotd.status.listener import MAX_HEAD
from robotd.status.streams import BEHIND

Message = dict[str, Any]


class Browser:
    """A client with the cookie of the link."""

    def __init__(self, server: LiveServer, client: aiohttp.ClientSession) -> None:
        self.url, self.client = server.link.partition("/?")[0], client

    async def get(self, path: str, **headers: str) -> int:
        return (await self.client.get(f"{self.url}{path}", headers=headers)).status

    async def do(self, command: object, **headers: str) -> int:
        own = {"Origin": self.url, **headers}
        return (await self.client.post(f"{self.url}/do", json=command, headers=own)).status

    async def stream(self) -> AsyncIterator[Message]:
        """What the stream brings, without the signs of life."""
        async with self.client.get(f"{self.url}/stream") as stream:
            assert stream.content_type == "text/event-stream"
            async for line in stream.content:
                if line.startswith(b"data: ") and (data := json.loads(line[6:]))["type"] != "alive":
                    yield data


async def until(stream: AsyncIterator[Message], kind: str) -> Message:
    async for one in stream:
        if one["type"] == kind:
            return one
    raise AssertionError(f"the stream has ended without {kind}")


pytestmark = pytest.mark.asyncio(loop_scope="module")  # one process of a run for all tests


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server() -> AsyncIterator[LiveServer]:
    # slow: a run that is over takes no clicks
    async with LiveServer(Run("patrol", speed=0.1), HttpPart(port=0)) as one:
        yield one


@pytest_asyncio.fixture(loop_scope="module")
async def browser(server: LiveServer) -> AsyncIterator[Browser]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:  # of addresses too
        assert (await client.get(server.link)).status == 200
        yield Browser(server, client)


async def test_nothing_answers_without_the_link_and_that_works_once(server: LiveServer) -> None:
    url, link = server.link.partition("/?")[0], server.link
    async with aiohttp.ClientSession() as client:
        for path in ("/", "/about", "/stream", "/live.js", "/?token=guessed"):
            assert (await client.get(f"{url}{path}")).status == 401
        assert (await client.head(link, allow_redirects=False)).status == 401  # of a preview: it uses no link up
        assert (await client.get(link, allow_redirects=False)).status == 303
        used = await client.get(link, headers={"Accept": "text/html,*/*;q=0.8"})
        assert (used.status, used.content_type, ANOTHER[1:] in await used.text()) == (401, "text/html", True)


async def test_a_page_gets_its_files_and_what_can_be_chosen(browser: Browser) -> None:
    page = await browser.client.get(browser.url)
    assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(
        page.headers["Content-Security-Policy"].split("; ")
    )
    for path, status in (("/live.js", 200), ("/live.css", 200), ("/world.js", 200), ("/stage.py", 404)):
        assert await browser.get(path) == status
    about = await (await browser.client.get(f"{browser.url}/about")).json()
    assert {"cleanup", "patrol"} <= set(about["missions"])
    choices = await (await browser.client.get(f"{browser.url}/choices?mission=patrol")).json()
    assert "coordinator.parameters.threshold" in choices["coordinators"]["alliance"]
    assert await browser.get("/choices?mission=/etc/passwd") == 400


async def test_a_page_that_comes_late_is_given_what_was_before_to_draw(browser: Browser) -> None:
    first = browser.stream()
    decided = False
    while not decided:  # a robot decides at a time of its own
        decided = all(one.get("levels") for one in (await until(first, "frame"))["robots"])
    await first.aclose()
    stream = browser.stream()
    past = (await until(stream, "past"))["frames"]
    now = await until(stream, "frame")
    times = [one["t"] for one in past]
    assert times == sorted(times)
    assert times[-1] <= now["t"]
    levels = [[level["set"] for level in one["levels"]] for one in past[-1]["robots"]]
    assert levels == [[level["set"] for level in one["levels"]] for one in now["robots"]]
    await stream.aclose()


async def test_other_hosts_and_other_pages_are_refused_and_strange_bytes_are_no_fault(browser: Browser) -> None:
    assert await browser.get("/", Host="evil.example") == 403
    for origin in ("http://evil.example", "http://127.0.0.1:1", "null"):
        assert await browser.do({"do": "pause"}, Origin=origin) == 403
    async with aiohttp.ClientSession() as stranger:
        name = f"robotd-live-{browser.url.rpartition(':')[2]}"
        assert (await stranger.get(browser.url, headers={"Cookie": f"{name}=\udcff\udcfe"})).status == 401
    for body in ("{}", "[" * 60_000, "[]", "nonsense"):
        headers = {"Origin": browser.url, "Content-Type": "application/json"}
        assert (await browser.client.post(f"{browser.url}/do", data=body, headers=headers)).status in (200, 400)
    assert (
        await browser.client.post(f"{browser.url}/do", data="{}", headers={"Origin": browser.url})
    ).status == 400


async def test_clicks_reach_the_run_and_another_run_takes_its_place(browser: Browser) -> None:
    stream = browser.stream()
    assert (await anext(stream))["type"] == "scene"
    await until(stream, "frame")
    assert await browser.do({"do": "event", "event": "remove amber"}) == 200
    assert "remove amber" in (await until(stream, "clicked"))["command"]
    assert await browser.do({"do": "restart", "run": {"mission": "patrol", "seed": 4}}) == 200
    scene = await until(stream, "scene")
    assert (scene["mission"], scene["seed"]) == ("patrol", 4)
    await stream.aclose()


async def test_a_run_that_cannot_be_is_refused_and_the_one_that_runs_goes_on(
    browser: Browser, tmp_path: Path
) -> None:
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'loaded')!r}, 'w')\n", encoding="utf-8")
    wrong: list[Message] = [{"mission": "../secret.toml"}, {"mission": "README.md"}, {"mission": ""}]
    for changed in (
        {"plugins": [str(evil)]},
        {"changes": {"plugins": [str(evil)]}},
        {"changes": {"no.such": 1}},
        {"changes": {"time_limit_s": math.nan}},
        {"events": ["x"]},
        {"coordinator": "bite"},
    ):
        wrong.append({"mission": "patrol", **changed})
    for run in wrong:
        assert await browser.do({"do": "restart", "run": run}) == 400
    command = {"do": "restart", "command": "robotd sim patrol --coordinator bite"}
    refused = await browser.client.post(f"{browser.url}/do", json=command, headers={"Origin": browser.url})
    assert refused.status == 400
    assert (await refused.json())["error"].startswith("patrol.toml:")
    assert not (tmp_path / "loaded").exists()
    stream = browser.stream()
    assert (await until(stream, "scene"))["mission"] == "patrol"
    await until(stream, "frame")
    await stream.aclose()


@pytest.mark.parametrize("count", [1, PAST, PAST + 1, 20 * PAST])
async def test_what_was_before_is_few_frames_back_to_the_beginning_and_evenly_apart(count: int) -> None:
    past, robot = Past(), {"name": "amber", "at": None, "on": False}
    for k in range(count):
        past.note({"t": 0.1 * k, "robots": [robot], "radio": {"sent": 1, "delivered": 1, "lost": 0}})
    times = [one["t"] for one in past.frames]
    gaps = [b - a for a, b in pairwise(times)]
    assert min(count, PAST // 2) <= len(times) <= PAST
    assert times[0] == 0.0
    assert times[-1] >= 0.1 * (count - 1) - 2.0 * max(gaps, default=0.0)
    assert max(gaps, default=0.1) <= 2.0 * min(gaps, default=0.1) + 0.2


async def test_a_run_that_cannot_be_passed_on_leaves_no_process() -> None:
    run = LiveRun(Run("patrol", changes={"time_limit_s": math.nan}), lambda _: None)
    with pytest.raises(ValueError, match="JSON"):
        await run.start()
    assert run._process is None


async def test_a_page_learns_each_second_that_the_server_lives_whatever_the_run_does(browser: Browser) -> None:
    assert await browser.do({"do": "pause"}) == 200
    async with browser.client.get(f"{browser.url}/stream") as stream:
        async for line in stream.content:
            if line == b'data: {"type":"alive"}\n':
                return
    raise AssertionError("the stream has ended")


async def test_connections_of_others_and_their_lines_are_bounded(
    server: LiveServer, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "max_connections", 8)
    host, port = browser.url.removeprefix("http://").split(":")
    held = [await asyncio.open_connection(host, int(port)) for _ in range(20)]
    assert await browser.get("/about") == 200
    assert len(server._connections) <= 8
    assert [await reader.read() for reader, _ in held[:11]] == [b""] * 11
    assert await browser.get("/about", Long="x" * (MAX_HEAD + 1)) == 400
    for _, writer in held:
        writer.close()


async def test_a_client_that_does_not_read_is_cut_and_the_run_goes_on(
    server: LiveServer, browser: Browser
) -> None:
    cookies = "; ".join(f"{one.key}={one.value}" for one in browser.client.cookie_jar)
    host, port = browser.url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port), limit=1)
    writer.write(f"GET /stream HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookies}\r\n\r\n".encode())
    while not len(server.seat.streams):  # noqa: ASYNC110 - when it answers is its own affair
        await asyncio.sleep(0.01)
    for _ in range(100 * BEHIND):
        server.seat.show(b"x" * 60_000)
        await asyncio.sleep(0)
        if not server.seat.streams:
            break
    assert not server.seat.streams
    writer.close()
    stream = browser.stream()
    await until(stream, "frame")
    await stream.aclose()

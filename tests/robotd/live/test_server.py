"""The server of the page: nothing without its cookie, nothing for other pages, and no client is waited for."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from robotd.config.robot import HttpPart
from robotd.live.server import BEHIND, LiveServer
from robotd.live.stage import Run


@pytest.fixture
async def server() -> AsyncIterator[LiveServer]:
    async with LiveServer(Run("patrol", speed=20.0), HttpPart(port=0)) as one:
        yield one


async def messages(client: aiohttp.ClientSession, url: str) -> AsyncIterator[dict[str, Any]]:
    async with client.get(f"{url}/stream") as stream:
        assert stream.content_type == "text/event-stream"
        async for line in stream.content:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


async def test_the_link_gives_a_browser_the_page_the_stream_and_commands_once(server: LiveServer) -> None:
    url = server.link.partition("/?")[0]
    own = {"Origin": url}
    jar = aiohttp.CookieJar(unsafe=True)  # addresses may have cookies
    async with aiohttp.ClientSession(cookie_jar=jar) as client, aiohttp.ClientSession() as other:
        assert (await client.get(url)).status == 401
        assert (await client.get(f"{url}/?token=guessed")).status == 401
        page = await client.get(server.link.replace("/?token=guessed", ""))
        assert page.status == 200
        assert "robotd" in await page.text()
        assert (await other.get(server.link.replace("token=", "token=x"))).status == 401
        assert "'none'" in page.headers["Content-Security-Policy"]
        for path, status in (("/live.js", 200), ("/live.css", 200), ("/world.js", 200), ("/stage.py", 404)):
            assert (await client.get(f"{url}{path}")).status == status
        choice = await (await client.get(f"{url}/about")).json()
        assert "cleanup" in choice["missions"]
        assert "alliance" in choice["coordinators"]
        assert (await client.get(url, headers={"Host": "evil.example"})).status == 403
        assert (await client.post(f"{url}/do", json={"do": "pause"})).status == 403
        assert (
            await client.post(f"{url}/do", json={"do": "pause"}, headers={"Origin": "http://evil.example"})
        ).status == 403
        assert (await client.post(f"{url}/do", data="{}", headers=own)).status == 400
        assert (await client.post(f"{url}/do", json=[], headers=own)).status == 400
        for mission in ("../secret.toml", "/etc/passwd"):
            restart = {"do": "restart", "run": {"mission": mission}}
            assert (await client.post(f"{url}/do", json=restart, headers=own)).status == 400
        stream = messages(client, url)
        seen = [await anext(stream)]
        while seen[-1]["type"] != "frame":
            seen.append(await anext(stream))
        assert [one["type"] for one in seen if one["type"] != "alive"][:1] == ["scene"]
        assert (
            await client.post(f"{url}/do", json={"do": "event", "event": "remove amber"}, headers=own)
        ).status == 200
        while seen[-1]["type"] != "clicked":
            seen.append(await anext(stream))
        restart = {"do": "restart", "run": {"mission": "janitor", "seed": 4}}
        assert (await client.post(f"{url}/do", json=restart, headers=own)).status == 200
        while seen[-1].get("mission") != "janitor":
            seen.append(await anext(stream))
        assert seen[-1]["seed"] == 4
        await stream.aclose()


async def test_the_link_works_once(server: LiveServer) -> None:
    link = server.link
    async with aiohttp.ClientSession() as client:
        assert (await client.get(link, allow_redirects=False)).status == 303
        assert (await client.get(link, allow_redirects=False)).status == 401


async def test_a_page_is_told_every_second_that_the_server_lives_whatever_the_run_does(server: LiveServer) -> None:
    url = server.link.partition("/?")[0]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        await client.get(server.link)
        stream = messages(client, url)
        while (await anext(stream))["type"] != "frame":
            pass
        await client.post(f"{url}/do", json={"do": "pause"}, headers={"Origin": url})
        while (await anext(stream))["type"] != "alive":
            pass
        await stream.aclose()


async def test_a_client_that_does_not_read_is_cut_and_the_others_go_on() -> None:
    one = LiveServer(Run("patrol"), HttpPart(port=0))
    slow, quick = asyncio.Queue[bytes | None](BEHIND), asyncio.Queue[bytes | None](BEHIND)
    one._clients |= {slow, quick}
    for _ in range(BEHIND + 1):
        one._show(b"{}")
        assert quick.get_nowait() == b"{}"
    assert slow.get_nowait() is None
    assert slow.empty()

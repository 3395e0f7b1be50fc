"""The live page in a notebook, whose event loop runs already: the same page, in a frame, until it is closed."""

import html
import json
import re
from typing import Any

import aiohttp
import pytest

from robotd.api import ConfigError, live
from robotd.live import notebook
from robotd.live.notebook import AGAIN, ELSEWHERE, LivePage
from tests.patience import WAIT_S


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine ends a thread late."""
    monkeypatch.setattr(notebook, "CLOSE_S", WAIT_S)


SRC = re.compile(r'src="(http://localhost:\d+/)(\?token=[\w-]+)"')


async def scene_of(client: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    async with client.get(f"{url}stream") as stream:
        async for line in stream.content:
            if line.startswith(b"data: "):
                scene: dict[str, Any] = json.loads(line[6:])
                return scene
    raise AssertionError("the stream has ended")


async def test_a_notebook_shows_the_page_in_a_frame_of_the_same_host_until_it_is_closed() -> None:
    page = live("patrol", seed=4, radio__loss=0.1, events="3 remove amber", speed=1.0)
    shown = SRC.search(page._repr_html_())
    assert shown
    url, token = shown.groups()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as notebook:
        for _ in range(2):  # a notebook that is drawn anew asks again
            async with notebook.get(f"{url}{token}") as answer:
                assert (answer.status, str(answer.url)) == (200, url)
                frames = answer.headers["Content-Security-Policy"].partition("frame-ancestors ")[2]
                assert frames.startswith("http://localhost:* https://localhost:* http://127.0.0.1:*")
                assert "'none'" not in frames.partition(";")[0]
        scene = await scene_of(notebook, url)
        assert (scene["mission"], scene["seed"], scene["loss"]) == ("patrol", 4, 0.1)
        assert scene["run"]["events"] == ["3 remove amber"]
    async with aiohttp.ClientSession() as stranger:
        headers = {"Accept": "text/html"}
        for path, hint in ((token, AGAIN), ("", ELSEWHERE)):
            async with stranger.get(f"{url}{path}", headers=headers) as answer:
                assert (answer.status, answer.content_type) == (401, "text/html")
                shown = html.unescape(await answer.text())
                assert hint[1:] in shown
                assert "terminal" not in shown  # a notebook has none
        page.close()
        page.close()
        with pytest.raises(aiohttp.ClientConnectionError):
            await stranger.get(url)
    assert page.closed
    assert "iframe" not in page._repr_html_()
    with pytest.raises(ValueError, match="closed"):
        _ = page.link


def test_each_link_works_once_and_is_another_one_and_a_context_closes_its_page() -> None:
    with live("patrol", speed=1.0, allow_hosts=["desk.local"]) as page:
        assert len({page.link, page.link, page.link}) == 3
        assert f'src="http://desk.local:{page._server.port}/' in page._repr_html_()
        assert repr(page).startswith("<live page of patrol: http://127.0.0.1:")
    assert repr(page) == "<live page of patrol: closed>"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"mission": "no-such"}, ConfigError), ({"radio__loss": 7.0}, ConfigError),
        ({"events": "3 remove nobody"}, ConfigError), ({"coordinator": "no-such"}, ConfigError),
        ({"seed": -1}, ValueError), ({"speed": 0.0}, ValueError), ({"bind": "nowhere:x"}, ValueError),
        ({"bind": "192.0.2.1:0"}, OSError),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_is_refused_where_it_is_asked_for(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        live(**{"mission": "patrol", **arguments})


def test_a_page_whose_event_loop_has_just_ended_closes_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    page = live("patrol")
    page.close()
    monkeypatch.setattr(LivePage, "closed", False)  # its thread still ends, where that is asked too soon
    page.close()

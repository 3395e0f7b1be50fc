"""`robotd page` prints the link that the robot hands out, and why there is none."""

import asyncio
import json
import webbrowser
from pathlib import Path

import pytest

from robotd.__main__ import main
from tests.robotd.control.stand_in import Robot, no_page, orders_of, served

LINK = "http://127.0.0.1:8421/?token=x"


@pytest.mark.parametrize(("link", "status"), [(lambda: LINK, 0), (no_page, 1)])
async def test_the_link_of_the_robot_is_printed_or_why_there_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], link, status: int
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    async with served(orders_of(Robot(), link=link), folder):
        assert await asyncio.to_thread(main, ["page", "--open"]) == status
        shown = capsys.readouterr()
        assert (LINK in shown.out, "serves no page" in shown.err) == (not status, bool(status))
        assert opened == [LINK][status:]
        assert await asyncio.to_thread(main, ["page", "--json"]) == status
    assert json.loads(capsys.readouterr().out).get("link") == (None if status else LINK)

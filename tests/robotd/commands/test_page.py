"""`robotd page` prints the link that the robot hands out, and why there is none."""

import asyncio
import json
import webbrowser
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.control.server import ControlServer
from robotd.files import paths
from tests.robotd.control.stand_in import Robot, no_page, orders_of
from tests.robotd.transport.serial_helper import until

LINK = "http://127.0.0.1:8421/?token=x"


@pytest.mark.parametrize(("link", "status"), [(lambda: LINK, 0), (no_page, 1)])
async def test_the_link_of_the_robot_is_printed_or_why_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], link, status: int
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setitem(paths.SYSTEM, "runtime", ("RUNTIME_DIRECTORY", tmp_path))
    server = ControlServer(orders_of(Robot(), link=link), tmp_path)
    task = asyncio.create_task(server.run())
    await until(lambda: server.listening)
    assert await asyncio.to_thread(main, ["page", "--open"]) == status
    shown = capsys.readouterr()
    assert (LINK in shown.out, "serves no page" in shown.err, opened) == (
        not status,
        bool(status),
        [LINK][status:],
    )
    assert await asyncio.to_thread(main, ["page", "--json"]) == status
    assert json.loads(capsys.readouterr().out).get("link") == (None if status else LINK)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

"""`robotd status`: the state and a table for each part, of one robot or of several."""

import asyncio
import functools
import json
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.commands import status
from robotd.control.orders import Orders
from robotd.control.server import ControlServer
from robotd.model.inputs import Fault
from robotd.robot.snapshot import Snapshot
from robotd.status.model import Status, read_status
from robotd.status.status import status_of
from tests.robotd.control.stand_in import no_page, served
from tests.robotd.robot.snapshots import snapshot


def serving(folder: Path, name: str, made: Snapshot | None) -> AbstractAsyncContextManager[ControlServer]:
    described = functools.partial(status_of, mission="tidy")
    return served(Orders(name, lambda _: None, lambda: made, described, lambda _: None, "", no_page), folder)


async def command(*typed: str) -> int:
    return await asyncio.to_thread(main, ["status", *typed])


async def test_json_is_the_document_of_get_status(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(folder, "red", snapshot()):
        assert await command("--json") == 0
    out = capsys.readouterr().out
    Status.model_validate_json(out)
    assert json.loads(out)["robot"]["name"] == "red"


async def test_several_robots_have_a_line_each_and_one_is_chosen_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(folder, "red", snapshot()), serving(folder, "blue", snapshot(robot="blue")):
        assert await command() == 0
        assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["blue", "red"]
        assert await command("--json") == 0
        documents = map(json.loads, capsys.readouterr().out.splitlines())
        assert [document["robot"]["name"] for document in documents] == ["blue", "red"]
        assert await command("--robot", "blue") == 0
    assert capsys.readouterr().out.startswith("blue: running (permitted to move)\n")


async def test_a_robot_that_is_not_there_or_has_not_ticked_is_reported_with_status_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await command() == 1
    assert "no robotd is running here" in capsys.readouterr().err
    async with serving(folder, "red", None):
        assert await command() == 1
    assert "red: it has not ticked yet" in capsys.readouterr().err


PAGE = """red: running (permitted to move)
mission tidy, run 5 running, up 16 min
active: look on find, holding shift
at x 1.00 m, y 2.00 m, heading 29 degrees (within 0.15 m)
battery 75 %
warning: the disk is nearly full
"""
ROWS = (
    "push  ##..................  12.3        40.0        0.0           100  slow: green is on shift",
    "green  2.0 beats ago  shift  find   290 of 300, -62 dBm",
    "blue   never          -      -      -",
    "spot    1.5, 2  for 10.0 s  green",
    "mission-mismatch  for 20.0 s  blue runs another mission file",
    "no gripper  gripper is dead",
    "19790, 10 skipped, late by 0.1 ms in the median, 20.0 ms at most",
)


@pytest.mark.parametrize("terminal", [False, True])
def test_the_status_for_people_begins_with_the_state_and_has_a_table_for_each_part(
    terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", "200")
    status.show(read_status(status_of(snapshot(), mission="tidy")))
    out = capsys.readouterr().out
    assert out.startswith(PAGE) or terminal
    assert [row for row in ROWS if row.split("  ")[-1].strip() not in out] == []
    assert terminal or [row for row in ROWS if row not in out] == []


def test_what_a_fault_brings_along_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    made = snapshot()
    fault = Fault("tick-raised", "ValueError: \x1b[2J\nred: running", 0.0)
    status.show(read_status(status_of(replace(made, inputs=replace(made.inputs, faults=(fault,))))))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\nred: running" not in out


def test_a_document_of_a_later_version_is_read_without_its_new_fields_and_an_earlier_one_refused() -> None:
    document = status_of(snapshot(), mission="tidy")
    later = {**document, "new": 1, "robot": {**document["robot"], "new": 1}, "facts": [
        {**fact, "new": 1} for fact in document["facts"]]}  # fmt: skip
    assert read_status(later) == read_status(document)
    with pytest.raises(ValueError, match="run"):
        read_status({key: value for key, value in document.items() if key != "run"})

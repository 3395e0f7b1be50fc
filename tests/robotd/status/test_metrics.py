"""Metrics of a robot as Prometheus reads them: every one parses, is documented, and is there for what is there."""

import json
import re
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from robotd.config.robot import HttpPart
from robotd.model.choice import State
from robotd.robot.snapshot import Snapshot
from robotd.status import metrics
from robotd.status.http import HttpServer
from robotd.status.metrics import ROBOT, STATION, Family, exposed, names
from robotd.status.status import status_of
from tests.robotd.robot.snapshots import snapshot

ROOT = Path(__file__).parents[3]
NAME = re.compile(r"robotd_\w+")


def samples(made: Snapshot) -> dict[tuple[str, ...], float]:
    """By name and the values of the labels but the robot's."""
    text = exposed(status_of(made, mission="tidy"))[0].decode()
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        for one in family.samples:
            assert one.labels.pop("robot") == "red"
            found[(one.name.removeprefix("robotd_"), *one.labels.values())] = one.value
    return found


def test_the_metrics_are_what_the_status_says() -> None:
    found = samples(snapshot())
    for key, value in (
        (("ticks_total",), 19790),
        (("ticks_skipped_total",), 10),
        (("tick_lateness_seconds", "p99"), 0.001),
        (("tick_work_seconds", "max"), 0.009),
        (("radio_alive",), 1),
        (("radio_frames_refused_total", "mac"), 3),
        (("radio_frames_missed_total", "green"), 10),
        (("radio_duty_used_seconds",), 12.5),
        (("radio_duty_budget_seconds",), 360),
        (("level", "motivation", "look"), 100),
        (("level_limit", "push"), 100),
        (("fault", "mission-mismatch", "false"), 1),
        (("battery_ratio",), 0.75),
        (("state", "running"), 1),
        (("state", "faulted"), 0),
        (("active", "look", "find"), 1),
        (("port_ready", "board"), 1),
    ):
        assert found[key] == value, key


def test_what_is_absent_is_absent_and_never_zero() -> None:
    made = snapshot()
    blind = replace(made.inputs, senses=replace(made.inputs.senses, battery=None), faults=())
    free = replace(made.radio, limit=replace(made.radio.limit, budget_s=None), contacts=())
    found = samples(replace(made, inputs=blind, radio=free, choice=replace(made.choice, run=(), levels=())))
    there = {key[0] for key in found}
    assert not there & {"battery_ratio", "fault", "radio_duty_budget_seconds", "radio_rssi_dbm", "active", "level"}
    odd = samples(replace(made, decision=replace(made.decision, state=State("odd", "", "", may_move=False))))
    assert [key for key, value in odd.items() if key[0] == "state" and value] == []


@pytest.mark.parametrize("family", [ROBOT, STATION], ids=["robot", "station"])
def test_names_follow_the_conventions_of_prometheus(family: Family) -> None:
    assert len(set(names())) == len(names())
    for one in family.metrics:
        assert re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", one.name)
        assert not one.name.endswith(("_total", "_count", "_sum", "_bucket", "_info"))
        assert not {"le", "quantile", "job", "instance", family.label} & set(one.labels)
        assert one.help.endswith(".")
        assert not re.search(r"_(ms|s|mb|kb|percent|minutes|hours|milliseconds)$", one.name)


@pytest.mark.parametrize(
    "file", ["docs/metrics.md", "packaging/prometheus/robotd.rules.yml", "packaging/grafana/robotd.json"]
)
def test_rules_board_and_page_name_metrics_that_there_are(file: str) -> None:
    named = set(NAME.findall((ROOT / file).read_text(encoding="utf-8")))
    assert named
    assert named - set(names()) == set()
    if file.startswith("docs"):
        assert named == set(names())


def test_the_board_is_one_that_grafana_reads() -> None:
    board = json.loads((ROOT / "packaging/grafana/robotd.json").read_text(encoding="utf-8"))
    assert board["title"]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    assert all(target["expr"] for panel in board["panels"] for target in panel.get("targets", ()))


async def test_metrics_are_answered_and_without_the_library_there_is_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: Snapshot | None = None
    server = HttpServer(HttpPart(port=0), lambda: made, mission="tidy")
    assert await server.start()
    assert server.address is not None
    url = f"http://127.0.0.1:{server.address[1]}/metrics"
    async with aiohttp.ClientSession() as client:
        async with client.get(url) as response:
            assert response.status == 503
        made = snapshot()
        async with client.get(url) as response:
            assert (response.status, response.content_type) == (200, "text/plain")
            assert list(text_string_to_metric_families(await response.text()))
        monkeypatch.setattr(metrics, "LIBRARY", "robotd.no_such_module")
        async with client.get(url) as response:
            assert (response.status, "robotd[metrics]" in (await response.json())["error"]) == (501, True)
    await server.stop()

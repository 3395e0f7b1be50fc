"""A robot's HTTP endpoint: what it answers, and what it refuses, from whomever."""

import asyncio
import contextlib
import gzip
import json
import os
import re
import socket
from dataclasses import replace
from typing import Any

import pytest

from robotd.config.robot import HttpPart
from robotd.robot.snapshot import Snapshot
from robotd.status import http, listener
from robotd.status.guards import is_answered
from robotd.status.http import health_of
from robotd.status.model import Error, Status
from robotd.status.openapi import PATHS
from robotd.status.status import describe, status_of
from tests.patience import LONG_S, WAIT_S
from tests.robotd.robot.snapshots import NOW, snapshot
from tests.robotd.status.served import MODELS, Stage, serving
from tests.robotd.transport.serial_helper import until

GETS = [path for path, one in PATHS.items() if one.takes is None and one.kind == "application/json"]
stage = pytest.fixture(serving.__wrapped__)


# -- what is answered


async def test_status_is_the_document_of_the_last_snapshot(stage: Stage) -> None:
    status, headers, document = await stage.ask("/status")
    assert status == 200
    assert headers["Content-Type"].startswith("application/json")
    assert document == json.loads(json.dumps(status_of(snapshot(), mission="tidy")))


@pytest.mark.parametrize("path", ["/status", "/healthz"])
async def test_before_the_first_tick_there_is_no_status_and_nothing_is_healthy(stage: Stage, path: str) -> None:
    stage.snapshot = None
    status, _, document = await stage.ask(path)
    assert (status, document.get("error", document.get("reason"))) == (503, "no tick has finished yet")


async def test_a_snapshot_is_described_once_however_often_it_is_asked_for(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    described: list[Snapshot] = []

    def counted(made: Snapshot, **more: Any) -> Status:
        described.append(made)
        return describe(made, **more)

    monkeypatch.setattr(http, "describe", counted)
    for _ in range(5):
        await stage.ask("/status")
    assert len(described) == 1
    stage.snapshot = snapshot(robot="red", started_at=20.0)
    _, _, document = await stage.ask("/status")
    assert len(described) == 2
    assert document["uptime_s"] == 980.0


@pytest.mark.parametrize(("age", "status"), [(0.0, 200), (0.9, 200), (1.1, 503), (60.0, 503)])
async def test_health_follows_the_age_of_the_last_tick(stage: Stage, age: float, status: int) -> None:
    stage.now = NOW + age
    found, _, document = await stage.ask("/healthz")
    assert found == status
    assert document["healthy"] == (status == 200)
    assert document["age_s"] == pytest.approx(age)
    assert (document["state"], document["tick"]) == ("running", 19800)
    assert bool(document["reason"]) == (status == 503)
    made = snapshot()
    stopped = replace(made.decision.state, word="stopped", may_move=False)
    of_stopped = health_of(replace(made, decision=replace(made.decision, state=stopped)), stage.now)
    assert (of_stopped.healthy, of_stopped.state) == (status == 200, "stopped")


async def test_openapi_describes_every_path_and_every_answer(stage: Stage) -> None:
    status, _, document = await stage.ask("/openapi.json")
    assert status == 200
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {*GETS, "/metrics", "/orders", "/drive"}
    schemas = document["components"]["schemas"]
    assert {*MODELS, "OrderPart", "DrivePart"} <= set(schemas)
    assert set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document))) <= set(schemas)
    acting = {path for path, operations in document["paths"].items() if set(operations) != {"get", "head"}}
    assert acting == {"/orders", "/drive"}
    assert all(document["paths"][path]["post"]["security"] for path in acting)


@pytest.mark.parametrize("path", GETS)
async def test_head_gives_the_headers_of_get_without_a_body(stage: Stage, path: str) -> None:
    _, of_get, _ = await stage.ask(path)
    status, of_head, document = await stage.ask(path, "HEAD")
    assert (status, document) == (200, None)
    assert of_head["Content-Length"] == of_get["Content-Length"]


# -- what is refused


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_but_get_and_head_is_taken(stage: Stage, method: str) -> None:
    for path in GETS:
        status, headers, document = await stage.ask(path, method)
        assert (status, headers["Allow"], document["status"]) == (405, "GET, HEAD", 405)
        assert "GET" in document["hint"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [("/statos", "ask for /status"), ("/status/", "ask for /status"), ("/none", "there are /")],
)
async def test_a_path_that_is_not_there_is_told_the_nearest(stage: Stage, path: str, hint: str) -> None:
    status, _, document = await stage.ask(path)
    assert status == 404
    assert document["hint"].startswith(hint)


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/status", "localhost", 200), ("/nothing", "localhost", 404), ("/nothing", "evil.example", 403),
     *(("/status", host, 403) for host in ("localhost:80@evil.example", "192.168.0.7:8421", ""))],
)  # fmt: skip
async def test_only_hosts_of_this_robot_are_answered(stage: Stage, path: str, host: str, status: int) -> None:
    found, headers, document = await stage.ask(path, Host=host)
    assert found == status
    assert ("allowed_hosts" in document.get("hint", "")) == (status == 403)
    assert not [name for name in headers if name.lower().startswith("access-control")]


async def test_a_request_with_no_host_or_with_two_is_refused(stage: Stage) -> None:
    assert b" 403 " in await raw(stage, b"GET /status HTTP/1.0\r\n\r\n")
    twice = b"GET /status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert b" 200 " not in await raw(stage, twice)


async def raw(stage: Stage, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(*stage.address)
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.readline(), WAIT_S)
    finally:
        await close(writer)


async def close(writer: asyncio.StreamWriter) -> None:
    """A server that cuts a connection may have left some of it unread, which resets it."""
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


LOCAL = f"{socket.gethostname().partition('.')[0]}.local"


@pytest.mark.parametrize(
    ("config", "answered", "refused"),
    [
        ({}, ["localhost:80", "127.0.0.1", "[::1]"], ["192.0.2.2", LOCAL, "", "[::1]x", ":80", "localhost:a"]),
        ({"host": "0.0.0.0"}, ["192.0.2.2:80", "[fe80::1]", LOCAL, "LOCALHOST."], ["evil.example", "1.2.3", ""]),
        ({"host": "fe80::1"}, ["[fe80::1]:8421", LOCAL], ["evil.example"]),
        ({"allowed_hosts": ("Robot.Local.", "10.0.0.1:80", "[fd00::1]")},
         ["robot.local:1", "10.0.0.1", "[fd00::1]:9"], [""]),
    ],
)  # fmt: skip
def test_hosts_that_reach_this_robot_are_answered_and_no_others(
    config: dict[str, Any], answered: list[str], refused: list[str]
) -> None:
    part = HttpPart(**config)
    assert [host for host in answered if not is_answered(host, part)] == []
    assert [host for host in refused if is_answered(host, part)] == []


# -- bounds


async def test_a_body_is_refused_unread_and_never_inflated(stage: Stage) -> None:
    bomb = gzip.compress(bytes(100_000_000), 1)[:100_000]
    head = "{} /status HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n"
    loop = asyncio.get_running_loop()
    loop.slow_callback_duration = 0.2
    for method, status in (("GET", b" 413 "), ("POST", b" 405 ")):
        assert status in await raw(stage, head.format(method, len(bomb)).encode() + bomb)
    assert (await stage.ask("/healthz"))[0] == 200


async def test_idle_connections_are_bounded_and_a_new_one_is_answered(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(os.listdir("/proc/self/fd"))
    held = [await asyncio.open_connection(*stage.address) for _ in range(5 * listener.MAX_CONNECTIONS)]
    assert (await stage.ask("/status"))[0] == 200
    ours = len(os.listdir("/proc/self/fd")) - before - len(held)
    assert ours <= listener.MAX_CONNECTIONS
    assert len(caplog.records) == 1
    for reader, writer in held[: -listener.MAX_CONNECTIONS]:
        await gone(reader, writer)
    for _, writer in held:
        writer.close()


async def test_a_connection_that_never_asks_or_never_reads_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "LIFE_S", 0.05)
    async with serving() as stage:
        await gone(*await asyncio.open_connection(*stage.address))


async def test_malformed_requests_are_refused_in_json_with_one_line_in_the_log(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    for junk in (b"\x00\xff\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"G" * 9000 + b"\r\n\r\n") * 20:
        reader, writer = await asyncio.open_connection(*stage.address)
        writer.write(junk)
        answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.0 400 ")
        assert Error.model_validate_json(answer.partition(b"\r\n\r\n")[2]).status == 400
    assert len(caplog.records) == 1
    assert "Traceback" not in caplog.text


# -- life and death of the server


async def test_run_waits_for_a_port_in_use_with_a_warning_and_ends_when_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listener, "RETRY_S", 0.01)
    async with serving() as first:
        port = first.address[1]
        second = Stage(HttpPart(port=port))
        running = asyncio.create_task(second.server.run())
        await until(lambda: bool(second.server.warnings))
        assert second.server.warnings == (f"no HTTP on 127.0.0.1 port {port}: Address already in use",)
        assert not running.done()
    await until(lambda: second.server.address is not None)
    assert (await second.ask("/status"))[2]["warnings"] == ["the disk is nearly full"]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert second.server.address is None


async def test_an_address_that_is_none_of_this_computer_is_a_warning() -> None:
    stage = Stage(HttpPart(host="192.0.2.1", port=0))
    assert not await stage.server.start()
    assert any("no HTTP on 192.0.2.1 port 0" in warning for warning in stage.server.warnings)


async def test_stopping_does_not_wait_for_clients_that_are_idle_or_have_not_finished_asking(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "STOP_S", LONG_S)
    half, idle = [await asyncio.open_connection(*stage.address) for _ in range(2)]
    half[1].write(b"GET /status HTTP/1.1\r\nHost: local")
    idle[1].write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b" 200 " in await idle[0].readline()
    await asyncio.wait_for(stage.server.stop(), WAIT_S)
    assert stage.server.address is None
    await stage.server.stop()
    await gone(*half)
    await gone(*idle)


async def gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), WAIT_S)
    await close(writer)

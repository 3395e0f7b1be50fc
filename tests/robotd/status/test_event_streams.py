"""GET /events: what has happened since a number, and what happens from now on."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest

from robotd.model.choice import Choice, Event
from robotd.status import listener, streams
from robotd.status.model import EventPart
from tests.patience import LONG_S, WAIT_S
from tests.robotd.robot.snapshots import snapshot
from tests.robotd.status.served import Stage, serving
from tests.robotd.transport.serial_helper import until

stage = pytest.fixture(serving.__wrapped__)


def happens(stage: Stage, *kinds: str) -> None:
    """One tick of the robot in which its coordinator reports these events."""
    made = snapshot()
    events = tuple(Event(kind, "look", "find", f"why {kind}") for kind in kinds)
    stage.server.events.watch(replace(made, decision=replace(made.decision, choice=Choice(events=events))))


@contextlib.asynccontextmanager
async def streaming(stage: Stage, query: str = "", **headers: str) -> AsyncIterator[aiohttp.ClientResponse]:
    host, port = stage.address
    own = {"Accept": "text/event-stream", **headers}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://{host}:{port}/events{query}", headers=own) as response,
    ):
        yield response


async def received(response: aiohttp.ClientResponse, count: int) -> list[tuple[str, str]]:
    """The next events of a stream: id and kind."""
    found: list[tuple[str, str]] = []
    id = ""
    async with asyncio.timeout(WAIT_S):
        while len(found) < count:
            name, _, value = (await response.content.readline()).decode().rstrip().partition(": ")
            id = value if name == "id" else id
            if name == "data":
                EventPart.model_validate_json(value)
                found.append((id, json.loads(value)["kind"]))
    return found


async def test_events_are_answered_since_a_number(stage: Stage) -> None:
    happens(stage, "activated", "yielded")
    kinds = ["fault", "state", "lost", "activated", "yielded"]
    for since, expected in (("", kinds), ("?since=4", ["yielded"]), ("?since=9", [])):
        status, _, document = await stage.ask(f"/events{since}")
        found = [one["kind"] for one in document["events"]]
        assert (status, found, document["last"]) == (200, expected, 5)
    status, _, document = await stage.ask("/events?since=yesterday")
    assert (status, "since" in document["hint"]) == (400, True)


async def test_a_stream_has_what_was_and_what_comes_and_goes_on_where_it_was_broken_off(stage: Stage) -> None:
    boot = stage.server.events.boot
    happens(stage, "activated")
    async with streaming(stage, "?since=3") as stream:
        assert stream.content_type == "text/event-stream"
        assert await received(stream, 1) == [(f"{boot}.4", "activated")]
        happens(stage, "yielded", "reset")
        assert await received(stream, 2) == [(f"{boot}.5", "yielded"), (f"{boot}.6", "reset")]
    async with streaming(stage, **{"Last-Event-ID": f"{boot}.5"}) as stream:
        assert await received(stream, 1) == [(f"{boot}.6", "reset")]
    async with streaming(stage, **{"Last-Event-ID": "before.5"}) as stream:  # of an earlier start: everything
        assert (await received(stream, 1))[0][0] == f"{boot}.1"


async def test_streams_live_on_take_no_place_of_requests_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    lives: list[asyncio.TimerHandle] = []
    admit = listener.Listener.admit

    def noted(server: listener.Listener, connection: listener.Connection) -> bool:
        admitted = admit(server, connection)
        lives.append(server._connections[connection])
        return admitted

    monkeypatch.setattr(listener.Listener, "admit", noted)
    monkeypatch.setattr(listener, "STOP_S", LONG_S)  # it waits for no stream
    monkeypatch.setattr(streams, "MOST_STREAMS", 3 * listener.MAX_CONNECTIONS)
    async with serving() as stage, contextlib.AsyncExitStack() as opened:
        held = [await opened.enter_async_context(streaming(stage)) for _ in range(streams.MOST_STREAMS)]
        async with streaming(stage) as one_more:
            assert one_more.status == 503
            assert len(stage.server._streaming) == streams.MOST_STREAMS
        assert (await stage.ask("/status"))[0] == 200
        for life in lives:
            if not life.cancelled():
                life._run()  # as if any other connection were too old
        happens(stage, "activated")
        assert {len(await received(stream, 4)) for stream in held} == {4}
        await asyncio.wait_for(stage.server.stop(), WAIT_S)
        assert not stage.server._streaming


async def test_a_client_that_does_not_read_is_cut_and_others_are_sent_everything(stage: Stage) -> None:
    _, writer = await asyncio.open_connection(*stage.address, limit=1)
    writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    await until(lambda: bool(stage.server._streaming))
    async with streaming(stage) as stream:
        cut = stage.server._event_streams
        await until(lambda: len(cut) == 2)
        part = streams.part_of(b'{"n":1,"at_s":0.0,"kind":"' + b"x" * 60_000 + b'","set":"","task":"","what":"",'
                               b'"cause":"","data":{}}')  # fmt: skip
        for _ in range(20 * streams.BEHIND):
            cut.send(part)
            if len(cut) == 1:
                break
            await received(stream, 1)
        assert len(cut) == 1
    writer.close()


async def test_an_event_that_cannot_be_shown_stops_no_robot(stage: Stage) -> None:
    made = snapshot()
    for events in ((Event("activated", "look", "find", "", {"why": object()}),), (object(),)):
        stage.server.watch(replace(made, decision=replace(made.decision, choice=Choice(events=events))))
    assert (await stage.ask("/status"))[0] == 200

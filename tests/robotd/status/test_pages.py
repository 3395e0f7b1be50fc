"""The page of a robot and of a base station: files, scene, frames in time, and what cannot be shown."""

import asyncio
import contextlib
import html
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from radio.duty_cycle import Airtime
from radio.statistics import Contact
from robotd.config.load import find_mission, load_mission
from robotd.config.robot import HttpPart
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Event, Level
from robotd.model.facts import Fact, FactKind
from robotd.model.statements import Heard, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task
from robotd.robot.snapshot import Snapshot
from robotd.status import metrics
from robotd.status.http import HttpServer
from robotd.status.listener import Listener
from robotd.status.page import FRAME_S, SHARED
from robotd.status.robot_page import facts_of
from robotd.status.scene import done_of, scene_of
from robotd.status.station import StationRadioStatus, StationStatus
from robotd.status.station_page import StationServer
from tests.robotd.robot.snapshots import NOW, snapshot

MISSION = load_mission(find_mission("cleanup"))
Message = dict[str, Any]


class Robot:
    """A server for the page of red, and its ticks."""

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None
        self.server = HttpServer(
            HttpPart(port=0), lambda: self.snapshot, scene=lambda: scene_of(MISSION, "red"), now=lambda: NOW
        )

    def tick(self, at: float, *events: Event, **changes: Any) -> None:
        made = snapshot(**changes)
        choice = replace(made.choice, events=events) if events else None
        decision = replace(made.decision, choice=choice)
        self.snapshot = replace(made, inputs=replace(made.inputs, now=NOW + at), decision=decision)
        self.server.watch(self.snapshot)


def url_of(server: Listener) -> str:
    assert server.address is not None
    return f"http://127.0.0.1:{server.address[1]}"


@contextlib.asynccontextmanager
async def looking(server: Listener, path: str = "/stream") -> AsyncIterator[AsyncIterator[Message]]:
    """What the stream brings, without the signs of life."""

    async def messages(stream: aiohttp.ClientResponse) -> AsyncIterator[Message]:
        async for line in stream.content:
            if line.startswith(b"data: ") and (data := json.loads(line[6:]))["type"] != "alive":
                yield data

    async with aiohttp.ClientSession() as client, client.get(f"{url_of(server)}{path}") as stream:
        assert stream.content_type == "text/event-stream"
        yield messages(stream)


@pytest.fixture
async def robot() -> AsyncIterator[Robot]:
    one = Robot()
    assert await one.server.start()
    yield one
    await one.server.stop()


async def test_the_files_of_the_page_are_read_and_nothing_else(robot: Robot) -> None:
    async with aiohttp.ClientSession() as client:
        for path in ("/", *SHARED):
            async with client.get(f"{url_of(robot.server)}{path}") as response:
                assert (response.status, len(await response.read()) > 500) == (200, True)
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            async with client.post(f"{url_of(robot.server)}{path}") as response:
                assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")
        for path in ("/page.py", "/live/live.js", "/../page.py", "/class.html"):
            async with client.get(f"{url_of(robot.server)}{path}") as response:
                assert response.status == 404
        for path in ("/", "/stream", "/about"):
            async with client.get(f"{url_of(robot.server)}{path}", headers={"Host": "evil.example"}) as response:
                assert response.status == 403


async def test_a_page_gets_the_scene_what_has_happened_and_frames_with_what_happens(robot: Robot) -> None:
    robot.tick(0.0, Event("activated", "look", "find", "motivation reached 100"))
    async with looking(robot.server) as stream:
        scene, history, past, frame = [await anext(stream) for _ in range(4)]
        assert [one["set"] for frame in past["frames"] for one in frame["robots"]] == ["look"]
        assert (scene["real"], [one["name"] for one in scene["team"]]) == ("red", ["green", "blue", "gold"])
        assert set(scene["tasks"]) == {entry.task.id for entry in MISSION.table.tasks}
        assert [one["what"] for one in history["events"]][-1] == "activated look (find)"
        red, green, blue = frame["robots"]
        assert (red["name"], red["state"], red["at"], red["battery"]) == ("red", "running", [1.0, 2.0, 0.5], 0.75)
        assert (red["accuracy"], red["senses"].keys()) == (0.15, {"ranges", "bumps", "sights"})
        assert (red["set"], red["task"], red["cause"]) == ("look", "find", "motivation reached 100")
        assert red["faults"] == [["mission-mismatch", "blue runs another mission file", "acknowledged"]]
        assert (green["on"], green["doing"]) == (True, "on shift, holds find")
        assert (blue["on"], blue["doing"]) == (False, "never received")
        assert (frame["tasks"], frame["run"]) == ({"find": ["red"], "shift": ["green"]}, [5, True])
        assert (frame["radio"]["missed"], frame["warnings"]) == (10, ["the disk is nearly full"])
        assert {title for title, _, _ in frame["details"]} == {"jobs", "teammates", "machine"}
        robot.tick(1.0, Event("yielded", "look", "find", "to green"))
        (event,) = (await anext(stream))["events"]
        assert (event["kind"], event["cause"]) == ("yielded", "to green")


async def test_frames_come_no_faster_than_they_are_read_and_only_while_a_page_looks_on(robot: Robot) -> None:
    sent: list[bytes] = []
    send = robot.server.pages.send
    robot.server.pages.send = lambda part: (sent.append(part), send(part))  # type: ignore[method-assign,assignment,return-value]
    robot.tick(0.0)
    await asyncio.sleep(0)
    assert sent == []
    async with looking(robot.server) as stream:
        await anext(stream)
        for k in range(1, 101):
            robot.tick(k * FRAME_S / 10.0)
            await asyncio.sleep(0)
    assert 9 <= len(sent) <= 11


async def test_what_a_plug_in_hands_out_and_no_page_can_show_is_no_fault(
    robot: Robot, caplog: pytest.LogCaptureFixture
) -> None:
    reported: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    robot.tick(0.0)
    async with looking(robot.server) as stream:
        await anext(stream)
        odd = Choice(levels=(Level("look", {"score": object()}, 1.0, ""),))  # type: ignore[dict-item]
        robot.tick(1.0, choice=odd)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert (reported, len([line for line in caplog.messages if "cannot be shown" in line])) == ([], 1)


async def test_only_a_browser_that_has_opened_a_link_is_offered_to_act(robot: Robot) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        found = []
        link = robot.server.link()
        for path in ("/about", link, "/about"):
            async with client.get(path if path == link else f"{url_of(robot.server)}{path}") as response:
                assert response.status == 200
                found.append((await response.json())["acts"] if response.content_type.endswith("json") else "page")
        assert found == [False, "page", True]


# -- a base station


def heard(number: int, at: float, task: str) -> Heard:
    statements = (Statement("activity", (task, "", 0.0)),)
    return Heard(at, number, 1, running=True, same_mission=True, statements=statements)


def station_status() -> StationStatus:
    contacts = (Contact(1, 5, 8.0),)
    radio = StationRadioStatus.of(
        Airtime("eu868", 1.0, 36.0, 0.7), name="xbee@/dev/a", port="ready", detail="", alive=True, airtime_s=0.5,
        band="eu868", hour_used_s=1.0, hour_budget_s=36.0, framing={}, beacons=3, repeated=1, stops=0, left_out=0,
        no_slot=0, held=False,
        heard=[SimpleNamespace(name="green", age_s=2.0, frames=one.frames, missed=1, strength_dbm=None)
               for one in contacts],
    )  # fmt: skip
    return StationStatus.of(
        mission="cleanup", robots=3, slots=4, beat_s=3.0, mission_beat_s=3.0, why_longer="", silent="", trouble="",
        uptime_s=8.0, radios=[radio], refused={"mac": 2},
    )  # fmt: skip


async def test_the_page_of_a_base_station_shows_the_team_that_it_receives_and_what_becomes_of_it() -> None:
    loop = asyncio.get_running_loop()
    station: Any = SimpleNamespace(beliefs=Beliefs(MISSION.table, 0))
    server = StationServer(HttpPart(port=0), MISSION, station, station_status)
    assert await server.start()
    now = loop.time()
    station.beliefs = station.beliefs.learn(
        [heard(1, now, "find-locations"), heard(2, now - 60.0, "report-progress")]
    )
    server.note(now)
    async with looking(server) as stream:
        scene, history, _, frame = [await anext(stream) for _ in range(4)]
        assert (scene["real"], scene["room"]) == ("base-station", None)
        assert [one["what"] for one in history["events"]] == [
            "green received",
            "green on find-locations",
            "blue silent",
        ]
        by_name = {one["name"]: one for one in frame["robots"]}
        assert {name: one["on"] for name, one in by_name.items()} == {"green": True, "blue": False, "gold": False}
        assert by_name["blue"]["doing"] == "nothing received for 1 min; before: on report-progress"
        assert (frame["tasks"], frame["radio"]["sent"]) == ({"find-locations": ["green"]}, 4)
        server.note(now + 0.2)
        server.note(now + 60.0)
        server.poll(now + 60.0)
        assert [one["what"] for one in (await anext(stream))["events"]][-1] == "green silent"
    async with looking(server) as stream:  # who comes late is given what was before to draw
        past = [await anext(stream) for _ in range(3)][-1]["frames"]
        green = [[one["set"] for one in frame["robots"] if one["name"] == "green"] for frame in past]
        assert green == [[], ["find-locations"], ["find-locations"], [""]]
        assert [past[k]["t"] - past[k - 1]["t"] for k in (1, 2, 3)] == [0.0, pytest.approx(60.0), 0.0]
    async with aiohttp.ClientSession() as client:
        for path, status in (("/status", 200), ("/orders", 404), ("/events", 404)):
            async with client.get(f"{url_of(server)}{path}") as response:
                assert response.status == status
    await server.stop()


async def test_the_metrics_of_a_base_station_are_what_it_receives(monkeypatch: pytest.MonkeyPatch) -> None:
    now = asyncio.get_running_loop().time()
    beliefs = Beliefs(MISSION.table, 0).learn([heard(1, now, "find-locations"), heard(2, now - 60.0, "")])
    server = StationServer(HttpPart(port=0), MISSION, SimpleNamespace(beliefs=beliefs), station_status)  # type: ignore[arg-type]
    assert await server.start()
    found = {}
    async with aiohttp.ClientSession() as client:
        async with client.get(f"{url_of(server)}/metrics") as response:
            assert (response.status, response.content_type) == (200, "text/plain")
            for family in text_string_to_metric_families(await response.text()):
                for one in family.samples:
                    assert one.labels.pop("mission") == "cleanup"
                    found[(one.name.removeprefix("robotd_station_"), *one.labels.values())] = one.value
        async with client.post(f"{url_of(server)}/metrics") as response:
            assert response.status == 404
        monkeypatch.setattr(metrics, "LIBRARY", "robotd.no_such_module")
        async with client.get(f"{url_of(server)}/metrics") as response:
            assert response.status == 501
    await server.stop()
    assert [found["robot_received", name] for name in ("green", "blue", "gold")] == [1, 0, 0]
    assert found["robot_age_seconds", "blue"] == pytest.approx(60.0, abs=5.0)
    assert ("robot_age_seconds", "gold") not in found
    for key, value in (
        (("robots",), 3), (("sending",), 1), (("frames_refused_total", "mac"), 2),
        (("radio_alive", "xbee@/dev/a"), 1), (("radio_beacons_total", "xbee@/dev/a"), 3),
        (("radio_frames_received_total", "xbee@/dev/a", "green"), 5),
        (("radio_frames_missed_total", "xbee@/dev/a", "green"), 1),
        (("radio_duty_used_seconds", "xbee@/dev/a"), 1),
    ):  # fmt: skip
        assert found[key] == value, key
    assert not any(key[0] == "radio_rssi_dbm" for key in found)


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(("path", "status"), [("/none", 404), ("/?token=used", 401), ("/status", 503)])
async def test_a_browser_that_opens_what_is_refused_reads_a_page_and_a_program_json(
    robot: Robot, path: str, status: int
) -> None:
    texts = []
    async with aiohttp.ClientSession() as client:
        for headers, kind in ((BROWSER, "text/html"), ({"Accept": "*/*"}, "application/json")):
            async with client.get(f"{url_of(robot.server)}{path}", headers=headers) as response:
                assert (response.status, response.content_type) == (status, kind)
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                texts.append(await response.text())
    page, document = html.unescape(texts[0]).lower(), json.loads(texts[1])
    assert document["error"].lower() in page
    assert document["hint"].lower() in page


async def test_the_page_of_a_refusal_holds_no_markup_of_others() -> None:
    server = StationServer(HttpPart(port=0), MISSION, SimpleNamespace(beliefs=None), station_status)  # type: ignore[arg-type]
    assert await server.start()
    async with aiohttp.ClientSession() as client:
        async with client.get(url_of(server), headers={**BROWSER, "Host": "<script>"}) as response:
            text = await response.text()
            assert (response.status, response.content_type, "&lt;script&gt;" in text) == (403, "text/html", True)
            assert "<script>" not in text
            assert response.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'sha256-")
        async with client.get(f"{url_of(server)}/none", headers=BROWSER) as response:
            assert (response.status, response.content_type) == (404, "text/html")
    await server.stop()


async def test_what_a_base_stations_page_cannot_show_ends_no_station() -> None:
    server = StationServer(HttpPart(port=0), MISSION, SimpleNamespace(beliefs=None), station_status)  # type: ignore[arg-type]
    server.note(asyncio.get_running_loop().time())
    assert not server.history()["events"]


def test_bytes_by_which_a_coordinator_makes_its_state_known_are_no_facts_for_people() -> None:
    own = NumberTable((Member("green", 1, "r2"),), (), (FactKind("found", 1, "flag"), FactKind("page-1-0", 128)))
    beliefs = Beliefs(own, 1).learn([Fact("found"), Fact("page-1-0", (1.0,) * 7)])
    assert set(beliefs.facts) == {"found", "page-1-0"}
    assert set(facts_of(beliefs, "green")) == {"found"}


@pytest.mark.parametrize(
    ("facts", "times", "busy", "expected"),
    [
        (set(), [], set(), {}),
        ({"found"}, [], {"find"}, {"find": {"over": True, "times": 0, "at": None, "by": ""}}),  # as its fact says
        (set(), [(3.0, "red"), (8.25, "green")], set(),
         {"find": {"over": True, "times": 2, "at": 8.25, "by": "green"}}),
        (set(), [(3.0, "red")], {"find"}, {"find": {"over": False, "times": 1, "at": 3.0, "by": "red"}}),
    ],
)  # fmt: skip
def test_a_task_to_be_done_once_is_over_by_its_fact_or_where_no_robot_has_it_since_it_was_done(
    facts: set[str], times: list[tuple[float, str]], busy: set[str], expected: Message
) -> None:
    once = NumberTable((), (TaskEntry(Task("find", id="find"), 1, "found"),), ())
    assert done_of(once, facts, {"find": times}, busy) == expected
    recurring = NumberTable((), (TaskEntry(Task("find", id="find"), 1, "found", recurring=True),), ())
    assert not any(one["over"] for one in done_of(recurring, facts, {"find": times}, busy).values())

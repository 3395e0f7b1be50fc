"""A robot, and a simulated team, while a Foxglove client looks on."""

import asyncio
import socket
import threading
from pathlib import Path

import pytest
from foxglove import open_mcap
from mcap.reader import make_reader

from robotd.advice.check import taken
from robotd.config.load import find_mission, load_mission
from robotd.foxglove import server as module
from robotd.foxglove.server import RobotServer, serve
from robotd.live.foxglove import FoxgloveWatcher
from robotd.live.view import LiveLog
from robotd.robot.snapshot import Snapshot
from robotd.sim.team import Team
from tests.patience import WAIT_S
from tests.robotd.foxglove.client import receive
from tests.robotd.sim.small import run, small
from tests.robotd.transport.serial_helper import until

MISSION = small(("green",)).as_data()
TOPICS = {f"/green/{name}" for name in ("pose", "scan", "levels")} | {"/tf"}
NEVER_AT_ONCE = {"/events", "/green/activity", "/room", "/robots"}


@pytest.fixture(scope="module")
def snapshots() -> list[Snapshot]:
    """Of decisions of the robot green."""
    looks = run(for_s=20.0).looks["green"]
    return [look.snapshot for look in looks if look.snapshot is not None and look.snapshot.decision.choice]


async def test_a_client_receives_twenty_messages_of_each_topic(snapshots: list[Snapshot]) -> None:
    shown = RobotServer("127.0.0.1", 0, "green", MISSION)
    serving = asyncio.ensure_future(shown.run())
    await until(lambda: shown.port)
    receiving = asyncio.ensure_future(receive(shown.port, 20, TOPICS))

    async def tick() -> None:
        while not receiving.done():
            for snapshot in snapshots:
                shown.watch(snapshot)
                await asyncio.sleep(0.001)

    async with asyncio.timeout(WAIT_S):
        await tick()
    came, schemas = await receiving
    assert all(came[topic] >= 20 for topic in TOPICS)
    assert {schemas[topic] for topic in TOPICS | NEVER_AT_ONCE} == {
        "foxglove.PoseInFrame", "foxglove.LaserScan", "robotd.Levels", "foxglove.FrameTransforms", "foxglove.Log",
        "foxglove.SceneUpdate",
    }  # fmt: skip
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    await until(lambda: not taken("127.0.0.1", shown.port))


async def test_an_address_in_use_is_tried_again(monkeypatch, caplog) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.02)
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        shown = RobotServer("127.0.0.1", holder.getsockname()[1], "green", MISSION)
        serving = asyncio.ensure_future(shown.run())
        await until(lambda: caplog.records)
        assert not shown.port
    await until(lambda: shown.port)
    assert len(caplog.records) == 1
    serving.cancel()
    await asyncio.wait([serving])


async def test_a_server_that_listens_only_after_the_robot_has_ended_is_stopped(monkeypatch) -> None:
    asked, ended, stopped = threading.Event(), threading.Event(), asyncio.Event()

    class Late:
        stop = stopped.set

    def listen(*_: object) -> Late:
        asked.set()
        ended.wait(WAIT_S)
        return Late()

    monkeypatch.setattr(module, "serve", listen)
    serving = asyncio.ensure_future(RobotServer("127.0.0.1", 0, "green", MISSION).run())
    await until(asked.is_set)
    serving.cancel()
    await asyncio.wait([serving])
    ended.set()
    await asyncio.wait_for(stopped.wait(), WAIT_S)


def test_what_raises_while_somebody_looks_on_stops_no_tick(snapshots, tmp_path, caplog) -> None:
    shown = RobotServer("127.0.0.1", 0, "green", {"team": {}, "name": "none"})  # a team without this robot
    shown.watch(snapshots[0])
    assert not caplog.records  # nobody looks on
    with open_mcap(str(tmp_path / "x.mcap"), context=shown._context):
        shown.watch(snapshots[1])
        shown.watch(snapshots[2])
    assert len(caplog.records) == 1


def test_an_address_that_is_none_is_an_error_with_its_reason() -> None:
    from foxglove import Context

    with pytest.raises(OSError, match=r"Foxglove on 192\.0\.2\.1 port 8765: "):
        serve(Context(), "192.0.2.1", 8765, "x")


def test_a_simulated_team_is_shown_where_it_truly_is_with_its_objects(tmp_path: Path) -> None:
    mission = load_mission(find_mission("patrol"))
    watcher = FoxgloveWatcher("192.0.2.1", 1, mission.as_data())  # nowhere: the file is who looks on
    log = LiveLog({})
    log.watcher = watcher
    places: list[float] = []

    def see(now: float, team: Team) -> None:
        if now == 0.5:
            team.log = log
        watcher.look(team.world, now)
        places.append(now)

    with open_mcap(str(tmp_path / "x.mcap"), context=watcher._context):
        run("2 remove amber", for_s=4.0, mission=mission, see=see)
    with (tmp_path / "x.mcap").open("rb") as file:
        times: dict[str, list[float]] = {}
        for _, channel, message in make_reader(file).iter_messages():
            times.setdefault(channel.topic, []).append(message.log_time / 1e9)
    assert times["/objects"] == places
    assert times["/olive/pose"] == places
    assert times["/amber/pose"] == [at for at in places if at < 2.0]

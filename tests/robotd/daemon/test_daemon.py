"""The daemon of one robot: its parts in one process, what each failure leads to, and how it ends."""

import asyncio
import contextlib
import json
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.commands.why import OPEN
from robotd.daemon.daemon import serve
from robotd.guardian.stop_reason import causes_of
from robotd.model.command import Command
from robotd.model.inputs import Order
from robotd.record.replay import replay
from robotd.record.why import NO_LAST_LINE
from robotd.robot.build import mind_of_part
from robotd.robot.persistence import RADIO_MEMORY, RUN
from robotd.robot.run_orders import RunOrders
from robotd.status import listener
from tests.compiled import Altered
from tests.patience import LONG_S, WAIT_S
from tests.robotd.daemon.home import Link, asked, faults, made, running, word, write
from tests.robotd.transport.serial_helper import until

ACK = Order("acknowledge", by="ann")

# -- a whole life


async def test_it_ticks_obeys_and_ends_in_order_and_its_log_replays(home, runtime, monkeypatch) -> None:
    write(home, start="command")
    link = Link()
    async with running(home, link) as daemon:
        await until((runtime / "green.sock").exists)
        assert (await asked(runtime, "status"))["state"]["word"] == "waiting for start"
        assert (await asked(runtime, "start"))["state"]["word"] == "waiting for run"
        with monkeypatch.context() as patch:  # else it waits for one tick alone, as it has no radio
            patch.setattr(RunOrders, "release", lambda *_, **__: [])
            assert (await asked(runtime, "mission-start"))["run"]["asked"] == "mission-start"
            assert "mission-start waits" in (await asked(runtime, "task-add", "find-locations"))["error"]
        await until(lambda: word(daemon) == "running")
        status = (await asked(runtime, "status"))["status"]
        names = (status["robot"]["name"], status["mission"]["name"], status["run"]["number"])
        assert names == ("green", "cleanup", 1)
        await until(lambda: any(line.startswith("running: ") for line in link.sent))
    assert not (runtime / "green.sock").exists()
    assert link.sent[0] == "ready 0.1"
    assert link.beats >= 3
    (log,) = (home / "log").iterdir()
    assert log.name == "green-000001-0000.jsonl"
    found = replay(log, mind_of_part)
    assert (found.difference, found.exact, found.ticks >= 3) == (None, True, True)
    assert json.loads((home / "state" / "radio.json").read_text())


async def test_without_a_log_folder_none_is_written_and_a_state_folder_of_no_use_is_a_warning(home) -> None:
    write(home, log="none")
    (home / "state").write_text("in the way")
    async with running(home) as daemon:
        await until(lambda: faults(daemon) == ["state-not-saved"])
        assert word(daemon) == "waiting for run"
    assert sorted(path.name for path in home.iterdir()) == ["green.toml", "state"]


async def test_it_ends_when_the_guardian_asks_or_is_gone_and_logs_why(home, caplog) -> None:
    caplog.set_level("INFO")
    for event, why in (("stop_asked", "asked to end"), ("died", "the guardian is gone")):
        link = Link()
        daemon = made(home, link)
        task = asyncio.ensure_future(daemon.run())
        await until(lambda link=link: link.beats)
        getattr(link, event).set()
        assert await asyncio.wait_for(task, WAIT_S) == 0
        assert caplog.messages[-1].startswith(f"ended: {why}")


async def test_with_50_open_streams_it_waits_for_none_and_the_motors_are_stopped_first(home, monkeypatch) -> None:
    monkeypatch.setattr(listener, "STOP_S", LONG_S)
    robot_file = home / "green.toml"
    robot_file.write_text(robot_file.read_text().replace("enabled = false", "port = 0"))
    daemon = made(home)
    board: Any = daemon._robot.board
    wheel = board.base.world.robots["robot"].drive
    speeds: list[float] = []

    def note() -> Any:
        speeds.append(wheel.right)
        return stop()

    stop = daemon._http.stop
    monkeypatch.setattr(daemon._http, "stop", note)
    daemon._robot = Altered(daemon._robot, step=lambda now, _: board.command(now, Command(0.1, 0.2)))
    task = asyncio.ensure_future(daemon.run())
    await until(lambda: daemon._http.address is not None and wheel.right == 0.2)
    request = b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    clients = []
    for _ in range(50):
        clients.append(await asyncio.open_connection(*daemon._http.address))
        clients[-1][1].write(request)
    await until(lambda: len(daemon._http._streaming) == 50)
    daemon._stop.set()
    assert await asyncio.wait_for(task, WAIT_S) == 0
    assert speeds == [0.0]
    for reader, writer in clients:
        with contextlib.suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), WAIT_S)
        writer.close()


async def test_a_robot_that_is_driven_by_hand_moves_and_stops_by_itself_and_its_log_replays(home) -> None:
    async with running(home) as daemon:
        board: Any = daemon._robot.board
        wheel = board.base.world.robots["robot"].drive
        assert wheel.left == 0.0  # no run is running
        seen: list[tuple[float, float, str]] = []  # of each tick: an order may be over by the next look
        daemon._robot.watchers.append(lambda one: seen.append((wheel.left, wheel.right, one.decision.condition)))
        for turn in ("0.5", "0.0"):
            seen.clear()
            daemon._robot.submit(Order("drive", ("0.4", turn), "ann"))
            await until(lambda: any(left > 0.0 for left, _, _ in seen))
        await until(lambda: seen[-1] == (0.0, 0.0, ""))
        assert {"driven by hand by ann"} == {why for left, right, why in seen if left == right > 0.0}
    assert replay(home / "log", mind_of_part).difference is None


# -- what fails


async def test_a_tick_that_dies_ends_the_daemon_with_1_and_the_motors_halted(home, monkeypatch) -> None:
    daemon = made(home)
    board: Any = daemon._robot.board
    board.command(asyncio.get_running_loop().time(), Command(0.1, 0.2))
    assert board.base.world.robots["robot"].drive.right == 0.2

    def die(now: float, n: int) -> None:
        raise SystemError("no tick")

    daemon._robot = Altered(daemon._robot, step=die)
    assert await asyncio.wait_for(daemon.run(), WAIT_S) == 1
    assert faults(daemon) == ["task-died:tick"]
    assert board.base.world.robots["robot"].drive.right == 0.0


async def test_a_board_that_raises_at_the_end_leaves_the_disks_closed_all_the_same(home, monkeypatch) -> None:
    link = Link("the daemon finished no tick for 0.25 s")
    daemon = made(home, link)
    task = asyncio.ensure_future(daemon.run())
    await until(lambda: link.beats)
    daemon._faults.acknowledge(1e9)

    def refuse(*_: Any) -> None:
        raise OSError("no such device")

    daemon._robot = Altered(daemon._robot, step=lambda *_: None)
    monkeypatch.setattr(daemon._robot.board, "command", refuse)
    daemon._stop.set()
    with pytest.raises(OSError, match="no such device"):
        await asyncio.wait_for(task, WAIT_S)
    assert "acknowledged" in link.sent
    assert not daemon._store._worker._thread.is_alive()
    assert replay(home / "log", mind_of_part).difference is None


async def test_another_part_that_dies_is_a_fault_that_stops_and_the_ticks_go_on(home, monkeypatch) -> None:
    async def die() -> None:
        raise OSError("the socket cannot be made")

    daemon = made(home)
    monkeypatch.setattr(daemon._control, "run", die)
    async with running(home, daemon=daemon):
        await until(lambda: word(daemon) == "faulted")
        assert [(one.name, one.detail) for one in daemon._faults.open()] == [
            ("task-died:control", "the socket cannot be made")
        ]
        ticks = daemon._robot.snapshot.inputs.n
        await until(lambda: daemon._robot.snapshot.inputs.n > ticks)


async def test_a_client_without_a_descriptor_is_served_later_and_a_second_daemon_of_the_name_is_refused(
    home, runtime, caplog, capsys
) -> None:
    async with running(home) as daemon:
        await until(lambda: daemon._control.listening and any((home / "log").glob("*")))
        await until(lambda: not any(daemon._store.is_pending(name) for name in (RADIO_MEMORY, RUN)))
        with socket.socket(socket.AF_UNIX) as client, limited_descriptors():
            client.connect(str(runtime / "green.sock"))
            await until(lambda: "out of system resource" in caplog.text)
        assert (await asked(runtime, "status"))["ok"]
        await until(lambda: not faults(daemon))  # but what a disk without a descriptor was
        assert await serve(home / "green.toml") == 2
    err = capsys.readouterr().err
    assert "green.toml: name: a robot called 'green' runs here already" in err
    assert "Traceback" not in err


@contextmanager
def limited_descriptors() -> Iterator[None]:
    """While it lasts, no file or connection can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(free := os.dup(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_the_guardians_last_stop_is_latched_and_forgotten_once_acknowledged(home) -> None:
    link = Link("the daemon finished no tick for 0.25 s")
    async with running(home, link) as daemon:
        assert (word(daemon), faults(daemon)) == ("faulted", ["guardian-stop"])
        await until(lambda: len(link.sent) >= 3)
        assert "acknowledged" not in link.sent
        daemon._robot.submit(ACK)
        await until(lambda: "acknowledged" in link.sent)
        assert faults(daemon) == []


async def test_its_log_folder_has_why_it_ended_what_stopped_it_and_what_a_person_can_do(
    home, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(home))
    async with running(home):
        pass
    async with running(home, Link("the daemon finished no tick for 0.25 s")):
        pass

    def why(*words: str) -> dict[str, Any]:
        assert main(["why", str(home / "log"), "--json", *words]) == 0
        return json.loads(capsys.readouterr().out)["robots"][0]

    green, ended = why(), "asked to end (control-C, SIGTERM or systemctl stop)"
    assert (green["robot"], green["state"], green["next_step"]) == ("green", "faulted", "robotd ack")
    (fault,) = green["faults"]
    assert (fault["name"], fault["detail"]) == ("guardian-stop", "the daemon finished no tick for 0.25 s")
    assert (fault["clears"], fault["who"]) == ("acknowledged", "anyone with robotd ack")
    assert [one["cause"] for one in green["happened"] if one["what"] == "started anew"] == [ended]
    assert green["end"] == ended

    for log in (home / "log").iterdir():  # as if the guardian had killed both
        *ticks, last = log.read_text().splitlines(keepends=True)
        assert json.loads(last) == {"end": {"robot": "green", "reason": ended}}
        log.write_text("".join(ticks))
    green = why()
    assert [one["cause"] for one in green["happened"] if one["what"] == "started anew"] == [NO_LAST_LINE]
    assert green["end"] == OPEN
    assert causes_of("green").write("it froze")
    assert "it froze" in why()["end"]
    assert why("--at", "0.0")["end"] == ""


async def test_a_full_disk_stops_the_log_and_not_the_robot_and_the_log_goes_on_when_there_is_room(home) -> None:
    (home / "log").mkdir()
    daemon = made(home)
    (home / "log" / "green-000001-0000.jsonl").symlink_to("/dev/full")
    async with running(home, daemon=daemon):
        await until(lambda: faults(daemon) == ["log-stopped"])
        assert word(daemon) == "waiting for run"
        await until(lambda: not faults(daemon))
    assert replay(home / "log", mind_of_part).difference is None


async def test_a_board_that_restarts_or_raises_between_ticks_is_a_fault_until_acknowledged_and_the_log_replays(
    home,
) -> None:
    def raises() -> None:
        raise ZeroDivisionError("in a driver")

    async with running(home) as daemon:
        await until(lambda: word(daemon) == "waiting for run")
        base: Any = daemon._robot.board.base  # type: ignore[attr-defined]
        base.reboots += 1
        await until(lambda: word(daemon) == "faulted")
        assert faults(daemon) == ["board-restarted"]
        daemon._robot.submit(ACK)
        await until(lambda: word(daemon) == "waiting for run")
        assert faults(daemon) == []
        asyncio.get_running_loop().call_soon(raises)
        await until(lambda: word(daemon) == "faulted")
        assert faults(daemon) == ["task-died:callback"]
    assert replay(home / "log", mind_of_part).difference is None


DAMAGED = (
    b"", b"null", b"{}", b"[1]", b"[[1, 2], [3]]", b"\x00" * 99, b"[" * 100_000, b"\xff\xfe{", b"1" * 200_000,
    b'[[5, {"2": [1, "x"]}], [null, [], {}], 0, ""]', b'[[5, {}], [null, [[1, 99999999]], {}], 0, ""]',
    b'[[-5, {}], [null, [], {}], 0]', b'[[99999999999, {}], [null, [], {}], 0]', b'[["\\ud800", {}], 0, 0]',
)  # fmt: skip


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
async def test_a_damaged_radio_state_is_set_aside_with_a_warning(home, content) -> None:
    (home / "state").mkdir()
    (home / "state" / "radio.json").write_bytes(content)
    daemon = made(home)
    assert len(daemon._robot.warnings) == 1
    assert "state-lost" in dict(daemon._robot.radio.faults)
    assert (home / "state" / "radio.corrupt").read_bytes() == content


async def test_after_a_damaged_radio_state_the_robot_waits_for_a_person_over_restarts(home) -> None:
    (home / "state").mkdir()
    (home / "state" / "radio.json").write_bytes(DAMAGED[0])
    for restart in range(2):
        async with running(home) as daemon:
            assert len(daemon._robot.snapshot.warnings) == (restart == 0)  # type: ignore[union-attr]
            await until(lambda: faults(daemon) == ["state-lost"])
            assert word(daemon) == "faulted"
            if restart:
                daemon._robot.submit(ACK)
                await until(lambda: not faults(daemon))
    async with running(home) as daemon:
        assert faults(daemon) == []

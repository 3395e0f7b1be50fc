"""`robotd emulate`: which device is whose, ports that other programs open, and an end that leaves nothing."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.commands.emulate import link_ports
from robotd.config.load import find_mission
from robotd.files.refusal import Refusal
from robotd.sim.emulated import emulations
from robotd.sim.emulation import Device, Emulation, devices_of, read_mission
from robotd.sim.ptys import TcpEnd
from tests.docs_pages import ROOT
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import until

INSTALLED = emulations()

ROBOTS = ("amber", "olive", "slate")


def asked(*texts: str, team: bool = False) -> list[str]:
    return [" ".join(device) for device in devices_of(texts, ROBOTS, INSTALLED, team=team)]


def test_devices_without_a_robot_are_of_the_next_one_in_order_or_of_each_in_a_team() -> None:
    assert asked("create2") == ["amber board create2"]
    assert asked("create2+xbee", "r2") == ["amber board create2", "amber radio xbee", "olive board r2"]
    assert asked("olive=pioneer+positioning", "r2") == [
        "olive board pioneer", "olive add-on positioning", "amber board r2",
    ]  # fmt: skip
    assert asked("udp", "slate=r2", team=True) == [*(f"{robot} radio udp" for robot in ROBOTS), "slate board r2"]


@pytest.mark.parametrize(
    ("texts", "reported"),
    [
        (["create3"], "did you mean 'create2'"),
        (["amber="], "no emulated board"),
        (["mock"], "no emulated board"),
        (["ambr=create2"], "did you mean 'amber'"),
        (["create2+r2"], "expected one board"),
        (["xbee+reyax"], "expected one radio"),
        (["r2+positioning+positioning"], "expected one add-on"),
        (["r2"] * 4, "3 robots"),
    ],
)
def test_what_no_robot_can_have_is_refused(texts: list[str], reported: str) -> None:
    with pytest.raises(ValueError, match=reported):
        devices_of(texts, ROBOTS, INSTALLED, team=False)


def test_what_is_installed_is_found() -> None:
    assert {"r2", "create2"} <= set(INSTALLED.boards)
    assert ("positioning" in INSTALLED.add_ons, "xbee" in INSTALLED.radios) == (True, True)


def test_bad_usage_ends_with_2() -> None:
    assert main(["emulate", "create3", "--json"]) == 2
    assert main(["emulate", "create2", "--mission", "none"]) == 2
    for port in ("-1", "65536", "x"):
        with pytest.raises(SystemExit, match="2"):
            main(["emulate", "create2", "--tcp", port])


def test_a_port_that_is_taken_and_a_folder_that_holds_another_file_end_it_with_1(tmp_path: Path) -> None:
    (tmp_path / "amber-create2").touch()
    assert main(["emulate", "create2", "--links", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["amber-create2"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["emulate", "create2", "--tcp", str(taken.getsockname()[1])]) == 1


def test_control_c_ends_it_cleanly_and_takes_its_links_away(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "robotd", "emulate", "create2+xbee", "firmata", "--json"]
    words += ["--links", str(tmp_path / "ports")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            devices = json.loads(process.stdout.readline())["devices"]
            assert all(os.ttyname(os.open(device["port"], os.O_RDWR | os.O_NOCTTY)) for device in devices)
        finally:
            process.send_signal(signal.SIGINT)
        assert (process.wait(WAIT_S), process.stderr.read()) == (0, b"")
    board, radio, other = devices
    assert (board["robot"], board["part"], board["name"], board["parameters"]) == ("amber", "board", "create2", {})
    assert (radio["robot"], other["robot"]) == ("amber", "olive")
    assert {"left", "right", "bumpers"} <= set(other["parameters"])  # an Arduino's wiring cannot be guessed
    assert list((tmp_path / "ports").iterdir()) == []


def test_a_link_of_a_run_that_was_killed_is_replaced_and_another_file_is_not(tmp_path: Path) -> None:
    device = Device("amber", "board", "create2")
    (tmp_path / "amber-create2").symlink_to("/dev/nowhere")
    with link_ports(tmp_path, {device: "/dev/null"}) as ports:
        assert ports == {device: str(tmp_path / "amber-create2")}
        assert os.readlink(ports[device]) == "/dev/null"
    with link_ports(tmp_path, {device: "tcp://127.0.0.1:1"}) as ports:
        assert ports == {device: "tcp://127.0.0.1:1"}
    (tmp_path / "amber-create2").touch()
    with pytest.raises(Refusal), link_ports(tmp_path, {device: "/dev/null"}):
        pass


def test_modems_of_any_kind_receive_each_other_and_a_board_is_served_by_tcp() -> None:
    mission = read_mission(find_mission("patrol"), ())
    devices = devices_of(["transparent", "create2+transparent"], ROBOTS, INSTALLED, team=False)

    async def play() -> tuple[bytes, list[str]]:
        emulation = Emulation(mission, devices, INSTALLED, 1, 0)
        try:
            paths = [emulation.path(device) for device in devices]
            places = [("127.0.0.1", int(path.rpartition(":")[2])) for path in paths]
            (_, sender), (_, board), (receiver, other) = [await asyncio.open_connection(*one) for one in places]
            sender.write(b"over the air")
            async with asyncio.timeout(WAIT_S):
                got = await receiver.readexactly(12)
            for stream in (sender, board, other):
                stream.close()
                await stream.wait_closed()
            return got, list(emulation.world.robots)
        finally:
            emulation.close()

    assert asyncio.run(play()) == (b"over the air", ["olive"])


def test_one_program_at_a_time_is_connected_and_the_next_one_after_it() -> None:
    async def play() -> list[bytes]:
        end = TcpEnd(0)
        port, got = int(end.path.rpartition(":")[2]), []
        first, writer = await asyncio.open_connection("127.0.0.1", port)
        second, refused = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(WAIT_S):
            got.append(await second.read())
            end.receive(0.0, b"to the first")
            got.append(await first.readexactly(12))
            writer.write(b"from it")
            await until(lambda: got.extend(end.transmit(0.0)) or len(got) > 2)  # type: ignore[func-returns-value]
            for stream in (writer, refused):
                stream.close()
                await stream.wait_closed()
            await until(lambda: end._client is None)
            third, writer = await asyncio.open_connection("127.0.0.1", port)
            await until(lambda: end._client is not None)
            end.receive(0.0, b"to the third")
            got.append(await third.readexactly(12))
        writer.close()
        await writer.wait_closed()
        end.close()
        return got

    assert asyncio.run(play()) == [b"", b"to the first", b"from it", b"to the third"]

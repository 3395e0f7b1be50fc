"""`robotd halt`: the board's own halt, on every port named, in bounded time."""

import codecs
import fcntl
import os
import socket
import subprocess
import sys
import threading

import pytest
import serial

from boards.r2.driver import R2
from robotd.__main__ import main
from robotd.files.plugins import Plugins
from robotd.guardian import halt as halting
from robotd.guardian import halt_cache
from robotd.guardian.stop_reason import cause_file
from robotd.sim.emulated import emulations
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import Pty

ROBOT = '[board]\nname = "r2"\nport = "{port}"\n'


def run(*arguments):
    return main(["halt", *map(str, arguments)])


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is no port that hangs."""
    for name in ("LOAD_S", "LIMIT_S", "CONNECT_S"):
        monkeypatch.setattr(halting, name, WAIT_S)


@pytest.fixture
def pty(tmp_path):
    with Pty(tmp_path) as made:
        yield made


def robot_file(folder, text):
    path = folder / "robot.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("board", emulations().boards)
def test_a_port_is_sent_the_halt_of_its_board(pty, capsys, board):
    driver = Plugins().get("robotd.boards", board)
    assert run("--board", board, pty.link) == 0
    assert pty.read() == driver(driver.Settings()).halt
    assert "halted" in capsys.readouterr().out


def test_all_ports_of_a_robot_file_are_halted_though_the_rest_of_it_is_wrong(pty, tmp_path):
    (tmp_path / "other").mkdir()
    with Pty(tmp_path / "other") as other:
        path = robot_file(
            tmp_path,
            f"nonsense = 1\n[board]\nname = 'r2'\nport = '{pty.link}'\n"
            f"[[add_ons]]\nname = 'r2'\nport = 'serial://{other.link}?57600'\n",
        )
        assert run(path) == 0
        assert pty.read() == other.read() == R2.halt


def test_neither_a_lock_that_another_program_holds_nor_what_it_left_in_the_queue_hinders_a_halt(pty):
    holder = os.open(pty.link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    fcntl.flock(holder, fcntl.LOCK_EX)
    os.write(holder, b"forward!" * 4)
    assert run("--board", "r2", pty.link) == 0
    os.close(holder)
    assert pty.read().endswith(R2.halt)


def test_a_device_that_is_missing_or_no_serial_port_is_reported_and_the_others_are_halted(pty, tmp_path, capsys):
    assert run("--board", "r2", tmp_path / "gone", "/dev/null", pty.link) == 1
    assert pty.read() == R2.halt
    assert capsys.readouterr().err == f"{tmp_path / 'gone'}: no such device\n/dev/null: no serial port\n"


def test_a_board_over_tcp_is_halted_too():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(WAIT_S)
        assert run("--board", "r2", f"tcp://127.0.0.1:{server.getsockname()[1]}") == 0
        peer, _ = server.accept()
        with peer:
            assert peer.recv(99) == R2.halt


def test_a_port_that_hangs_is_given_up_in_time_and_a_reason_that_is_not_the_systems_reported(
    pty, monkeypatch, capsys
):
    def refuse(*_):
        raise ValueError("no such rate")

    with monkeypatch.context() as patch:
        patch.setattr(serial.Serial, "open", refuse)
        assert run("--board", "r2", pty.link) == 1
    assert capsys.readouterr().err == f"{pty.link}: no such rate\n"
    monkeypatch.setattr(halting, "LIMIT_S", 0.1)
    hangs = threading.Event()
    monkeypatch.setattr(halting, "halt", lambda one: hangs.wait(WAIT_S))
    assert run("--board", "r2", pty.link) == 1
    assert "within 0.1 s" in capsys.readouterr().err
    hangs.set()


def test_a_board_without_a_port_needs_no_halt(tmp_path, capsys):
    assert run(robot_file(tmp_path, "[board]\nname = 'mock'\n")) == 0
    assert "no port to halt" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/dev/ttyUSB0"], "--board NAME, one of "),
        (["--board", "r2r", "/dev/ttyUSB0"], "did you mean 'r2'?"),
        (["--board", "r2", "COM3"], "no port"),
        (["--board", "mock", "/dev/ttyUSB0"], "has no port"),
        (["/nowhere/robot.toml"], "/nowhere/robot.toml: No such file"),
        (["--board", "r2", "udp://239.255.77.1:8422?interface=lo"], "no board is reached over a multicast group"),
        (["--board", "r2", "zenoh://tcp/127.0.0.1:7447"], "no board is reached over a multicast group"),
    ],
)
def test_bad_usage_is_refused_in_words(arguments, words, capsys):
    assert run(*arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "board = 3",
        "[board]\nport = '/dev/x'",
        "x = [",
        "[board]\nname='r2'\nport='/dev/x'\n[board.parameters]\nx=1",
        "[board]\nname = 'create2'\nport = '/dev/null'\nparameters = { mode = 'ful' }\n",
    ],
)
def test_a_robot_file_whose_ports_cannot_be_known_is_refused(tmp_path, capsys, text):
    assert run(robot_file(tmp_path, text)) == 2
    err = capsys.readouterr().err
    assert err.startswith("robotd: ")
    assert ("create2: mode: expected one of 'safe', 'full', found 'ful'; did you" in err) == ("ful" in text)


def test_whatever_is_wrong_with_one_part_the_others_are_halted(pty, tmp_path, capsys):
    misfit = "[[add_ons]]\nname = 'create2'\nport = '/dev/x'\nparameters = { mode = 'ful' }\n"
    wrong = f"{misfit}[[add_ons]]\nport = '/dev/y'\n[[add_ons]]\nname = 'r2'\nport = \"/dev/v\\u0000\"\n"
    path = robot_file(tmp_path, f"[board]\nname = 'r2'\nport = '{pty.link}'\n{wrong}")
    assert run("/nowhere/robot.toml", "/dev/z", path) == 2
    assert pty.read() == R2.halt
    out, err = capsys.readouterr()
    assert out == f"{pty.link}: halted\n"
    assert [line.count("robotd halt PORT --board NAME") for line in err.splitlines()] == [0, 0, 1, 1, 1]
    assert err.count(f"robotd: {path}: ") == 3
    assert run("--plugged", pty.name, path) == 1
    assert pty.read() == R2.halt


def test_without_arguments_the_installed_robot_is_meant_and_without_one_both_ways_are_named(
    pty, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("CONFIGURATION_DIRECTORY", str(tmp_path))
    assert run() == 2
    err = capsys.readouterr().err
    assert ("--board" in err, "halt robot.toml" in err) == (True, True)
    robot_file(tmp_path, ROBOT.format(port=pty.link))
    assert run() == 0
    assert pty.read() == R2.halt


def test_a_robot_file_with_a_byte_order_mark_is_halted_and_names_its_causes(pty, tmp_path):
    text = f'name = "green"\nstate_folder = "own"\n{ROBOT.format(port=pty.link)}'
    (tmp_path / "robot.toml").write_bytes(codecs.BOM_UTF8 + text.encode())
    assert run(tmp_path / "robot.toml") == 0
    assert pty.read() == R2.halt
    assert cause_file(tmp_path / "robot.toml").write("it froze")
    assert (tmp_path / "own" / "stop-green.json").exists()


def with_cache(robot, port, halt="AABBCC", complete=True):
    """A cache whose halt is not the board's own, so that it is known from where a halt came."""
    cache = halt_cache.HaltCache((halt_cache.Entry(str(port), 115200, halt),), complete)
    text = halt_cache.format_cache(robot.read_bytes(), __file__, cache)
    robot.with_name(halt_cache.NAME).write_bytes(text)


def test_a_port_that_appears_is_halted_by_the_cache_of_the_robot_it_belongs_to(pty, tmp_path, capsys):
    robot = robot_file(tmp_path, ROBOT.format(port=pty.link))
    with_cache(robot, pty.link)
    assert run("--plugged", pty.name, robot) == 0
    assert pty.read() == b"\xaa\xbb\xcc"
    assert capsys.readouterr().out == f"{pty.link}: halted\n"


SPOILT = {"no halt": ("AABBCC", "AABBC"), "no rate": ("115200", "115"), "no path": (': "/', ': "\\u0000/')}


@pytest.mark.parametrize("spoilt", ["none", "another robot file", "another program", "no cache", *SPOILT])
def test_without_a_cache_that_is_good_the_board_itself_has_its_halt(pty, tmp_path, spoilt):
    robot = robot_file(tmp_path, ROBOT.format(port=pty.link))
    cache = tmp_path / halt_cache.NAME
    if spoilt != "none":
        with_cache(robot, pty.link)
    if spoilt == "another robot file":
        robot.write_text(robot.read_text() + "# changed\n")
    elif spoilt == "another program":
        cache.write_text(cache.read_text().replace(str(__file__), str(tmp_path)))
    elif spoilt == "no cache":
        cache.write_text("[]")
    elif spoilt != "none":
        cache.write_text(cache.read_text().replace(*SPOILT[spoilt]))
    assert run("--plugged", pty.name, robot) == 0
    assert pty.read() == R2.halt


def test_a_port_that_is_no_boards_is_left_alone(pty, tmp_path, capsys):
    robot = robot_file(tmp_path, ROBOT.format(port="/dev/serial/by-id/another"))
    for _ in range(2):
        assert run("--plugged", pty.name, robot) == 0
        assert pty.read() == b""
        assert "no board of" in capsys.readouterr().out
        with_cache(robot, "/dev/serial/by-id/another")


def test_a_cache_gets_past_the_lock_of_a_program_that_holds_the_port_and_reports_what_is_none(
    pty, tmp_path, capsys
):
    robot = robot_file(tmp_path, ROBOT.format(port=pty.link))
    with_cache(robot, pty.link)
    with open(pty.name, "rb+", buffering=0) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert run("--plugged", pty.name, robot) == 0
    with_cache(robot, "/dev/null")
    assert run("--plugged", "/dev/null", robot) == 1
    assert "Inappropriate ioctl" in capsys.readouterr().err


@pytest.mark.parametrize("complete", [True, False])
def test_a_robot_files_halt_uses_its_cache_and_loads_plug_ins_for_the_rest_alone(pty, tmp_path, complete):
    (tmp_path / "other").mkdir()
    with Pty(tmp_path / "other") as other:
        text = ROBOT.format(port=pty.link) + f"[[add_ons]]\nname = 'r2'\nport = '{other.link}'\n"
        robot = robot_file(tmp_path, text)
        with_cache(robot, pty.link, complete=complete)
        assert run(robot) == 0
        assert pty.read() == b"\xaa\xbb\xcc"
        assert other.read() == (b"" if complete else R2.halt)
        assert run("--plugged", other.name, robot) == 0  # as udev starts it when the port appears
        assert other.read() == (b"" if complete else R2.halt)


BROKEN = {
    "exits": "import sys; sys.exit(0)",
    "raises": "1 / 0",
    "is no Python": "(",
    "does not end": "import threading; threading.Event().wait()",
    "prints": "print('hello')",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_plug_in_that_is_broken_hinders_no_halt_but_its_own(pty, tmp_path, capsys, monkeypatch, how):
    if how == "does not end":
        monkeypatch.setattr(halting, "LOAD_S", 0.1)
    (tmp_path / "mine.py").write_text(BROKEN[how] + "\nROBOTD = {}\n")
    own = "[[add_ons]]\nname = 'my-arm'\nport = '/dev/x'\n"
    for text, code in ((ROBOT, 0), (ROBOT + own, 2)):
        robot = robot_file(tmp_path, 'plugins = ["mine.py"]\n' + text.format(port=pty.link))
        assert run(robot) == code
        assert pty.read() == R2.halt
    out, err = capsys.readouterr()
    assert out == f"{pty.link}: halted\n" * 2
    assert "my-arm" in err
    assert ("plug-in mine.py" in err) is (how != "prints")


def test_a_halt_by_cache_loads_no_plug_in():
    code = "import sys; import robotd.commands.halt; import robotd.guardian.halt_cache; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pydantic", "asyncio", "serial", "boards", "robotd.files.plugins"} & set(done.stdout.split())

"""`robotd board` as a program: what it refuses, and that a kill in mid-drive leaves the wheels halted."""

import asyncio
import os
import pty
import signal

import pytest

from robotd.__main__ import main
from robotd.sim.ptys import EmulatedPort
from tests.patience import WAIT_S, patient
from tests.robotd.bringup.desk import emulated
from tests.robotd.transport.serial_helper import until


def command(*words):
    return main(["board", *words])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["ttyUSB0"], "is no port: expected"),
        (["udp://239.255.77.1:8422?interface=lo"], "no board is reached over a multicast group"),
        (["/dev/null", "--type", "roomba"], "no board is called 'roomba'"),
        (["/dev/null", "--type", "mock"], "board 'mock' has no port"),
        (["/dev/null", "--set", "baud=9600"], "--set needs --type NAME"),
        (["/dev/null", "--type", "r2", "--set", "baud"], "expected KEY=VALUE"),
        (["/dev/null", "--type", "r2", "--set", "bauds=9600"], "--set bauds: unknown key; did you mean 'baud'?"),
        (["/dev/null", "--type", "create2", "--set", "mode=ful"], "--set mode: expected one of 'safe', 'full'"),
        (["/dev/null", "--plugin", "nothing.py"], "not a Python file that can be read"),
    ],
)
def test_a_request_that_cannot_be_tried_is_refused_with_the_reason(words, reason, capsys):
    assert command(*words) == 2
    assert reason in capsys.readouterr().err


def test_a_port_that_is_missing_or_not_serial_is_an_error(tmp_path, capsys):
    for port, why in (("/dev/nothing-here", "no such device"), ("/dev/null", "no serial port"),
                      (tmp_path, "a folder, no serial port")):  # fmt: skip
        assert command(str(port), "--json") == 2
        assert capsys.readouterr().err == f"robotd: {port}: cannot be opened: {why}\n"


async def test_a_program_that_is_killed_in_mid_drive_leaves_the_wheels_halted():
    loop = asyncio.get_running_loop()
    robot = emulated("create2", loop.time())
    port = EmulatedPort(robot, 115200)
    person, terminal = pty.openpty()
    text = bytearray()
    loop.add_reader(person, lambda: text.extend(os.read(person, 65536)))
    words = patient("robotd", "board", port.end.path, "--type", "create2")
    try:
        program = await asyncio.create_subprocess_exec(*words, stdin=terminal, stdout=terminal, stderr=terminal)
        for prompt, key in ((b"any key continues", b" "), (b"Turn the wheels?", b"y")):
            await until(lambda prompt=prompt: prompt in text)
            os.write(person, key)
        await until(lambda: robot.chassis.commanded[0] > 0)
        (child,) = _children(program.pid)
        os.kill(child, signal.SIGKILL)
        await until(lambda: robot.chassis.commanded == (0.0, 0.0))
        assert await asyncio.wait_for(program.wait(), WAIT_S) == 1
        assert robot.mode == 0
    finally:
        loop.remove_reader(person)
        os.close(person)
        os.close(terminal)
        port.close()


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]

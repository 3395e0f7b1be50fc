"""The sketch of packaging/firmata, compiled for this computer, at the other end of the driver's line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from boards import firmata_frames as wire
from boards.firmata import Firmata
from boards.firmata_pins import FirmataSettings
from boards.mock.emulators.firmata import WIRING
from robotd.model.command import Command

HERE = Path(__file__).parent / "sketch"
SKETCH = HERE.parents[2] / "packaging" / "firmata" / "robotd_firmata"
FORWARD = Command(0.1, 0.1)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The compiled sketch; a computer without a C++ compiler cannot run it."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    built = tmp_path_factory.mktemp("sketch") / "sketch"
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{HERE}", f"-I{SKETCH}", "-o", str(built)]
    subprocess.run([compiler, str(HERE / "main.cpp"), *flags], check=True, timeout=60)
    return built


class Uno:
    """The sketch and the driver at instants 10 ms apart; `pins` are what the Uno's put out."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ticks = 0
        self.board = Firmata(FirmataSettings(**WIRING))
        self.board.connect(0.0)

    def give(self, data):
        """Bytes to the sketch; what it says."""
        self.process.stdin.write(f"{self.ticks * 10} {data.hex() or '-'}\n")
        said, *pins = self.process.stdout.readline().split()
        self.pins = [int(pin) for pin in pins]
        return b"" if said == "-" else bytes.fromhex(said)

    @property
    def duties(self):
        return self.pins[5], self.pins[6]

    def run(self, seconds, command=None):
        for _ in range(round(seconds * 100)):
            self.ticks += 1
            now = self.ticks / 100
            self.board.receive(now, self.give(b"".join(self.board.transmit(now))))
            if command is not None and self.ticks % 5 == 0:
                self.board.command(now, command)

    def close(self):
        self.process.communicate(timeout=10)


@pytest.fixture
def uno(program):
    """A driver that is ready."""
    uno = Uno(program)
    uno.run(0.5)
    yield uno
    uno.close()


def test_the_driver_finds_all_that_it_needs_and_drives(uno):
    now = uno.ticks / 100
    assert uno.board.ready
    assert uno.board.firmware == "robotd_firmata 2.5"
    assert uno.board.capabilities(now).missing == ()
    assert len(uno.board.senses(now).ranges) == 5
    uno.run(0.5, FORWARD)
    assert uno.duties == (138, 138)
    assert [uno.pins[pin] for pin in (4, 7, 8)] == [255, 0, 255]
    uno.run(0.3, Command(opening=1.0))
    assert (uno.pins[9], *uno.duties) == (120, 0, 0)


def test_the_wheels_stop_half_a_second_after_the_last_drive_whatever_is_asked_meanwhile(uno):
    """D7."""
    uno.run(0.5, FORWARD)
    stood = None
    for n in range(1, 80):
        uno.ticks += 1
        uno.give(wire.sysex(wire.STATE_QUERY, b"\5") + wire.report_digital(0))
        if stood is None and uno.duties == (0, 0):
            stood = n / 100
    assert stood == pytest.approx(0.5, abs=0.06)


def test_the_halt_stops_it_after_every_part_of_a_message(uno):
    for whole in (wire.analogue(5, 200), wire.servo_config(9, 544, 2400), wire.text(wire.TEXT, b"", "x" * 50)):
        for cut in range(len(whole)):
            setup = b"".join(wire.pin_mode(pin, wire.PWM) + wire.analogue(pin, 255) for pin in (5, 6))
            uno.give(setup)
            assert uno.duties == (255, 255)
            uno.give(whole[:cut] + uno.board.halt)
            assert uno.duties == (0, 0)


def test_after_a_restart_it_is_set_up_again(uno):
    uno.run(0.5, FORWARD)
    uno.give(b"\xff" + wire.sysex(wire.FIRMWARE))
    uno.run(1.5, FORWARD)
    assert uno.board.reboots == 1
    assert uno.duties == (138, 138)

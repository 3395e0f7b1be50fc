"""The sketch of packaging/firmata, compiled for this computer, at the other end of the driver's line."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest

from boards.firmata import frames as wire
from boards.firmata.driver import Firmata
from boards.firmata.emulator import WIRING
from boards.firmata.pins import FirmataSettings
from robotd.model.command import Command

HERE = Path(__file__).parent / "sketch"
SKETCH = HERE.parents[3] / "packaging" / "firmata" / "robotd_firmata"
FORWARD = Command(0.1, 0.1)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The compiled sketch; a computer without a C++ compiler cannot run it."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    built = tmp_path_factory.mktemp("sketch") / "sketch"
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{HERE}", f"-I{SKETCH}", "-o", str(built)]
    subprocess.run([compiler, str(HERE / "main.cpp"), *flags], check=True, timeout=600)
    return built


class Uno:
    """The sketch and the driver at instants 10 ms apart; `pins` are what the Uno's put out."""

    def __init__(self, program, *, tells=True):
        words, pipe = () if tells else ("untold",), subprocess.PIPE
        self.process = subprocess.Popen([program, *words], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.ticks = self.clock_ms = self.changed_ms = 0
        self.rate = 5  # bytes that leave in 1 ms; `tells`: the core reports how many have room
        self.board = Firmata(FirmataSettings(**WIRING))
        self.board.connect(0.0)

    def give(self, data):
        """Bytes to the sketch; what it says."""
        self.process.stdin.write(f"{self.ticks * 10} {self.rate} {data.hex() or '-'}\n")
        sent, *numbers = self.process.stdout.readline().split()
        self.clock_ms, self.changed_ms, *self.pins = map(int, numbers)
        self.ticks = max(self.ticks, self.clock_ms // 10)
        return b"" if sent == "-" else bytes.fromhex(sent)

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
        self.process.communicate(timeout=600)


@pytest.fixture
def plug(program):
    """Plugs an Uno in; ended with the test."""
    with contextlib.ExitStack() as plugged:

        def plug(**how):
            uno = Uno(program, **how)
            plugged.callback(uno.close)
            return uno

        yield plug


@pytest.fixture
def uno(plug):
    """A driver that is ready."""
    uno = plug()
    uno.run(0.5)
    return uno


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


@pytest.mark.parametrize("tells", [True, False], ids=["room-known", "room-unknown"])
def test_the_wheels_stop_also_while_a_computer_that_hangs_takes_nothing_that_is_sent(plug, tells):
    uno = plug(tells=tells)
    uno.run(1.0, FORWARD)
    uno.give(wire.analogue(5, 138) + wire.analogue(6, 138))
    assert uno.duties == (138, 138)
    drove, uno.rate = uno.clock_ms, 0
    for _ in range(80):
        uno.ticks += 1
        uno.give((wire.sysex(wire.STATE_QUERY, b"\5") + wire.report_digital(0)) * 10)
    assert uno.duties == (0, 0)
    assert uno.changed_ms - drove <= 510 + (0 if tells else 250)
    assert not tells or uno.clock_ms - drove < 4000  # where the core reports the room, no write waits


def test_when_the_computer_continues_all_continues(uno):
    uno.rate = 0
    uno.run(1.0, FORWARD)
    assert uno.duties == (0, 0)
    uno.rate = 5
    uno.run(1.0, FORWARD)
    assert (uno.duties, uno.board.reboots) == ((138, 138), 0)
    assert uno.board.capabilities(uno.ticks / 100).missing == ()


@pytest.mark.parametrize("tells", [True, False])
def test_a_slow_line_gets_all_of_an_answer_that_is_longer_than_the_room_there_is(plug, tells):
    uno = plug(tells=tells)
    uno.rate = 1  # 9600 baud
    uno.run(1.5, FORWARD)
    assert uno.board.capabilities(uno.ticks / 100).missing == ()
    assert uno.duties == (138, 138)


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

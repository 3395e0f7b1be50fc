"""A gripper on a Maestro: the manual's examples, one question at a time, faults of its line, the halt."""

import itertools
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boards.maestro.driver import ANSWER_S, GET_POSITION, SET_SPEED, SET_TARGET, Maestro, MaestroSettings, encode
from boards.maestro.emulator import MaestroEmulator
from boards.mock.driver import MockR2
from boards.parser import halves
from robotd.model.command import Command
from robotd.model.senses import Senses
from tests.boards.bench import world

VECTORS = {
    "MA01": (encode(SET_TARGET, b"\0" + halves(6000)), "8400702E"),
    "MA02": (encode(SET_TARGET, b"\0" + halves(6000), 12), "AA0C0400702E"),
    "MA03": (encode(0xFF, b"\0\x7f"), "FF007F"),
    "MA04": (encode(0x9F, b"\2\3" + halves(0) + halves(6000)), "9F02030000702E"),
    "MA05": (encode(SET_SPEED, b"\5" + halves(140)), "87050C01"),
    "MA06": (encode(0x83, b"\1", crc=True), "830117"),
    "MA07": (encode(SET_TARGET, b"\2" + halves(6000), crc=True), "8402702E18"),
}
OPEN = Command(opening=1.0, lift=0.0)


class Line:
    """A driver and an emulated Maestro, 10 ms at a time."""

    def __init__(self, **table):
        self.emulator = MaestroEmulator(MockR2(world(), "green"), 3, **table)
        self.driver = Maestro(self.emulator.wiring)
        self.ticks = 0
        self.plugged = True
        self.driver.connect(0.0)

    @property
    def now(self):
        return self.ticks / 100

    def run(self, seconds, command=None):
        for _ in range(round(seconds * 100)):
            self.ticks += 1
            if command is not None:
                self.driver.command(self.now, command)
            if self.driver.wake_at <= self.now:
                self.emulator.receive(self.now, b"".join(self.driver.transmit(self.now)))
            for data in self.emulator.transmit(self.now) if self.plugged else ():
                self.driver.receive(self.now, data)
        return self.driver.complete(self.now, Senses()).grip


@pytest.mark.parametrize("name", VECTORS)
def test_each_example_of_a_command_is_encoded_so(name):
    built, text = VECTORS[name]
    assert built == bytes.fromhex(text)


@pytest.mark.parametrize("table", [{}, {"crc": True}, {"device": 12}, {"device": 12, "crc": True}])
def test_it_goes_where_it_is_sent_in_either_form_of_the_protocol(table):
    line = Line(**table)
    line.run(0.5)
    assert line.driver.missing(line.now) == {}
    assert line.run(3.0, OPEN).opening == 1.0
    grip = line.run(3.0, Command(opening=0.25, lift=1.0))
    assert (grip.opening, grip.lift, grip.beam) == (0.25, 1.0, False)
    assert line.emulator.errors == 0
    assert line.emulator.speeds == {0: 60, 1: 60}


def test_the_servos_are_limp_until_there_is_a_command_and_that_is_reported_as_half_way():
    line = Line()
    grip = line.run(1.0)
    assert line.emulator.targets == {}
    assert (grip.opening, grip.lift) == (0.5, 0.5)


def test_a_maestro_that_answers_no_more_is_lost_within_a_second_and_comes_back():
    line = Line()
    line.run(1.0, OPEN)
    line.plugged = False
    assert line.run(1.0, OPEN) is None
    assert set(line.driver.missing(line.now)) == {"gripper"}
    assert line.driver.command(line.now, OPEN).opening is None
    line.plugged = True
    assert line.run(1.0, OPEN) is not None


def test_an_answer_that_comes_late_or_twice_answers_no_other_question():
    """D15."""
    line = Line(lift_channel=None)
    line.run(2.0, OPEN)
    for fault in ("late", "twice", "insert", "garbage"):
        for _ in range(10):
            line.emulator.line.fault(fault)
            grip = line.run(0.3, OPEN)
            assert grip is None or (grip.beam, grip.opening) == (False, 1.0)
        assert line.run(1.0, OPEN).opening == 1.0


def test_one_request_is_open_at_a_time_and_the_line_is_quiet_before_it_is_made_again():
    driver = Maestro(MaestroSettings(lift_channel=1))
    asked = [n / 100 for n in range(200) if b"".join(driver.transmit(n / 100))[:1] == bytes([GET_POSITION])]
    assert all(b - a >= 1.5 * ANSWER_S - 1e-9 for a, b in itertools.pairwise(asked))
    assert len(asked) >= 3


class LateMaestro:
    """A driver whose Maestro's servos rest; answers take `late(now)` s."""

    TRUTH: ClassVar[dict[int, int]] = {0: 4400, 1: 7600}

    def __init__(self, late, beam):
        self.driver = Maestro(MaestroSettings(lift_channel=1, beam_channel=2))
        self.driver.connect(0.0)
        self.late, self.positions = late, {**self.TRUTH, 2: beam}
        self.grips = []

    def run(self, seconds, command=None):
        due = []
        for n in range(round(seconds * 200)):
            now = n / 200
            came = b"".join(answer for at, answer in sorted(due, key=lambda one: one[0]) if at <= now)
            due = [one for one in due if one[0] > now]
            if came:
                self.driver.receive(now, came)
            if command is not None and now < 0.5:
                self.driver.command(now, command)
            sent = b"".join(self.driver.transmit(now))
            asked = [sent[k + 1] for k in range(len(sent) - 1) if sent[k] == GET_POSITION]
            due += [(now + self.late(now), self.positions[one].to_bytes(2, "little")) for one in asked]
            self.grips.append((now, self.driver.complete(now, Senses()).grip))
        return self


@pytest.mark.parametrize("beam", [1000, 40, 0])
@pytest.mark.parametrize("late_s", [0.21, 0.33, 0.4, 0.5, 0.7, 1.3])
@pytest.mark.parametrize("stalls", [False, True])
def test_an_answer_that_is_late_is_never_that_of_another_channel(beam, late_s, stalls):
    """In a stall all that was asked is answered at its end; else each answer takes as long."""

    def late(now):
        held = 1.0 <= now < (1.0 + late_s if stalls else 4.0)
        return 0.005 + ((1.0 + late_s - now) if stalls else late_s) * held

    seen = LateMaestro(late, beam).run(8.0, Command(opening=0.0, lift=1.0))
    assert {(g.opening, g.lift, g.beam) for _, g in seen.grips if g is not None} == {(0.0, 1.0, beam < 512)}
    assert seen.driver.reboots == 0
    assert seen.grips[-1][1] is not None


def test_a_line_that_answers_late_is_waited_for_after_the_first_time():
    seen = LateMaestro(lambda now: 0.36, 1000).run(6.0)
    assert all(grip is not None for now, grip in seen.grips if now > 2.0)
    assert seen.driver.counts["no answer"] <= 2


def test_a_single_lost_answer_takes_nothing_along():
    seen = LateMaestro(lambda now: 9.0 if 1.0 <= now < 1.06 or 3.0 <= now < 3.06 else 0.005, 1000).run(6.0)
    assert all(grip is not None for now, grip in seen.grips if now > 0.1)


def test_a_target_is_sent_again_in_case_it_was_lost():
    line = Line()
    line.run(0.5)
    line.emulator.deaf = True
    line.run(0.1, Command(opening=1.0))
    line.emulator.deaf = False
    line.run(1.5, Command(opening=1.0))
    assert line.emulator.targets == {0: 7600}


def targets_of(line, seconds, command=None):
    """The targets that the Maestro receives meanwhile."""
    found, receive = [], line.emulator.receive

    def listen(now, data):
        found.extend(data[k : k + 4] for k in range(len(data)) if data[k] == SET_TARGET)
        receive(now, data)

    line.emulator.receive = listen
    line.run(seconds, command)
    line.emulator.receive = receive
    return found


def test_a_target_that_is_not_reached_is_sent_again_only_while_a_command_holds():
    line = Line()
    line.run(4.0, OPEN)
    assert line.emulator.targets == {0: 7600, 1: 4400}
    line.emulator.deaf = True
    line.run(0.05, Command(opening=0.5))
    line.emulator.deaf = False
    assert targets_of(line, 3.0) == []
    line.emulator.deaf = True
    line.run(0.05, Command(opening=0.25))
    line.emulator.deaf = False
    assert len(targets_of(line, 3.0, Command(opening=0.25))) == 1
    assert targets_of(line, 0.5, Command(opening=0.3, expiry_s=0.0)) == []
    assert line.emulator.targets == {0: 5200, 1: 4400}  # it holds where it is


@pytest.mark.parametrize("halted", [True, False])
@pytest.mark.parametrize("held", [True, False])
def test_servos_that_were_halted_or_whose_maestro_began_anew_stay_limp_and_that_is_reported(halted, held):
    line = Line()
    line.run(1.0, OPEN)
    line.run(1.0)
    if held:
        line.run(0.05, OPEN)
    if halted:
        line.emulator.receive(line.now, line.driver.halt)
    else:
        line.emulator.reboot(line.now)
    assert targets_of(line, 4.0) == []
    assert (line.emulator.targets, line.driver.reboots) == ({}, 1)
    line.run(1.0, OPEN)
    assert line.emulator.targets == {0: 7600, 1: 4400}
    assert line.emulator.speeds == {0: 60, 1: 60}
    assert line.driver.reboots == 1


def test_servos_that_are_halted_on_their_way_while_a_command_holds_stay_limp():
    for n in range(90, 125, 5):
        line = Line()
        line.run(0.5)
        line.run(n / 100, Command(opening=1.0))
        line.emulator.receive(line.now, line.driver.halt)
        line.run(0.45)
        assert (line.emulator.targets, line.driver.reboots) == ({}, 1)


def test_neither_a_first_target_that_was_lost_nor_one_damaged_answer_is_a_restart():
    line = Line(lift_channel=None, beam_channel=None)
    line.run(0.5)
    receive = line.emulator.receive
    line.emulator.receive = lambda now, data: receive(now, data[-2:])  # the question after the targets
    line.run(0.5, OPEN)
    assert line.emulator.targets == {}
    line.emulator.receive = receive
    line.run(1.5, OPEN)
    assert line.emulator.targets == {0: 7600}
    line.emulator.deaf = True
    line.run(0.1, OPEN)
    line.driver.receive(line.now, b"\0\0")
    line.emulator.deaf = False
    line.run(2.0, OPEN)
    assert line.driver.reboots == 0


def test_a_connection_that_is_made_anew_begins_with_a_halt_and_that_is_no_restart():
    line = Line()
    line.run(1.0, OPEN)
    line.emulator.receive(line.now, line.driver.halt)
    line.driver.connect(line.now)
    line.run(2.0)
    assert (line.driver.reboots, line.emulator.targets) == (0, {})


def test_halt_ends_the_pulses_after_every_part_of_a_command():
    for table in ({}, {"crc": True, "device": 5}):
        line = Line(**table)
        line.run(0.5, OPEN)
        driver = line.driver
        for whole in (
            driver._encode(SET_TARGET, b"\0" + halves(6000)),
            driver._encode(GET_POSITION, b"\0"),
            b"\xff\0",
        ):
            for cut in range(len(whole) + 1):
                line.emulator.targets = {0: 6000, 1: 6000}
                line.emulator.receive(line.now, whole[:cut] + driver.halt)
                assert line.emulator.targets == {}


@given(st.lists(st.binary(max_size=20), max_size=6))
@settings(max_examples=25, deadline=None)
def test_neither_driver_nor_maestro_raises_whatever_comes(pieces):
    line = Line()
    for piece in pieces:
        line.driver.receive(line.now, piece)
        line.emulator.receive(line.now, piece)
        line.run(0.05, Command(opening=float("nan"), lift=9.0))
    assert line.run(1.0, OPEN) is not None


@pytest.mark.parametrize("table", [{"up_us": 1100}, {"open_us": 1100, "shut_us": 1900}])
def test_ends_either_way_round_are_taken_and_those_of_a_lift_that_is_not_there_pass(table):
    assert MaestroSettings(**table)

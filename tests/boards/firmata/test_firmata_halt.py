"""The halt of an Arduino with Firmata: after every message, cut at every byte, an unfinished sysex too."""

from __future__ import annotations

import pytest

from boards.firmata import frames as wire
from boards.firmata.driver import Firmata
from boards.firmata.pins import FirmataSettings
from tests.boards.bench import FirmataBench, ready

MESSAGES = [
    wire.analogue(5, 255), wire.analogue(20, 255), wire.pin_mode(9, wire.SERVO), wire.pin_value(4, high=True),
    wire.servo_config(9, 544, 2400), wire.sampling(50), wire.report_analogue(3), wire.report_digital(1),
    wire.sysex(wire.CAPABILITY_QUERY), wire.sysex(wire.STATE_QUERY, b"\5"), wire.port(0, 255),
    wire.text(wire.TEXT, b"", "x" * 60), b"\xf0", b"\xf9", b"\xff",
]  # fmt: skip


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(FirmataBench)


def at_full_speed(emulator, now):
    emulator._begun.clear()
    emulator.receive(now, b"".join(wire.pin_mode(pin, wire.PWM) for pin in (5, 6)))
    for pin, high in ((4, True), (7, False), (8, True)):
        emulator.receive(now, wire.pin_value(pin, high=high))
    emulator.receive(now, wire.analogue(5, 255) + wire.analogue(6, 255))
    assert emulator.body.driven(now) == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize("whole", MESSAGES, ids=lambda whole: whole[:2].hex())
@pytest.mark.parametrize("told", [True, False], ids=["pins known", "no robot file"])
def test_halt_stops_the_wheels_after_every_part_of_a_message(bench, whole, told):
    halt = bench.board.halt if told else Firmata(FirmataSettings()).halt
    for cut in range(len(whole)):
        at_full_speed(bench.emulator, bench.now)
        bench.emulator.receive(bench.now, whole[:cut] + halt)
        assert bench.emulator.body.driven(bench.now) == (0, 0)


def test_a_stop_alone_is_eaten_by_a_sysex_that_was_cut(bench):
    at_full_speed(bench.emulator, bench.now)
    bench.emulator.receive(bench.now, wire.sampling(50)[:3] + wire.analogue(5, 0) + wire.analogue(6, 0))
    assert bench.emulator.body.driven(bench.now) != (0, 0)


def test_without_a_halt_standard_firmata_drives_on_for_ever(bench):
    """B8 of boards without a watchdog."""
    at_full_speed(bench.emulator, bench.now)
    for n in range(1, 101):
        bench.emulator.transmit(bench.now + n / 10)
    assert bench.emulator.body.driven(bench.now + 10.0) == pytest.approx((0.25, 0.25))

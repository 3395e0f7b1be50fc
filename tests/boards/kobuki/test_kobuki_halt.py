"""The halt of a Kobuki: after every packet, cut at every byte, the wheels stand."""

from __future__ import annotations

import pytest

from boards.kobuki import frames as wire
from tests.boards.bench import KobukiBench, ready

OWN = [wire.drive(-400, 250), wire.request(wire.VERSIONS), wire.play(3), wire.STOP]
OTHERS = [wire.packet((0x0D, bytes(range(13)))), wire.packet((0x0C, b"\xaa\x55"), (wire.SOUND, b"\xaa\x55\xaa"))]


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(KobukiBench)


def at_full_speed(emulator, now):
    emulator._gathered.clear()
    emulator.receive(now, wire.drive(400, 0))
    assert emulator.body.driven(now) == pytest.approx((0.4, 0.4))


@pytest.mark.parametrize("whole", OWN + OTHERS, ids=lambda whole: f"{whole[3]}-{len(whole)}")
def test_halt_stops_the_wheels_after_every_part_of_a_packet(bench, whole):
    for cut in range(len(whole)):
        at_full_speed(bench.emulator, bench.now)
        bench.emulator.receive(bench.now, whole[:cut])
        bench.emulator.receive(bench.now, wire.HALT)
        assert bench.emulator.body.driven(bench.now) == (0, 0)


def test_what_robotd_says_is_stopped_by_the_first_bytes_of_the_halt(bench):
    for whole in OWN:
        for cut in range(len(whole)):
            at_full_speed(bench.emulator, bench.now)
            bench.emulator.receive(bench.now, whole[:cut] + wire.HALT[:26])
            assert bench.emulator.body.driven(bench.now) == (0, 0)


def test_a_stop_alone_is_eaten_by_a_cut_packet(bench):
    at_full_speed(bench.emulator, bench.now)
    bench.emulator.receive(bench.now, OWN[0][:5] + wire.STOP)
    assert bench.emulator.body.driven(bench.now) != (0, 0)


def test_halt_works_whatever_length_a_damaged_packet_announces(bench):
    for length in range(256):
        at_full_speed(bench.emulator, bench.now)
        bench.emulator.receive(bench.now, wire.HEADER + bytes([length]) + wire.HALT)
        assert bench.emulator.body.driven(bench.now) == (0, 0)


def test_without_a_halt_the_robot_drives_on_for_ever(bench):
    """B8 of boards without a watchdog."""
    at_full_speed(bench.emulator, bench.now)
    for n in range(1, 101):
        bench.emulator.transmit(bench.now + n / 10)
    assert bench.emulator.body.driven(bench.now + 10.0) == pytest.approx((0.4, 0.4))

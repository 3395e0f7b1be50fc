"""The halt of a Pioneer: after every packet, cut at every byte, the wheels stand."""

from __future__ import annotations

import pytest

from boards.pioneer import frames as wire
from tests.boards.bench import PioneerBench, ready


@pytest.fixture
def bench():
    """An emulated robot that is ready."""
    return ready(PioneerBench)


def packets_of_all_kinds():
    """What robotd says, and the longest that anybody does."""
    yield from (
        wire.say(wire.VEL, 400),
        wire.say(wire.RVEL, -100),
        wire.say(wire.GRIPPER, 1),
        wire.say(wire.PULSE),
    )
    yield from (wire.say(wire.ENABLE, 1), wire.say(wire.SETA, -1000), wire.say(wire.SAY, "\xfa\xfb" * 97))


@pytest.mark.parametrize("whole", list(packets_of_all_kinds()), ids=lambda whole: f"{whole[3]}-{len(whole)}")
def test_halt_stops_the_wheels_after_every_part_of_a_packet(bench, whole):
    emulator, now = bench.emulator, bench.now
    for cut in range(len(whole)):
        emulator._gathered.clear()
        emulator.receive(now, wire.say(wire.VEL, 400))
        assert emulator.body.driven(now) == pytest.approx((0.4, 0.4))
        emulator.receive(now, whole[:cut])
        emulator.receive(now, wire.HALT)
        assert emulator.body.driven(now) == (0, 0)
        assert emulator.connected


def test_what_robotd_says_is_stopped_by_the_first_bytes_of_the_halt(bench):
    emulator, now = bench.emulator, bench.now
    whole = wire.say(wire.VEL, 400)
    for cut in range(len(whole)):
        emulator._gathered.clear()
        emulator.receive(now, whole + whole[:cut] + wire.HALT[:15])
        assert emulator.body.driven(now) == (0, 0)


def test_halt_works_whatever_length_a_damaged_packet_announces(bench):
    emulator, now = bench.emulator, bench.now
    for length in range(256):
        emulator._gathered.clear()
        emulator.receive(now, wire.say(wire.VEL, 400) + wire.HEADER + bytes([length]) + wire.HALT)
        assert emulator.body.driven(now) == (0, 0)

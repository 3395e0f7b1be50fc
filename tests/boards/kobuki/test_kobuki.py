"""Kobuki: its packets as bytes, and what its driver sends and believes."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boards.kobuki import frames as wire
from boards.kobuki.driver import Kobuki
from boards.kobuki.senses import EMPTY_V, FULL_V, KobukiReading, began_anew
from robotd.model.command import Command
from robotd.model.senses import Senses
from tests.boards.bench import KobukiBench, fast_world
from tests.boards.hand import BaseTalk

ORDERS = {
    "KB01": (wire.drive(100, 0), "AA5506010464000000" + "67"),
    "KB02": (wire.drive(115, 1), "AA5506010473000100" + "71"),
    "KB03": (wire.drive(0, 0), "AA550601040000000003"),
    "KB04": (wire.request(wire.VERSIONS), "AA550409020B0004"),
}
CORE = "AA5511010FC0E8040000FAFF050000000000A40097"  # KB05
BASE = 230.0
LONG = wire.packet(
    (wire.CORE, wire.build_core(wire.Core(0xE8C0))), (wire.DOCK, bytes(3)),
    (wire.INERTIA, bytes(7)), (wire.CLIFF, bytes(6)), (wire.CURRENT, bytes(2)),
    (wire.GYRO, bytes([0, 6]) + bytes(12)), (wire.INPUTS, bytes(16)),
)  # fmt: skip
speeds = st.integers(-700, 700)


@pytest.mark.parametrize("name", ORDERS)
def test_each_example_of_an_order_is_encoded_so(name):
    built, text = ORDERS[name]
    assert built == bytes.fromhex(text)
    (((number, data),),) = wire.PacketParser(wire.ORDER_SIZES).feed(built)
    assert wire.packet((number, data)) == built


def test_the_example_of_senses_is_read_and_built():
    """KB05."""
    core = wire.Core(59584, wire.LEFT, left=65530, right=5, battery=164)
    ((part,),) = wire.PacketParser().feed(bytes.fromhex(CORE))
    assert (part[0], wire.parse_core(part[1])) == (wire.CORE, core)
    assert wire.packet((wire.CORE, wire.build_core(core))) == bytes.fromhex(CORE)


def test_the_usual_packet_has_77_bytes_of_payload():
    assert LONG[2] == 0x4D


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param("3FAA554D010FC0E8000000", id="KB06"), pytest.param("F6AA554D010FAC10000000", id="KB07"),
        pytest.param("E2AA553601C8", id="KB08"), "AA", "AA55", "AA554D", "AA554D010F", "AAAA55",
    ],
)  # fmt: skip
def test_a_cut_packet_never_takes_the_next_whole_one_along(cut):
    """D1."""
    splitter = wire.PacketParser()
    found = splitter.feed(bytes.fromhex(cut) + LONG + LONG)
    assert [parts[0][0] for parts in found] == [wire.CORE] * 2


def test_a_packet_with_a_wrong_checksum_is_dropped_and_the_one_inside_it_is_not():
    """D3, D1."""
    whole = bytes.fromhex(CORE)
    for at in range(3, len(whole)):
        splitter = wire.PacketParser()
        spoilt = whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
        assert len(splitter.feed(spoilt + whole)) == 1
        assert splitter.counts["checksum"] >= 1
    inside = wire.HEADER + bytes([len(whole) + 4]) + b"\1\x0f" + whole + bytes(3)
    assert len(wire.PacketParser().feed(inside)) == 1


@pytest.mark.parametrize(
    "payload", ["010E" + "00" * 14, "0110" + "00" * 16, "060200", "0F", "0603000000", "0B03000000"]
)
def test_a_sub_payload_that_is_not_as_long_as_it_announces_or_as_known_costs_its_packet(payload):
    """D3."""
    rest = bytes([len(payload) // 2]) + bytes.fromhex(payload)
    splitter = wire.PacketParser()
    found = splitter.feed(wire.HEADER + rest + bytes([wire.checksum(rest)]) + LONG)
    assert len(found) == 1
    assert sum(splitter.counts[word] for word in ("sub-payload", "length")) == 1


def test_sub_payloads_that_are_not_known_are_skipped_by_their_length():
    (parts,) = wire.PacketParser().feed(wire.packet((0x77, b"\xaa\x55\x03"), (wire.CURRENT, b"\1\2")))
    assert wire.data_of(parts, wire.CURRENT) == b"\1\2"
    assert wire.data_of(parts, wire.CORE) is None


@given(speeds, speeds)
@example(100, 100)
@example(-1, 1)
@example(700, 699)
@example(-230, -231)
def test_the_wheels_turn_as_they_are_commanded_by_an_arc_never_faster(left, right):
    speed, radius = wire.course(left, right, BASE)
    assert -(1 << 15) <= radius < 1 << 15
    made = wire.wheels(speed, radius, BASE)
    assert made == pytest.approx((left, right), abs=2 + 1.6 * abs(right - left) / BASE)
    assert max(map(abs, made)) <= max(abs(left), abs(right)) + 1e-9


def test_a_payload_that_no_packet_holds_is_refused():
    with pytest.raises(ValueError, match="3 to 160"):
        wire.packet((1, bytes(200)))
    with pytest.raises(ValueError, match="2 bytes"):
        wire.packet((1, b""))


FORWARD = Command(0.1, 0.1)
BENCH = KobukiBench
RESTING = wire.Core(0)
VERSION = wire.packet((wire.FIRMWARE, bytes([0, 2, 1, 0])))


def senses(now, currents=(0, 0), **changes):
    """A packet of a robot whose clock began at 0 s, with changed fields."""
    core = RESTING._replace(stamp=round(now * 1000) % wire.STAMP, **changes)
    return wire.packet((wire.CORE, wire.build_core(core)), (wire.CURRENT, bytes(currents)))


class Talk(BaseTalk):
    driver = Kobuki

    def receive(self, now, **changes):
        self.board.receive(now, senses(now, **changes))

    def greet(self):
        self.sent(0.0)
        self.board.receive(0.0, VERSION)
        self.receive(0.0)


def test_it_is_ready_only_when_the_robot_both_reports_and_answers():
    """D5."""
    talk = Talk()
    talk.sent(0.0)
    talk.board.receive(0.1, bytes(range(256)) + senses(0.1)[:-1] + b"\0" + VERSION)
    assert not talk.board.ready
    other = Talk()
    other.sent(0.0)
    other.receive(0.1)
    assert not other.board.ready
    assert other.board.command(0.1, FORWARD).left == 0
    other.board.receive(0.1, VERSION)
    assert other.board.ready
    assert other.board.firmware == "1.2.0"


def test_it_drives_arcs_and_turns_as_it_reports(bench):
    for command in (Command(0.2, 0.1), Command(-0.05, -0.2), Command(-0.1, 0.12), Command(0.1, -0.1)):
        driven = bench.run(1.0, command)
        assert (driven.left, driven.right) == pytest.approx((command.left, command.right), abs=0.002)
        assert bench.wheels() == pytest.approx((driven.left, driven.right), abs=0.005)


def test_a_robot_that_begins_to_move_200_ms_late_is_neither_stuck_nor_stalled(bench):
    """D16."""
    bench.emulator.dead_s = 0.2
    for command in (FORWARD, Command(-0.1, -0.1), Command(-0.1, 0.1), Command()):
        for _ in range(20):
            bench.run(0.05, command)
            assert bench.missing == {}
            assert not bench.board.senses(bench.now).stalled


@pytest.mark.parametrize(("bit", "degrees"), [(wire.LEFT, 45), (wire.CENTRE, 0), (wire.RIGHT, -45)])
def test_bumpers_and_cliffs_lie_where_their_bits_state(talk, bit, degrees):
    talk.receive(0.1, bumpers=bit)
    assert [round(math.degrees(b.bearing)) for b in talk.board.senses(0.1).bumps if b.pressed] == [degrees]
    assert not any(cliff.pressed for cliff in talk.board.senses(0.1).cliffs)
    talk.receive(0.2, cliffs=bit)
    assert [round(math.degrees(b.bearing)) for b in talk.board.senses(0.2).cliffs if b.pressed] == [degrees]


@pytest.mark.parametrize(("charger", "mobile"), [(0, True), (6, True), (22, False)])
def test_it_leaves_the_dock_by_itself_but_pulls_at_no_cable(talk, charger, mobile):
    talk.receive(0.1, charger=charger)
    assert ("mobile" in talk.board.capabilities(0.1).resources) == mobile
    assert talk.board.senses(0.1).charging == (charger > 0)
    assert mobile or "cable" in talk.missing(0.1)["mobile"]


@pytest.mark.parametrize(("volts", "share"), [(EMPTY_V - 2, 0.0), (FULL_V, 1.0), ((EMPTY_V + FULL_V) / 2, 0.5)])
def test_the_battery_is_reported_as_a_share_of_its_voltages(talk, volts, share):
    talk.receive(0.1, battery=round(volts * 10))
    assert talk.board.senses(0.1).battery == pytest.approx(share, abs=0.02)


def test_a_robot_whose_packets_report_no_currents_drives_and_stalls_by_overcurrent(talk):
    for n in range(1, 60):
        now = n / 50
        talk.board.command(now, FORWARD)
        talk.sent(now)
        core = RESTING._replace(stamp=round(now * 1000), left=23 * n, right=0, over=wire.OVER_RIGHT)
        talk.board.receive(now, wire.packet((wire.CORE, wire.build_core(core))))
    assert talk.board.senses(now).stalled
    assert talk.missing(now) == {}


@pytest.mark.parametrize("gone", [0.02, 0.5, 3.0, 65.536, 200.0])
def test_packets_that_stay_away_are_no_restart_and_a_clock_that_begins_anew_is_one(talk, gone):
    talk.receive(20.0)
    now = 20.0 + gone
    talk.receive(now)
    assert (talk.board.reboots, talk.board.ready) == (0, True)
    talk.board.receive(now + 1.0, senses(0.3))
    assert (talk.board.reboots, talk.board.ready) == (1, False)


FAR = 30000  # counts: not taken for those of a robot that has just begun


def began(before, away, stamp, count, was=FAR):
    """Whether a packet after `away` s, with a clock of `stamp` ms and both encoders at `count`, shows a restart;
    the last one before it had a clock of `before` ms and encoders at `was`."""
    last = KobukiReading(100.0, Senses(), stamp=before, counts=(was, was))
    core = RESTING._replace(stamp=stamp, left=count, right=count)
    return began_anew(100.0 + away, core, last)


@pytest.mark.parametrize("boot", [0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize(("first", "rolled"), [(0, 0), (20, 65036), (200, 3000)])
def test_a_restart_is_noticed_wherever_the_clock_stood(boot, first, rolled):
    away = boot + first / 1000 + 0.02
    assert all(began(before, away, first, rolled) for before in range(0, wire.STAMP, 7))


@pytest.mark.parametrize("away", [0.02, 0.1, 0.25, 0.5, 1.0, 2.0])
def test_a_line_that_is_away_while_the_clock_stands_anywhere_is_no_restart(away):
    step = round(away * 1000)
    for before in range(0, wire.STAMP, 19):
        assert not began(before, away + 0.01, (before + step) % wire.STAMP, FAR)
        assert not began(before, away + 0.01, (before + 20) % wire.STAMP, FAR)


def test_a_clock_that_wraps_between_two_packets_is_no_restart_where_the_wheels_never_turned():
    for late in (0.0, 0.15):
        assert not any(began(wire.STAMP - 20 + k, 0.02 + late, k, 0, 0) for k in range(20))


@pytest.mark.parametrize("at", [64.0, 64.6, 65.2])
def test_a_robot_that_restarts_while_its_clock_wraps_is_held(at):
    bench = KobukiBench(fast_world())
    bench.emulator._started = -at
    bench.run(2.0, FORWARD)
    bench.emulator.reboot(bench.now)
    bench.run(1.1, FORWARD)
    assert bench.board.reboots == 1


def test_packets_that_come_late_all_at_once_are_no_restart(talk):
    for n in range(1, 100):
        talk.board.receive(2.0, senses(n / 50))
    assert talk.board.reboots == 0

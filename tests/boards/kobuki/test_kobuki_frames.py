"""The Kobuki's packets as bytes: examples, cut packets that swallow the next header, arcs and wheels."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boards.kobuki import frames as wire

ORDERS = {
    "KB01": (wire.drive(100, 0), "AA5506010464000000" + "67"),
    "KB02": (wire.drive(115, 1), "AA5506010473000100" + "71"),
    "KB03": (wire.drive(0, 0), "AA550601040000000003"),
    "KB04": (wire.request(wire.VERSIONS), "AA550409020B0004"),
}
CORE = "AA5511010FC0E8040000FAFF050000000000A40097"  # KB05
BASE = 230.0
LONG = wire.packet(
    (wire.CORE, wire.build_core(wire.Core(0xE8C0, 0, 0, 0, 0, 0, 160))), (wire.DOCK, bytes(3)),
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
    core = wire.Core(59584, wire.LEFT, 0, 0, 65530, 5, 164)
    ((part,),) = wire.PacketParser().feed(bytes.fromhex(CORE))
    assert (part[0], wire.parse_core(part[1])) == (wire.CORE, core)
    assert wire.packet((wire.CORE, wire.build_core(core))) == bytes.fromhex(CORE)


def test_the_usual_packet_has_77_bytes_of_payload():
    assert LONG[2] == 0x4D


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param("3FAA554D010FC0E8000000", id="KB06"),
        pytest.param("F6AA554D010FAC10000000", id="KB07"),
        pytest.param("E2AA553601C8", id="KB08"),
        "AA",
        "AA55",
        "AA554D",
        "AA554D010F",
        "AAAA55",
    ],
)
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
def test_a_sub_payload_that_is_not_as_long_as_it_says_or_as_known_costs_its_packet(payload):
    """D3."""
    rest = bytes([len(payload) // 2]) + bytes.fromhex(payload)
    splitter = wire.PacketParser()
    found = splitter.feed(wire.HEADER + rest + bytes([wire.checksum(rest)]) + LONG)
    assert len(found) == 1
    assert sum(splitter.counts[word] for word in ("sub-payload", "length")) == 1


def test_sub_payloads_that_nobody_knows_are_skipped_by_their_length():
    (parts,) = wire.PacketParser().feed(wire.packet((0x77, b"\xaa\x55\x03"), (wire.CURRENT, b"\1\2")))
    assert wire.data_of(parts, wire.CURRENT) == b"\1\2"
    assert wire.data_of(parts, wire.CORE) is None


@given(speeds, speeds)
@example(100, 100)
@example(-1, 1)
@example(700, 699)
@example(-230, -231)
def test_the_wheels_turn_as_they_are_told_by_an_arc_never_faster(left, right):
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

"""XBee API frames: published vectors both ways, escaping, and what a cut frame may cost. XBnn: vectors' names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.xbee.frames import (
    HEADS,
    REQUESTS,
    SHORTEST,
    ApiFrameParser,
    Received,
    at_request,
    enclose,
    received_in,
    transmit16_request,
    transmit_request,
)

VECTORS = {  # name: (escaped, the line, the frame's data)
    "XB01": (
        False,
        "7E 00 16 10 01 00 13 A2 00 40 0A 01 27 FF FE 00 00 54 78 44 61 74 61 30 41 13",
        "10 01 00 13 A2 00 40 0A 01 27 FF FE 00 00 54 78 44 61 74 61 30 41",
    ),
    "XB02": (
        True,
        "7E 00 16 10 01 00 7D 33 A2 00 40 0A 01 27 FF FE 00 00 54 78 44 61 74 61 30 41 7D 33",
        "10 01 00 13 A2 00 40 0A 01 27 FF FE 00 00 54 78 44 61 74 61 30 41",
    ),
    "XB03": (
        False,
        "7E 00 13 10 01 00 13 A2 00 40 DA 9D 23 A6 B9 00 00 48 65 6C 6C 6F 0C",
        "10 01 00 13 A2 00 40 DA 9D 23 A6 B9 00 00 48 65 6C 6C 6F",
    ),
    "XB04": (
        True,
        "7E 00 7D 33 10 01 00 7D 33 A2 00 40 DA 9D 23 A6 B9 00 00 48 65 6C 6C 6F 0C",
        "10 01 00 13 A2 00 40 DA 9D 23 A6 B9 00 00 48 65 6C 6C 6F",
    ),
    "XB05": (
        False,
        "7E 00 12 90 00 13 A2 00 40 52 2B AA 7D 84 01 52 78 44 61 74 61 0D",
        "90 00 13 A2 00 40 52 2B AA 7D 84 01 52 78 44 61 74 61",
    ),
    "XB06": (
        True,
        "7E 00 12 90 00 7D 33 A2 00 40 52 2B AA 7D 5D 84 01 52 78 44 61 74 61 0D",
        "90 00 13 A2 00 40 52 2B AA 7D 84 01 52 78 44 61 74 61",
    ),
    "XB07": (
        False,
        "7E 00 12 90 00 13 A2 00 41 AE B5 4E FF FE C1 54 78 44 61 74 61 C4",
        "90 00 13 A2 00 41 AE B5 4E FF FE C1 54 78 44 61 74 61",
    ),
    "XB08": (
        False,
        "7E 00 11 80 00 13 A2 00 12 34 56 78 5E 01 54 78 44 61 74 61 11",
        "80 00 13 A2 00 12 34 56 78 5E 01 54 78 44 61 74 61",
    ),
    "XB09": (
        True,
        "7E 00 7D 31 80 00 7D 33 A2 00 12 34 56 78 5E 01 54 78 44 61 74 61 7D 31",
        "80 00 13 A2 00 12 34 56 78 5E 01 54 78 44 61 74 61",
    ),
    "XB10": (False, "7E 00 0B 81 12 34 5E 01 54 78 44 61 74 61 93", "81 12 34 5E 01 54 78 44 61 74 61"),
    "XB11": (False, "7E 00 07 8B 01 7D 84 00 00 01 71", "8B 01 7D 84 00 00 01"),
    "XB12": (False, "7E 00 02 8A 06 6F", "8A 06"),
    "XB13": (False, "7E 00 05 88 01 42 44 00 F0", "88 01 42 44 00"),
    "XB14": (False, "7E 00 04 08 52 4E 4A 0D", "08 52 4E 4A"),
    "XB15": (
        True,
        "7E 00 12 88 01 4E 44 00 FF FE 00 7D 33 A2 00 40 D8 14 A8 34 64 00 C6",
        "88 01 4E 44 00 FF FE 00 13 A2 00 40 D8 14 A8 34 64 00",
    ),
    "XB16": (
        False,
        "7E 00 12 10 00 00 00 00 00 00 00 FF FF FF FE 00 00 7E 7D 11 13 D5",
        "10 00 00 00 00 00 00 00 FF FF FF FE 00 00 7E 7D 11 13",
    ),
    "XB17": (
        True,
        "7E 00 12 10 00 00 00 00 00 00 00 FF FF FF FE 00 00 7D 5E 7D 5D 7D 31 7D 33 D5",
        "10 00 00 00 00 00 00 00 FF FF FF FE 00 00 7E 7D 11 13",
    ),
    **{
        name: (
            True,
            f"7E 00 10 10 01 00 00 00 00 00 00 FF FF FF FE 00 00 41 {last}",
            f"10 01 00 00 00 00 00 00 FF FF FF FE 00 00 41 {last[:2]}",
        )
        for name, last in (
            ("XB18", "34 7D 5E"), ("XB19", "35 7D 5D"), ("XB20", "A1 7D 31"), ("XB21", "9F 7D 33"),
        )
    },
}  # fmt: skip
KNOWN = {**SHORTEST, **REQUESTS}
MODES = pytest.mark.parametrize("escaped", [False, True])


def vector(name: str) -> tuple[bool, bytes, bytes]:
    escaped, line, data = VECTORS[name]
    return escaped, bytes.fromhex(line), bytes.fromhex(data)


@pytest.mark.parametrize("name", VECTORS)
def test_every_published_vector_is_encoded_and_decoded(name: str) -> None:
    escaped, line, data = vector(name)
    assert enclose(data, escaped=escaped) == line
    unpacker = ApiFrameParser(escaped=escaped)
    assert unpacker.feed(line) == [data]
    assert not any(unpacker.counts.values())
    broken = line[:-1] + bytes((line[-1] ^ 0x40,))
    assert data not in ApiFrameParser(escaped=escaped).feed(broken)


def test_what_came_over_the_air_and_how_strong_is_read_from_each_frame_type() -> None:
    found = {name: received_in(vector(name)[2]) for name in ("XB05", "XB07", "XB08", "XB10")}
    assert found == {
        "XB05": Received(b"RxData", None),
        "XB07": Received(b"TxData", None),
        "XB08": Received(b"TxData", -94.0),
        "XB10": Received(b"TxData", -94.0),
    }
    explicit = bytes((0x91,)) + bytes(17) + b"RxData"
    assert received_in(explicit) == Received(b"RxData", None)
    assert received_in(vector("XB11")[2]) is None
    for kind, head in HEADS.items():
        assert received_in(bytes((kind,)) + bytes(head - 2)) is None
    assert received_in(b"") is None


def test_requests_are_the_published_ones() -> None:
    assert at_request(0x52, "NJ") == vector("XB14")[2]
    assert transmit_request(0, b"\x7e\x7d\x11\x13") == vector("XB16")[2]
    assert transmit16_request(3, b"\x09") == bytes.fromhex("01 03 FF FF 00 09")


def test_e1_length_and_checksum_that_need_escaping_are_escaped_and_read() -> None:
    for name in ("XB09", "XB18", "XB19", "XB20", "XB21"):
        _, line, data = vector(name)
        assert enclose(data, escaped=True) == line
        unpacker = ApiFrameParser(escaped=True)
        assert [frame for byte in line for frame in unpacker.feed(bytes((byte,)))] == [data]
    plain = ApiFrameParser(escaped=True)
    assert plain.feed(vector("XB08")[1] + vector("XB06")[1]) == [vector("XB06")[2]]  # unescaped: not understood


def test_e2_xb22_a_bare_7e_always_begins_a_frame_and_a_dripping_one_is_read() -> None:
    unpacker = ApiFrameParser(escaped=True)
    assert unpacker.feed(bytes.fromhex("7E 00 12 90 00 7D 33 A2 7E 00 02 8A 06 6F")) == [b"\x8a\x06"]
    assert unpacker.counts["resync"] == 1
    escaped, line, data = vector("XB06")
    drips = ApiFrameParser(escaped=escaped)  # there is no clock in it, so that nothing runs out between two bytes
    assert [drips.feed(line[i : i + 1]) for i in range(len(line))] == [[]] * (len(line) - 1) + [[data]]


def test_e4_frames_in_the_other_modes_escaping_vanish_and_the_next_is_read() -> None:
    _, plain, data = vector("XB01")
    _, escaped, _ = vector("XB02")
    assert ApiFrameParser(escaped=True).feed(plain + escaped) == [data]
    assert ApiFrameParser(escaped=False).feed(escaped + plain)[-1:] == [data]
    assert ApiFrameParser(escaped=True).feed(plain) == []


@MODES
def test_e6_one_bad_frame_costs_one_frame(escaped: bool) -> None:
    good = enclose(b"\x8a\x06", escaped=escaped)
    bad = bytearray(enclose(vector("XB10")[2], escaped=escaped))
    bad[7] ^= 0x01
    unpacker = ApiFrameParser(escaped=escaped)
    assert unpacker.feed(good + bytes(bad) + good) == [b"\x8a\x06"] * 2
    assert unpacker.counts["bad-crc"] >= 1


def test_a_frame_that_claims_more_than_any_module_sends_is_given_up_at_once() -> None:
    for escaped in (False, True):
        unpacker = ApiFrameParser(escaped=escaped)
        assert unpacker.feed(bytes.fromhex("7E FF F0 90 01")) == []
        assert unpacker.counts["long"] == 1
        assert unpacker.feed(enclose(b"\x8a\x06", escaped=escaped)) == [b"\x8a\x06"]


def test_in_mode_1_a_false_beginning_does_not_hold_up_a_whole_frame() -> None:
    unpacker = ApiFrameParser(escaped=False)
    _, line, data = vector("XB10")
    assert unpacker.feed(bytes.fromhex("7E 01 00 90") + line) == [data]
    assert unpacker.counts["resync"] == 1
    request = enclose(at_request(1, "AP"), escaped=False)
    host_side = ApiFrameParser(escaped=False, known=REQUESTS)
    assert host_side.feed(bytes.fromhex("7E 01 00 90") + request) == [at_request(1, "AP")]


@MODES
@given(frames=st.lists(st.binary(min_size=1, max_size=80), max_size=5), cut=st.integers(1, 40))
def test_whatever_a_frame_holds_comes_back(escaped: bool, frames: list[bytes], cut: int) -> None:
    line = b"".join(enclose(data, escaped=escaped) for data in frames)
    unpacker = ApiFrameParser(escaped=escaped, known={})  # of no known type: none is taken out of another
    found = [frame for i in range(0, len(line), cut) for frame in unpacker.feed(line[i : i + cut])]
    assert found == frames
    if escaped:
        assert line.count(b"\x7e") == len(frames)


@MODES
@given(noise=st.lists(st.binary(max_size=400), max_size=8))
def test_no_bytes_raise_or_pile_up(escaped: bool, noise: list[bytes]) -> None:
    unpacker = ApiFrameParser(escaped=escaped)
    for data in noise:
        unpacker.feed(data)
        assert len(unpacker._part) <= 400

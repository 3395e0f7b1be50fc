"""XBee API frames: published vectors both ways, escaping, and what a cut frame may cost. XBnn: vectors' names."""

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

VECTORS = {  # name: whether escaped, the line, the data of the frame
    name: (mode == "escaped", bytes.fromhex(line), bytes.fromhex(data))
    for name, mode, line, data in map(
        str.split,
        """\
XB01 plain 7E001610010013A200400A0127FFFE0000547844617461304113 10010013A200400A0127FFFE00005478446174613041
XB02 escaped 7E00161001007D33A200400A0127FFFE000054784461746130417D33 10010013A200400A0127FFFE00005478446174613041
XB03 plain 7E001310010013A20040DA9D23A6B9000048656C6C6F0C 10010013A20040DA9D23A6B9000048656C6C6F
XB04 escaped 7E007D331001007D33A20040DA9D23A6B9000048656C6C6F0C 10010013A20040DA9D23A6B9000048656C6C6F
XB05 plain 7E0012900013A20040522BAA7D84015278446174610D 900013A20040522BAA7D8401527844617461
XB06 escaped 7E001290007D33A20040522BAA7D5D84015278446174610D 900013A20040522BAA7D8401527844617461
XB07 plain 7E0012900013A20041AEB54EFFFEC1547844617461C4 900013A20041AEB54EFFFEC1547844617461
XB08 plain 7E0011800013A200123456785E0154784461746111 800013A200123456785E01547844617461
XB09 escaped 7E007D3180007D33A200123456785E015478446174617D31 800013A200123456785E01547844617461
XB10 plain 7E000B8112345E0154784461746193 8112345E01547844617461
XB11 plain 7E00078B017D8400000171 8B017D84000001
XB12 plain 7E00028A066F 8A06
XB13 plain 7E00058801424400F0 8801424400
XB14 plain 7E000408524E4A0D 08524E4A
XB15 escaped 7E001288014E4400FFFE007D33A20040D814A8346400C6 88014E4400FFFE0013A20040D814A8346400
XB16 plain 7E00121000000000000000FFFFFFFE00007E7D1113D5 1000000000000000FFFFFFFE00007E7D1113
XB17 escaped 7E00121000000000000000FFFFFFFE00007D5E7D5D7D317D33D5 1000000000000000FFFFFFFE00007E7D1113
XB18 escaped 7E00101001000000000000FFFFFFFE000041347D5E 1001000000000000FFFFFFFE00004134
XB19 escaped 7E00101001000000000000FFFFFFFE000041357D5D 1001000000000000FFFFFFFE00004135
XB20 escaped 7E00101001000000000000FFFFFFFE000041A17D31 1001000000000000FFFFFFFE000041A1
XB21 escaped 7E00101001000000000000FFFFFFFE0000419F7D33 1001000000000000FFFFFFFE0000419F
""".splitlines(),
    )
}
KNOWN = {**SHORTEST, **REQUESTS}
MODES = pytest.mark.parametrize("escaped", [False, True])


@pytest.mark.parametrize("name", VECTORS)
def test_every_published_vector_is_encoded_and_decoded(name: str) -> None:
    escaped, line, data = VECTORS[name]
    assert enclose(data, escaped=escaped) == line
    unpacker = ApiFrameParser(escaped=escaped)
    assert unpacker.feed(line) == [data]
    assert not any(unpacker.counts.values())
    broken = line[:-1] + bytes((line[-1] ^ 0x40,))
    assert data not in ApiFrameParser(escaped=escaped).feed(broken)


def test_what_came_over_the_air_and_how_strong_is_read_from_each_frame_type() -> None:
    found = {name: received_in(VECTORS[name][2]) for name in ("XB05", "XB07", "XB08", "XB10")}
    assert found == {
        "XB05": Received(b"RxData", None),
        "XB07": Received(b"TxData", None),
        "XB08": Received(b"TxData", -94.0),
        "XB10": Received(b"TxData", -94.0),
    }
    explicit = bytes((0x91,)) + bytes(17) + b"RxData"
    assert received_in(explicit) == Received(b"RxData", None)
    assert received_in(VECTORS["XB11"][2]) is None
    for kind, head in HEADS.items():
        assert received_in(bytes((kind,)) + bytes(head - 2)) is None
    assert received_in(b"") is None


def test_requests_are_the_published_ones() -> None:
    assert at_request(0x52, "NJ") == VECTORS["XB14"][2]
    assert transmit_request(0, b"\x7e\x7d\x11\x13") == VECTORS["XB16"][2]
    assert transmit16_request(3, b"\x09") == bytes.fromhex("01 03 FF FF 00 09")


def test_e1_length_and_checksum_that_need_escaping_are_escaped_and_read() -> None:
    for name in ("XB09", "XB18", "XB19", "XB20", "XB21"):
        _, line, data = VECTORS[name]
        assert enclose(data, escaped=True) == line
        unpacker = ApiFrameParser(escaped=True)
        assert [frame for byte in line for frame in unpacker.feed(bytes((byte,)))] == [data]
    plain = ApiFrameParser(escaped=True)
    assert plain.feed(VECTORS["XB08"][1] + VECTORS["XB06"][1]) == [VECTORS["XB06"][2]]  # unescaped: not understood


def test_e2_xb22_a_bare_7e_always_begins_a_frame_and_a_dripping_one_is_read() -> None:
    unpacker = ApiFrameParser(escaped=True)
    assert unpacker.feed(bytes.fromhex("7E 00 12 90 00 7D 33 A2 7E 00 02 8A 06 6F")) == [b"\x8a\x06"]
    assert unpacker.counts["resync"] == 1
    escaped, line, data = VECTORS["XB06"]
    drips = ApiFrameParser(escaped=escaped)  # there is no clock in it, so that nothing runs out between two bytes
    assert [drips.feed(line[i : i + 1]) for i in range(len(line))] == [[]] * (len(line) - 1) + [[data]]


def test_e4_frames_in_the_other_modes_escaping_vanish_and_the_next_is_read() -> None:
    _, plain, data = VECTORS["XB01"]
    _, escaped, _ = VECTORS["XB02"]
    assert ApiFrameParser(escaped=True).feed(plain + escaped) == [data]
    assert ApiFrameParser(escaped=False).feed(escaped + plain)[-1:] == [data]
    assert ApiFrameParser(escaped=True).feed(plain) == []


@MODES
def test_e6_one_bad_frame_costs_one_frame(escaped: bool) -> None:
    good = enclose(b"\x8a\x06", escaped=escaped)
    bad = bytearray(enclose(VECTORS["XB10"][2], escaped=escaped))
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
    _, line, data = VECTORS["XB10"]
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

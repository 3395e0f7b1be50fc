"""COBS and CRC-16 against published vectors and the `cobs` package."""

import binascii

import pytest
from cobs import cobs as oracle
from hypothesis import given
from hypothesis import strategies as st

from robotd.model.cobs import crc16, decode, encode

LONG = st.tuples(st.binary(max_size=4), st.integers(0, 800), st.binary(max_size=4)).map(
    lambda parts: parts[0] + b"\x07" * parts[1] + parts[2]
)


@given(st.binary(max_size=600) | LONG)
def test_encoding_agrees_with_the_cobs_package_and_comes_back(data):
    assert encode(data) == oracle.encode(data)
    assert decode(encode(data)) == data
    assert 0 not in encode(data)


@given(st.binary(min_size=1, max_size=40) | st.lists(st.integers(1, 8), min_size=1).map(bytes))
def test_decoding_accepts_and_refuses_what_the_cobs_package_does(data):
    try:
        wanted = oracle.decode(data)
    except oracle.DecodeError:
        with pytest.raises(ValueError, match="COBS"):
            decode(data)
    else:
        assert decode(data) == wanted


@pytest.mark.parametrize(
    ("plain", "coded"),
    [
        ("", "01"),
        ("31", "02 31"),
        ("00", "01 01"),
        ("31 32 33 34 35 00 36 37 38 39", "06 31 32 33 34 35 05 36 37 38 39"),
        ("7E 00 13 0A 0D", "02 7E 04 13 0A 0D"),
    ],
    ids=["CO01", "CO01 one byte", "CO01 a zero", "CO02", "CO03"],
)
def test_the_published_vectors_hold(plain, coded):
    assert encode(bytes.fromhex(plain)) == bytes.fromhex(coded)
    assert decode(bytes.fromhex(coded)) == bytes.fromhex(plain)


@pytest.mark.parametrize("broken", ["", "00", "05 31 32 33", "05 31 00 32 33"])
def test_co04_a_broken_frame_is_refused(broken):
    with pytest.raises(ValueError, match="COBS"):
        decode(bytes.fromhex(broken))


def test_cr01_the_crc_has_the_published_check_value_and_not_that_of_the_same_sum_begun_at_0():
    assert crc16(b"123456789") == 0x29B1
    assert binascii.crc_hqx(b"123456789", 0) == 0x31C3  # XMODEM's, over which a frame of ours would not pass
    assert crc16(b"123456780") != 0x29B1

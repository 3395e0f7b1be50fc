"""Frames on bare bytes: whatever the line does, whole frames come through and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.framing import LONGEST, SHORTEST, CobsParser, wrap
from robotd.model.cobs import encode

FRAMES = st.lists(st.binary(min_size=SHORTEST, max_size=LONGEST), min_size=1, max_size=6)


@given(FRAMES, st.data())
def test_frames_come_out_whole_however_the_line_splits_and_merges_them(frames, data) -> None:
    line = b"".join(wrap(frame) for frame in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=8)))
    unwrapper, out = CobsParser(), []
    for start, stop in zip([0, *cuts], [*cuts, len(line)], strict=True):
        out += unwrapper.feed(line[start:stop])
    assert out == frames
    assert not unwrapper.counts


@given(st.binary(min_size=SHORTEST, max_size=LONGEST), st.integers(0, 400), st.data())
def test_a_flipped_bit_or_dropped_byte_costs_that_frame_and_not_the_next(frame, place, data) -> None:
    line = bytearray(wrap(frame))
    place %= len(line)
    if data.draw(st.booleans()):
        line[place] ^= 1 << data.draw(st.integers(0, 7))
    else:
        del line[place]
    following = bytes(range(20))
    out = CobsParser().feed(bytes(line) + wrap(following))
    assert out[-1] == following
    assert len(out) <= 2  # a CRC-16 stops most that is altered, the authenticator the rest


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (wrap(bytes(40))[:-2] + b"\x77\0", "bad-crc"),
        (b"\0\x02\x31\0", "short"),
        (wrap(bytes(SHORTEST - 1)), "short"),
        (b"\0" + b"\x55" * 60 + b"\0", "long"),
        (b"\0" + encode(bytes(range(40)))[:20] + b"\0", "resync"),
    ],
)
def test_what_is_dropped_is_counted_by_reason(line: bytes, reason: str) -> None:
    unwrapper = CobsParser()
    assert unwrapper.feed(line) == []
    assert unwrapper.counts == {reason: 1}


def test_a_flood_without_end_is_one_long_frame_and_is_not_kept() -> None:
    unwrapper = CobsParser()
    for _ in range(1000):
        assert unwrapper.feed(b"\x11" * 100) == []
    assert unwrapper.counts == {"long": 1}
    assert len(unwrapper._part) <= LONGEST + 3
    assert unwrapper.feed(wrap(bytes(30))) == [bytes(30)]

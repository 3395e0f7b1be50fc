"""The R-2's frames: any bytes are survived, every whole frame is found, none is made up."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.r2 import frames as wire

u8, u16, i16, i32 = (st.integers(low, high) for low, high in
                     ((0, 255), (0, 65535), (-32768, 32767), (-(2**31), 2**31 - 1)))  # fmt: skip
pose = st.fixed_dictionaries({"x": i32, "y": i32, "heading": i16, "accuracy": u16})
flags = ("charging", "bump", "beam", "stalled", "lifted")
parts = ("sound", "wheels", "gripper", "positioning", "motors")
senses = st.fixed_dictionaries(
    {
        **dict.fromkeys(("number", "command", "battery", "pose_age", "ranges_age"), u8),
        **dict.fromkeys(("opening", "lift", "pressed", "bumps_dead", "bumps_stuck"), u16),
        **dict.fromkeys(("odometry", "pose"), pose),
        **dict.fromkeys(("driven", "speeds"), st.lists(i16, min_size=2, max_size=2)),
        "flags": st.fixed_dictionaries(dict.fromkeys(flags, st.booleans())),
        "parts": st.fixed_dictionaries(dict.fromkeys(parts, st.integers(0, 3))),
        "ranges": st.lists(u16, max_size=16),
    }
)
identity = st.fixed_dictionaries(
    {
        **dict.fromkeys(("version", "started"), u8),
        **dict.fromkeys(("max_speed", "wheel_base", "radius"), u16),
        "ranges": st.lists(st.fixed_dictionaries({"bearing": i16, "low": u16, "high": u16}), max_size=16),
        "bumps": st.lists(i16, max_size=16),
    }
)
drive = st.fixed_dictionaries(
    {"number": u8, "left": i16, "right": i16, "opening": u16, "lift": u16, "tune": u8, "expiry": u16}
)
frames = st.one_of(
    senses.map(lambda fields: (wire.SENSES, fields)),
    identity.map(lambda fields: (wire.IDENTITY, fields)),
    drive.map(lambda fields: (wire.DRIVE, fields)),
    u8.map(lambda version: (wire.HELLO, {"version": version})),
    st.just((wire.STOP, {})),
)


DOC = Path(__file__).parents[3] / "docs" / "r2-protocol.md"
NAMES = {"hello": wire.HELLO, "drive": wire.DRIVE, "stop": wire.STOP}


def plain(value):
    """A parsed container as dictionaries and lists."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name not in ("_io", "spare")}
    return [plain(item) for item in value] if isinstance(value, list) else value


@given(frames)
def test_a_frame_comes_out_as_it_went_in_and_holds_no_zero_but_at_its_ends(made):
    kind, fields = made
    data = wire.frame(kind, **fields)
    assert data[0] == data[-1] == 0
    assert 0 not in data[1:-1]
    assert len(data) <= wire.LONGEST + 3
    ((found, got),) = wire.FrameParser().feed(data)
    assert found == kind
    assert {name: value for name, value in plain(got).items() if value is not None} == fields


@given(frames, st.data())
def test_a_frame_with_a_wrong_bit_is_dropped_not_misread(made, data):
    whole = bytearray(wire.frame(made[0], **made[1]))
    at = data.draw(st.integers(1, len(whole) - 2))
    whole[at] ^= 1 << data.draw(st.integers(0, 7))
    splitter = wire.FrameParser()
    assert splitter.feed(bytes(whole)) == []
    assert sum(splitter.counts.values()) >= 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\0\x05\x01\0", "cut"),
        (b"\0\x02\x01\0", "cut"),
        (b"\0" + b"\x01" * 300 + b"\0", "long"),
        (bytes.fromhex("00 05 01 02 3E 1F 00"), "crc"),
        (wire.frame(wire.HELLO, version=1)[:-1] + b"\x05\0", "cut"),
    ],
)
def test_what_is_dropped_is_counted_by_reason(data, reason):
    splitter = wire.FrameParser()
    assert splitter.feed(data) == []
    assert splitter.counts == {reason: 1}


def test_an_unknown_kind_and_a_body_of_another_length_are_distinguished():
    from robotd.model.cobs import crc16, encode

    splitter = wire.FrameParser()
    for whole, reason in (
        (b"\x55", "kind"),
        (b"\x55\x01\x01", "kind"),
        (b"\x01\x01\x01", "body"),
        (b"\x01", "body"),
    ):
        before = splitter.counts[reason]
        assert splitter.feed(b"\0" + encode(whole + crc16(whole).to_bytes(2, "big")) + b"\0") == []
        assert splitter.counts[reason] == before + 1


def test_a_field_that_does_not_fit_is_refused_loudly():
    with pytest.raises(ValueError, match="cannot hold"):
        wire.frame(wire.DRIVE, number=0, left=40000, right=0, opening=0, lift=0, tune=0, expiry=0)


def test_the_examples_of_the_documentation_are_what_the_code_states():
    block = DOC.read_text(encoding="utf-8").partition("```\n")[2].partition("```")[0]
    lines = block.strip().splitlines()
    assert len(lines) == 3
    for line in lines:
        data, _, words = line.partition(" | ")
        name, *fields = words.split()
        values = {key: int(value) for key, _, value in (field.partition("=") for field in fields)}
        assert wire.frame(NAMES[name], **values) == bytes.fromhex(data)
    halt = DOC.read_text(encoding="utf-8").partition("(a stop)")[0].rpartition("\n`")[2].rstrip("` ")
    assert bytes.fromhex(halt) == wire.HALT

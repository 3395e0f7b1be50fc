"""The Open Interface as bytes: the manual's examples, frames among garbage, and when a command is whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.create2 import frames as wire

CLIFF_AND_WALL = wire.Layout((29, 13))
GOOD = bytes.fromhex("13051D02190D00A3")  # the manual's example of a stream frame (RB04)
COMMANDS = {
    "RB01": "89FF3801F4", "RB02": "9502070D", "RB03": "94021D0D", "RB06": "8B040080", "RB07": "8A0D",
    "RB08": "A441424344", "RB10": "91FF0601F4",
}  # fmt: skip
FRAMES = {
    "RB04": ((29, 13), "13051D02190D00A3", {29: 537, 13: 0}),  # A11: the manual's text says 549
    "RB05": ((29, 13), "13051D02250D0097", {29: 549, 13: 0}),
    "RB11": ((7, 43, 44), "130807032BFFFA2C000586", {7: 3, 43: 65530, 44: 5}),
    "RB12": ((7, 46, 25), "130807002E0513190A1362", {7: 0, 46: 0x0513, 25: 0x0A13}),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_example_of_a_command_is_whole_at_its_last_byte_and_not_before(name):
    whole = bytes.fromhex(COMMANDS[name])
    assert all(wire.missing(whole[:end]) > 0 for end in range(1, len(whole)))
    assert wire.missing(whole) == 0


def test_rb09_the_manuals_example_of_a_schedule_lacks_a_byte_so_that_a_robot_waits_for_it():
    schedule = bytes.fromhex("A72800000000000F0000000A240000")  # a day's mask and seven times two are fifteen
    assert wire.missing(schedule) == 1


def test_what_the_driver_sends_is_encoded_as_the_examples_are():
    """RB10, RB03, RB02, RB14."""
    assert wire.drive(500, -250).hex().upper() == COMMANDS["RB10"]
    assert wire.listed(wire.STREAM, (29, 13)).hex().upper() == COMMANDS["RB03"]
    assert wire.listed(wire.QUERY, (7, 13)).hex().upper() == COMMANDS["RB02"]
    assert wire.HALT.lstrip(b"\0").hex().upper() == "808391000000" + "0080AD"


@pytest.mark.parametrize("name", FRAMES)
def test_each_example_of_a_frame_is_read_and_built(name):
    """A11: the manual's text gives another value of RB04 than its bytes."""
    packets, text, values = FRAMES[name]
    layout = wire.Layout(packets)
    assert layout.parse(bytes.fromhex(text)) == values
    assert layout.build(list(values.values())) == bytes.fromhex(text)


def test_the_stream_asked_for_takes_a_third_of_the_line():
    assert wire.Layout(wire.SENSED).size == 60
    assert 60 * 10 / wire.BAUD < wire.STREAM_S * 0.36


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ("13051D02190D00A4", "checksum"),
        ("13051E02190D00A2", "packets"),
        ("13061D02190D00A2", "length"),
        ("13051D02190D00", "length"),
    ],
)
def test_a_frame_that_is_not_what_was_asked_for_is_refused(frame, reason):
    with pytest.raises(ValueError, match=reason):
        CLIFF_AND_WALL.parse(bytes.fromhex(frame))


def test_a_reply_one_byte_short_costs_itself_and_shifts_nothing():
    """A5."""
    splitter = wire.StreamParser(CLIFF_AND_WALL)
    frames = splitter.feed(GOOD[:4] + GOOD[5:] + GOOD + GOOD)
    assert frames == [{29: 537, 13: 0}] * 2
    assert splitter.counts["checksum"] >= 1


def test_numbers_wider_than_seven_bits_are_not_negative():
    """A6."""
    assert wire.Layout((15,)).parse(wire.Layout((15,)).build((200,))) == {15: 200}


def test_a_banner_in_pieces_is_one_reset_and_ordinary_garbage_is_none():
    splitter = wire.StreamParser(CLIFF_AND_WALL)
    for piece in (b"bl-sta", b"rt\r\nSTR730\r\n", GOOD, b"3_robot", GOOD, b"xr3_robot/tags"):
        splitter.feed(piece)
    assert splitter.banners == 2


@given(st.integers(128, 255), st.binary(max_size=60))
def test_padding_ends_every_command_however_it_was_cut(command, data):
    begun = bytearray([command])
    for byte in data:
        if wire.missing(begun) <= 0:
            break
        if len(begun) == 1 and command in (wire.STREAM, wire.QUERY):
            byte = min(byte, 52)  # there are no more packets than that
        if len(begun) == 2 and command == wire.SONG:
            byte = min(byte, 16)
        begun.append(byte)
    padded = 0
    while wire.missing(begun) > 0:
        begun.append(0)
        padded += 1
    assert padded <= len(wire.PADDING)

"""Firmata's messages as bytes: published examples, lost bytes, sysex cut by a command, capabilities."""

import pytest

from boards.firmata import frames as wire

NAME = "StandardFirmata.ino"
GREETING = (  # FM01
    "F90205F079020553007400610" + "06E006400610072006400460069007200" + "6D006100740061002E0069006E006F00F7"
    "F07144007500650020007200650061006400" + "7900F7"
)  # fmt: skip
SENT = {
    "FM04": (wire.report_analogue(1) + wire.report_digital(1), "C101D101"),
    "FM06": (wire.sampling(100), "F07A6400F7"),
    "FM07": (wire.sampling(20), "F07A1400F7"),
    "FM08": (wire.servo_config(2, 544, 2400) + wire.analogue(2, 90), "F07002200460" + "12F7E25A00"),
    "FM09": (wire.port(0, 1 << 7), "900001"),
    "FM10": (wire.port(0, 1 << 2 | 1 << 4), "901400"),
    "FM11": (wire.state(0, 2, 16514), "F06E0002020101F7"),
}
ANALOGUE = wire.ANALOGUE
RECEIVED = {
    "FM02": ("E47F07", [(ANALOGUE, 4, 1023)]),
    "FM03": ("910200", [(wire.DIGITAL, 1, 2)]),
    "FM12": ("E04102" + "4102" + "E04202", [(ANALOGUE, 0, 321), (ANALOGUE, 0, 322)]),  # C1
    "FM13": ("E05302E13902", [(ANALOGUE, 0, 339), (ANALOGUE, 1, 313)]),
    "FM14": ("00010203040506070809" + "E47F07", [(ANALOGUE, 4, 1023)]),
    "FM15": ("F079020541" + "E01000", [(ANALOGUE, 0, 16)]),
    "cut": ("E041" + "E04202", [(ANALOGUE, 0, 322)]),
    "FF": ("E041FF41E04202", [(ANALOGUE, 0, 322)]),
}


def parsed(data):
    return wire.MessageParser().feed(bytes.fromhex(data))


@pytest.mark.parametrize("name", SENT)
def test_each_example_of_what_is_sent_is_encoded_so(name):
    built, text = SENT[name]
    assert built == bytes.fromhex(text)


@pytest.mark.parametrize("name", RECEIVED)
def test_each_example_of_what_is_received_is_read_and_a_lost_byte_shifts_nothing(name):
    """C1."""
    data, messages = RECEIVED[name]
    assert [(one.kind, one.index, one.value) for one in parsed(data)] == messages


def test_a_greeting_reports_protocol_sketch_and_text():
    """FM01."""
    version, firmware, text = parsed(GREETING)
    assert (version.kind, tuple(version.data)) == (wire.VERSION, (2, 5))
    assert (firmware.index, tuple(firmware.data[:2])) == (wire.FIRMWARE, (2, 5))
    assert wire.words_of(firmware.data[2:]) == NAME
    assert (text.index, wire.words_of(text.data)) == (wire.TEXT, "Due ready")
    ready = wire.text(wire.TEXT, b"", "Due ready")
    assert b"\xf9\2\5" + wire.text(wire.FIRMWARE, b"\2\5", NAME) + ready == bytes.fromhex(GREETING)


def test_the_example_of_a_short_name_is_read():
    """FM05."""
    (message,) = parsed("F079020161006200" + "6300F7")
    assert (tuple(message.data[:2]), wire.words_of(message.data[2:])) == ((2, 1), "abc")


def test_the_state_of_a_pin_is_as_long_as_its_value():
    """FM11."""
    (message,) = parsed("F06E0002020101F7")
    assert wire.joined(message.data[2:]) == 16514
    assert wire.state(3, wire.PWM, 0)[4:-1] == b"\0"


def test_pins_beyond_the_fifteenth_take_a_sysex():
    assert wire.analogue(16, 200) == bytes.fromhex("F06F104801F7")


def test_capabilities_are_reported_pin_by_pin():
    pins = wire.capabilities_of(bytes.fromhex("7F" + "000101010B017F" + "020A7F"))
    assert pins == [{}, {0: 1, 1: 1, 11: 1}, {2: 10}]


@pytest.mark.parametrize("cut", ["", "0001", "7F00", "7F0001"])
def test_capabilities_that_are_cut_are_refused(cut):
    with pytest.raises(ValueError, match="cut"):
        wire.capabilities_of(bytes.fromhex(cut))

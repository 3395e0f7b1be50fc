"""P2OS packets as bytes: published and computed examples, packets among garbage, reports of a robot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.pioneer import frames as wire

COMMANDS = {
    "P201": ("FAFB03000000", wire.PULSE, None), "P202": ("FAFB03010001", wire.OPEN, None),
    "P203": ("FAFB03020002", wire.CLOSE, None), "P204": ("FAFB06043B0100053B", wire.ENABLE, 1),
    "P205": ("FAFB06043B0000043B", wire.ENABLE, 0), "P206": ("FAFB061C3B00001C3B", wire.SONAR, 0),
    "P207": ("FAFB06053BE803ED3E", wire.SETA, 1000), "P208": ("FAFB06051BE803ED1E", wire.SETA, -1000),
    "P209": ("FAFB06013B0100023B", wire.OPEN, 1), "P210": ("FAFB06283B02002A3B", wire.IOREQUEST, 2),
    "P211": ("FAFB06123B0100133B", wire.CONFIG, 1),
    "P212": ("FAFB06323B0200343B", 50, 2),  # HOSTBAUD
    "P215": ("FAFB060B3BC800D33B", wire.VEL, 200), "P216": ("FAFB060B1BC800D31B", wire.VEL, -200),
    "P217": ("FAFB06153B1E00333B", wire.RVEL, 30), "P218": ("FAFB06151B1E00331B", wire.RVEL, -30),
    "P219": ("FAFB06203B0A0A2A45", wire.VEL2, 0x0A0A), "P220": ("FAFB06203BF60A1645", wire.VEL2, 0x0AF6),
    "P221": ("FAFB031D001D", wire.STOP, None),  # B6: decimal 29, not hexadecimal 29
    "P222": ("FAFB03370037", wire.E_STOP, None), "P223": ("FAFB06213B0100223B", wire.GRIPPER, wire.GRIP_OPEN),
    "P224": ("FAFB06213B0200233B", wire.GRIPPER, wire.GRIP_CLOSE),
    "P225": ("FAFB06213B0300243B", wire.GRIPPER, wire.GRIP_STOP),
    "P226": ("FAFB06253B0200273B", 37, 2),  # GRIPPERPACREQUEST
    "P227": ("FAFB062C3B03002F3B", wire.BUMPSTALL, 3),
    "P229": ("FAFB070F2B02323C1161", wire.SAY, "2<"),  # an odd last byte is XORed
}  # fmt: skip
SHORTEST = bytes.fromhex("FAFB1632000000000000000000007800000000000000003278")  # P230
MOVING = bytes.fromhex("FAFB2133D204F87F000496006AFF7D010300000300FF0200F4010788130035800600C995")  # P231


def packets(data):
    return wire.PacketParser().feed(data)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_example_of_a_command_is_built_and_read(name):
    text, command, argument = COMMANDS[name]
    data = bytes.fromhex(text)
    assert wire.order(command, argument) == data
    ((kind, content),) = packets(data)
    assert (kind, wire.argument_of(content)) == (command, argument)


def test_a_command_with_a_kind_of_argument_and_none_is_a_packet_without_one():
    """P213."""
    assert packets(bytes.fromhex("FAFB04073B073B")) == [(wire.SETO, b"\x3b")]
    assert wire.argument_of(b"\x3b") is None


def test_a_published_packet_with_a_wrong_checksum_is_refused():
    """P214, B6."""
    splitter = wire.PacketParser()
    assert splitter.feed(bytes.fromhex("FAFB06043B00011084")) == []
    assert splitter.counts["checksum"] == 1


def test_the_answer_to_the_last_greeting_names_the_robot():
    """P228."""
    data = bytes.fromhex("FAFB1C02474A435F333135360050696F6E656572007033 6478 2D736800144C".replace(" ", ""))
    ((kind, content),) = packets(data)
    assert (kind, wire.names(content)) == (wire.SYNC2, ("GJC_3156", "Pioneer", "p3dx-sh"))


def test_the_shortest_packet_of_senses_has_no_sonar_and_no_gripper():
    """P230."""
    ((kind, content),) = packets(SHORTEST)
    sip = wire.parse_sip(kind, content)
    assert (sip.moves, sip.battery, sip.sonar, sip.grip) == (False, 120, (), None)


def test_a_packet_of_senses_is_read_field_by_field():
    """P231."""
    ((kind, content),) = packets(MOVING)
    assert wire.parse_sip(kind, content) == (
        True, 1234, 32760, 1024, 150, -150, 125, 0x0301, 3, ((0, 500), (7, 5000)), 0x35
    )  # fmt: skip


readings = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 65535)), max_size=16).map(tuple)


@given(
    st.builds(
        wire.Sip, st.booleans(), st.integers(0, 32767), st.integers(0, 32767), st.integers(-32768, 32767),
        st.integers(-2000, 2000), st.integers(-2000, 2000), st.integers(0, 255), st.integers(0, 65535),
        st.integers(0, 65535), readings,
        st.none() | st.integers(0, 255),
    )
)  # fmt: skip
def test_what_is_built_is_read_back(sip):
    ((kind, content),) = packets(wire.build_sip(sip))
    assert wire.parse_sip(kind, content) == sip
    for end in range(len(content)):
        cut = content[:end]
        if end < 19 + 3 * len(sip.sonar):
            with pytest.raises(ValueError, match="short"):
                wire.parse_sip(kind, cut)


def test_a_configuration_that_comes_twice_is_used_though_its_checksum_is_wrong_and_no_other_packet_is():
    """B1."""
    whole = wire.packet(wire.CONFIGURATION, wire.build_configuration(1000, gripper=True, watchdog=2000))
    splitter = wire.PacketParser()
    wrong = whole[:-1] + bytes([whole[-1] ^ 1])
    assert splitter.feed(wrong) == []
    assert splitter.feed(wrong[:20] + b"!" + wrong[21:]) == []
    assert splitter.feed(wrong) == []
    ((kind, content),) = splitter.feed(wrong)
    assert kind == wire.CONFIGURATION
    assert wire.parse_configuration(content) == wire.Configuration(1000, gripper=True, watchdog=2000)
    assert splitter.counts["configuration-checksum"] == 1
    assert splitter.feed(MOVING[:-1] + b"\0") == []


def test_a_configuration_cut_anywhere_is_refused_in_one_word():
    whole = wire.build_configuration(1000, gripper=False, watchdog=0)
    for end in range(len(whole)):
        with pytest.raises(ValueError, match="short"):
            wire.parse_configuration(whole[:end])


@pytest.mark.parametrize("length", [0, 1, 2, 201, 255])
def test_a_length_that_no_packet_has_costs_nothing_behind_it(length):
    splitter = wire.PacketParser()
    assert [kind for kind, _ in splitter.feed(wire.HEADER + bytes([length]) + MOVING)] == [wire.MOVING]
    assert splitter.counts["length"] == 1


def test_a_cut_packet_does_not_swallow_the_one_behind_it():
    """B2, D1, D3."""
    for end in range(3, len(MOVING)):
        found = packets(MOVING[:end] + MOVING + SHORTEST + SHORTEST)
        assert [kind for kind, _ in found] == [wire.MOVING, wire.STANDING, wire.STANDING]


def test_a_text_too_long_for_a_packet_is_refused_with_the_limit():
    with pytest.raises(ValueError, match="at most 200"):
        wire.order(wire.SAY, "x" * 196)
    assert len(wire.order(wire.SAY, "x" * 195)) == 203

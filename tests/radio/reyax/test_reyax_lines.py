"""What REYAX modules say: packets by their length, answers by their lines. RYnn: names of published vectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.reyax.lines import LineParser, Packet, packet_line, send_command

JSON = b'{"DISTANCE":8123,"ISPRSENT":0,"BATTERY":3.41}'
PACKETS = {
    "RY01": (b"+RCV=50,5,HELLO,-99,40\r\n", Packet(50, b"HELLO", -99, 40)),
    "RY04": (
        bytes.fromhex("2B 52 43 56 3D 36 37 2C 35 2C 00 2C 0D 0A FF 2C 2D 34 30 2C 39 0D 0A"),
        Packet(67, b"\x00,\r\n\xff", -40, 9),
    ),
    "RY08": (b"+RCV=3,45," + JSON + b",-47,12\r\n", Packet(3, JSON, -47, 12)),
}


@pytest.mark.parametrize("name", PACKETS)
def test_every_published_packet_is_decoded_and_encoded(name: str) -> None:
    line, packet = PACKETS[name]
    assert LineParser().feed(line) == [packet]
    assert packet_line(packet) == line
    parser = LineParser()
    assert [said for byte in line for said in parser.feed(bytes((byte,)))] == [packet]


def test_ry02_a_packet_is_sent_in_one_whole_line() -> None:
    assert send_command(b"HELLO", 120) == b"AT+SEND=120,5,HELLO\r\n"
    assert send_command(b"\r\n,") == b"AT+SEND=0,3,\r\n,\r\n"
    for wrong in (b"", bytes(241)):
        with pytest.raises(ValueError, match="1 to 240"):
            send_command(wrong)


@pytest.mark.parametrize(
    ("line", "found", "malformed"),
    [
        pytest.param(b"+RCV=3,46," + JSON + b",-47,12\r\n+OK\r\n", b"+OK", 1, id="RY03, a wrong length"),
        pytest.param(b"+RCV=69,999,bad\r\n+OK\r\n", b"+OK", 1, id="RY06, a length that no packet has"),
        pytest.param(b"+ERR=17\r\n", b"+ERR=17", 0, id="RY07, an error"),
    ],
)
def test_ry03_ry06_ry07_a_packet_of_a_wrong_length_is_given_up_to_the_line_end(
    line: bytes, found: bytes, malformed: int
) -> None:
    parser = LineParser()
    assert parser.feed(line) == [found]
    assert parser.counts["malformed"] == malformed


def test_ry05_data_that_reads_like_an_answer_is_none() -> None:
    assert LineParser().feed(b"+RCV=9,3,+OK,-40,9\r\n+OK\r\n") == [Packet(9, b"+OK", -40, 9), b"+OK"]
    assert LineParser().feed(b"+RCV=9,9,a\r\n+OK\r\nb,-40,9\r\n+OK\r\n") == [
        Packet(9, b"a\r\n+OK\r\nb", -40, 9),
        b"+OK",
    ]


def test_a_whole_packet_is_taken_out_of_one_that_is_incomplete() -> None:
    line, packet = PACKETS["RY01"]
    parser = LineParser()
    assert parser.feed(b"+RCV=1,240,+RCV=2,200," + line) == [packet]
    assert parser.counts["resync"] == 1
    assert parser.feed(b"+RCV=1,2,ab,-4x" + line) == [packet]
    assert parser.feed(b"\xff\x00noise" + line) == [packet]
    assert parser.counts["noise"] == 1


def test_a_line_without_an_end_is_dropped_as_it_grows() -> None:
    parser = LineParser()
    for _ in range(100):
        assert parser.feed(b"x" * 50) == []
        assert len(parser._part) <= 64
    assert parser.counts["long"] >= 50
    parser.reset()
    assert parser.feed(b"+OK\r\n" + b"y" * 100 + b"\r\n") == [b"+OK"]


@given(
    packets=st.lists(
        st.builds(
            Packet, st.integers(0, 65535), st.binary(max_size=240), st.integers(-150, 0), st.integers(-20, 40)
        ).filter(lambda packet: b"+RCV=" not in packet.data),
        max_size=4,
    ),
    cut=st.integers(1, 60),
)
def test_whatever_a_packet_holds_comes_back(packets: list[Packet], cut: int) -> None:
    line = b"".join(packet_line(packet) + b"+OK\r\n" for packet in packets)
    parser = LineParser()
    found = [said for i in range(0, len(line), cut) for said in parser.feed(line[i : i + cut])]
    assert found == [said for packet in packets for said in (packet, b"+OK")]


@given(st.lists(st.binary(max_size=300) | st.sampled_from([b"+RCV=", b"+RCV=1,240,", b"\r\n", b","]), max_size=12))
def test_no_bytes_raise_or_pile_up(noise: list[bytes]) -> None:
    parser = LineParser()
    for data in noise:
        parser.feed(data)
        assert len(parser._part) <= 300

"""The XBee driver and its emulator: the handshake, transmissions and their reports, Zigbee's limit."""

import pytest

from radio.modem_buffers import PROBE_S
from radio.xbee.emulator import TABLE, XBeeEmulator
from radio.xbee.frames import AT_REPLY, STATUS, STATUS16, TRANSMIT, TRANSMIT16, ApiFrameParser, at_request, enclose
from radio.xbee.modem import ASK_S, MUTE, STATUS_S, XBee, firmware
from tests.radio.modems import BY_NAME, READY_S, Bench, frame_of

TWO, ONE, BEE = BY_NAME["xbee-2"], BY_NAME["xbee-1"], BY_NAME["xbee-zigbee"]


def driver() -> XBee:
    made = XBee(XBee.Settings())
    made.connect(0.0)
    return made


def reply(number: int, name: str, value: bytes, error: int = 0) -> bytes:
    return enclose(bytes((AT_REPLY, number)) + name.encode() + bytes((error,)) + value, escaped=True)


def answered(hardware: int = 0x1747, version: int = 0x10EF, longest: int = 100) -> XBee:
    """A driver whose module has answered, frame by frame."""
    modem = driver()
    values = {"AP": b"\2", "HV": hardware.to_bytes(2, "big"), "VR": version.to_bytes(2, "big")}
    for name, value in {**values, "NP": longest.to_bytes(2, "big")}.items():
        (asked,) = modem.transmit(0.1)
        assert name.encode() in asked
        line = reply(asked[4], name, value)
        modem.receive(0.1, line)
    assert modem.ready
    return modem


def sent_by(modem: XBee, now: float, frame: bytes) -> bytes:
    """The data of the request in which `frame` goes."""
    modem.send(now, frame, now)
    (line,) = modem.transmit(now)
    (data,) = ApiFrameParser(escaped=True, known={}).feed(line)
    assert data.endswith(frame)
    return data


@pytest.mark.parametrize(
    ("hardware", "version", "kind"),
    [
        (0x17, 0x10EF, "802.15.4"), (0x18, 0x8073, "digimesh"), (0x19, 0x23A7, "zigbee"), (0x1E, 0x21A7, "zigbee"),
        (0x2E, 0x2003, "802.15.4"), (0x2D, 0x9002, "digimesh"), (0x22, 0x4061, "zigbee"), (0x42, 0x1008, "zigbee"),
        (0x41, 0x2014, "802.15.4"), (0x42, 0x300B, "digimesh"), (0x23, 0x8074, "other"), (0x31, 0xA00A, "other"),
    ],
)  # fmt: skip
def test_the_network_is_known_by_hardware_and_firmware(hardware: int, version: int, kind: str) -> None:
    assert firmware(hardware, version) == kind


def test_e4_the_first_question_reads_alike_in_both_modes_and_the_driver_follows_the_answer() -> None:
    modem = driver()
    (asked,) = modem.transmit(0.0)
    assert asked == enclose(at_request(1, "AP"), escaped=True) == enclose(at_request(1, "AP"), escaped=False)
    for kind in (ONE, TWO):
        bench = Bench(kind).run(READY_S)
        assert [bench.exchange(k) for k in (0x1311, 0x7D7E)] == [(True, True)] * 2  # frames full of 7E, 7D, 11, 13
    other = bytes((AT_REPLY, 1)) + b"AP\0\0"  # mode 0, transparent: a module in it would not have answered
    modem.receive(0.1, enclose(other, escaped=True))
    assert not modem.ready
    assert b"AP" in modem.transmit(0.1 + ASK_S)[0]


def test_a_module_that_is_reset_or_changes_its_mode_is_asked_anew() -> None:
    bench = Bench(TWO).run(READY_S)
    bench.emulator.reset(bench.now)
    bench.run(0.01)
    assert not bench.driver.ready or len(bench.written) > 4
    bench.run(1.0)
    assert bench.exchange(1) == (True, True)
    bench.emulator = XBeeEmulator(bench.channel, 1, bench.now, mode=1)  # a person set AP in between
    bench.run(PROBE_S + READY_S)
    assert bench.exchange(2) == (True, True)


def test_a_frame_has_left_when_the_module_says_so_and_since_it_was_handed_over() -> None:
    for kind, request, report in (("802.15.4", TRANSMIT16, STATUS16), ("zigbee", TRANSMIT, STATUS)):
        modem = answered() if kind == "802.15.4" else answered(hardware=0x1946, version=0x23A7)
        assert modem.kind == kind
        data = sent_by(modem, 1.0, frame_of(1))
        assert data[0] == request
        assert modem.left(1.1) == []
        tail = bytes((data[1], 0)) if report == STATUS16 else bytes((data[1], 0xFF, 0xFE, 0, 0, 0))
        modem.receive(1.2, enclose(bytes((report,)) + tail, escaped=True))
        assert modem.left(1.3) == [(1.0, frame_of(1))]


@pytest.mark.parametrize(
    ("flip", "status", "not_sent"), [(0x55, 0, 0), (0, 2, 1)], ids=["of another", "a failure"]
)
def test_a_report_on_another_frame_or_of_a_failure_lets_no_frame_leave(flip, status, not_sent) -> None:
    modem = answered()
    data = sent_by(modem, 1.0, frame_of(1))
    modem.receive(1.1, enclose(bytes((STATUS16, data[1] ^ flip, status)), escaped=True))
    assert modem.left(1.2) == []
    assert modem.counts()["not-sent"] == not_sent
    assert modem.transmit(1.2) == []  # nor is it tried again: the next frame is newer


def test_without_a_report_it_may_have_left_so_it_counts_as_such() -> None:
    modem = answered()
    sent_by(modem, 1.0, frame_of(1))
    assert modem.wake_at == 1.0 + STATUS_S
    modem.transmit(1.0 + STATUS_S)
    assert modem.left(2.0) == [(1.0, frame_of(1))]
    assert modem.counts()["no-status"] == 1
    sent_by(modem, 4.0, frame_of(2))
    sent_by(modem, 4.1, frame_of(3))  # a stop, at once after it
    assert modem.left(4.2) == [(4.0, frame_of(2))]


def test_old_firmware_that_does_not_know_its_longest_packet_is_used_all_the_same() -> None:
    modem = driver()
    for name, value in (("AP", b"\2"), ("HV", b"\x17\x47"), ("VR", b"\x10\xcd")):
        (asked,) = modem.transmit(0.1)
        modem.receive(0.1, reply(asked[4], name, value))
    (asked,) = modem.transmit(0.1)
    modem.receive(0.1, reply(asked[4], "NP", b"", error=2))
    assert modem.ready
    assert modem.advice(2, 3.0) == ""


def test_e7_zigbee_firmware_with_more_robots_than_its_network_carries_is_reported() -> None:
    modem = answered(hardware=0x1946, version=0x23A7)
    assert modem.advice(3, 3.0) == ""
    words = modem.advice(4, 3.0)
    assert "1 broadcast a second" in words
    assert "4 robots" in words
    assert "802.15.4 or DigiMesh" in words
    assert "at least 4 s" in words
    assert modem.advice(4, 4.0) == ""
    assert answered().advice(30, 3.0) == ""
    assert driver().advice(30, 3.0) == ""  # nothing is known yet


def test_e7_the_emulated_zigbee_network_passes_eight_broadcasts_in_eight_seconds_and_others_all() -> None:
    passed = {}
    for kind in (BEE, TWO):
        bench = Bench(kind).run(READY_S)
        for k in range(TABLE + 4):
            bench.teammate.send(bench.now, frame_of(k), bench.now)
            bench.run(0.2)
        passed[kind.name] = len(bench.received())
    assert passed == {"xbee-zigbee": TABLE, "xbee-2": TABLE + 4}
    bench = Bench(BEE).run(READY_S)
    for k in range(TABLE + 1):
        bench.driver.send(bench.now, frame_of(k), bench.now)
        bench.run(0.2)
    assert len(bench.teammate.received(bench.now)) == TABLE
    assert bench.driver.counts()["not-sent"] == 1
    bench.run(8.0)
    assert bench.exchange(50) == (True, True)


def test_a_module_that_takes_less_than_a_frame_or_does_not_answer_is_told() -> None:
    assert "encryption" in answered(longest=33).advice(2, 3.0)
    assert answered(longest=40).advice(2, 3.0) == ""
    modem = driver()
    for k in range(MUTE):
        assert modem.advice(2, 3.0) == ""
        modem.transmit(k * ASK_S)
    assert "AP to 2" in modem.advice(2, 3.0)
    modem.receive(9.0, reply(1, "AP", b"\2"))
    assert modem.advice(2, 3.0) == ""


def test_frames_of_types_that_say_nothing_to_us_are_passed_over() -> None:
    modem = answered()
    modem.receive(1.0, enclose(b"\x92" + bytes(14), escaped=True) + enclose(b"\xa1\0\0", escaped=True))
    modem.receive(1.0, enclose(b"\x88\1", escaped=True))
    assert modem.ready
    assert modem.counts()["unknown"] == 3


def test_the_emulator_reports_when_the_packet_is_over_and_only_if_asked() -> None:
    bench = Bench(TWO, mute=True)
    emulator = XBeeEmulator(bench.channel, 1, 0.0)
    for number in (0, 5):
        data = bytes((TRANSMIT16, number)) + b"\xff\xff\0" + frame_of(1)
        emulator.receive(1.0 + number, enclose(data, escaped=True))
    assert emulator.transmit(6.0) == []
    assert emulator.transmit(6.1) == [enclose(bytes((STATUS16, 5, 0)), escaped=True)]
    assert len(bench.teammate.received(9.0)) == 2

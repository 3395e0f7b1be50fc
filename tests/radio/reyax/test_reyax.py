"""The REYAX driver and its emulator: settings verified, answers known from packets, a module that is busy."""

from collections.abc import Iterable

import pytest
from pydantic import ValidationError

from radio.modem_buffers import PROBE_S, SILENCE_S
from radio.reyax.emulator import DELIVERED, ReyaxEmulator
from radio.reyax.lines import Packet, packet_line
from radio.reyax.modem import ANSWER_S, MARGIN_S, Reyax
from tests.radio.modems import BAND, BY_NAME, READY_S, Bench, frame_of

LORA = BY_NAME["reyax"]
RIGHT = {b"NETWORKID": b"5", b"BAND": b"869525000", b"PARAMETER": b"7,7,1,12"}


def driver(**settings: object) -> Reyax:
    made = Reyax(Reyax.Settings.model_validate({**BAND, **settings}))
    made.connect(0.0)
    return made


def answered(now: float = 0.0) -> Reyax:
    """A driver whose module has the settings already."""
    modem = driver()
    assert modem.transmit(now) == [b"AT\r\n"]
    modem.receive(now, b"+OK\r\n")
    for name, value in RIGHT.items():
        assert modem.transmit(now) == [b"AT+%s?\r\n" % name]
        modem.receive(now, b"+%s=%s\r\n" % (name, value))
    assert modem.ready
    return modem


def test_settings_are_read_set_where_they_differ_and_read_again() -> None:
    bench = Bench(LORA).run(READY_S)
    assert bench.emulator.settings == {name.decode(): value.decode() for name, value in RIGHT.items()}
    assert bench.emulator.written == 3
    lines = [data for _, data in bench.written]
    asked, told = b"AT+BAND?\r\n", b"AT+BAND=869525000\r\n"
    assert [line for line in lines if b"BAND" in line] == [asked, told, asked]
    bench.unplug()
    bench.run(READY_S)
    assert bench.driver.ready
    assert bench.emulator.written == 3  # what is right is not written to the flash again


def test_a_setting_that_does_not_stick_keeps_the_modem_from_use_and_is_reported_and_spares_the_flash() -> None:
    def stubborn(*args: object) -> ReyaxEmulator:
        return ReyaxEmulator(*args, keeps=frozenset({"BAND"}))  # type: ignore[arg-type]

    bench = Bench(LORA, emulator_of=stubborn).run(READY_S)
    assert not bench.driver.alive(bench.now)
    words = bench.driver.advice(3, 3.0)
    assert "keeps BAND at 915000000" in words
    assert "869525000" in words
    for _ in range(3):
        bench.run(SILENCE_S)
        bench.unplug()
    assert bench.emulator.written == 3  # the network once, the band twice
    bench.emulator.settings["BAND"] = "869525000"  # a person set it by hand
    bench.run(READY_S + PROBE_S)
    assert bench.driver.ready
    assert bench.driver.advice(3, 3.0) == ""


def test_e8_each_command_is_one_write_that_ends_its_line_and_a_module_refuses_what_is_not() -> None:
    bench = Bench(LORA).run(READY_S)
    bench.exchange(1)
    assert all(data.startswith(b"AT") and data.endswith(b"\r\n") for _, data in bench.written)
    emulator = ReyaxEmulator(bench.channel, 1, 0.0)
    for _ in range(200):
        emulator.receive(0.0, b"AT")
    assert emulator.transmit(0.0)[0] == b"+ERR=1\r\n"


def test_e9_a_packet_between_a_command_and_its_answer_is_a_packet_and_the_answer_an_answer() -> None:
    modem = answered()
    modem.send(1.0, frame_of(1), 1.0)
    (line,) = modem.transmit(1.0)
    assert line == b"AT+SEND=0,40," + frame_of(1) + b"\r\n"
    modem.receive(1.01, packet_line(Packet(2, frame_of(2), -60, 9)))
    modem.receive(1.01, b"+RCV=9,3,+OK,-40,9\r\n")  # RY05: the data is no answer
    assert modem.left(1.02) == []
    modem.receive(1.03, b"+OK\r\n")
    assert modem.left(1.04) == [(1.0, frame_of(1))]
    assert [frame for _, frame in modem.received(1.04)] == [frame_of(2)]
    assert modem.rssi_dbm(frame_of(2)) == -60.0
    assert modem.rssi_dbm(frame_of(3)) is None


def test_e9_during_the_handshake_too() -> None:
    modem = driver()
    modem.transmit(0.0)
    modem.receive(0.0, packet_line(Packet(2, b"+OK\r\n" * 5, -60, 9)))
    assert modem.transmit(0.1) == []  # still waits for the answer
    modem.receive(0.1, b"+OK\r\n")
    assert modem.transmit(0.1) == [b"AT+NETWORKID?\r\n"]
    modem.receive(0.1, b"+OK\r\n+BAND=869525000\r\n")  # late answers to other questions
    assert modem.transmit(0.2) == []


def test_e11_the_next_packet_waits_until_the_last_one_is_off_the_air() -> None:
    modem = answered()
    modem.send(1.0, frame_of(1), 1.0)
    modem.transmit(1.0)
    modem.receive(1.01, b"+OK\r\n")
    modem.send(1.02, frame_of(2), 1.02)
    assert modem.transmit(1.02) == []
    free = 1.01 + modem.airtime(40) + MARGIN_S
    assert modem.wake_at == pytest.approx(free)
    assert modem.transmit(free - 0.001) == []
    assert frame_of(2) in modem.transmit(free)[0]
    assert modem.airtime(40) == pytest.approx(0.101632)


def test_e11_a_busy_modules_refusal_costs_that_frame_and_an_airtime_and_no_retry() -> None:
    modem = answered()
    modem.send(1.0, frame_of(1), 1.0)
    modem.transmit(1.0)
    modem.receive(1.01, b"+ERR=17\r\n")  # RY07
    assert modem.counts()["error-17"] == 1
    assert modem.transmit(1.5) == modem.left(2.0) == []
    modem.send(1.02, frame_of(2), 1.02)
    assert modem.transmit(1.05) == []
    assert frame_of(2) in modem.transmit(1.01 + modem.airtime(40) + MARGIN_S)[0]
    emulator = ReyaxEmulator(Bench(LORA).channel, 1, 0.0)  # an emulated module refuses two within 10 ms
    for now in (1.0, 1.01):
        emulator.receive(now, b"AT+SEND=0,40," + frame_of(1) + b"\r\n")
    assert emulator.transmit(1.02) == [b"+OK\r\n", b"+ERR=17\r\n"]


def test_e12_garbled_answers_are_asked_for_again_at_a_bounded_pace() -> None:
    count = 0

    def garbled(data: bytes) -> Iterable[bytes]:
        nonlocal count
        count += 1
        return (data.replace(b"=", b"\xbd"),) if count % 2 else (data,)

    bench = Bench(LORA, to_host=garbled)
    bench.run(20.0)
    assert bench.driver.ready
    assert len(bench.written) < 20.0 / ANSWER_S
    bench = Bench(LORA, to_host=lambda data: (b"\xff" + data[1:],)).run(20.0)
    assert not bench.driver.ready
    assert len(bench.written) <= 20.0 / ANSWER_S + 1


def test_without_an_answer_a_frame_may_have_left_so_it_counts_as_such() -> None:
    modem = answered()
    modem.send(1.0, frame_of(1), 1.0)
    modem.transmit(1.0)
    assert modem.wake_at == pytest.approx(1.0 + ANSWER_S + modem.airtime(40))
    modem.transmit(1.0 + ANSWER_S + modem.airtime(40))
    assert modem.left(2.0) == [(1.0, frame_of(1))]
    assert modem.counts()["no-answer"] == 1


def test_a_module_that_was_reset_is_asked_for_its_settings_again() -> None:
    bench = Bench(LORA).run(READY_S)
    bench.emulator.settings = dict(DELIVERED)
    bench.emulator.reset(bench.now)
    bench.run(READY_S)
    assert bench.emulator.settings["BAND"] == "869525000"
    assert bench.exchange(1) == (True, True)


def test_unsolicited_errors_and_lines_are_counted_and_no_more() -> None:
    modem = answered()
    modem.receive(1.0, b"+ERR=12\r\n+ERR=77\r\n+ERR=x\r\n+OK\r\n+BAND=1\r\nhello\r\n")
    assert {name: n for name, n in modem.counts().items() if n} == {"error-12": 1, "error-other": 2, "unknown": 3}
    assert modem.ready


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"network": 16}, "network"),
        ({"network": 2}, "network"),
        ({"network": 17, "model": "rylr896", "preamble": 7}, "network"),
        ({"spreading_factor": 10}, "at most 9 at 125 kHz"),
        ({"preamble": 13}, "expected 12"),
        ({"preamble": 12, "model": "rylr896"}, "4 to 7"),
        ({"band_hz": 2_400_000_000}, "band_hz"),
        ({"baud": 9600}, "baud"),
        ({"bandwidth_khz": 62}, "bandwidth_khz"),
    ],
)
def test_settings_that_the_module_would_refuse_are_refused_in_words(
    settings: dict[str, object], word: str
) -> None:
    with pytest.raises(ValidationError, match=word):
        Reyax.Settings.model_validate({**BAND, **settings})
    with pytest.raises(ValidationError, match="band_hz"):
        Reyax.Settings.model_validate({})  # which band is legal, people must say


@pytest.mark.parametrize(
    "settings",
    [
        {"network": 18, "preamble": 25, "spreading_factor": 11, "bandwidth_khz": 500},
        {"model": "rylr896", "network": 0, "preamble": 7, "spreading_factor": 12},
    ],
)
def test_settings_that_the_module_takes_are_taken(settings: dict[str, object]) -> None:
    assert driver(**settings).transmit(0.0) == [b"AT\r\n"]

"""Transparent modems: the driver, its emulator, and a team that speaks real bytes over paced lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pydantic import ValidationError

from radio.contract import LATE_S
from radio.framing import wrap
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from radio.transparent.emulator import PACKET, PAUSE_S, TransparentEmulator
from radio.transparent.modem import Transparent
from robotd.model.beliefs import Beliefs
from robotd.model.streams import Stream, draw
from tests.radio.helper import KEY, KEYS, activity, saved, table

TABLE = table(3)
FRAME, OTHER = bytes(range(40)), bytes(range(1, 31))


def driver() -> Transparent:
    made = Transparent(Transparent.Settings())
    made.connect(0.0)
    return made


def test_a_frame_goes_down_the_line_whole_at_its_instant_and_is_told_to_have_left() -> None:
    modem = driver()
    modem.send(1.0, FRAME, 1.04)
    assert modem.wake_at == 1.04
    assert modem.transmit(1.03) == []
    assert modem.transmit(1.041) == [wrap(FRAME)]
    assert modem.left(1.05) == [(1.041, FRAME)]
    assert modem.left(1.06) == modem.transmit(9.0) == []
    assert modem.wake_at is None


def test_the_newest_frame_wins_and_a_stale_one_is_void() -> None:
    modem = driver()
    modem.send(1.0, FRAME, 1.04)
    modem.send(1.01, OTHER, 1.01)
    assert modem.transmit(1.05) == [wrap(OTHER)]
    modem.send(4.0, FRAME, 4.0)
    assert modem.alive(4.0 + LATE_S)
    assert not modem.alive(4.1 + LATE_S)  # the line takes nothing
    assert modem.transmit(4.1 + LATE_S) == []
    assert modem.alive(5.0)
    assert [frame for _, frame in modem.left(9.0)] == [OTHER]


def test_a_new_connection_voids_what_waited_and_what_was_half_received() -> None:
    modem = driver()
    modem.send(1.0, FRAME, 1.04)
    modem.receive(1.0, wrap(FRAME)[:20])
    modem.connect(1.02)
    assert modem.transmit(2.0) == []
    modem.receive(3.0, wrap(FRAME)[20:])
    assert modem.received(3.0) == []
    modem.receive(4.0, wrap(OTHER))
    assert modem.received(4.0) == [(4.0, OTHER)]


def test_before_the_line_is_open_it_is_not_alive() -> None:
    assert not Transparent(Transparent.Settings()).alive(1.0)
    assert driver().alive(1.0)
    assert driver().halt == b""


@pytest.mark.parametrize("share", [0.0, 0.02])
def test_hostile_lines_cost_frames_and_never_more(share: float) -> None:
    """One byte at a time, with bytes flipped, dropped and inserted; what arrives is what was sent."""
    modem, arrived = driver(), []
    frames = [bytes((k,)) * 30 for k in range(1, 101)]
    for k, frame in enumerate(frames):
        for j, byte in enumerate(wrap(frame)):
            roll = draw(7, "line", f"byte {k}", j)
            piece = bytes((byte,))
            if roll < share:
                piece = (b"", bytes((byte ^ 0x10,)), piece + b"\x42")[int(roll / share * 3)]
            modem.receive(float(k), piece)
        arrived += [frame for _, frame in modem.received(float(k))]
    assert set(arrived) <= set(frames)
    assert len(arrived) == 100 if share == 0.0 else 40 < len(arrived) < 100
    assert (sum(modem.counts().values()) > 0) == (share > 0)


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"baud": 0}, {"air_rate": -1.0}, {"bauds": 9600}):
        with pytest.raises(ValidationError):
            Transparent.Settings.model_validate(wrong)


def emulated() -> tuple[Channel, TransparentEmulator, TransparentEmulator]:
    channel = Channel(1, TABLE, key=KEY, team=1)
    return channel, TransparentEmulator(channel, 1, 0.0), TransparentEmulator(channel, 2, 0.0)


def test_the_emulator_sends_when_its_line_pauses_and_delivers_after_the_airtime() -> None:
    channel, one, two = emulated()
    woken = []
    channel.watch(lambda: woken.append(1))
    line = wrap(FRAME)
    one.receive(1.0, line[:20])
    one.receive(1.004, line[20:])
    assert one.wake_at == pytest.approx(1.004 + PAUSE_S)
    assert one.transmit(1.005) == []
    assert woken == []
    assert one.transmit(1.01) == []
    assert woken == [1]
    end = 1.01 + channel.airtime(len(line))
    assert two.wake_at == pytest.approx(end)
    assert two.transmit(end - 1e-6) == []
    assert two.transmit(end) == [line]
    assert one.wake_at is two.wake_at is None


def test_e14_two_frames_in_one_burst_merge_and_a_gap_splits_and_both_are_understood() -> None:
    _, one, two = emulated()
    one.receive(1.0, wrap(OTHER) + wrap(OTHER[:20]))
    one.transmit(1.01)
    one.receive(2.0, wrap(FRAME)[:10])
    one.transmit(2.01)
    one.receive(2.1, wrap(FRAME)[10:])
    one.transmit(2.2)
    modem = driver()
    for data in two.transmit(9.0):
        modem.receive(9.0, data)
    assert [frame for _, frame in modem.received(9.0)] == [OTHER, OTHER[:20], FRAME]


def test_more_than_a_packet_goes_out_in_packets() -> None:
    _, one, two = emulated()
    one.receive(1.0, bytes(range(200)))
    one.transmit(1.1)
    assert [len(x) for x in two.transmit(9.0)] == [PACKET, PACKET, PACKET, 200 - 3 * PACKET]


def test_a_robot_on_real_bytes_and_two_without_are_one_team() -> None:
    channel = Channel(1, TABLE, key=KEY, team=1, base_station=True)
    modem, emulator = driver(), TransparentEmulator(channel, 1, 0.0)
    modems = {1: modem, 2: MockModem(channel, 2), 3: MockModem(channel, 3)}
    radios = {
        n: saved(Radio(TABLE, n, KEYS, 1, modems[n], Stream(1, f"robot-{n}", "phase"), None, None))
        for n in (1, 2, 3)
    }
    beliefs = {n: Beliefs(TABLE, n, 1, running=True) for n in (1, 2, 3)}
    heard: dict[int, list[int]] = {1: [], 2: [], 3: []}
    left: list[float] = []
    for radio in radios.values():
        radio.begin(0.0)
    for ms in range(60_000):
        now = ms / 1000.0
        if modem.wake_at is not None and modem.wake_at <= now:
            for data in modem.transmit(now):
                emulator.receive(now + 0.045, data)  # 43 bytes at 9600 baud
        if emulator.wake_at is not None and emulator.wake_at <= now:
            for data in emulator.transmit(now):
                modem.receive(now, data)
        if ms % 50 == 0:
            for n, radio in radios.items():
                if ms % 200 == 0:
                    heard[n] += [x.sender for x in radio.receive(now)]
                    left += [x.at for x in radio.take_sent(now) if n == 1]
                radio.transmit(now, (activity(),) if ms % 200 == 0 else None, beliefs[n])
    assert all(b - a >= 3.0 for a, b in pairwise(left))
    for n in (1, 2, 3):
        assert all(heard[n].count(other) >= 16 for other in {0, 1, 2, 3} - {n})
    assert channel.statistics()["lost"] == 0

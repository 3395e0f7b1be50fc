"""Transparent modems: the driver, its emulator, and a team that speaks real bytes over paced lines."""

import pytest

from radio.framing import wrap
from radio.mock.channel import Channel
from radio.transparent.emulator import PACKET, PAUSE_S, TransparentEmulator
from radio.transparent.modem import Transparent
from tests.radio.helper import KEY, table

TABLE = table(3)
FRAME, OTHER = bytes(range(40)), bytes(range(1, 31))


def driver() -> Transparent:
    made = Transparent(Transparent.Settings())
    made.connect(0.0)
    return made


def test_a_frame_goes_down_the_line_whole_at_its_instant_and_is_reported_to_have_left() -> None:
    modem = driver()
    modem.send(1.0, FRAME, 1.04)
    assert modem.wake_at == 1.04
    assert modem.transmit(1.03) == []
    assert modem.transmit(1.041) == [wrap(FRAME)]
    assert modem.left(1.05) == [(1.041, FRAME)]
    assert modem.left(1.06) == modem.transmit(9.0) == []
    assert modem.wake_at is None


def emulated() -> tuple[Channel, TransparentEmulator, TransparentEmulator]:
    channel = Channel(1, TABLE, key=KEY, team=1)
    return channel, TransparentEmulator(channel, 1, 0.0), TransparentEmulator(channel, 2, 0.0)


def test_the_emulator_sends_when_its_line_pauses_and_delivers_after_the_airtime() -> None:
    channel, one, two = emulated()
    woken = []
    channel.watch(lambda: woken.append(len(one.transmit(1.01))))  # as a line does that is looked at again
    line = wrap(FRAME)
    one.receive(1.0, line[:20])
    one.receive(1.004, line[20:])
    assert one.wake_at == pytest.approx(1.004 + PAUSE_S)
    assert one.transmit(1.005) == []
    assert woken == []
    assert one.transmit(1.01) == []
    assert woken == [0]  # the packet went once
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

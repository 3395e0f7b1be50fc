"""The driver for UDP multicast, on the simulated network."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from radio.udp.modem import Udp
from tests.radio.modems import BY_NAME, Bench, frame_of

NETWORK = BY_NAME["udp"]


def test_one_datagram_is_one_frame_as_it_is() -> None:
    bench = Bench(NETWORK)
    bench.driver.send(0.0, frame_of(1), 0.01)
    bench.run(0.2)
    assert [data for _, data in bench.written] == [frame_of(1)]
    bench.hear(frame_of(2))
    bench.hear(frame_of(2)[:30])  # a shorter frame, not the beginning of one
    assert bench.received() == [frame_of(2), frame_of(2)[:30]]


def test_what_comes_back_of_ones_own_is_dropped_and_what_others_sent_is_not() -> None:
    bench = Bench(NETWORK)
    for k in range(6):
        bench.driver.send(bench.now, frame_of(k), bench.now)
        bench.run(0.1)
    assert bench.received() == []
    bench.hear(frame_of(5))
    bench.hear(frame_of(0))  # played to us long after: the radio will refuse and count it
    assert bench.received() == [frame_of(0)]


def test_before_it_is_open_it_is_not_alive() -> None:
    modem = Udp(Udp.Settings())
    assert not modem.alive(0.0)
    modem.connect(0.0)
    assert modem.alive(0.0)
    assert modem.halt == b""
    assert modem.airtime(40) == pytest.approx(68 * 8e-6)


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"air_rate": 0}, {"baud": 9600}):
        with pytest.raises(ValidationError):
            Udp.Settings.model_validate(wrong)

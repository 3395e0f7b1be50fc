"""The drivers for networks that delimit and check: UDP multicast and Zenoh, on the simulated channel."""

from __future__ import annotations

import pytest

from radio.udp.modem import Udp
from radio.zenoh.modem import Zenoh
from tests.radio.modems import BY_NAME, Bench, frame_of


@pytest.mark.parametrize("name", ["udp", "zenoh"])
def test_one_message_is_one_frame_as_it_is_and_no_own_frame_is_received(name: str) -> None:
    bench = Bench(BY_NAME[name])
    for k in range(6):
        bench.driver.send(bench.now, frame_of(k), bench.now)
        bench.run(0.1)
    assert [data for _, data in bench.written] == [frame_of(k) for k in range(6)]
    assert bench.received() == []
    bench.hear(frame_of(5)[:30])  # a shorter frame, not the beginning of one
    bench.hear(frame_of(5))  # an echo
    bench.hear(frame_of(0))  # played to us long after: the radio will refuse and count it
    assert bench.received() == [frame_of(5)[:30], frame_of(0)]


@pytest.mark.parametrize(("plugin", "size"), [(Udp, 68), (Zenoh, 105)])
def test_a_frame_takes_what_the_slowest_link_needs_for_it_and_its_headers(plugin: type[Udp], size: int) -> None:
    assert plugin(plugin.Settings()).airtime(40) == pytest.approx(size * 8e-6)
    assert plugin(plugin.Settings(air_rate=1e5)).airtime(40) == pytest.approx(size * 8e-5)

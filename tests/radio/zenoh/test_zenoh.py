"""The driver for Zenoh, on the simulated network."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from radio.zenoh.modem import Zenoh
from tests.radio.modems import BY_NAME, Bench, frame_of

NETWORK = BY_NAME["zenoh"]


def test_one_message_is_one_frame_as_it_is() -> None:
    bench = Bench(NETWORK)
    bench.driver.send(0.0, frame_of(1), 0.01)
    bench.run(0.2)
    assert [data for _, data in bench.written] == [frame_of(1)]
    assert bench.received() == []  # nothing comes back
    bench.hear(frame_of(2))
    assert bench.received() == [frame_of(2)]


def test_a_frame_takes_what_the_slowest_link_needs_for_it_and_its_headers() -> None:
    assert Zenoh(Zenoh.Settings()).airtime(40) == pytest.approx(105 * 8e-6)
    assert Zenoh(Zenoh.Settings(air_rate=1e5)).airtime(40) == pytest.approx(105 * 8e-5)


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"air_rate": 0}, {"router": "10.0.0.1"}):
        with pytest.raises(ValidationError):
            Zenoh.Settings.model_validate(wrong)

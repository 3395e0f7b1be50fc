"""How long bytes are on the air, against published figures."""

import pytest

from radio.airtime import ieee802154_airtime, lora_airtime, serial_airtime, xbee_900_airtime
from radio.framing import LONGEST


@pytest.mark.parametrize(
    ("size", "millis"),
    [
        (20, (56.6, 102.9, 185.3, 370.7, 741.4, 1318.9)),
        (32, (71.9, 133.6, 246.8, 452.6, 987.1, 1810.4)),
        (38, (82.176, 143.872, 267.264, 493.568, 1069.056, 1974.272)),  # by the LoRa modulation itself
        (40, (82.2, 154.1, 287.7, 534.5, 1069.1, 1974.3)),
        (240, (379.1, 666.1, 1188.9, 2172.9, 4755.5, 8527.9)),
    ],
)
def test_lora_packets_take_what_the_published_tables_state(size: int, millis: tuple[float, ...]) -> None:
    for sf, expected in zip(range(7, 13), millis, strict=True):
        assert 1000 * lora_airtime(size, sf, 125_000) == pytest.approx(expected, abs=0.06)


def test_a_rylr998_as_delivered_takes_a_third_of_a_second_for_the_longest_frame() -> None:
    assert lora_airtime(LONGEST + 8, 9, 125_000, 1, 12) == pytest.approx(0.3246, abs=1e-4)
    assert lora_airtime(LONGEST + 8, 7, 125_000, 1, 12) == pytest.approx(0.1016, abs=1e-4)


def test_lora_gets_slower_with_coding_preamble_and_narrower_bands_and_never_faster() -> None:
    base = lora_airtime(40, 9, 125_000)
    assert lora_airtime(40, 9, 125_000, 4) > base
    assert lora_airtime(40, 9, 125_000, 1, 12) == pytest.approx(base + 4 * 512 / 125_000)
    assert lora_airtime(40, 9, 250_000) == pytest.approx(base / 2)
    sizes = [lora_airtime(size, 9, 125_000) for size in range(256)]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("rate", "millis"), [(500, 640), (5_000, 64), (15_000, 21.3), (58_000, 5.5), (236_000, 1.36)]
)
def test_an_hc12_takes_its_bits_at_its_air_rate(rate: float, millis: float) -> None:
    assert 1000 * serial_airtime(40, rate) == pytest.approx(millis, rel=0.01)


def test_xbee_frames_take_milliseconds_as_its_users_measure() -> None:
    assert 0.0015 < ieee802154_airtime(LONGEST) < 0.003
    assert 0.03 < xbee_900_airtime(LONGEST, 10_000) < 0.06
    assert xbee_900_airtime(LONGEST, 200_000) < 0.003

"""Regions and their bands."""

from __future__ import annotations

import pytest

from radio.regulations import band_at, bands_of


@pytest.mark.parametrize(
    ("frequency", "duty"),
    [(864, 0.001), (867.1, 0.01), (868.1, 0.01), (869.0, 0.001), (869.525, 0.1), (869.8, 0.01), (863, 0.001)],
)
def test_each_frequency_of_europe_has_the_duty_of_its_band(frequency: float, duty: float) -> None:
    band = band_at("eu868", frequency)
    assert band is not None
    assert (band.duty, band.longest_s) == (duty, None)


@pytest.mark.parametrize("frequency", [862.9, 868.65, 869.3, 870.1, 0.0, 915.0])
def test_a_frequency_between_the_bands_is_refused_with_those_there_are(frequency: float) -> None:
    with pytest.raises(ValueError, match=r"in no band of eu868; .*869.4 to 869.65"):
        band_at("eu868", frequency)


def test_america_limits_a_single_transmission_and_no_hour() -> None:
    band = band_at("us915", 915.0)
    assert band is not None
    assert (band.duty, band.longest_s) == (None, 0.4)
    assert band.words == "us915, 902 to 928 MHz: 400 ms at a stretch"


def test_no_region_is_no_law_and_an_unknown_one_an_error() -> None:
    assert band_at("none", 2400.0) is None
    with pytest.raises(ValueError, match="no region 'mars'; expected one of none, eu433"):
        bands_of("mars")


def test_where_two_bands_meet_the_stricter_holds() -> None:
    assert band_at("eu868", 865.0) == bands_of("eu868")[0]

"""The account of airtime: no hour exceeds what the law permits, whatever the lives of a robot."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radio.duty_cycle import IMMEDIATE, DutyCycleLimiter
from radio.regulations import HOUR_S, band_at, bands_of
from tests.hostile.endurance import worst_hour

BEAT = 3.0
TENTH, HUNDREDTH = band_at("eu868", 869.525), band_at("eu868", 868.1)
SF7, SF9 = 0.1016, 0.3246  # of the longest frame on a RYLR998


def test_a_legal_team_keeps_its_beat_and_one_over_the_limit_falls_to_what_the_band_permits() -> None:
    assert DutyCycleLimiter(TENTH, SF7, BEAT).period_s < BEAT
    assert 10.2 < DutyCycleLimiter(HUNDREDTH, SF7, BEAT).period_s < 10.6
    assert 3.25 < DutyCycleLimiter(TENTH, SF9, BEAT).period_s < 3.31  # as delivered it just misses 1/3 Hz
    assert DutyCycleLimiter(None, SF9, BEAT).period_s == 0.0


@given(
    st.lists(st.tuples(st.floats(10.0, 5000.0), st.booleans()), min_size=1, max_size=4),
    st.sampled_from([(TENTH, SF7), (TENTH, SF9), (HUNDREDTH, SF7), (band_at("eu868", 869.0), 0.02)]),
    st.floats(0.4, 1.0),
)
@settings(max_examples=40, deadline=None)
def test_no_hour_exceeds_the_budget_over_restarts_and_team_stops(lives, law, shortest) -> None:
    band, longest = law
    memory, now, frames = None, 0.0, []
    for length, stops in lives:
        limiter = DutyCycleLimiter(band, longest, BEAT)
        limiter.begin(now, memory)
        free, end, n = now, now + length, 0
        while True:
            n += 1
            free = max(free + BEAT, limiter.free_at)
            if free > end:
                break
            airtime = longest if n % 3 else longest * shortest
            frames.append((free, airtime))
            limiter.spend(free, airtime, paced=True)
            if stops and limiter.may_interrupt(free + 1.0):
                frames.append((free + 1.0, longest))
                limiter.spend(free + 1.0, longest, paced=False)
        now, memory = end, limiter.memory()
    assert worst_hour(frames) <= HOUR_S * band.duty + 1e-6


@pytest.mark.parametrize("life", [4.0, 11.0, 60.0])
def test_not_even_a_robot_that_restarts_all_the_time_exceeds_its_hour(life: float) -> None:
    frames = []
    for n in range(1500):
        limiter = DutyCycleLimiter(HUNDREDTH, SF7, BEAT)
        limiter.begin(n * life, 0)
        free = max(n * life + BEAT, limiter.free_at)
        while free <= (n + 1) * life:
            frames.append((free, SF7))
            limiter.spend(free, SF7, paced=True)
            free = max(free + BEAT, limiter.free_at)
    assert worst_hour(frames) <= 36.0
    assert bool(frames) == (life > 10.5)


def test_the_account_is_exact_within_a_life() -> None:
    limiter = DutyCycleLimiter(TENTH, SF7, BEAT)
    limiter.begin(0.0, None)
    for n in range(2000):
        limiter.spend(3.0 * n, 0.05, paced=True)
    assert limiter.used_s(5997.5) == pytest.approx(1200 * 0.05)
    assert limiter.used_s(5997.0 + HOUR_S + 1.0) == 0.0


def test_after_a_restart_the_worst_is_assumed_and_fades_within_an_hour() -> None:
    limiter = DutyCycleLimiter(TENTH, SF7, BEAT)
    limiter.begin(1000.0, 0)
    assert limiter.used_s(1000.0) == pytest.approx(1200 * SF7)
    assert limiter.used_s(1000.0 + HOUR_S / 2) == pytest.approx(600 * SF7)
    assert limiter.used_s(1000.0 + HOUR_S) == 0.0


def test_stops_leave_at_once_so_often_an_hour_and_their_count_outlives_a_restart() -> None:
    limiter = DutyCycleLimiter(TENTH, SF7, BEAT)
    limiter.begin(0.0, None)
    for n in range(IMMEDIATE):
        assert limiter.may_interrupt(3.0 * n)
        limiter.spend(3.0 * n, SF7, paced=False)
    assert not limiter.may_interrupt(100.0)
    again = DutyCycleLimiter(TENTH, SF7, BEAT)
    again.begin(200.0, limiter.memory())
    assert not again.may_interrupt(HOUR_S)  # they may all have left just before the restart
    assert again.may_interrupt(200.0 + HOUR_S + 1.0)
    free = DutyCycleLimiter(None, SF7, BEAT)
    for n in range(99):
        free.spend(n, SF7, paced=False)
    assert free.may_interrupt(99.0)


def test_a_frame_longer_than_the_law_lets_any_be_never_leaves() -> None:
    america = band_at("us915", 915.0)
    assert DutyCycleLimiter(america, 0.39, BEAT).period_s == 0.0
    long = DutyCycleLimiter(america, 0.5345, BEAT)
    long.begin(0.0, None)
    assert (long.period_s, long.free_at) == (math.inf, math.inf)
    assert not long.may_interrupt(5.0)
    assert DutyCycleLimiter(band_at("eu868", 869.0), 4.0, BEAT).period_s == math.inf  # more than its hour


# -- regions and their bands


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


@given(st.lists(st.tuples(st.floats(0.3, 2000.0), st.floats(0.001, 0.25)), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_the_airtime_used_is_the_sum_over_the_frames_of_the_hour_at_every_instant(gaps_and_airtimes) -> None:
    limiter, frames, now = DutyCycleLimiter(None, SF9, BEAT), [], 0.0
    limiter.begin(now, None)
    for gap, airtime in gaps_and_airtimes:
        now += gap
        limiter.spend(now, airtime, paced=True)
        frames.append((now + airtime, airtime))
        for later in (now, now + 1800.0, now + HOUR_S):
            exact = sum(used for end, used in frames if end > later - HOUR_S)
            assert limiter.used_s(later) == pytest.approx(exact, abs=1e-6 * len(frames))

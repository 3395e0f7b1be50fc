"""Levels are thinned to what a plot can show, and nothing that would be seen is lost."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.figures.series import BINS, Curve, thinned


def curve_of(samples, bins=BINS):
    curve = Curve(bins)
    for at, value in samples:
        curve.add(at, value)
    return curve.points()


def test_a_short_run_is_kept_whole():
    samples = [(0.2 * n, float(n % 7)) for n in range(1000)]
    assert curve_of(samples) == samples


def test_a_day_takes_no_more_room_than_a_minute_and_loses_no_peak():
    samples = [(0.2 * n, 100.0 if n in (1_234, 65_432) else math.sin(n / 1e4)) for n in range(100_000)]
    kept = curve_of(samples)
    assert len(kept) <= 4 * BINS
    assert [at for at, value in kept if value == 100.0] == [0.2 * 1_234, 0.2 * 65_432]
    assert (kept[0], kept[-1]) == (samples[0], samples[-1])


@given(st.lists(st.tuples(st.floats(0, 50), st.integers(-9, 9)), min_size=1, max_size=80), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_what_is_kept_was_there_in_order_with_both_extremes_and_both_ends(steps, bins):
    at, samples = 0.0, []
    for step, value in steps:
        at += step
        samples.append((at, float(value)))
    kept = curve_of(samples, bins)
    assert [at for at, _ in kept] == sorted(at for at, _ in kept)
    assert set(kept) <= set(samples)
    assert len(kept) <= 4 * bins
    values = [value for _, value in samples]
    assert {min(values), max(values)} <= {value for _, value in kept}
    assert (kept[0][0], kept[-1][0]) == (samples[0][0], samples[-1][0])


def test_samples_far_apart_are_bounded_too():
    assert len(curve_of([(1000.0 * n, 0.0) for n in range(50)], bins=2)) <= 8


def test_thinning_keeps_first_least_greatest_and_last_each_once():
    assert thinned([(0, 1), (1, 5), (2, 3), (3, 0), (4, 2)]) == [(0, 1), (1, 5), (3, 0), (4, 2)]
    assert thinned([(0, 1), (1, 1), (2, 1)]) == [(0, 1), (2, 1)]
    assert thinned([]) == []

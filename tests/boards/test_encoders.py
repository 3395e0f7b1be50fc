"""Wheel speeds from counts, however their samples arrive."""

from __future__ import annotations

from collections import Counter

import pytest

from boards.create2.senses import GAUGE as CREATE2
from boards.kobuki.senses import GAUGE as KOBUKI
from boards.odometry import Rolling

LOSS = 5  # every fifth sample


def arrivals(period, gap, apart, seconds=4.0):
    """(arrival, number) of samples that are held back for `gap` s and then come `apart` s from each other."""
    found, number, t, last = [], 1, 0.0, 0.0
    while t < seconds:
        t += gap
        at = t
        while number * period <= t + 1e-9:
            last = max(last, at)
            found.append((last, number))
            number, at = number + 1, at + apart
    return found


def speeds(gauge, samples, speed):
    """Left wheel's speeds after one second."""
    rolling, found = Rolling(0.23, gauge, Counter()), []
    for at, number in samples:
        count = int(speed * gauge.period_s * number / gauge.count_m) % gauge.wrap
        rolling.take(at, count, count)
        if at > 1.0:
            found.append(rolling.speeds[0])
    return found


@pytest.mark.parametrize("gauge", [CREATE2, KOBUKI], ids=["create2", "kobuki"])
@pytest.mark.parametrize(("gap", "apart"), [(0.08, 0.003), (0.15, 0.0), (0.2, 0.003), (0.25, 0.0), (0.28, 0.003)])
def test_samples_in_clumps_give_the_same_speed_as_evenly_spaced_ones(gauge, gap, apart):
    for speed in (0.3, 0.5):
        found = speeds(gauge, arrivals(gauge.period_s, gap, apart), speed)
        assert found == pytest.approx([speed] * len(found), rel=0.1)


@pytest.mark.parametrize("gauge", [CREATE2, KOBUKI], ids=["create2", "kobuki"])
def test_lost_samples_change_no_speed(gauge):
    even = [(number * gauge.period_s, number) for number in range(1, 200)]
    found = speeds(gauge, [one for one in even if one[1] % LOSS], 0.3)
    assert found == pytest.approx([0.3] * len(found), rel=0.1)

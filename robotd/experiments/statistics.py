"""Intervals that hold the true value in 95 of 100 experiments, from few samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

CONFIDENCE = 0.95
NORMAL = 1.959963984540054  # the 0.975 quantile of the normal distribution
MANY = 200  # degrees of freedom from which on the normal quantile, corrected, is good to six digits


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its 95 % confidence interval; NaN where too few samples give one."""

    value: float
    low: float
    high: float


NONE = Estimate(math.nan, math.nan, math.nan)


def mean(samples: Sequence[float]) -> Estimate:
    """The mean with Student's t interval, which takes means as normally distributed."""
    if not samples:
        return NONE
    middle = math.fsum(samples) / len(samples)
    return _about(middle, [sample - middle for sample in samples])


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Estimate:
    """The ratio of two means of paired samples, with the interval of the ratio estimator's linearisation."""
    below = mean(denominators).value
    if not numerators or below == 0.0:
        return NONE
    value = mean(numerators).value / below
    rests = [(n - value * d) / below for n, d in zip(numerators, denominators, strict=True)]
    return _about(value, rests)


def share(holds: Sequence[bool]) -> Estimate:
    """The share of true ones with Wilson's score interval (Wilson 1927), which holds at 0 and 1 too."""
    hits, of = sum(holds), len(holds)
    if of == 0:
        return NONE
    z2, p = NORMAL * NORMAL, hits / of
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = NORMAL / (1 + z2 / of) * math.sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    return Estimate(p, max(0.0, middle - half) if hits else 0.0, min(1.0, middle + half) if hits < of else 1.0)


def share_difference(one: Sequence[bool], other: Sequence[bool]) -> Estimate:
    """By how much the share of hits of `one` exceeds that of `other`, in pairs (Newcombe 1998, method 10).

    Both Wilson intervals, joined by how the pairs agree: so runs that are all alike prove no certainty.
    """
    n, a, b = len(one), sum(one), sum(other)
    if n == 0:
        return NONE
    both = sum(x and y for x, y in zip(one, other, strict=True))
    agree = both * n - a * b  # of the fourfold table: the product of the pairs alike less that of the others
    scale = math.sqrt(a * (n - a) * b * (n - b))
    phi = (max(agree - n / 2, 0.0) if agree > 0 else agree) / scale if scale else 0.0
    first, second = share(one), share(other)
    down = _joined(first.value - first.low, second.high - second.value, phi)
    up = _joined(first.high - first.value, second.value - second.low, phi)
    return Estimate((a - b) / n, (a - b) / n - down, (a - b) / n + up)


def _joined(one: float, other: float, phi: float) -> float:
    """The half of an interval of a difference, from the halves of both."""
    return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))


def median(samples: Sequence[float]) -> float:
    """The middle one, or the mean of the two; NaN of none."""
    ordered, n = sorted(samples), len(samples)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else math.nan


def median_words(samples: Sequence[float], digits: int, unit: str = "") -> str:
    """The median with so many digits after the point and its unit, then the least and the greatest; '' of none."""
    if not samples:
        return ""
    return f"{median(samples):.{digits}f}{unit} ({min(samples):.{digits}f} to {max(samples):.{digits}f})"


def words(found: Estimate, digits: int, unit: str = "") -> str:
    """The value with so many digits after the point, its unit, and its interval if it has one; '' for none."""
    if math.isnan(found.value):
        return ""
    text = f"{found.value:.{digits}f}{unit}"
    return text if math.isnan(found.low) else f"{text} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def _about(value: float, rests: Sequence[float]) -> Estimate:
    """The interval of a mean whose samples differ from it by `rests`."""
    n = len(rests)
    if n < 2:
        return Estimate(value, math.nan, math.nan)
    deviation = math.sqrt(math.fsum(rest * rest for rest in rests) / (n - 1))
    half = t_quantile(n - 1) * deviation / math.sqrt(n)
    return Estimate(value, value - half, value + half)


@cache
def t_quantile(freedom: int) -> float:
    """How many standard errors hold 95 % of Student's t distribution with so many degrees of freedom."""
    if freedom > MANY:
        z = NORMAL  # Abramowitz and Stegun 26.7.5
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    low, high = 0.0, 100.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < CONFIDENCE else (low, middle)
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """The probability of less than `t` on both sides (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    theta = math.atan(t / math.sqrt(freedom))
    cosine, odd = math.cos(theta), freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total

"""Random numbers for whole batches: arrays of draws, each a function of its mission's key and of integers alone.

As in `robotd.model.streams` no draw depends on how many others were asked for, so a mission's fate is the same in
every batch. The mission's key comes from a named stream; below it a 64-bit mixing function (the finisher of
SplitMix64, Steele, Lea and Flood 2014) replaces BLAKE2s, which cannot be computed on arrays.
"""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.parameters import Reals
from robotd.model.streams import draw

Keys = NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, as in SplitMix64
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_TO_53_BITS = np.uint64(11)
_SPAN = 2.0**-53


class Purpose(IntEnum):
    """What a draw is for; two purposes never share a draw."""

    BEAT_PHASE = 1
    LOOK_PHASE = 2
    LOSS = 3
    ABLE = 4
    TASK_TIME = 5
    SKILL = 6
    ROUNDS = 7
    NEEDS = 8
    FAILS = 9
    FAILS_AT = 10
    SENSOR = 11
    SENSOR_AT = 12
    SENSOR_KIND = 13
    RADIO = 14
    RADIO_AT = 15
    TEAM = 16
    LOSS_LEVEL = 17
    ORDER = 18
    EXPLORE = 19
    RATES = 20
    DELAY = 21
    HETEROGENEITY = 22
    NOISE = 23


def keys(seeds: Sequence[int], name: str) -> Keys:
    """One key `(missions)` for each seed; `name` keeps experiments apart."""
    return np.array([int(draw(seed, "", f"abstract-{name}", 0) * 2**53) for seed in seeds], np.uint64)


def uniform(key: Keys, purpose: Purpose, *indices: NDArray[np.integer] | int) -> Reals:
    """Draws in [0, 1), one for each element of the broadcast of `key` and `indices` (whole numbers from 0)."""
    mixed = _mix(key + np.uint64(_STEP * int(purpose) % 2**64))
    for index in indices:
        mixed = _mix(mixed + np.multiply(np.asarray(index, np.uint64), np.uint64(_STEP)))
    return (mixed >> _TO_53_BITS).astype(np.float64) * _SPAN


def phases(key: Keys, purpose: Purpose, robots: int, period_s: float) -> Reals:
    """`(missions, robots)`: when in a period each robot has its turn, s."""
    return period_s * uniform(key[:, None], purpose, np.arange(robots))


def _mix(value: Keys) -> Keys:
    value = (value ^ (value >> _SHIFTS[0])) * _FIRST
    value = (value ^ (value >> _SHIFTS[1])) * _SECOND
    mixed: Keys = value ^ (value >> _SHIFTS[2])
    return mixed

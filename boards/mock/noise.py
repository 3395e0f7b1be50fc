"""Sensor noise from counter-based draws: the error of a reading depends on its period alone."""

import math

from robotd.model.streams import draw

_SHIFTS = (0, 6, 12, 18, 24, 30, 36, 42)  # a draw holds eight parts of 6 bits
_PART = 1 << 13  # a draw holds four parts of 13 bits: normals of up to 4.2 standard deviations


def four_normals(seed: int, robot: str, purpose: str, count: int) -> tuple[float, float, float, float]:
    """Four independent standard normals from one draw (Box and Muller on its parts)."""
    bits = int(draw(seed, robot, purpose, count) * (1 << 52))
    one = math.sqrt(-2.0 * math.log((bits % _PART + 1) / _PART))
    two = math.sqrt(-2.0 * math.log((bits // _PART % _PART + 1) / _PART))
    first = 2.0 * math.pi / _PART * (bits // _PART**2 % _PART)
    second = 2.0 * math.pi / _PART * (bits // _PART**3)
    return one * math.cos(first), one * math.sin(first), two * math.cos(second), two * math.sin(second)


def eight_uniforms(seed: int, robot: str, purpose: str, count: int) -> list[float]:
    """Eight independent values in [-1, 1), in steps of 1/32, from one draw."""
    bits = int(draw(seed, robot, purpose, count) * (1 << 48))
    return [(bits >> shift & 63) / 32 - 1 for shift in _SHIFTS]


class Wander:
    """First-order noise in x, y and heading: stationary, forgetting itself over `time_s`. Averaging over less than
    many `time_s` does not beat it, as with a beacon system whose errors come from echoes that change with the
    place."""

    def __init__(self, seed: int, robot: str, deviation: float, turn: float, time_s: float) -> None:
        self._names, self._time = (seed, robot), time_s
        self._each = deviation / math.sqrt(2.0)  # of each axis, so that the distance's is `deviation`
        self._turn = turn
        self._at: float | None = None
        self._x = self._y = self._heading = 0.0

    def at(self, now: float, count: int) -> tuple[float, float, float]:
        """The errors (m, m, rad) at `now` (s), which never runs backwards; `count` numbers the draw."""
        gone = math.exp(-(now - self._at) / self._time) if self._at is not None else 0.0
        fresh = math.sqrt(1.0 - gone * gone)
        one, two, three, _ = four_normals(*self._names, "position", count)
        self._at = now
        self._x = gone * self._x + fresh * self._each * one
        self._y = gone * self._y + fresh * self._each * two
        self._heading = gone * self._heading + fresh * self._turn * three
        return self._x, self._y, self._heading

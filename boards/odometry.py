"""The way that wheels add up to, for boards whose encoders count: wraps, references, and a doubt that grows."""

from __future__ import annotations

import math

from robotd.model.senses import Pose

DRIFT = 0.05  # m of doubt for each metre of wheel travel: wheels measured with a ruler, on a smooth floor


def difference(new: int, old: int, modulus: int) -> int:
    """`new` - `old` of a counter that wraps at `modulus`, the shorter way round: within half of it either way."""
    half = modulus // 2
    return (new - old + half) % modulus - half


class Odometry:
    """A pose in the frame of the place where it began (x forward, m, rad), with one sigma of its position."""

    def __init__(self, wheel_base: float) -> None:
        self._base = wheel_base
        self._x = self._y = self._heading = self._doubt = 0.0

    def roll(self, left: float, right: float) -> None:
        """The wheels have rolled so far since the last call, m."""
        way, turn = (left + right) / 2, (right - left) / self._base
        self.move(way, turn)

    def move(self, way: float, turn: float) -> None:
        """The middle of the axle went `way` m along an arc of `turn` rad."""
        self._x += way * math.cos(self._heading + turn / 2)
        self._y += way * math.sin(self._heading + turn / 2)
        self._heading = math.remainder(self._heading + turn, 2 * math.pi)
        self._doubt += DRIFT * (abs(way) + abs(turn) * self._base / 2)

    def add_doubt(self, way: float) -> None:
        """It may have moved `way` m, and nothing counted it."""
        self._doubt += way

    @property
    def pose(self) -> Pose:
        """As it is now; `accuracy` only grows."""
        return Pose(round(self._x, 4), round(self._y, 4), round(self._heading, 4), round(self._doubt, 3))

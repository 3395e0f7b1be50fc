"""The hulls that a simulated body can have: measures, mass, force of the drive, and parts that it never has."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from boards.mock import anatomy as r2


@dataclass(frozen=True)
class Hull:
    """Lengths in m, mass in kg, force of both wheels together in N; `gripper`: it has the R-2's notch."""

    length: float
    width: float
    wheel_base: float
    mass: float
    force: float
    gripper: bool = False
    lacks: tuple[str, ...] = ()

    @property
    def front(self) -> float:
        """From the middle of the axle to the front."""
        return self.length / 2

    @functools.cached_property
    def radius(self) -> float:
        """Of the circle round the hull: half its diagonal, rounded up to a centimetre."""
        return math.ceil(math.hypot(self.length, self.width) * 50) / 100

    @functools.cached_property
    def halves(self) -> tuple[float, float]:
        """Half of its length and width."""
        return self.front, self.width / 2


HULLS = {
    # 7 kg: a robot of this size with lead-acid batteries. 8 N reach top speed in 0.2 s; a 12 N box stalls one
    # robot and moves under two.
    "r2": Hull(r2.LENGTH, r2.WIDTH, r2.WHEEL_BASE, 7.0, 8.0, gripper=True),
    # Pioneer 2-DX (Gerkey and Mataric 2002, VI): 44 x 38 x 22 cm, 9 kg; its motors push about twice its weight's
    # rolling resistance.
    "pioneer": Hull(0.44, 0.38, 0.33, 9.0, 20.0, lacks=("gripper",)),
    # A small four-legged robot as of the RoboCup league of 2004, whose gait turns and advances as wheels do; its
    # body has no bump ring.
    "walker": Hull(0.28, 0.16, 0.13, 1.6, 4.0, lacks=("gripper", "bumpers")),
}

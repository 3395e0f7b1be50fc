"""A laser that looks ahead over a half circle, and what is made of its rays: the faces of the box.

A sight has the kind `face`, the bearing (rad) and range (m) of the face's middle, as size its length (m), and its
angle: 0 where the face is square to the robot, positive where it is turned counter-clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from boards.mock.camera import Eye
from robotd.model.senses import Sight

REACH, HALF = 8.0, math.pi / 2  # m; rad to each side: a laser scanner of a half circle
RANGE_NOISE, ANGLE_NOISE = 0.01, 0.02  # one sigma: m; rad of a line through some tens of readings
GROSS = 10.0  # times as much of a noisy one
MILLI = 1000  # steps in a metre or radian


class Laser(Eye):
    """See the module."""

    part = "laser"

    def look(self, tick: int) -> Iterator[Sight]:
        """See `Eye.look`: at most two faces, in the box's own order."""
        box = self.world.box
        if box is None:
            return
        factor = GROSS if self.robot.faults.get("laser") == "noisy" else 1.0
        for name, middle, outward, length in box.faces():
            bearing, far = self.to(middle)
            square = math.remainder(outward - self.robot.pose()[2] - math.pi, 2 * math.pi)
            turned_to_me = abs(math.remainder(square - bearing, 2 * math.pi)) < math.pi / 2
            if far > REACH or abs(bearing) > HALF or not turned_to_me:
                continue
            if not self.world.in_sight(self.robot, middle, box.body):
                continue
            one, two, three, _ = self.noise(name, tick)
            yield Sight(
                "face",
                _step(bearing + ANGLE_NOISE * factor * one),
                length,
                _step(far + RANGE_NOISE * factor * two),
                "box",
                _step(square + ANGLE_NOISE * factor * three),
            )


def _step(value: float) -> float:
    return round(value * MILLI) / MILLI

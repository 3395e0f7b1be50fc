"""The dirt sensor of a body with tools: how much is left to do in the areas in or near which the robot is."""

from __future__ import annotations

import math

from boards.mock import anatomy as r2
from boards.mock.areas import Area
from boards.mock.camera import Eye
from robotd.model.senses import Sight
from robotd.model.streams import draw

NEAR_M = 0.5  # beyond an area's edge it is not sensed: what a sensor that looks at the floor ahead reaches
SHARES = 20  # of an area it tells apart; the least that is left reads as one of them
BEARINGS = 10  # steps in a radian
RANGES = 20  # and in a metre
GROSS_CHANCE = 0.1  # of a noisy sensor's reading to be clean for dirty or the other way


class DirtSensor(Eye):
    """Readings that have not changed are the same object.

    A sight has the area's kind and name, the bearing (rad) of its centre, the distance (m) of its edge, 0 inside,
    and as size the share of its work that is left, 0 to 1.
    """

    part = r2.DIRT_SENSOR

    def sights(self, *, trusted: bool) -> tuple[Sight, ...]:
        """The areas near; none where the sensor is not `trusted`."""
        how = self.robot.faults.get(self.part)
        if not trusted or self.world.areas is None or not self.robot.present:
            return ()
        if how != "frozen":
            found = (self._sight(area, how == "noisy") for area in self.world.areas.by_name.values())
            sights = tuple(sight for sight in found if sight is not None)
            if sights != self._sights:
                self._sights = sights
        return self._sights

    def _sight(self, area: Area, noisy: bool) -> Sight | None:
        far, s = area.distance(*self.robot.pose()[:2]), area.settings
        if far > NEAR_M:
            return None
        bearing, _ = self.to((s.x_m, s.y_m))
        share = math.ceil(area.share() * SHARES) / SHARES
        if noisy and draw(self.world.seed, self.name, f"dirt {s.name}", self.world.count) < GROSS_CHANCE:
            share = 0.0 if share else 1.0
        return Sight(s.kind, round(bearing * BEARINGS) / BEARINGS, share, math.ceil(far * RANGES) / RANGES, s.name)

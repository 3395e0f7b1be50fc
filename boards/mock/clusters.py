"""Clusters of coloured pucks to be held all at once (paper 003, section V).

The pucks of a cluster are bolted to the floor on a ring round its place, a robot apart. A robot holds one while it
touches it, rests, and has a camera that does not miss its colour: what it never made out it touches by chance, and
takes no hold of. Each carries a lamp on a rod, above the robots, that is lit while the puck is held: a camera
that makes out its colour sees the lamp too (`boards.mock.eyes`), so that a robot that sees all pucks of a place
knows whether all of them are held now. Nothing else reports it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from boards.mock.anatomy import OBJECT_RADIUS
from boards.mock.bodies import RobotBody
from boards.mock.objects import Puck
from boards.mock.settings import ClusterSettings
from robotd.model.streams import draw

TOUCHED_M = 0.05  # a robot whose circle ends this near to a puck's edge touches it: its infrared reads less


def reach_of(robot: RobotBody) -> float:
    """How far from its axle the middle of a puck may be that a robot touches, m."""
    return robot.hull.radius + TOUCHED_M + OBJECT_RADIUS


class Cluster:
    """The pucks of one place; `places`: by name of each, m. The ring is turned by chance."""

    def __init__(self, name: str, settings: ClusterSettings, seed: int, space: Any) -> None:
        self.settings, self.place = settings, (settings.x_m, settings.y_m)
        turned, far = draw(seed, f"cluster {name}", "turned", 0), settings.radius_m
        self.places: dict[str, tuple[float, float]] = {}
        for k in range(settings.pucks):
            way = 2.0 * math.pi * (turned + k / settings.pucks)
            self.places[f"{name}-{k + 1}"] = settings.x_m + far * math.cos(way), settings.y_m + far * math.sin(way)
        self.pucks = [Puck(puck, "", at, space, settings.colour, fixed=True) for puck, at in self.places.items()]


class Clusters:
    """All clusters of a world by name, and the robots that hold their pucks."""

    def __init__(self, settings: Mapping[str, ClusterSettings], seed: int, space: Any) -> None:
        self.by_name = {name: Cluster(name, own, seed, space) for name, own in sorted(settings.items())}
        self.pucks = [puck for cluster in self.by_name.values() for puck in cluster.pucks]
        self.holders: Mapping[str, str] = {}
        """By held puck a robot that holds it, after the last step of the world."""

    def step(self, robots: Sequence[RobotBody]) -> None:
        """The world has made a step; holders stay those of this step, whatever robots do until the next."""
        holders: dict[str, str] = {}
        for robot in robots:
            if robot.solid and robot.present and not robot.drive.rolling:
                holders |= self._touched(robot)
        self.holders = holders

    def _touched(self, robot: RobotBody) -> dict[str, str]:
        at, reach, name = robot.pose()[:2], reach_of(robot), robot.spec.name
        seen = (one for one in self.by_name.values() if robot.makes_out(one.settings.colour))
        near = (one for one in seen if math.dist(at, one.place) <= one.settings.radius_m + reach)
        return {puck: name for one in near for puck, place in one.places.items() if math.dist(at, place) <= reach}

    def held(self, name: str) -> tuple[int, int]:
        """How many of a cluster's pucks are held, and how many it has."""
        pucks = self.by_name[name].places
        return sum(puck in self.holders for puck in pucks), len(pucks)

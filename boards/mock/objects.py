"""Spill objects: low pucks that robots push along the floor, see with their low infrared, and grip."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pymunk

from boards.mock.anatomy import OBJECT_RADIUS
from boards.mock.settings import SpillSettings, WorldSettings
from robotd.model.streams import Stream

WALL, ROBOT, LOW, HEAVY = 1, 2, 4, 8  # categories of shapes
OBJECTS = pymunk.ShapeFilter(mask=LOW)
MASS = 0.3  # kg, a full tin
DRAG = 0.9  # N: friction 0.3 on the floor
GAP = 4 * OBJECT_RADIUS  # between centres: fingers must fit between two objects
TRIES = 200


@dataclass(frozen=True, slots=True)
class ObjectTruth:
    """Where a spill object really is, m, and which robot holds it ('' none)."""

    name: str
    spill: str
    x: float
    y: float
    held_by: str
    colour: str = ""


class Puck:
    """One object in the space; while held it is out of it and `holder` carries it."""

    def __init__(
        self, name: str, spill: str, at: tuple[float, float], space: Any, colour: str = "", fixed: bool = False
    ) -> None:
        self.name, self.spill, self.colour, self.fixed, self.holder = name, spill, colour, fixed, ""
        self._space = space
        inert = float("inf")  # a round thing's turning changes nothing
        self.body = pymunk.Body(body_type=pymunk.Body.STATIC) if fixed else pymunk.Body(MASS, inert)
        self.body.position = at
        self.shape = pymunk.Circle(self.body, OBJECT_RADIUS)
        self.shape.friction = 0.2
        self.shape.filter = pymunk.ShapeFilter(categories=LOW)
        self.shape.puck = self
        if fixed:
            space.add(self.body, self.shape)
            return
        self._drag = pymunk.PivotJoint(space.static_body, self.body, (0, 0), (0, 0))
        self._drag.max_bias, self._drag.max_force = 0, DRAG
        space.add(self.body, self.shape, self._drag)

    def take(self, holder: str) -> None:
        """Leave the floor, into a robot's gripper."""
        self.holder = holder
        self._space.remove(self.body, self.shape, self._drag)

    def put(self, at: tuple[float, float]) -> None:
        """Stand on the floor again, at rest."""
        self.holder = ""
        self.body.position, self.body.velocity = at, (0, 0)
        self._space.add(self.body, self.shape, self._drag)


def coloured(settings: WorldSettings, space: Any) -> list[Puck]:
    """The pucks that the settings name by colour, numbered within each colour in their order."""
    pucks, counts = [], Counter[str]()
    for puck in settings.pucks:
        counts[puck.colour] += 1
        name = f"{puck.colour}-{counts[puck.colour]}"
        pucks.append(Puck(name, "", (puck.x_m, puck.y_m), space, puck.colour, puck.fixed))
    return pucks


def place(spill: SpillSettings, settings: WorldSettings, seed: int) -> list[tuple[float, float]]:
    """Where a spill's objects lie: within its spread, a grip apart, off walls; ValueError if they do not fit."""
    stream = Stream(seed, f"spill {spill.name}", "objects")
    margin = 0.3  # m off the walls: a robot must reach behind an object to face it
    spots: list[tuple[float, float]] = []
    for _ in range(TRIES * spill.objects):
        angle, far = stream.uniform(0, 2 * math.pi), spill.spread_m * math.sqrt(stream.uniform())
        x, y = spill.x_m + far * math.cos(angle), spill.y_m + far * math.sin(angle)
        x = min(max(x, margin), settings.width_m - margin)
        y = min(max(y, margin), settings.depth_m - margin)
        if all(math.hypot(x - a, y - b) >= GAP for a, b in spots):
            spots.append((x, y))
            if len(spots) == spill.objects:
                return spots
    raise ValueError(f"spill {spill.name}: {spill.objects} objects do not fit within spread_m = {spill.spread_m}")

"""A long heavy box on two runners, one near each end, to be pushed across the room (paper 001, section 3).

Each runner drags on the floor with half of the whole friction. A robot that pushes at one end moves that end,
round the other runner; one that pushes in the middle meets both runners and stalls; two robots, one at each end,
move it straight.
"""

from __future__ import annotations

import math
from typing import Any

import pymunk

from boards.mock.objects import HEAVY
from boards.mock.settings import BoxSettings

RUNNERS = 0.72  # of half the length, from the middle to each runner
FRICTION = 0.3  # between the box and a robot's hull
STAND = 0.02  # m between the box and a robot that people put at one of its ends
FROM_END = 0.1  # m from the box's end to the middle of that robot: its outer diagonal sensor sees past the end
CENTIMETRES = 100  # in a metre: progress is counted in whole ones

Pose = tuple[float, float, float]


class Box:
    """The box in the space; it lies along x at first, and is to be pushed towards larger y."""

    def __init__(self, settings: BoxSettings, space: Any) -> None:
        self.settings = settings
        long, deep = settings.length_m, settings.depth_m
        self.halves = long / 2, deep / 2
        self.body = pymunk.Body(settings.mass_kg, settings.mass_kg * (long**2 + deep**2) / 12)
        self.body.position = settings.x_m, settings.y_m
        shape = pymunk.Poly.create_box(self.body, (long, deep))
        shape.friction, shape.filter = FRICTION, pymunk.ShapeFilter(categories=HEAVY)
        space.add(self.body, shape)
        for end in (-1, 1):
            drag = pymunk.PivotJoint(space.static_body, self.body, (0, 0), (end * RUNNERS * long / 2, 0))
            drag.max_bias, drag.max_force = 0, settings.drag_n / 2
            space.add(drag)

    def pose(self) -> Pose:
        """x, y (m) of its middle, and how far it is turned from square (rad, counter-clockwise)."""
        at = self.body.position
        return at.x, at.y, self.body.angle

    def corners(self) -> list[tuple[float, float]]:
        """Its four corners, m."""
        long, deep = self.halves
        return [
            tuple(self.body.local_to_world((x, y)))
            for x, y in ((-long, -deep), (long, -deep), (long, deep), (-long, deep))
        ]

    def faces(self) -> list[tuple[str, tuple[float, float], float, float]]:
        """Name, middle (m), outward direction (rad) and length (m) of each face."""
        long, deep = self.halves
        of = (
            ("front", 0, -deep, long),
            ("right", long, 0, deep),
            ("back", 0, deep, long),
            ("left", -long, 0, deep),
        )
        return [
            (name, tuple(self.body.local_to_world((x, y))), self.body.angle + math.atan2(y, x), 2 * half)
            for name, x, y, half in of
        ]

    def place_at(self, end: str, from_hull: float) -> tuple[float, float]:
        """The place of a robot that faces its `left` or `right` end; `from_hull`: its middle to its front, m."""
        long, deep = self.halves
        side = -1 if end == "left" else 1
        place = self.body.local_to_world((side * (long - FROM_END), -deep - STAND - from_hull))
        return place.x, place.y

    def progress(self) -> tuple[int, int]:
        """How many centimetres of how many its middle has come towards the line at `goal_y_m`, or to its point."""
        goal = self.settings.goal_x_m
        if goal is not None:
            return self._to_point((goal, self.settings.goal_y_m))
        whole = round((self.settings.goal_y_m - self.settings.y_m) * CENTIMETRES)
        come = int((self.body.position.y - self.settings.y_m) * CENTIMETRES)
        return min(max(come, 0), whole), whole

    def _to_point(self, goal: tuple[float, float]) -> tuple[int, int]:
        whole = math.ceil(math.dist((self.settings.x_m, self.settings.y_m), goal) * CENTIMETRES)
        left = math.dist(self.body.position, goal)
        return (
            whole if left <= self.settings.goal_radius_m else max(whole - math.ceil(left * CENTIMETRES), 0)
        ), whole

"""What is in the room: pucks that robots push and grip, a long heavy box, walls.

Pucks are low: only the low infrared sensors see them. The box (paper 001, section 3) lies on two runners, one near
each end; each drags on the floor with half of the whole friction: a robot that pushes at one end moves that end,
round the other runner; one in the middle meets both and stalls; two, one at each end, move it straight. Walls
block bodies, rays and cameras, and, where their settings ask for it, radio.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymunk

from boards.mock.anatomy import OBJECT_RADIUS
from boards.mock.rays import Block, Place
from boards.mock.settings import BoxSettings, SpillSettings, WallSettings, WorldSettings
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
        """A robot grips it."""
        self.holder = holder
        self._space.remove(self.body, self.shape, self._drag)

    def put(self, at: tuple[float, float]) -> None:
        """The robot lets it go at a place, m."""
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


RUNNERS = 0.72  # of half the length, from the middle to each runner
FRICTION = 0.3  # between the box and a robot's hull
STAND = 0.02  # m between the box and a robot that people put at one of its ends
FROM_END = 0.1  # m from the box's end to the middle of that robot: its outer diagonal sensor sees past the end
NEAR_END = 0.9  # of half the length
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

    def points(self) -> list[tuple[float, float]]:
        """Its middle and a point near each end, m: it is in sight where one of them is."""
        return self._in_room((0, 0), (-NEAR_END * self.halves[0], 0), (NEAR_END * self.halves[0], 0))

    def corners(self) -> list[tuple[float, float]]:
        """Where its corners are in the room, m."""
        long, deep = self.halves
        return self._in_room((-long, -deep), (long, -deep), (long, deep), (-long, deep))

    def _in_room(self, *points: tuple[float, float]) -> list[tuple[float, float]]:
        return [tuple(self.body.local_to_world(point)) for point in points]

    def faces(self) -> list[tuple[str, tuple[float, float], float, float]]:
        """Name, middle (m), outward direction (rad) and length (m) of each face."""
        long, deep = self.halves
        of = ("front", 0, -deep, long), ("right", long, 0, deep), ("back", 0, deep, long), ("left", -long, 0, deep)
        at, turned = self.body.local_to_world, self.body.angle
        return [(name, tuple(at((x, y))), turned + math.atan2(y, x), 2 * half) for name, x, y, half in of]

    def place_at(self, end: str, from_hull: float) -> tuple[float, float]:
        """The place of a robot that faces its `left` or `right` end; `from_hull`: its middle to its front, m."""
        long, deep = self.halves
        side = -1 if end == "left" else 1
        place = self.body.local_to_world((side * (long - FROM_END), -deep - STAND - from_hull))
        return place.x, place.y

    def came_m(self) -> float:
        """How much nearer to its goal its middle is than at the start, m."""
        at, goal = self.settings, self.settings.goal_x_m
        if goal is None:
            return float(self.body.position.y - at.y_m)
        start = math.dist((at.x_m, at.y_m), (goal, at.goal_y_m))
        return start - math.dist(self.body.position, (goal, at.goal_y_m))

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
        near = left <= self.settings.goal_radius_m
        return whole if near else max(whole - math.ceil(left * CENTIMETRES), 0), whole


def build_walls(walls: Sequence[WallSettings], thick: float, space: Any) -> tuple[Block, ...]:
    """Put the walls into the space, `thick` m each; returns what rays meet of them."""
    blocks = []
    for wall in walls:
        (x, y), (a, b) = wall.ends
        half = (math.dist((x, y), (a, b)) / 2, thick / 2)
        block = ((x + a) / 2, (y + b) / 2, math.atan2(b - y, a - x)), half
        blocks.append(block)
        turn = pymunk.Transform.translation(*block[0][:2]) @ pymunk.Transform.rotation(block[0][2])
        corners = [(-half[0], -half[1]), (half[0], -half[1]), half, (-half[0], half[1])]
        shape = pymunk.Poly(space.static_body, corners, turn)
        shape.friction, shape.filter = 0.3, pymunk.ShapeFilter(categories=WALL)
        space.add(shape)
    return tuple(blocks)


def crosses(wall: WallSettings, one: Place, other: Place) -> bool:
    """Whether the middle line of a wall lies between two places."""
    a, b = wall.ends
    return _side(a, b, one) * _side(a, b, other) < 0 and _side(one, other, a) * _side(one, other, b) < 0


def _side(a: Place, b: Place, c: Place) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

"""Infrared rays in closed form: walls as lines, robots as boxes, spill objects as circles.

Queries of the physics library cost several times as much, and rays are the dearest part of a simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boards.mock import anatomy as r2

REACH = r2.RADIUS + r2.RANGE_HIGH  # m from the axle; farther off nothing is seen
OBJECT_REACH = r2.RADIUS + r2.OBJECT_SEEN + r2.OBJECT_RADIUS
BEAM = 0.01  # m, half the width of a beam where it meets an object
_PARALLEL = 1e-9  # a direction this close to that of a wall never meets it

Place = tuple[float, float]
Pose = tuple[float, float, float]
Box = tuple[float, float, float, float, float]
"""Of a robot or the box: offset, cosine and sine of its heading, distance squared."""
_ROUND = r2.RADIUS**2  # a ray that passes its middle farther off misses it


def _mount(bearing: float) -> float:
    """How far from the axle the hull ends under a bearing, m."""
    ahead, sideways = abs(math.cos(bearing)), abs(math.sin(bearing))
    return min(
        r2.FRONT / ahead if ahead > _PARALLEL else math.inf,
        r2.WIDTH / 2 / sideways if sideways > _PARALLEL else math.inf,
    )


_RAYS = tuple(
    (math.cos(sensor.bearing), math.sin(sensor.bearing), _mount(sensor.bearing), sensor.low)
    for sensor in r2.INFRARED
)
HULL = (r2.FRONT, r2.WIDTH / 2)
NOTHING = (math.inf,) * len(_RAYS)


@dataclass(frozen=True, slots=True)
class Scene:
    """All that the rays of one robot can meet: its pose, and the poses of robots and places of objects near it."""

    at: Pose
    robots: tuple[Pose, ...]
    objects: tuple[Place, ...]
    heavy: tuple[Pose, Place] | None = None  # a box near it: its pose, and half its length and depth


def scene(
    at: Pose, robots: Iterable[Pose], objects: Iterable[Place], heavy: tuple[Pose, Place] | None = None
) -> Scene:
    """What of a room's robots and objects may be near enough: those in a square round it."""
    x, y, _ = at
    near, low = REACH + r2.RADIUS, OBJECT_REACH
    return Scene(
        at,
        tuple([other for other in robots if abs(other[0] - x) < near and abs(other[1] - y) < near]),
        tuple([place for place in objects if abs(place[0] - x) < low and abs(place[1] - y) < low]),
        heavy,
    )


def cast(scene: Scene, width: float, depth: float) -> tuple[float, ...]:
    """Distance from the hull to the nearest thing along each sensor's bearing, m; inf where none is in reach.

    `width` and `depth` are the room's. Rays start at the axle, so that something in the gripper's notch reads as
    nearer than the hull (below 0).
    """
    x, y, heading = scene.at
    boxes = [_relative(x, y, other) for other in scene.robots]
    rounds = [(a - x, b - y) for a, b in scene.objects]
    heavy = _relative(x, y, scene.heavy[0]) if scene.heavy is not None else None
    walled = x < REACH or y < REACH or x > width - REACH or y > depth - REACH
    if not (walled or boxes or rounds or heavy):
        return NOTHING
    ahead, left = math.cos(heading), math.sin(heading)
    seen = []
    for c, s, mount, low in _RAYS:
        dx, dy = c * ahead - s * left, s * ahead + c * left
        far = limit = mount + r2.RANGE_HIGH
        if walled:
            far = _to_walls(far, x, y, dx, dy, width, depth)
        for box in boxes:
            along = box[0] * dx + box[1] * dy
            if along > 0 and box[4] - along * along < _ROUND:
                far = _to_box(far, dx, dy, box, HULL)
        if heavy is not None and scene.heavy is not None:
            far = _to_box(far, dx, dy, heavy, scene.heavy[1])
        if low and rounds:
            far = _to_rounds(far, dx, dy, mount + r2.OBJECT_SEEN, rounds)
        seen.append(far - mount if far < limit else math.inf)
    return tuple(seen)


def _relative(x: float, y: float, other: Pose) -> Box:
    dx, dy = other[0] - x, other[1] - y
    return dx, dy, math.cos(other[2]), math.sin(other[2]), dx * dx + dy * dy


def _to_walls(far: float, x: float, y: float, dx: float, dy: float, width: float, depth: float) -> float:
    """The nearer of `far` and the first wall."""
    across = (width - x) / dx if dx > _PARALLEL else -x / dx if dx < -_PARALLEL else far
    along = (depth - y) / dy if dy > _PARALLEL else -y / dy if dy < -_PARALLEL else far
    nearest = across if across < along else along
    return nearest if nearest < far else far


def _to_box(far: float, dx: float, dy: float, box: Box, halves: Place) -> float:
    """The nearer of `far` and where the ray enters a rectangle of these half sizes (slabs, in its own frame)."""
    ox, oy, c, s, _ = box
    enter, leave = 0.0, far
    starts = -(ox * c + oy * s), ox * s - oy * c
    steps = dx * c + dy * s, dy * c - dx * s
    for start, step, half in zip(starts, steps, halves, strict=True):
        if abs(step) < _PARALLEL:
            if abs(start) > half:
                return far
            continue
        one, two = (-half - start) / step, (half - start) / step
        enter, leave = max(enter, min(one, two)), min(leave, max(one, two))
    return enter if enter <= leave else far


def _to_rounds(far: float, dx: float, dy: float, most: float, rounds: Sequence[Place]) -> float:
    """The nearer of `far` and the first object within `most`."""
    for ox, oy in rounds:
        along = ox * dx + oy * dy
        inside = (r2.OBJECT_RADIUS + BEAM) ** 2 - (ox * ox + oy * oy - along * along)
        if along > 0 and inside > 0:
            distance = along - math.sqrt(inside)
            if distance <= most:
                far = min(far, distance)
    return far

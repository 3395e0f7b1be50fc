"""Infrared rays in closed form: the room's walls as lines, robots and walls in it as boxes, objects as circles.

Queries of the physics library cost several times as much, and rays are the dearest part of a simulation.
"""

import functools
import math
from collections.abc import Iterable, Sequence

from boards.mock import anatomy as r2
from boards.mock.anatomy import Hull
from robotd.model.value import value

BEAM = 0.01  # m, half the width of a beam where it meets an object
_PARALLEL = 1e-9  # a direction this close to that of a wall never meets it

Place = tuple[float, float]
Pose = tuple[float, float, float]
Box = tuple[float, float, float, float, float]
"""Of a robot or the box: offset, cosine and sine of its heading, distance squared."""
Block = tuple[Pose, Place]
"""A rectangle: its pose, and half its length and depth, m."""
Bodies = Iterable[tuple[Pose, Hull]]
NOTHING = (math.inf,) * len(r2.INFRARED)


def reach(hull: Hull) -> float:
    """From the axle, m; nothing is seen farther off."""
    return hull.radius + r2.RANGE_HIGH


def object_reach(hull: Hull) -> float:
    """The same for the middles of low objects."""
    return hull.radius + r2.OBJECT_SEEN + r2.OBJECT_RADIUS


@functools.cache
def _rays_of(hull: Hull) -> tuple[tuple[float, float, float, bool], ...]:
    """Of each sensor: cosine and sine of its bearing, the hull's end there, m from the axle, and if it is low."""
    rays = []
    for sensor in r2.INFRARED:
        ahead, sideways = abs(math.cos(sensor.bearing)), abs(math.sin(sensor.bearing))
        by_front = hull.front / ahead if ahead > _PARALLEL else math.inf
        mount = min(by_front, hull.width / 2 / sideways if sideways > _PARALLEL else math.inf)
        rays.append((math.cos(sensor.bearing), math.sin(sensor.bearing), mount, sensor.low))
    return tuple(rays)


@value
class Scene:
    """All that the rays of one robot can meet: its pose and hull, and robots, objects and other blocks near it."""

    at: Pose
    hull: Hull
    robots: tuple[tuple[Pose, Hull], ...]
    objects: tuple[Place, ...]
    blocks: tuple[Block, ...] = ()  # the box, and walls inside the room


def scene(
    at: Pose,
    hull: Hull,
    robots: Bodies,
    objects: Sequence[Place],
    walls: Sequence[Block] = (),
    box: Block | None = None,
) -> Scene:
    """What of a room's robots, objects and walls may be near enough: those in a square round it; and the box."""
    x, y, _ = at
    far, low = reach(hull), object_reach(hull)
    blocks = [wall for wall in walls if math.dist(wall[0][:2], (x, y)) < far + math.hypot(*wall[1])]
    near = []
    for other, its in robots:
        apart = far + its.radius
        if abs(other[0] - x) < apart and abs(other[1] - y) < apart:
            near.append((other, its))
    places = [place for place in objects if abs(place[0] - x) < low and abs(place[1] - y) < low] if objects else ()
    return Scene(at, hull, tuple(near), tuple(places), (*blocks, box) if box is not None else tuple(blocks))


def cast(scene: Scene, width: float, depth: float) -> tuple[float, ...]:
    """Distance from the hull to the nearest thing along each sensor's bearing, m; inf where none is in reach.
    `width` and `depth` are the room's. Rays start at the axle, so that something in the gripper's notch reads as
    nearer than the hull (below 0)."""
    x, y, heading = scene.at
    far_off = reach(scene.hull)
    boxes = [(_relative(x, y, other), hull.halves, hull.radius**2) for other, hull in scene.robots]
    rounds = [(a - x, b - y) for a, b in scene.objects]
    blocks = [(_relative(x, y, pose), halves) for pose, halves in scene.blocks]
    walled = x < far_off or y < far_off or x > width - far_off or y > depth - far_off
    if not (walled or boxes or rounds or blocks):
        return NOTHING
    ahead, left = math.cos(heading), math.sin(heading)
    seen = []
    for c, s, mount, low in _rays_of(scene.hull):
        dx, dy = c * ahead - s * left, s * ahead + c * left
        far = limit = mount + r2.RANGE_HIGH
        if walled:
            far = _to_walls(far, x, y, dx, dy, width, depth)
        for box, halves, round_ in boxes:
            along = box[0] * dx + box[1] * dy
            if along > 0 and box[4] - along * along < round_:  # else the ray passes its middle too far off
                far = _to_box(far, dx, dy, box, halves)
        for box, halves in blocks:
            far = _to_box(far, dx, dy, box, halves)
        if low and rounds:
            far = _to_rounds(far, dx, dy, mount + r2.OBJECT_SEEN, rounds)
        seen.append(far - mount if far < limit else math.inf)
    return tuple(seen)


def _relative(x: float, y: float, other: Pose) -> Box:
    dx, dy = other[0] - x, other[1] - y
    return dx, dy, math.cos(other[2]), math.sin(other[2]), dx * dx + dy * dy


def _to_walls(far: float, x: float, y: float, dx: float, dy: float, width: float, depth: float) -> float:
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
    for ox, oy in rounds:
        along = ox * dx + oy * dy
        inside = (r2.OBJECT_RADIUS + BEAM) ** 2 - (ox * ox + oy * oy - along * along)
        if along > 0 and inside > 0:
            distance = along - math.sqrt(inside)
            if distance <= most:
                far = min(far, distance)
    return far

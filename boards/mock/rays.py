"""Infrared rays: walls in closed form, robots and objects through the space, and only where some are near."""

from __future__ import annotations

import math
from typing import Any

from boards.mock import anatomy as r2
from boards.mock.bodies import RobotBody
from boards.mock.objects import LOW

REACH = r2.RANGE_HIGH + r2.RADIUS  # farther than this from the axle nothing is seen
BEAM = 0.01  # m, half the width of a beam
_PARALLEL = 1e-9  # a direction this close to a wall's never meets it


def _mount(bearing: float) -> float:
    """How far from the axle the hull ends under a bearing, m."""
    sideways, ahead = abs(math.sin(bearing)), abs(math.cos(bearing))
    return min(
        r2.FRONT / ahead if ahead > _PARALLEL else math.inf,
        r2.WIDTH / 2 / sideways if sideways > _PARALLEL else math.inf,
    )


_RAYS = tuple(
    (math.cos(sensor.bearing), math.sin(sensor.bearing), _mount(sensor.bearing), sensor.low)
    for sensor in r2.INFRARED
)
_NOTHING = (math.inf,) * len(_RAYS)


def cast(robot: RobotBody, space: Any, width: float, depth: float) -> tuple[float, ...]:
    """Distance from the hull to the nearest thing along each sensor's bearing, m; inf where none is in reach.

    Rays start at the axle, so that something in the gripper's notch reads as nearer than the hull (below 0).
    """
    body = robot.body
    x, y = body.position
    near = space.point_query_nearest((x, y), REACH, robot.sees) is not None
    walled = min(x, y, width - x, depth - y) < REACH
    if not near and not walled:
        return _NOTHING
    ahead, left = math.cos(body.angle), math.sin(body.angle)
    seen = []
    for c, s, mount, low in _RAYS:
        dx, dy = c * ahead - s * left, s * ahead + c * left
        far = limit = mount + r2.RANGE_HIGH
        if walled:
            far = min(far, _to_wall(x, dx, width), _to_wall(y, dy, depth))
        if near:
            end = x + dx * far, y + dy * far
            far *= _share(robot, space, (x, y), end, (mount + r2.OBJECT_SEEN) / far if low else 0.0)
        seen.append(far - mount if far < limit else math.inf)
    return tuple(seen)


def _to_wall(at: float, step: float, size: float) -> float:
    if step > _PARALLEL:
        return (size - at) / step
    return -at / step if step < -_PARALLEL else math.inf


def _share(
    robot: RobotBody, space: Any, start: tuple[float, float], end: tuple[float, float], objects_to: float
) -> float:
    """The share of the way to `end` that is free; low objects count up to the share `objects_to`."""
    found = space.segment_query_first(start, end, BEAM, robot.sees if objects_to else robot.sees_tall)
    if found is not None and found.alpha > objects_to and found.shape.filter.categories == LOW:
        found = space.segment_query_first(start, end, BEAM, robot.sees_tall)
    return 1.0 if found is None else float(found.alpha)

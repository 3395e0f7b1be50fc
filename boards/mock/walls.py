"""Walls inside a room: they block bodies, rays and cameras, and, where their settings say so, radio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pymunk

from boards.mock.objects import WALL
from boards.mock.rays import Block, Place
from boards.mock.settings import WallSettings


def build(walls: Sequence[WallSettings], thick: float, space: Any) -> tuple[Block, ...]:
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

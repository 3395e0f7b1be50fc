"""What proximity sensors read, as distances and back: curves of (reading, metres) with falling readings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

Curve = Sequence[tuple[int, float]]


def metres(reading: float, curve: Curve) -> float | None:
    """The distance that a reading means; None below the last point of the curve: nothing seen."""
    if reading < curve[-1][0]:
        return None
    for (high, near), (low, far) in itertools.pairwise(curve):
        if reading >= low:
            share = max(0.0, (high - reading) / (high - low))
            return near + share * (far - near)
    return curve[-1][1]


def level(distance: float | None, curve: Curve, nothing: float) -> float:
    """What is read at a distance, m; `nothing` where that is None or beyond the curve."""
    if distance is None or distance > curve[-1][1]:
        return nothing
    for (high, near), (low, far) in itertools.pairwise(curve):
        if distance <= far:
            return high - max(0.0, distance - near) / (far - near) * (high - low)
    return nothing


def check(name: str, curve: Curve) -> None:
    """ValueError for a curve that tells no distance from every reading."""
    readings, distances = zip(*curve, strict=True)
    if not all(map(math.isfinite, distances)):
        raise ValueError(f"{name}: distances are numbers of metres, neither inf nor nan")
    if sorted(set(readings), reverse=True) != list(readings) or sorted(set(distances)) != list(distances):
        raise ValueError(f"{name}: readings must fall and distances grow from point to point")
    if distances[0] <= 0:
        raise ValueError(f"{name}: distances are above 0 m")

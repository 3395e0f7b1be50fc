"""Proximity sensors: what a reading means, by a curve of (reading, metres); which resource a bearing serves."""

import itertools
import math
from collections.abc import Iterable, Sequence

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
    """ValueError for a curve that gives no distance from every reading."""
    readings, distances = zip(*curve, strict=True)
    if not all(map(math.isfinite, distances)):
        raise ValueError(f"{name}: distances are numbers of metres, neither inf nor nan")
    if sorted(set(readings), reverse=True) != list(readings) or sorted(set(distances)) != list(distances):
        raise ValueError(f"{name}: readings must fall and distances grow from point to point")
    if distances[0] <= 0:
        raise ValueError(f"{name}: distances are above 0 m")


STANDS_STILL, OUTDATED = "stands still while the robot moves", "has no fresh reading"  # of a sensor
AHEAD, SIDEWARD = 0.35, (1.3, 1.85)  # rad: front sensors look within 20 degrees of ahead, side ones about across


def resource_of(bearing: float) -> str:
    """`front-range`, `side-range`, or '' for a sensor that neither needs."""
    if abs(bearing) <= AHEAD:
        return "front-range"
    return "side-range" if SIDEWARD[0] <= abs(bearing) <= SIDEWARD[1] else ""


def fitted(bearings: Iterable[float]) -> set[str]:
    """The resources that sensors at these bearings make up; side range takes one on either side."""
    served = {(resource_of(bearing), bearing > 0) for bearing in bearings}
    both_sides = {("side-range", True), ("side-range", False)} <= served
    return {name for name, _ in served if name == "front-range" or (name == "side-range" and both_sides)}


def mark_missing(lost: dict[str, str], resource: str, words: str) -> None:
    """Add a reason for which a resource is missing; none for ''."""
    if resource:
        lost[resource] = f"{lost[resource]}; {words}" if resource in lost else words


def named(kind: str, bearing: float) -> str:
    """A sensor's name in reasons."""
    return f"{kind} at {round(math.degrees(bearing))} degrees"


def mark_sensor(lost: dict[str, str], kind: str, bearing: float, words: str) -> None:
    """Add what is wrong with one sensor to the resource that it serves."""
    mark_missing(lost, resource_of(bearing), f"{named(kind, bearing)} {words}")

"""Which resource a proximity sensor serves, by the bearing at which it looks."""

from __future__ import annotations

from collections.abc import Iterable

AHEAD, SIDEWARD = 0.35, (1.3, 1.85)  # rad: front sensors look within 20 degrees of ahead, side ones about across


def resource_of(bearing: float) -> str:
    """`front-range`, `side-range`, or '' for a sensor that neither needs."""
    if abs(bearing) <= AHEAD:
        return "front-range"
    return "side-range" if SIDEWARD[0] <= abs(bearing) <= SIDEWARD[1] else ""


def fitted(bearings: Iterable[float]) -> set[str]:
    """The resources that sensors at these bearings make up; side range takes one on either side."""
    found = set()
    sides = set()
    for bearing in bearings:
        resource = resource_of(bearing)
        if resource == "side-range":
            sides.add(bearing > 0)
        elif resource:
            found.add(resource)
    return found | ({"side-range"} if len(sides) == 2 else set())


def mark_missing(lost: dict[str, str], resource: str, words: str) -> None:
    """Add a reason for which a resource is missing; none for ''."""
    if resource:
        lost[resource] = f"{lost[resource]}; {words}" if resource in lost else words


def named(kind: str, bearing: float) -> str:
    """A sensor as people are told of it."""
    return f"{kind} at {round(bearing * 57.3)} degrees"

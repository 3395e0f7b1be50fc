"""The senses and capabilities of a board, in lines for a person."""

from __future__ import annotations

import math
from collections.abc import Iterator

from robotd.model.senses import Bump, Capabilities, Grip, Pose, Senses


def format_senses(senses: Senses, able: Capabilities) -> list[str]:
    """What works and what is missing, then each group of readings that is present."""
    return [f"{name:<10} {words}" for name, words in _rows(senses, able)]


def _rows(senses: Senses, able: Capabilities) -> Iterator[tuple[str, str]]:
    yield "works", ", ".join(able.resources) or "nothing"
    for name, why in able.missing:
        yield "missing", f"{name}: {why}"
    if senses.wheels is not None:
        yield "wheels", f"left {senses.wheels.left:+.2f} m/s, right {senses.wheels.right:+.2f} m/s"
    for name, pose in (("odometry", senses.odometry), ("position", senses.pose)):
        if pose is not None:
            yield name, _pose(pose)
    for kind in sorted({reading.kind for reading in senses.ranges}):
        seen = sorted((r for r in senses.ranges if r.kind == kind), key=lambda r: -r.bearing)
        yield kind, "  ".join(f"{_degrees(r.bearing)} {_metres(r.distance)}" for r in seen)
    if senses.bumps:
        yield "bumps", _pressed(senses.bumps)
    if senses.cliffs:
        yield "cliffs", _pressed(senses.cliffs)
    if senses.grip is not None:
        yield "gripper", _grip(senses.grip)
    for sight in senses.sights:
        yield "sees", f"{sight.kind} {sight.label} at {_degrees(sight.bearing)}"
    if senses.battery is not None:
        yield "battery", f"{senses.battery:.0%}{', charging' if senses.charging else ''}"
    felt = [word for word, on in (("lifted", senses.lifted), ("stalled", senses.stalled)) if on]
    if felt:
        yield "state", ", ".join(felt)


def _pose(pose: Pose) -> str:
    return f"x {pose.x:.2f} m, y {pose.y:.2f} m, heading {_degrees(pose.heading)}, good to {pose.accuracy:.2f} m"


def _grip(grip: Grip) -> str:
    felt = [word for word, on in (("beam broken", grip.beam), ("pressed", grip.bump)) if on]
    return ", ".join([f"opening {grip.opening:.0%}", f"lift {grip.lift:.0%}", *felt])


def _pressed(bumps: tuple[Bump, ...]) -> str:
    on = [_degrees(bump.bearing) for bump in bumps if bump.pressed]
    return f"at {', '.join(on)}" if on else f"none of {len(bumps)}"


def _degrees(radians: float) -> str:
    return f"{math.degrees(radians):+.0f}°"


def _metres(distance: float | None) -> str:
    return "-" if distance is None else f"{distance:.2f} m"

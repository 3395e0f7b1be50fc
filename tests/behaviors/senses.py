"""Hand-made inputs for behaviors: proximity readings by bearing in degrees, a pose, pressed bumpers."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from behaviors.parts import Drive, Percept, by_sector
from robotd.model.senses import Bump, Capabilities, Grip, Pose, Range, Senses, Wheels

BODY = Capabilities(
    resources=("bumpers", "front-range", "gripper", "mobile", "odometry", "positioning", "side-range", "sound"),
    max_speed=0.25,
    wheel_base=0.22,
    radius=0.2,
)
BEARINGS = (0, 15, -15, 45, -45, 90, -90, 180)


def ranges(seen: Mapping[int, float]) -> tuple[Range, ...]:
    """All eight sensors; those not named see nothing."""
    return tuple(Range("infrared", math.radians(b), seen.get(b), 0.04, 0.8) for b in BEARINGS)


def percept(
    n: int = 0, seen: Mapping[int, float] | None = None, pose: tuple[float, float, float] = (1.0, 1.0, 0.0),
    wanted: Drive | None = None, bumped: int | None = None, wheels: tuple[float, float] | None = None,
    grip: Grip | None = None, hz: int = 10,
) -> Percept:  # fmt: skip
    """One tick's inputs, `n` ticks after the start."""
    readings = ranges(seen or {})
    bumps = (Bump(math.radians(bumped), pressed=True),) if bumped is not None else ()
    senses = Senses(
        wheels=Wheels(*wheels) if wheels else None, pose=Pose(*pose, 0.15), ranges=readings, bumps=bumps, grip=grip
    )
    return Percept(n / hz, n, senses, BODY, Pose(*pose, 0.05), by_sector(readings), wanted)


def sensing(i: Percept, **senses: Any) -> Percept:
    """The same inputs but for these senses by name."""
    return replace(i, senses=replace(i.senses, **senses))

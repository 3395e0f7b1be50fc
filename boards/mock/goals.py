"""What a mission can ask of its world, and how much of it is brought about."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from boards.mock.world import World

TOUCHED_M = 0.05  # a robot whose circle ends this near to a puck's edge touches it: its infrared reads less


def _delivered(world: World) -> tuple[int, int]:
    spills = [spill.name for spill in world.settings.spills]
    return sum(world.delivered(spill) for spill in spills), sum(world.total(spill) for spill in spills)


def _finished(world: World) -> tuple[int, int]:
    """Robots past the finish, of those that are in the room; of all that there are where none is."""
    line = world.settings.finish.y_m
    if line is None:
        return 0, 0
    driven = [robot for robot in world.robots.values() if robot.solid]
    here = [robot.pose()[1] for robot in driven if robot.present]
    return sum(y >= line for y in here), len(here) or len(driven)


def _touched(world: World) -> tuple[int, int]:
    robots = [robot for robot in world.robots.values() if robot.solid and robot.present]
    pucks = [puck for puck in world.pucks if puck.colour]
    at = [
        any(
            math.dist(robot.pose()[:2], puck.body.position) <= robot.hull.radius + puck.shape.radius + TOUCHED_M
            for robot in robots
        )
        for puck in pucks
    ]
    return sum(at), len(at)


AIMS: Mapping[str, Callable[[World], tuple[int, int]]] = {
    "delivered": _delivered,  # objects of spills, let go at the goal
    "clean": lambda world: world.areas.progress() if world.areas is not None else (0, 0),  # areas
    "box": lambda world: world.box.progress() if world.box is not None else (0, 0),  # centimetres of the box's way
    "finish": _finished,  # robots past the line
    "touched": _touched,  # coloured pucks
}
USUAL = ("delivered", "clean", "box", "finish")  # without a word of the mission: coloured pucks may be landmarks


def progress(world: World, aims: Collection[str] | None = None) -> tuple[int, int]:
    """How much of how much of `aims` is brought about; None: of the usual ones that the world has."""
    counts = [AIMS[aim](world) for aim in (USUAL if aims is None else aims)]
    return sum(done for done, _ in counts), sum(total for _, total in counts)

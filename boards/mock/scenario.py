"""Scenario events that act on a robot's body: the physical verbs of the event vocabulary.

| verb | argument | effect |
|---|---|---|
| remove | | lifted out of the room; an object in its gripper is put down where it stood |
| return | | put back at the entrance, facing in, or at its end of the box, facing that |
| seize, release | | a person holds it where it is; lets it go |
| slow | factor, default 0.5; 1 mends | its wheels turn at that share of what is commanded |
| motors-dead | | its wheels stay still |
| dead, frozen, noisy | part or group | no readings; the last reading for ever; readings with gross errors |
| dead | one of the body's own `resources` | it is missing, as a dead part is |
| blind | colour | its camera misses things of that colour, and nothing reports so |
| restore | part, group, `motors`, `all`; default all | mends what is dead, frozen, noisy or blind |
"""

import re

from boards.mock import anatomy as r2
from boards.mock.bodies import RobotBody
from boards.mock.world import World

FAULTS = ("dead", "frozen", "noisy")
VERBS = ("remove", "return", "seize", "release", "slow", "motors-dead", *FAULTS, "blind", "restore")
_NOT_SENSORS = ("motors", "sound", *r2.TOOLS)  # these can only be dead


def apply(world: World, verb: str, robot_name: str, arg: str, now: float) -> None:
    """Apply a verb at `now` (s) to a robot by name or to `all`; ValueError names what is valid."""
    world.advance(now)
    if verb not in VERBS:
        raise ValueError(f"a body has no event {verb!r}; valid: {', '.join(VERBS)}")
    if robot_name != "all" and robot_name not in world.robots:
        raise ValueError(f"no robot {robot_name!r} in this world; valid: all, {', '.join(world.robots)}")
    named = tuple(sorted({name for robot in world.robots.values() for name in robot.spec.resources}))
    for robot in world.robots.values() if robot_name == "all" else (world.robots[robot_name],):
        _apply(world, robot, verb, arg, named)


def _apply(world: World, robot: RobotBody, verb: str, arg: str, named: tuple[str, ...]) -> None:
    robot.changes += 1
    if verb == "remove":
        robot.remove()
    elif verb == "return":
        if not robot.present:
            robot.put(*world.place_for(robot))
    elif verb == "seize":
        robot.seize()
    elif verb == "release":
        robot.release()
    elif verb == "slow":
        robot.drive.factor = _factor(arg or "0.5")
    elif verb == "blind":
        robot.blinded |= {_colour(arg)}
    elif verb == "restore":
        _restore(robot, arg or "all", named)
    else:
        _break(robot, *("dead", "motors") if verb == "motors-dead" else (verb, arg), named)


def _factor(arg: str) -> float:
    try:
        factor = float(arg)
    except ValueError:
        factor = -1.0
    if not 0.0 <= factor <= 2.0:
        raise ValueError(f"slow needs a factor from 0 to 2, found {arg!r}")
    return factor


def _colour(arg: str) -> str:
    if not re.fullmatch("[a-z]+", arg):
        raise ValueError(f"blind needs a colour, a word of lower-case letters, found {arg!r}")
    return arg


def _break(robot: RobotBody, how: str, arg: str, named: tuple[str, ...]) -> None:
    parts, mute = r2.parts_of(arg, named), (*_NOT_SENSORS, *named)
    if how != "dead" and any(part in mute for part in parts) and arg != "all":
        raise ValueError(f"{arg} is no sensor: it can be dead, not {how}")
    for part in parts:
        was = robot.faults.get(part)
        if was != "absent" and (how == "dead" or (was != "dead" and part not in mute)):
            robot.faults[part] = how  # what is dead stays dead until it is mended


def _restore(robot: RobotBody, arg: str, named: tuple[str, ...]) -> None:
    for part in r2.parts_of(arg, named):
        if part == "camera":
            robot.blinded = frozenset()
        if robot.faults.get(part) != "absent":
            robot.faults.pop(part, None)

"""The simulated room of a mission as shapes on a plane, for maps: in m, its front left corner at the origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from boards.mock.settings import WorldSettings
from robotd.figures.style import PALETTE

# Robots that bear a colour's name have it, as on the live page.
NAMED = {
    "blue": "#0072B2", "gold": "#E69F00", "amber": "#E69F00", "green": "#009E73", "olive": "#8A8A00",
    "red": "#D55E00", "slate": "#6E7F8D", "purple": "#8E5BA6", "yellow": "#E6B800", "grey": "#6E6E6E",
}  # fmt: skip
GOAL, AREA, CHARGER, SPILL, BOX = "#009E73", "#56B4E9", "#E69F00", "#8C8C8C", "#8A6D3B"
Point = tuple[float, float]


@dataclass(frozen=True)
class Disc:
    """A round place or thing; `name` is written at it."""

    x: float
    y: float
    radius: float
    colour: str
    name: str = ""


@dataclass(frozen=True)
class Block:
    """A rectangle square to the room; `height` is 0 for an area of the floor."""

    x: float
    y: float
    width: float
    depth: float
    height: float
    colour: str
    name: str = ""


@dataclass(frozen=True)
class Room:
    """Its inner size, what stays, and where its things are at first."""

    size: Point
    walls: Sequence[tuple[Point, Point]] = ()
    finish: float | None = None
    discs: Sequence[Disc] = field(default_factory=list)
    boxes: Sequence[Block] = field(default_factory=list)


def colour_of(robot: str, team: Sequence[str]) -> str:
    """A robot's colour, #RRGGBB: that of its name, else one that no robot with a colour's name has."""
    if robot in NAMED:
        return NAMED[robot]
    taken = {NAMED.get(name) for name in team}
    free = [colour for colour in PALETTE if colour not in taken] or PALETTE
    others = [name for name in team if name not in NAMED]
    return free[others.index(robot) % len(free)] if robot in others else free[-1]


def colour_of_object(colour: str) -> str:
    """Of a loose object: that of its name, grey where it has none."""
    return NAMED.get(colour, SPILL)


def team_of(mission: Mapping[str, Any]) -> list[str]:
    """The names of a mission's robots in order of their numbers; `mission`: its file's content as plain data."""
    return sorted(team := mission.get("team", {}), key=lambda name: int(team[name]["number"]))


def room_of(mission: Mapping[str, Any]) -> Room | None:
    """The room that a mission's [world] describes; None where this version cannot read it."""
    try:
        settings = WorldSettings(**mission.get("world", {}))
    except (ValidationError, TypeError):
        return None
    discs = [Disc(one.x_m, one.y_m, one.radius_m, CHARGER, one.name) for one in settings.chargers]
    if settings.spills:
        discs.append(Disc(*settings.goal_xy, settings.goal.radius_m, GOAL, "goal"))
    discs += [
        Disc(one.x_m, one.y_m, max(0.05, one.spread_m), SPILL, f"{one.name} spill") for one in settings.spills
    ]
    discs += [Disc(one.x_m, one.y_m, 0.06, colour_of_object(one.colour)) for one in settings.pucks]
    discs += [
        Disc(one.x_m, one.y_m, one.radius_m, colour_of_object(one.colour), name)
        for name, one in sorted(settings.clusters.items())
    ]
    discs += [Disc(one.x_m, one.y_m, 0.06, colour_of_object(one.colour), one.name)
              for one in settings.marks if not one.robot]  # fmt: skip
    boxes = [Block(one.x_m, one.y_m, one.width_m, one.depth_m, 0.0, AREA, one.name) for one in settings.areas]
    if settings.box is not None:
        box = settings.box
        boxes.append(Block(box.x_m, box.y_m, box.length_m, box.depth_m, 0.3, BOX, "box"))
    walls = [one.ends for one in settings.walls]
    return Room((settings.width_m, settings.depth_m), walls, settings.finish.y_m, discs, boxes)

"""The rectangular room, seen from its entrance: where its spills and goal lie, and coordinates along its walls.

The mission is given qualitatively (paper 000, section IV-B): one spill in the left and one in the right half of
the front third, the goal in the back centre. Front is the wall with the entrance; left and right are those of
somebody who comes in.
"""

import math
from dataclasses import dataclass
from typing import Literal

from behaviors import parts
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.value import value

FRONT = 1.0 / 3.0  # the spills lie in the front third
BACK = 1.0 / 3.0  # the goal is the centre of the back third
ROOM_M = 1.5  # the least way in x and y of a robot that has seen the walls: no room with two spills is smaller
Wall = Literal["south", "north", "west", "east"]
INWARD: dict[Wall, tuple[int, int]] = {"south": (0, 1), "north": (0, -1), "west": (1, 0), "east": (-1, 0)}


class RoomSettings(parts.Settings):
    """What both sets that look for the locations need to know."""

    entrance_wall: Wall = parts.setting(
        "south", "the wall with the entrance: south is low y, north high y, west low x, east high x"
    )


@dataclass(slots=True)
class Extremes:
    """The smallest and greatest x and y reached, m; all 0 and `known` False before the first."""

    low_x: float = 0.0
    high_x: float = 0.0
    low_y: float = 0.0
    high_y: float = 0.0
    known: bool = False

    def spans(self, least: float) -> bool:
        """Whether the extremes lie at least so far (m) apart in x and in y."""
        return self.high_x - self.low_x >= least and self.high_y - self.low_y >= least

    def take(self, x: float, y: float) -> None:
        if not self.known:
            self.low_x = self.high_x = x
            self.low_y = self.high_y = y
            self.known = True
            return
        self.low_x, self.high_x = min(self.low_x, x), max(self.high_x, x)
        self.low_y, self.high_y = min(self.low_y, y), max(self.high_y, y)


def locations(reached: Extremes, margin: float, wall: Wall) -> tuple[Fact, ...]:
    """The places of spills and goal, and that they are located; the walls lie `margin` m beyond the extremes."""
    west, east = reached.low_x - margin, reached.high_x + margin
    south, north = reached.low_y - margin, reached.high_y + margin
    (ux, uy), middle = INWARD[wall], ((west + east) / 2.0, (south + north) / 2.0)
    depth = abs(ux) * (east - west) + abs(uy) * (north - south)
    width = abs(uy) * (east - west) + abs(ux) * (north - south)
    rx, ry = uy, -ux  # to the right of somebody who faces inward

    def place(aside: float, inward: float) -> tuple[float, float]:
        x = middle[0] + aside * width * rx + (inward - 0.5) * depth * ux
        y = middle[1] + aside * width * ry + (inward - 0.5) * depth * uy
        return (round(x, 2), round(y, 2))  # to the centimetre, as places travel by radio

    return (
        Fact("spill-left", place(-0.25, FRONT / 2.0)),
        Fact("spill-right", place(0.25, FRONT / 2.0)),
        Fact("goal", place(0.0, 1.0 - BACK / 2.0)),
        Fact("located"),
    )


@value
class Room:
    """The room as the known locations imply it. (a, b): m to the right along the front wall, m inward from it."""

    x: float  # of the front left corner
    y: float
    ux: float  # inward
    uy: float
    width: float
    depth: float

    def at(self, a: float, b: float) -> tuple[float, float]:
        return (self.x + a * self.uy + b * self.ux, self.y - a * self.ux + b * self.uy)

    def along(self, x: float, y: float) -> tuple[float, float]:
        """(a, b) of a point."""
        dx, dy = x - self.x, y - self.y
        return (dx * self.uy - dy * self.ux, dx * self.ux + dy * self.uy)


def known_room(beliefs: Beliefs) -> Room | None:
    """The room, once both spills' places and the goal's are known."""
    left, right, goal = beliefs.place("spill-left"), beliefs.place("spill-right"), beliefs.place("goal")
    if left is None or right is None or goal is None:
        return None
    half = math.dist(left, right)
    if half < 0.1:
        return None
    rx, ry = (right[0] - left[0]) / half, (right[1] - left[1]) / half
    ux, uy = -ry, rx
    inward = (goal[0] - left[0]) * ux + (goal[1] - left[1]) * uy
    if inward < 0.1:
        return None
    depth = inward / (1.0 - (FRONT + BACK) / 2.0)
    front = depth * FRONT / 2.0
    return Room(
        left[0] - rx * half / 2 - ux * front, left[1] - ry * half / 2 - uy * front, ux, uy, 2 * half, depth
    )

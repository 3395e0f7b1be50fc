"""Looking for something with the camera: a full turn on the spot, then a leg to another view, and again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from behaviors.parts import Drive, Percept
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.senses import Sight
from robotd.model.streams import draw

TURN_RAD_S = 0.8
TURN_S = 2.0 * math.pi / TURN_RAD_S
LEG_S, THERE_M = 20.0, 0.5  # a leg ends there or so late
MARGIN_M = 1.0  # it looks from no place nearer to a wall


@dataclass(slots=True)
class Search:
    """Turning until `turn_until`, then on the way to the `views`-th place until `leg_until`."""

    turn_until: float = -1.0
    leg_until: float = -1.0
    views: int = 0
    x: float = 0.0
    y: float = 0.0
    trip: Trip = field(default_factory=Trip)


def look_about(search: Search, i: Percept, room: Sequence[float], speed: float, me: int) -> Drive:
    """One tick of looking about in a room of this width and depth, m; places by chance."""
    if i.now >= search.leg_until:
        search.turn_until, search.leg_until = i.now + TURN_S, i.now + TURN_S + LEG_S
        across, along = (draw(me, "look-about", what, search.views) for what in ("x", "y"))
        search.views += 1
        search.x = MARGIN_M + across * (room[0] - 2 * MARGIN_M)
        search.y = MARGIN_M + along * (room[1] - 2 * MARGIN_M)
    if i.now < search.turn_until:
        return Drive(0.0, TURN_RAD_S)
    if i.pose is None or distance_to(i.pose, search.x, search.y) < THERE_M:
        search.leg_until = i.now
        return Drive(0.0, 0.0)
    return head_for(search.trip, i, search.x, search.y, speed, me)


def find(i: Percept, kind: str, label: str) -> Sight | None:
    """The nearest thing of a kind and label that the camera sees."""
    seen = [s for s in i.senses.sights if s.kind == kind and s.label == label and s.range is not None]
    return min(seen, key=lambda sight: sight.range or 0.0, default=None)

"""A metric of one's own for MURDOCH, how much room a robot has ahead: docs/murdoch.md explains it."""

from __future__ import annotations

import math

from motivation.murdoch import Candidate, Murdoch

AHEAD = math.radians(45.0)


def room_ahead(c: Candidate) -> float:
    """The nearest reading ahead as a share of the farthest that its sensors can take; 1 where nothing is seen."""
    ahead = [one for one in c.inputs.senses.ranges if abs(one.bearing) < AHEAD and one.distance is not None]
    return min((one.distance / one.high for one in ahead if one.distance is not None), default=1.0)


class WithRoom(Murdoch):
    """MURDOCH with one more metric, under its own name."""

    metrics = Murdoch.metrics | {"room-ahead": room_ahead}


ROBOTD = {"robotd.coordinators": {"murdoch": WithRoom}}

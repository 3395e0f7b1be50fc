"""Proximity readings by sector, so that behaviors never count sensors: distances from the hull, m.

`inf` means nothing near, or no such sensor: what a set cannot do without, it names in `needs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robotd.model.senses import Range

FAR = math.inf
AHEAD, SLANT, DIAGONAL, SIDE = (math.radians(d) for d in (7.0, 30.0, 67.0, 113.0))  # upper ends of sectors
REAR = math.radians(150.0)


@dataclass(slots=True)
class Eyes:
    ahead: float = FAR
    ahead_left: float = FAR  # 7 to 30 degrees
    ahead_right: float = FAR
    left_diagonal: float = FAR  # 30 to 67 degrees
    right_diagonal: float = FAR
    left: float = FAR  # 67 to 113 degrees
    right: float = FAR
    rear: float = FAR  # beyond 150 degrees, either side

    @property
    def front(self) -> float:
        """The nearest of all that look ahead, within 30 degrees."""
        return min(self.ahead, self.ahead_left, self.ahead_right)


SECTORS = ((AHEAD, "ahead", "ahead"), (SLANT, "ahead_left", "ahead_right"),
           (DIAGONAL, "left_diagonal", "right_diagonal"), (SIDE, "left", "right"))  # fmt: skip


def by_sector(ranges: Sequence[Range]) -> Eyes:
    eyes = Eyes()
    for one in ranges:
        distance, off = one.distance, abs(one.bearing)
        if distance is None:
            continue
        for end, left, right in SECTORS:
            if off <= end:
                sector = left if one.bearing > 0.0 else right
                break
        else:
            if off < REAR:
                continue
            sector = "rear"
        if distance < getattr(eyes, sector):
            setattr(eyes, sector, distance)
    return eyes

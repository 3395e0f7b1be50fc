"""A robot's battery, and the chargers of a room: level counted in whole units, so that no rounding adds up."""

from __future__ import annotations

import math
from collections.abc import Iterable

from boards.mock.settings import ChargerSettings

AT_REST = 4  # a robot at rest draws a quarter of what it draws driving: computer and sensors without motors
LEVELS = 100  # what a gauge resolves


class Battery:
    """Full at first, and empty after `lasts_s` of driving. A unit is what a standing robot draws in one step."""

    def __init__(self, lasts_s: float) -> None:
        self._lasts_s = lasts_s
        self._whole = self._left = 0
        self.charging = False

    @property
    def empty(self) -> bool:
        """True when the motors have nothing left to turn them."""
        return self._whole > 0 and self._left == 0

    def level(self) -> float:
        """From 0, empty, to 1, full, as a gauge shows it."""
        return math.ceil(self._left * LEVELS / self._whole) / LEVELS if self._whole else 1.0

    def step(
        self, place: tuple[float, float] | None, driving: bool, chargers: Iterable[ChargerSettings], rate: int
    ) -> None:
        """One of `rate` steps a second, at `place` (m; None out of the room)."""
        if not self._whole:
            self._whole = self._left = round(self._lasts_s * rate) * AT_REST
        on = next((c for c in chargers if place is not None and not driving and c.holds(place)), None)
        self.charging = on is not None and self._left < self._whole
        if on is not None:
            self._left = min(self._whole, self._left + max(1, round(self._whole / (on.full_s * rate))))
        else:
            self._left = max(0, self._left - (AT_REST if driving else 1))

"""The check that a reading which ought to change does: a frozen sensor's is the same for ever."""

from __future__ import annotations

FROZEN_S = 0.7  # of motion without a change: under the second within which a part must leave the capabilities
MOVING = 0.02  # m/s of a wheel: past the noise of standing


def moving(left: float, right: float) -> bool:
    """True where wheel speeds, m/s, say that the body moves."""
    return abs(left) > MOVING or abs(right) > MOVING


class StuckDetector:
    """Watches one reading; `stuck` from `FROZEN_S` of motion without a change until it changes."""

    def __init__(self) -> None:
        self.stuck = False
        self._last: object = None
        self._since: float | None = None

    def note(self, now: float, reading: object, *, moves: bool) -> bool:
        """Take the reading of `now` (s); returns `stuck`."""
        if reading != self._last:
            self._last, self._since, self.stuck = reading, None, False
        elif moves and not self.stuck:
            if self._since is None:
                self._since = now
            self.stuck = now - self._since >= FROZEN_S
        elif not moves:
            self._since = None
        return self.stuck

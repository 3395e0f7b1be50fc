"""Named, counter-based random streams: the same seed gives the same run, whatever the order of asking.

A draw is a function of (seed, robot, purpose, count) through BLAKE2s, so that a frozen stream is one integer
and the fate of the k-th draw of one purpose does not depend on how often another was asked.
"""

import hashlib
import math
from dataclasses import dataclass

_SPAN = float(1 << 53)  # a double holds 53 bits exactly


def draw(seed: int, robot: str, purpose: str, count: int) -> float:
    """The `count`-th draw of a stream, uniform in [0, 1)."""
    name = f"{seed}\x00{robot}\x00{purpose}\x00{count}".encode()
    whole = int.from_bytes(hashlib.blake2s(name, digest_size=8).digest(), "big")
    return (whole >> 11) / _SPAN


@dataclass(slots=True)
class Stream:
    """One purpose's draws, in order; `count` is its whole state."""

    seed: int
    robot: str
    purpose: str
    count: int = 0

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """The next draw, uniform in [low, high)."""
        value = draw(self.seed, self.robot, self.purpose, self.count)
        self.count += 1
        return low + (high - low) * value

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> float:
        """The next normally distributed draw (Box and Muller; takes two uniform draws)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return mean + deviation * radius * math.cos(2.0 * math.pi * self.uniform())

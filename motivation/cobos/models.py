"""A robot's models: its suitability, equations (5) to (8), and what the team knows of a task (section II).

Floating-point numbers are used for a robot's own suitability alone; it travels as a whole number of 255ths, and
all decisions compare such.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

WHOLE = 255  # of a suitability of one, as it travels; 0: cannot, or backed off
STAMPS = 256  # stamps go round in a byte
MOST_ROBOTS = 15  # of phi, in four bits
ON_THE_WAY, STARTED, PERFORMED, HOLDS = 0, 1, 2, 3
"""A robot's status in its task: not there yet; there; observes that it is performed; and holds an object."""


def effectiveness(success: int, epsilon: float) -> float:
    """mu of one basis task from its entry of S, equation (8)."""
    return 1.0 if success >= 0 else min(1.0, 1.0 / (-success + epsilon))


def scores(ways: Sequence[Sequence[int]], given: Sequence[float], mu: Sequence[float]) -> list[float]:
    """x of each way of a task, equation (6); 0 for a way of which the robot cannot do a part."""
    effective = [m * a for m, a in zip(mu, given, strict=True)]
    return [
        sum(effective[k] for k in way) / len(way) if all(effective[k] > 0 for k in way) else 0.0 for way in ways
    ]


def suitability(ways: Sequence[Sequence[int]], given: Sequence[float], mu: Sequence[float]) -> int:
    """TSM of one robot and task, equation (5), in 255ths: 1 to 255, or 0 where the robot cannot do the task.

    The rounding never makes a robot that can do a task unable to.
    """
    best = max(scores(ways, given, mu), default=0.0)
    return max(1, round(best * WHOLE)) if best > 0.0 else 0


def charged(ways: Sequence[Sequence[int]], given: Sequence[float], mu: Sequence[float]) -> frozenset[int]:
    """The basis tasks that a success or failure counts for: those of all ways that the robot can do, (7)."""
    found = scores(ways, given, mu)
    return frozenset(k for way, x in zip(ways, found, strict=True) if x > 0.0 for k in way)


def learn(success: Sequence[int], which: Iterable[int], change: int) -> tuple[int, ...]:
    """S after a success (`change` > 0) or failure, equation (7)."""
    changed = set(which)
    return tuple(s + change if k in changed else s for k, s in enumerate(success))


@dataclass(frozen=True, slots=True)
class Record:
    """What the team knows of a task. Every robot holds one and passes it on; the latest change wins.

    `required`: phi. `tried`: one robot has failed (TTry > 1). `open`: introduced or lapsed, and not taken since.
    `performed`: adequately, as its robots reported last.
    """

    stamp: int = 0
    required: int = 1
    tried: bool = False
    open: bool = True
    performed: bool = False

    @property
    def value(self) -> int:
        """All but the stamp in one byte."""
        return self.performed << 6 | self.open << 5 | self.tried << 4 | self.required

    def changed(
        self, *, required: int | None = None, tried: bool | None = None, open: bool | None = None,
        performed: bool | None = None,
    ) -> "Record":  # fmt: skip
        """With a change and the next stamp; itself where nothing changes."""
        new = replace(
            self,
            required=self.required if required is None else max(1, min(MOST_ROBOTS, required)),
            tried=self.tried if tried is None else tried,
            open=self.open if open is None else open,
            performed=self.performed if performed is None else performed,
        )
        return self if new == self else replace(new, stamp=(self.stamp + 1) % STAMPS)

    def joined(self, other: "Record") -> "Record":
        """The later of two; of two changes at once the one with the greater value, alike for all robots."""
        ahead = (other.stamp - self.stamp) % STAMPS
        if ahead == 0:
            return other if other.value > self.value else self
        return other if ahead < STAMPS // 2 else self


def record_of(stamp: int, value: int) -> Record:
    """The inverse of `Record.stamp` and `Record.value`."""
    return Record(stamp, max(1, value & 15), bool(value >> 4 & 1), bool(value >> 5 & 1), bool(value >> 6 & 1))

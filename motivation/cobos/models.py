"""A robot's models: its suitability, equations (5) to (8), and what the team knows of a task (section II).

Floating-point numbers are used for a robot's own suitability alone; it travels as a whole number of 255ths, and
all decisions compare such.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

WHOLE = 255  # of a suitability of one, as it travels; 0: cannot, or backed off
STAMPS, OPENED = 32, 16  # stamps go round in five and four bits
MOST_ROBOTS = 15  # of phi, in four bits
ON_THE_WAY, STARTED, HOLDS, PERFORMED, KEEPS = range(5)
"""A robot's status in its task: not at its place yet; there; holds an object while the task is not performed;
observes that it is performed; and holds an object of it."""


def effectiveness(success: int, epsilon: float) -> float:
    """mu of one basis task from its entry of S, equation (8)."""
    return 1.0 if success >= 0 else min(1.0, 1.0 / (-success + epsilon))


def scores(ways: Sequence[Sequence[int]], given: Sequence[float], mu: Sequence[float]) -> list[float]:
    """x of each way of a task, equation (6); 0 for a way of which the robot cannot do a part."""
    effective = [m * a for m, a in zip(mu, given, strict=True)]
    return [
        sum(effective[k] for k in way) / len(way) if all(effective[k] > 0 for k in way) else 0.0 for way in ways
    ]


def suitability(
    ways: Sequence[Sequence[int]], given: Sequence[float], mu: Sequence[float], near: float = 0.0,
    weight: float = 0.0,
) -> int:  # fmt: skip
    """TSM of one robot and task, equation (5), in 255ths: 1 to 255, or 0 where the robot cannot do the task.

    `near`, 0 to 1, enters with `weight` (remark 2.2). Neither it nor the rounding makes a robot that can do a task
    unable to.
    """
    best = max(scores(ways, given, mu), default=0.0)
    return max(1, round(((1.0 - weight) * best + weight * near) * WHOLE)) if best > 0.0 else 0


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
    """What the team knows of a task: two registers that every robot holds and passes on; the latest change wins.

    `required`: phi. `tried`: a robot has failed (TTry > 1). `performed`: adequately, as its robots reported last.
    `open`: introduced or lapsed, and not taken since; it changes in the home network while others are out of
    reach, and must not carry an old phi to them.
    """

    stamp: int = 0
    required: int = 1
    tried: bool = False
    performed: bool = False
    opened: int = 0
    open: bool = True

    @property
    def bytes(self) -> tuple[int, int]:
        """As it travels."""
        stamps = self.stamp << 4 | self.opened
        return stamps & 0xFF, stamps >> 8 << 7 | self.open << 6 | self.need

    @property
    def need(self) -> int:
        return self.performed << 5 | self.tried << 4 | self.required

    def changed(
        self,
        *,
        required: int | None = None,
        tried: bool | None = None,
        performed: bool | None = None,
        open: bool | None = None,
    ) -> "Record":
        """With a change and the next stamp; itself where nothing changes."""
        new = replace(
            self,
            required=self.required if required is None else max(1, min(MOST_ROBOTS, required)),
            tried=self.tried if tried is None else tried,
            performed=self.performed if performed is None else performed,
            open=self.open if open is None else open,
        )
        if new == self:
            return self
        stamp, opened = self.stamp + (new.need != self.need), self.opened + (new.open != self.open)
        return replace(new, stamp=stamp % STAMPS, opened=opened % OPENED)

    def joined(self, other: "Record") -> "Record":
        """The later of two; of two changes at once the one with the greater value, alike for all robots."""
        if other is self:
            return self
        found = self
        if _is_later(other.stamp, self.stamp, STAMPS, greater=other.need > self.need):
            found = replace(other, opened=self.opened, open=self.open)
        if _is_later(other.opened, self.opened, OPENED, greater=other.open > self.open):
            found = replace(found, opened=other.opened, open=other.open)
        return found


def _is_later(one: int, other: int, count: int, *, greater: bool) -> bool:
    ahead, half = (one - other) % count, count // 2
    return 0 < ahead < half or (ahead in (0, half) and greater)


@functools.lru_cache(1024)
def record_of(first: int, second: int) -> Record:
    """The inverse of `Record.bytes`."""
    stamps = (second >> 7) << 8 | first
    bits = [bool(second >> k & 1) for k in (4, 5, 6)]
    return Record(stamps >> 4, max(1, second & 15), bits[0], bits[1], stamps & 15, bits[2])

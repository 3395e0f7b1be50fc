"""Facts are joins: repeated, relayed and merged in any order they end the same, so loss only delays them.

A flag, once true, stays; of counts the greatest wins; of a `place` or `scalar` the latest version wins, equal
versions by the higher writer. A fact's value is a tuple of floats: () for a flag, (n,) for a count or scalar,
(x, y) in metres for a place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

MAX_FACTS = 64  # of one run: what a team's frames can still carry round in bounded time
MAX_VERSION = 2047  # eleven bits on the air


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is known in this run; `since` is when it became so on the own clock, s."""

    name: str
    value: tuple[float, ...] = ()
    since: float = 0.0
    version: int = 0  # places and scalars; 0: asserted here, not yet numbered
    writer: int = 0


@dataclass(frozen=True, slots=True)
class FactKind:
    """A fact of the mission's number table: flag, count, place (x, y in m) or scalar."""

    name: str
    number: int
    kind: str

    @property
    def versioned(self) -> bool:
        """True where the latest version wins: places and scalars."""
        return self.kind in ("place", "scalar")


def join(kind: FactKind, known: Fact | None, other: Fact) -> Fact:
    """The one of two reports of a fact that holds: commutative, associative, idempotent but for `since`."""
    if known is None:
        return other
    if kind.kind == "flag":
        return known
    if kind.kind == "count":
        return other if other.value > known.value else known
    return other if (other.version, other.writer) > (known.version, known.writer) else known


def numbered(kind: FactKind, known: Fact | None, asserted: Fact, me: int) -> Fact:
    """An own assertion ready for `join`: a changed place or scalar gets the version after the greatest seen."""
    if not kind.versioned:
        return asserted
    if known is not None and known.value == asserted.value:
        return known
    version = 1 + (known.version if known is not None else 0)
    if version > MAX_VERSION:
        raise OverflowError(f"fact {kind.name} was rewritten {MAX_VERSION} times in one run; reset the mission")
    return replace(asserted, version=version, writer=me)

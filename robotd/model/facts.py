"""Facts are joins: repeated, relayed and merged in any order they end the same, so loss only delays them.

A flag, once true, stays; of counts the greatest wins; of a `place`, `scalar` or `page` the latest version wins,
equal versions by the higher writer. A fact's value is a tuple of floats: () for a flag, (n,) for a count or
scalar, (x, y) in metres for a place, seven whole numbers of 0 to 255 for a page.
"""

from dataclasses import replace

from robotd.model.value import value

MAX_FACTS = 64  # of one run: what a team's frames can still carry round in bounded time
MAX_VERSION = 2047  # eleven bits on the air
LONGEST_BEATS = 3276  # sixteen bits of twentieths: longer durations saturate on the air
BEAT_PARTS = 20  # a duration travels in twentieths of a beat: 0.15 s at 3 s, less than a decision
METRE_PARTS = 100  # lengths travel in centimetres, in two signed bytes
SHARE_PARTS = 255  # and shares of one in a byte
OWN_FACTS = 128  # the number on the air of a coordinator's first own fact
_RANGES = {  # parts of one that travel, least and greatest number on the air, values
    "count": (1, 0, 0xFFFF, 1),
    "scalar": (SHARE_PARTS, 0, 0xFF, 1),
    "place": (METRE_PARTS, -0x8000, 0x7FFF, 2),
    "page": (1, 0, 0xFF, 7),
}


@value
class Fact:
    """Something that is known in this run; `since` is when it became so on the own clock, s."""

    name: str
    value: tuple[float, ...] = ()
    since: float = 0.0
    version: int = 0  # of places, scalars and pages; 0: asserted here, not yet numbered
    writer: int = 0


@value
class FactKind:
    """A fact of the mission's number table: flag, count, place (x, y in m), scalar or page.

    The facts that a coordinator declares as `own_facts` are numbered by the table.
    """

    name: str
    number: int = 0
    kind: str = "page"

    @property
    def versioned(self) -> bool:
        """True where the latest version wins: places, scalars and pages."""
        return self.kind in ("place", "scalar", "page")

    @property
    def is_internal(self) -> bool:
        """True of pages: bytes by which coordinators make their state known to each other."""
        return self.kind == "page"

    @property
    def statement(self) -> str:
        """The kind of statement that states it."""
        return self.kind if self.versioned else "fact"


def join(kind: FactKind, known: Fact | None, other: Fact) -> Fact:
    """The one of two reports of a fact that holds: commutative, associative, idempotent but for `since`.

    A writer that restarted may have stated two values under one version: the greater holds with all.
    """
    if known is None:
        return other
    if kind.kind == "flag":
        return known
    if kind.kind == "count":
        return other if other.value > known.value else known
    stamps = [(fact.version, fact.writer, fact.value) for fact in (known, other)]
    return other if stamps[1] > stamps[0] else known


def as_sent(kind: FactKind, value: tuple[float, ...]) -> tuple[float, ...]:
    """A fact's value as it travels: a robot believes of its own facts what its teammates will read.

    Out of range it saturates; ValueError for nan, or another number of values than the kind has.
    """
    if kind.kind == "flag":
        return ()
    parts, low, high, size = _RANGES[kind.kind]
    if len(value) != size and (value or kind.kind != "count"):  # () is a count of none
        raise ValueError(f"fact {kind.name!r} is a {kind.kind} of {size} values, not {len(value)}")
    return tuple(_nearest(x * parts, low, high) / parts for x in value)


def _nearest(x: float, low: int, high: int) -> int:
    return low if x <= low else high if x >= high else round(x)


def numbered(kind: FactKind, known: Fact | None, asserted: Fact, me: int) -> Fact:
    """An own assertion ready for `join`: rounded as it will travel; where versions count a change gets the version
    after the greatest seen. OverflowError past 2047 versions."""
    asserted = replace(asserted, value=as_sent(kind, asserted.value), writer=me)
    if not kind.versioned:
        return asserted
    if known is not None and known.value == asserted.value:
        return known
    version = 1 + (known.version if known is not None else 0)
    if version > MAX_VERSION:
        raise OverflowError(f"fact {kind.name} was rewritten {MAX_VERSION} times in one run; reset the mission")
    return replace(asserted, version=version)

"""What robots send each other. Kinds are data: the radio's codec builds its layouts from this table alone.

Every statement is a state, repeated until superseded or expired. Durations travel, clock times never.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from robotd.model.value import value

Value = int | float | str | tuple[float, ...]

FIELD_TYPES = {
    "robot": "a robot's number, 1 byte",
    "task": "a task's name; its number on the air, 1 byte; '' is none",
    "fact": "a fact's name; its number on the air, 1 byte",
    "beats": "a duration in beats; twentieths of a beat on the air, 2 bytes, saturating",
    "age": "as beats, but counted on from when it was stated to the instant of sending",
    "fixed8": "0 to 1; in 255ths on the air, 1 byte",
    "metres": "a length; centimetres on the air, 2 bytes, signed",
    "u8": "a whole number, 1 byte",
    "u16": "a whole number, 2 bytes",
    "u24": "a whole number, 3 bytes",
    "stamp": "version and writer of a fact, 2 bytes: version * 32 + writer",
    "page9": "nine values of 0 to 1, 1 byte each",
    "bytes7": "seven whole numbers of 0 to 255, 1 byte each",
}
FIELD_BYTES = {
    "beats": 2,
    "age": 2,
    "metres": 2,
    "u16": 2,
    "stamp": 2,
    "u24": 3,
    "bytes7": 7,
    "page9": 9,
}  # else 1


@value
class StatementKind:
    """A kind of statement: its number on the air, its fields, and how many of the first fields are its key.

    A newer statement of the same kind and key supersedes an older one. A lower `priority` is packed first.
    """

    name: str
    number: int = 0  # a coordinator's own are numbered by the mission's table
    fields: tuple[tuple[str, str], ...] = ()  # (name, type of FIELD_TYPES)
    key: int = 0
    priority: int = 5

    @property
    def size(self) -> int:
        """The bytes of its fields on the air; with its number they name it."""
        return sum(FIELD_BYTES.get(type_, 1) for _, type_ in self.fields)


@value
class Statement:
    """A kind and its fields in declared order; `until` is when to stop sending it, own clock, s."""

    kind: str
    fields: tuple[Value, ...]
    until: float = math.inf


@value
class Heard:
    """One authentic frame: when it arrived on the own clock, its sender, and what it says.

    `same_mission` is False where the sender's number table differs from ours: then `statements` holds only
    what means the same under every table (stop, beacon, epoch).
    """

    at: float
    sender: int
    run: int
    running: bool
    same_mission: bool
    statements: tuple[Statement, ...]


@value
class Sent:
    """One own frame that left: when, and its statements as rounded on the air."""

    at: float
    statements: tuple[Statement, ...]


_T, _B = ("task", "task"), ("for", "beats")
BUILT_IN = (
    StatementKind("stop", 0, (("robot", "robot"), ("number", "u16")), key=0, priority=0),
    StatementKind("beacon", 1, (("slots", "u8"), ("beat", "u16")), priority=0),  # beat in hundredths of a second
    StatementKind("epoch", 2, (("robot", "robot"), ("epoch", "u24"), ("counter", "u16")), key=1, priority=1),
    StatementKind("activity", 3, (_T, ("held", "task"), ("claimed", "age")), priority=2),
    StatementKind("fact", 4, (("fact", "fact"), ("value", "u16"), ("age", "age")), key=1, priority=6),
    StatementKind(
        "place", 5,
        (("fact", "fact"), ("stamp", "stamp"), ("x", "metres"), ("y", "metres"), ("age", "age")),
        key=1, priority=6,
    ),
    StatementKind(
        "scalar", 6, (("fact", "fact"), ("stamp", "stamp"), ("value", "fixed8"), ("age", "age")),
        key=1, priority=6,
    ),
    StatementKind("trial", 7, (_T, ("outcome", "u8"), ("took", "beats")), key=1),
    StatementKind(
        "announcement", 8,
        (("number", "u8"), _T, ("job", "u8"), ("length", "beats"), ("x", "metres"), ("y", "metres"),
         ("argument", "u8")),
        key=1, priority=3,
    ),
    StatementKind("bid", 9, (("robot", "robot"), ("number", "u8"), ("score", "fixed8"), ("answer", "u8")), key=2,
                  priority=3),  # answer: 0 bids, 1 lacks a resource, 2 busy, 3 charging, 4 held; +8: gives it back
    StatementKind("contract", 10, (("number", "u8"), ("robot", "robot"), ("term", "u8"), _B), key=1, priority=3),
    # `for` is what is left of the term
    StatementKind("acknowledgement", 11, (("robot", "robot"), ("number", "u8"), ("progress", "fixed8")), key=2,
                  priority=3),
    StatementKind(
        "page", 12, (("fact", "fact"), ("stamp", "stamp"), ("values", "bytes7"), ("age", "age")), key=1, priority=6
    ),
)  # fmt: skip
OWN_NUMBERS = range(13, 16)  # of the kinds that a coordinator declares as `own_kinds`
MAX_PENDING = 16  # states at once: in bytes five frames' worth, so that each is sent within five beats


def number_own(kinds: Sequence[StatementKind]) -> tuple[StatementKind, ...]:
    """A coordinator's own kinds with their numbers on the air; ValueError where they cannot be added.

    They are numbered in declared order; each further one has the first number of which no kind is of its size.
    """
    named = {kind.name: kind.number for kind in BUILT_IN}
    taken: set[tuple[int, int]] = set()
    numbered: list[StatementKind] = []
    for kind in kinds:
        if kind.name in named:
            raise ValueError(f"statement kind {kind.name!r} is there already, with number {named[kind.name]}")
        if not 0 <= kind.key <= len(kind.fields):
            raise ValueError(
                f"statement kind {kind.name!r} has {len(kind.fields)} fields, not a key of {kind.key}"
            )
        for field, type_ in kind.fields:
            if type_ not in FIELD_TYPES:
                known = ", ".join(FIELD_TYPES)
                raise ValueError(
                    f"statement kind {kind.name!r}: {field} is of no type {type_!r}; expected {known}"
                )
        free = [
            number for number in OWN_NUMBERS[len(numbered) :] or OWN_NUMBERS if (number, kind.size) not in taken
        ]
        if not free:
            most = len(OWN_NUMBERS)
            raise ValueError(
                f"statement kind {kind.name!r} is one too many of {kind.size} bytes; expected {most} at most"
            )
        taken.add((free[0], kind.size))
        named[kind.name] = free[0]
        numbered.append(replace(kind, number=free[0]))
    return tuple(numbered)

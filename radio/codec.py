"""Statements to bytes and back, in layouts built from the statement kinds' data; no trust and no secrets here.

A record is one byte of kind (high four bits) and length (low four), then the fields in declared order,
big-endian. Records that cannot be read are skipped and counted, so that a newer teammate is half understood
and not refused.
"""

import functools
import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from robotd.model.beliefs import FACT_KINDS
from robotd.model.facts import BEAT_PARTS, METRE_PARTS, SHARE_PARTS
from robotd.model.statements import Statement, StatementKind
from robotd.model.table import NumberTable
from robotd.model.value import value

VERSION = 1
HEADER = 10  # bytes: version and type 1, sender 1, run 1, digest 2, epoch 3, counter 2
RECORDS = 22  # bytes of records at most: with the authenticator a frame is 40
MAC = 8  # bytes of authenticator: 5e-12 a year for a forger who sends three frames a second
READ_LATELY = 128  # frames whose meaning is kept: all robots of a simulation read the same ones
UNIVERSAL = ("stop", "beacon", "epoch")  # kinds that mean the same under every number table
_BYTE, _WORD = (1, 0, 0xFF), (2, 0, 0xFFFF)
NUMBERS = {
    "robot": (1, *_BYTE),
    "beats": (BEAT_PARTS, *_WORD),
    "age": (BEAT_PARTS, *_WORD),
    "fixed8": (SHARE_PARTS, *_BYTE),
    "metres": (METRE_PARTS, 2, -0x8000, 0x7FFF),
    "u8": (1, *_BYTE),
    "u16": (1, *_WORD),
    "u24": (1, 3, 0, 0xFFFFFF),
    "stamp": (1, *_WORD),
}  # field types of `robotd.model.statements.FIELD_TYPES`: parts of a unit, bytes, least and greatest raw number
ARRAYS = {"page9": (9, "fixed8"), "bytes7": (7, "u8")}  # those of several numbers: how many, of which type

_HEADER = struct.Struct(
    ">"
    "B"  # high four bits: version, low four: type of frame (0: statements)
    "B"  # sender
    "B"  # high seven bits: run, lowest: running
    "H"  # digest
    "BH"  # epoch, its high eight bits and the others
    "H"  # counter
)


@value
class Header:
    """What precedes the records of a frame."""

    sender: int
    run: int
    running: bool
    digest: int
    epoch: int
    counter: int

    @property
    def stamp(self) -> tuple[int, int]:
        """Epoch and counter, which order the frames of a sender."""
        return (self.epoch, self.counter)


def encode_header(header: Header) -> bytes:
    """The ten bytes of a header; its fields must be in range."""
    run = header.run << 1 | header.running
    epoch = divmod(header.epoch, 1 << 16)
    return _HEADER.pack(VERSION << 4, header.sender, run, header.digest, *epoch, header.counter)


@functools.lru_cache(maxsize=READ_LATELY)
def decode_header(frame: bytes) -> Header:
    """The header of a frame of at least ten bytes."""
    _, sender, run, digest, high, low, counter = _HEADER.unpack_from(frame)
    return Header(sender, run >> 1, bool(run & 1), digest, high << 16 | low, counter)


@value
class _Type:
    """How the values of one type of field travel: in so many bytes, which are built and parsed."""

    size: int
    build: Callable[[Any], bytes]
    parse: Callable[[bytes], Any]


@value
class _Layout:
    """One statement kind ready for use."""

    kind: StatementKind
    size: int
    types: tuple[_Type, ...]
    ages: tuple[int, ...]  # which fields count on while a statement waits


class Codec:
    """Encodes and decodes the statements of one mission: a function of the number table alone.

    It keeps what it has read lately; the robots of a simulation share the one of `codec_of`.
    """

    def __init__(self, table: NumberTable) -> None:
        self._table = table
        self._decoded = functools.lru_cache(maxsize=READ_LATELY)(self._decode)
        types = _types(table)
        self._layouts = {name: _layout(kind, types) for name, kind in table.kinds.items()}
        self._by_record = {(one.kind.number, one.size): one for one in self._layouts.values()}
        self._numbers = {number for number, _ in self._by_record}
        self._universal = {self._layouts[name].kind.number for name in UNIVERSAL}

    def encode(self, statement: Statement, waited_s: float = 0.0) -> bytes:
        """The record of a statement made `waited_s` before it leaves: ages count on, values saturate.

        KeyError for a name that the mission's table does not hold, ValueError for nan or the wrong fields.
        """
        layout = self._layout(statement)
        if waited_s and layout.ages:
            statement = _add_age(statement, layout.ages, waited_s / self._table.beat_s)
        return bytes((layout.kind.number << 4 | layout.size,)) + _build(layout, statement)

    def check(self, statement: Statement) -> StatementKind:
        """The declaration of a statement that can be encoded; raises as `encode` does of one that cannot."""
        layout = self._layout(statement)
        _build(layout, statement)
        return layout.kind

    def size(self, kind: str) -> int:
        """The bytes of a record of the kind called `kind`."""
        return 1 + self._layouts[kind].size

    def decode(
        self, records: bytes, *, same_mission: bool, skipped: Counter[str] | None = None
    ) -> tuple[Statement, ...]:
        """The statements of a frame's records; what cannot be read is counted by reason in `skipped`.

        With `same_mission` False only the kinds that mean the same under every table are read.
        """
        statements, unread = self._decoded(records, same_mission)
        if unread and skipped is not None:
            skipped.update(unread)
        return statements

    def find_stops(self, frame: bytes) -> list[Statement]:
        """The team stops in an authentic frame, whatever its mission."""
        statements = self.decode(frame[HEADER:-MAC], same_mission=False)
        return [statement for statement in statements if statement.kind == "stop"]

    def round(self, records: Iterable[bytes]) -> tuple[Statement, ...]:
        """Own records as receivers will read them."""
        return self.decode(b"".join(records), same_mission=True)

    def _decode(self, records: bytes, same_mission: bool) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
        """The statements, and why each other record cannot be read."""
        found: list[Statement | str] = []
        start = 0
        while start < len(records):
            number, size = records[start] >> 4, records[start] & 15
            payload = records[start + 1 : start + 1 + size]
            start += 1 + size
            found.append(self._record(number, size, payload, same_mission))
        unread = tuple([one for one in found if isinstance(one, str)])
        return tuple([one for one in found if not isinstance(one, str)]), unread

    def _record(self, number: int, size: int, payload: bytes, same_mission: bool) -> Statement | str:
        if not same_mission and number not in self._universal:
            return "other-mission"
        if number not in self._numbers:
            return "unknown-kind"
        layout = self._by_record.get((number, size))
        if layout is None or len(payload) != size:
            return "wrong-length"
        try:
            fields = _parse(layout.types, payload)
        except KeyError:
            return "unknown-name"
        name = layout.kind.name
        if name in FACT_KINDS and self._kind_of_fact(str(fields[0])) != name:
            return "wrong-kind-of-fact"
        return Statement(name, fields)

    def _kind_of_fact(self, fact: str) -> str:
        kind = self._table.fact(fact)
        return kind.kind if kind.versioned else "fact"

    def _layout(self, statement: Statement) -> _Layout:
        try:
            return self._layouts[statement.kind]
        except KeyError:
            raise KeyError(f"the mission declares no statement kind {statement.kind!r}") from None


@functools.lru_cache(maxsize=8)
def codec_of(table: NumberTable) -> Codec:
    """The codec of a table, the same one for all that hold it in this process."""
    return Codec(table)


def _build(layout: _Layout, statement: Statement) -> bytes:
    if len(statement.fields) != len(layout.types):
        raise ValueError(f"{statement.kind} has {len(layout.types)} fields, not {len(statement.fields)}")
    return b"".join([one.build(value) for one, value in zip(layout.types, statement.fields, strict=True)])


def _parse(types: Iterable[_Type], payload: bytes) -> tuple[Any, ...]:
    values, start = [], 0
    for one in types:
        values.append(one.parse(payload[start : start + one.size]))
        start += one.size
    return tuple(values)


def _add_age(statement: Statement, ages: tuple[int, ...], beats: float) -> Statement:
    fields = list(statement.fields)
    for i in ages:
        age = fields[i]
        assert isinstance(age, int | float)
        fields[i] = age + beats
    return replace(statement, fields=tuple(fields))


def _layout(kind: StatementKind, types: Mapping[str, _Type]) -> _Layout:
    names = tuple(name for _, name in kind.fields)
    fields = tuple(types[name] for name in names)
    size = sum(field.size for field in fields)
    if size > 15 or size + 1 > RECORDS:
        raise ValueError(f"statement kind {kind.name!r} takes {size} bytes; a record holds 15")
    ages = tuple(i for i, name in enumerate(names) if name == "age")
    return _Layout(kind, size, fields, ages)


def _types(table: NumberTable) -> dict[str, _Type]:
    """All field types, for one table."""
    tasks = {"": 0} | {name: entry.number for name, entry in table.task_entries.items()}
    facts = {fact.name: fact.number for fact in table.facts}
    types = {name: _number_type(*layout) for name, layout in NUMBERS.items()}
    types |= {name: _array_type(count, types[of]) for name, (count, of) in ARRAYS.items()}
    return types | {"task": _name_type("task", tasks), "fact": _name_type("fact", facts)}


def _number_type(parts: int, size: int, low: int, high: int) -> _Type:
    """A number to the nearest whole part, saturating; ValueError for nan, which has no nearest."""
    signed = low < 0

    def build(value: float) -> bytes:
        if math.isnan(value):
            raise ValueError("a statement holds nan")
        scaled = value * parts
        raw = low if scaled <= low else high if scaled >= high else round(scaled)
        return raw.to_bytes(size, "big", signed=signed)

    def parse(data: bytes) -> int | float:
        raw = int.from_bytes(data, "big", signed=signed)
        return raw if parts == 1 else raw / parts

    return _Type(size, build, parse)


def _array_type(count: int, of: _Type) -> _Type:
    def build(values: Sequence[Any]) -> bytes:
        if len(values) != count:
            raise ValueError(f"expected {count} numbers, found {len(values)}")
        return b"".join(map(of.build, values))

    return _Type(count * of.size, build, functools.partial(_parse, (of,) * count))


def _name_type(what: str, numbers: Mapping[str, int]) -> _Type:
    """A name by its number, in one byte; KeyError for one that the table does not hold."""
    names = {number: name for name, number in numbers.items()}

    def build(name: str) -> bytes:
        try:
            return bytes((numbers[name],))
        except KeyError:
            raise KeyError(f"the mission's number table holds no {what} {name!r}") from None

    return _Type(1, build, lambda data: names[data[0]])

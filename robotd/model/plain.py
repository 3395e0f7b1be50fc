"""Frozen dataclasses to positional JSON lists and back, the one form of run log, freeze and thaw.

Encoders are made once per type, so that a tick pays an attribute fetch and nothing else. JSON has no infinity:
a field whose default it is, a time of expiry say, is written as null while it is infinite.
"""

import dataclasses
import functools
import math
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

Json = None | bool | int | float | str | list[Any] | tuple[Any, ...] | dict[str, Any]
"""What `json.dumps` takes; tuples are written as lists."""

T = TypeVar("T")
OMIT_DEFAULT: Final = types.MappingProxyType({"omit": "default"})
"""Metadata of the last fields: a row ends before those that have their defaults. Of scalars alone: one, None."""

_SCALARS = (bool, int, float, str, type(None))
_AS_THEY_ARE = frozenset(_SCALARS)  # which is looked up faster


def to_plain(value: object) -> Json:
    """`value` (a dataclass of scalars, tuples, string-keyed mappings and such dataclasses) as plain JSON."""
    return _WRITERS[type(value)](value)


def _itself(value: Any) -> Json:
    scalar: Json = value
    return scalar


def _items(value: Any) -> Json:
    """The scalars among the items are most of all that is written, so that they are spared the two calls."""
    return [item if type(item) in _AS_THEY_ARE else _WRITERS[type(item)](item) for item in value]


class _Writers(dict[type, Callable[[Any], Json]]):
    """What writes a value of each type, made when first asked for."""

    def __missing__(self, kind: Any) -> Callable[[Any], Json]:
        self[kind] = writer = self._writer_of(kind)
        return writer

    @staticmethod
    def _writer_of(kind: Any) -> Callable[[Any], Json]:
        if issubclass(kind, _SCALARS):
            return _itself
        if issubclass(kind, tuple | list):
            return _items
        if issubclass(kind, Mapping):
            return lambda value: {str(key): to_plain(item) for key, item in value.items()}
        return encoder(kind)


_WRITERS: Final = _Writers()


def from_plain(kind: type[T], data: Json) -> T:
    """The value of `kind` that `to_plain` gave `data` for; ValueError where the shape does not fit."""
    hint: Any = kind
    result: T = decoder(hint)(data)
    return result


@functools.cache
def encoder(kind: type) -> Callable[[Any], Json]:
    """The function that writes a value of the dataclass `kind` as the list of its fields, in order."""
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind.__name__} has no plain form: it is not a dataclass")
    fields = dataclasses.fields(kind)
    if not fields:
        return lambda value: []
    if len(fields) == 1:
        only, unending = fields[0].name, _is_endless(fields[0])
        return lambda value: [_finite(getattr(value, only)) if unending else to_plain(getattr(value, only))]
    hints = typing.get_type_hints(kind)
    deep = [i for i, field in enumerate(fields) if not _is_scalar(hints[field.name])]
    endless = [i for i, field in enumerate(fields) if _is_endless(field)]
    if not deep and not endless:
        fetch_flat = _fetcher(fields)
        return lambda value: list(fetch_flat(value))
    fetch = operator.attrgetter(*[field.name for field in fields])
    omitted = fields[len(fields) - _omitted(fields) :]
    defaults = [field.default for field in omitted[::-1]]

    def encode(value: object) -> Json:
        row = list(fetch(value))
        for default in defaults:
            if row[-1] != default:
                break
            row.pop()
        for i in deep:
            if i < len(row):
                row[i] = _WRITERS[type(row[i])](row[i])
        for i in endless:
            if row[i] == math.inf:
                row[i] = None
        return row

    return encode


def flat(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """What fetches the fields of a value of `kind` that are plain as they stand; TypeError where some are not."""
    fields, hints = dataclasses.fields(kind), typing.get_type_hints(kind)
    if len(fields) < 2 or any(_is_endless(field) or not _is_scalar(hints[field.name]) for field in fields):
        raise TypeError(f"{kind.__name__} is not made of two or more scalars")
    return _fetcher(fields)


def _fetcher(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[Any], tuple[Any, ...]]:
    """What fetches the values that a row has of a dataclass with these two or more fields."""
    names = [field.name for field in fields]
    whole, last = operator.attrgetter(*names), names[-1]
    if not _omitted(fields):
        return whole
    short = operator.attrgetter(*names[:-1])
    return lambda value: short(value) if getattr(value, last) is None else whole(value)


def _omitted(fields: Sequence[dataclasses.Field[Any]]) -> int:
    """How many of the fields, the last ones, a row may end before."""
    return sum(field.metadata.get("omit") == OMIT_DEFAULT["omit"] for field in fields)


def _finite(value: Any) -> Any:
    return None if value == math.inf else value


def _is_endless(field: dataclasses.Field[Any]) -> bool:
    return isinstance(field.default, float) and field.default == math.inf


def _is_scalar(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(_is_scalar(part) for part in typing.get_args(hint))
    return hint in _SCALARS or typing.get_origin(hint) is typing.Literal


@functools.cache
def decoder(hint: Any) -> Callable[[Any], Any]:
    """The inverse of `encoder` for any supported annotation."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if _is_scalar(hint) or hint is Any or hint == Json:
        return _number_of(hint)
    if origin in (typing.Union, types.UnionType):
        filled = [part for part in parts if not _is_scalar(part)]
        if len(filled) != 1:
            raise TypeError(f"a union of {filled} has no plain form")
        inner = decoder(filled[0])
        return lambda data: data if isinstance(data, _SCALARS) else inner(data)
    if origin is tuple and parts[-1] is Ellipsis:
        item = decoder(parts[0])
        return lambda data: tuple(item(entry) for entry in data)
    if origin is tuple:
        items = [decoder(part) for part in parts]
        return lambda data: tuple(read(entry) for read, entry in zip(items, data, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        key, entry_of = decoder(parts[0]), decoder(parts[1])
        whole = parts[0] is int
        return lambda data: {int(k) if whole else key(k): entry_of(v) for k, v in data.items()}
    return _fields_of(hint)


def _number_of(hint: Any) -> Callable[[Any], Any]:
    """JSON writes 1.0 as 1.0 but hand-made data may not: a float field always reads as a float."""
    if hint is float:
        return float
    if hint not in (int, str, bool):
        return lambda data: data

    def read(data: Any) -> Any:
        if type(data) is not hint:
            raise ValueError(f"expected {hint.__name__}, found {data!r:.80}")
        return data

    return read


def _until(data: Any) -> float:
    return math.inf if data is None else float(data)


def _fields_of(kind: Any) -> Callable[[Any], Any]:
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind} has no plain form")
    hints = typing.get_type_hints(kind)
    readers = [_until if _is_endless(field) else decoder(hints[field.name]) for field in dataclasses.fields(kind)]
    make: Any = kind
    name = make.__name__.strip("_")
    fewest = len(readers) - _omitted(dataclasses.fields(kind))

    def decode(data: Any) -> Any:
        if not isinstance(data, list | tuple) or not fewest <= len(data) <= len(readers):
            raise ValueError(f"expected {len(readers)} fields of {name}, found {data!r:.80}")
        return make(*[read(entry) for read, entry in zip(readers[: len(data)], data, strict=True)])

    return decode

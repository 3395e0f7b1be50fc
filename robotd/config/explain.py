"""Pydantic's findings in the words of a person who edits the file: what was expected, what was found."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from robotd.config.schema import PATTERNS, Path_, Shape, format_value
from robotd.files.nearest import hint, nearest
from robotd.model.value import value

T = TypeVar("T")

UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
BARE_TYPES = ("int_type", "float_type", "bool_type")
_BARE = re.compile(r"[+-]?[0-9][0-9_.e+-]*|true|false|inf")
MOST_PLACES = 4  # tables named for a key that is in the wrong one


@value
class Finding:
    """One fault of a table: where, in words, what was expected there, and the nearest valid key or value.

    `whole`: a validator found it of the value as a whole, so that it may lie with any key inside. `unknown`: the
    key itself is unknown.
    """

    path: Path_
    message: str
    expected: str = ""
    nearest: str = ""
    whole: bool = False
    unknown: bool = False


def findings(error: ValidationError, kind: Any, data: Any) -> list[Finding]:
    """Every fault that pydantic found in `data` as a `kind`, one a key, in its order.

    A required key is not reported as missing where an unknown key beside it is probably the same, misspelled.
    """
    shape = Shape(kind)
    found: dict[Path_, Finding] = {}
    raw = [(_clean(entry["loc"], data, entry["type"]), entry) for entry in error.errors(include_url=False)]
    holders = {path[:depth] for (path, _), _ in raw for depth in range(len(path))}
    for (path, tagged), entry in raw:
        if not (tagged and path in holders):  # of a union, the alternative that fits farther in was meant
            found.setdefault(path, _explain(path, entry, shape, data))
    missing = {path for (path, _), entry in raw if entry["type"] == "missing"}
    meant = missing & {(*path[:-1], one.nearest) for path, one in found.items() if one.unknown}
    return [one for path, one in found.items() if path not in meant]


def unknown_key(kind: Any, key: str) -> Finding:
    """The fault of a key that a `kind` does not have."""
    return _unknown((key,), Shape(kind))


def build_model(kind: Callable[..., T], data: Mapping[str, Any], where: str = "") -> T:
    """A `kind` (a model) of `data`; ValueError that names every key at fault, each after `where`, in words."""
    try:
        return kind(**data)
    except ValidationError as error:
        found = findings(error, kind, data)
    raise ValueError("; ".join(f"{where}{'.'.join(map(str, one.path))}: {one.message}" for one in found))


def _clean(loc: Path_, data: Any, kind: str) -> tuple[Path_, bool]:
    """`loc` without the marks that are no keys of `data` (alternatives of unions, `[key]`), and if it had any."""
    path: list[str | int] = []
    tagged = False
    for index, part in enumerate(loc):
        last = index == len(loc) - 1
        if isinstance(data, dict) and (part in data or (last and kind == "missing")):
            data = data.get(part)
        elif isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            tagged |= part != "[key]"
            continue
        path.append(part)
    return tuple(path), tagged


def _explain(path: Path_, entry: Mapping[str, Any], shape: Shape, data: Any) -> Finding:
    if entry["type"] in UNKNOWN:
        return _unknown(path, shape)
    expected, about = shape.expected(path), shape.at(path).get("description")
    meaning = f" ({about})" if about and path else ""
    if entry["type"] == "missing":
        return Finding(path, f"this key is required{f': {expected}' if expected else ''}{meaning}", expected)
    if entry["loc"][-1:] == ("[key]",):
        pattern = str(entry.get("ctx", {}).get("pattern", ""))
        expected = PATTERNS.get(pattern, str(entry["msg"]))
        return Finding(path, f"expected as a key {expected}", expected)
    if entry["type"] in ("value_error", "assertion_error"):
        message = str(entry["msg"]).partition(", ")[2]
        return Finding(path, message, expected, whole=True)
    if entry["type"] == "finite_number":
        expected = f"{expected} that is finite"
    given = functools.reduce(lambda table, part: table[part], path, data)
    if not expected:
        return Finding(path, f"{entry['msg']}, found {format_value(given)}{meaning}", expected)
    near = nearest(given, shape.choices(path)) if isinstance(given, str) else ""
    advice = hint(near)
    if isinstance(given, str) and not near and _BARE.fullmatch(given) and entry["type"] in BARE_TYPES:
        near, advice = given, f"; without the quotes it would be {given}"
    return Finding(path, f"expected {expected}, found {format_value(given)}{advice}{meaning}", expected, near)


def _unknown(path: Path_, shape: Shape) -> Finding:
    key, valid = str(path[-1]), shape.keys(path[:-1])
    near = nearest(key, valid)
    expected = f"one of {', '.join(valid)}" if valid else "no key here"
    words = f"unknown key; expected {expected}"
    if near:
        words = f"unknown key{hint(near)} (expected {expected})"
    elif places := shape.tables(key)[:MOST_PLACES]:
        homes = " or ".join(f"[{place}]" if place else "the top of the file" for place in places)
        words = f"unknown key; {key!r} belongs in {homes} (expected here {expected})"
        near = f"{places[0]}.{key}".removeprefix(".")
    return Finding(path, words, expected, near, unknown=True)

"""A TOML file as read, and the faults found in it: each with file, line, key, and what was expected."""

from __future__ import annotations

import copy
import datetime as dt
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from robotd.config.explain import Finding, findings
from robotd.config.schema import Path_
from robotd.files.nearest import hint, nearest, unknown
from robotd.files.refusal import Refusal
from robotd.files.toml import TomlSyntaxError, line_of, read

T = TypeVar("T")
MAX_BYTES = 1_000_000  # of a file; missions of a hundred robots have some tens of kilobytes


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault of a configuration file; `line` is 0 where it concerns the file as a whole.

    `expected` and `nearest` (a valid key or value that was probably meant) are in `message` too.
    """

    file: str
    line: int
    key: str
    message: str
    expected: str = ""
    nearest: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.key}: {self.message}" if self.key else f"{where}: {self.message}"


class ConfigError(Refusal):
    """A configuration that cannot be used; `problems` holds every fault that was found."""

    prefix = ""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass
class Source:
    """A TOML file as read, and the faults found in it."""

    file: str
    text: str
    data: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)
    overrides: dict[Path_, str] = field(default_factory=dict)  # of keys that an option set: that option
    replaced: dict[Path_, Any] = field(default_factory=dict)  # of those keys: what the file has, None for nothing
    _keys: dict[str, str] = field(default_factory=dict)  # that have a fault: the key or value probably meant

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file at `path`; ConfigError where it is missing or is no TOML."""
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
            if len(content) > MAX_BYTES:
                raise ConfigError([Problem(str(path), 0, "", f"is larger than {MAX_BYTES // 1000} kB")])
            text, data = read(content)
        except FileNotFoundError:
            near = nearest(path.name, (one.name for one in path.parent.glob("*.toml")))
            missing = Problem(str(path), 0, "", f"there is no such file{hint(near)}", nearest=near)
            raise ConfigError([missing]) from None
        except OSError as error:
            raise ConfigError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from None
        except TomlSyntaxError as error:
            raise ConfigError([Problem(str(path), error.line, "", f"not TOML: {error.reason}")]) from None
        return cls(str(path), text, data)

    def fault(
        self, path: Path_, message: str, expected: str = "", nearest: str = "", *, whole: bool = False
    ) -> None:
        """Note a fault at a key; a key that has one already keeps the first.

        `whole`: it is of the whole table there, so that an option that set a key inside may have brought it.
        """
        key = _dotted(path)
        if not key or key not in self._keys:
            self._keys[key] = nearest
            option = self.option_at(path, whole=whole)
            file, line = (option, 0) if option else (self.file, line_of(self.text, path))
            self.problems.append(Problem(file, line, key, message, expected, nearest))

    def is_misspelt(self, path: Path_) -> bool:
        """Whether the key at `path` is probably there under a name that was noted as unknown."""
        table = f"{_dotted(path[:-1])}."
        return any(key.startswith(table) and meant == path[-1] for key, meant in self._keys.items())

    def is_known(self, path: Path_, what: str, name: str, valid: Collection[str]) -> bool:
        """Whether a name is in `valid`; a fault, with all of them and the nearest, where it is not."""
        if name in valid:
            return True
        known = sorted(valid)
        self.fault(path, unknown(what, name, known), f"one of {', '.join(known)}", nearest(name, known))
        return False

    def override(self, path: Path_, value: Any, option: str) -> None:
        """Replace the key at `path`; whatever is wrong there is then reported of `option` instead of the file."""
        holder: Any = self.data
        for depth, part in enumerate(path[:-1], 1):
            if isinstance(holder, dict) and part not in holder:
                holder[part] = {}
                self.overrides[path[:depth]] = option
            holder = holder[part] if isinstance(holder, dict) else None
        self.overrides[path] = option
        if not isinstance(holder, dict):
            self.fault(path, "this is not a key of a table")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:  # as a real number it would be infinite
            self.fault(path, "expected a whole number of at most 64 bits", "a whole number of 64 bits")
        else:
            self.replaced.setdefault(path, holder.get(str(path[-1])))
            holder[path[-1]] = value

    def option_at(self, path: Path_, *, whole: bool = False) -> str:
        """The option that set the key at `path`, or a table around it; if `whole`, or a key inside it; else ''."""
        return next((option for at, option in reversed(self.overrides.items())
                     if at == path[: len(at)] or (whole and path and path == at[: len(path)])), "")  # fmt: skip

    def names(self, table: str) -> Collection[str]:
        """The keys of a table of the file, faulty entries included."""
        found = self.data.get(table)
        return found.keys() if isinstance(found, dict) else ()

    def validate(self, kind: type[T], data: Any, at: Path_ = ()) -> T | None:
        """`data`, found at key path `at`, as a `kind`; None, with the faults noted, where it does not fit.

        Values keep their types: a number in quotes is no number, and true is not 1.
        """
        result, found = _fit(kind, data)
        for one in found:
            self.fault((*at, *one.path), one.message, one.expected, one.nearest, whole=one.whole)
        return result

    def draft(self, kind: type[T]) -> T | None:
        """The file as a `kind` without its faulty keys, so that the rest can be checked too; None if hopeless."""
        data = copy.deepcopy(self.data)
        while data:
            result, found = _fit(kind, data)
            if not found:
                return result
            for path in sorted((finding.path for finding in found), key=len, reverse=True):
                _drop(data, path)
        return None


def _fit(kind: type[T], data: Any) -> tuple[T | None, list[Finding]]:
    """`data` as a `kind`, or why it is none. It goes through JSON, where lists may be tuples but 1 is no text."""
    try:
        return TypeAdapter(kind).validate_json(json.dumps(data, default=_as_no_key), strict=True), []
    except ValidationError as error:
        return None, findings(error, kind, data)


def _as_no_key(value: Any) -> Any:
    """A date or time of TOML, which no key takes, as a list of lists, which no key takes either."""
    if isinstance(value, dt.date | dt.time):
        return [[str(value)]]
    raise TypeError(f"no TOML value: {value!r}")


def _drop(data: Any, path: Path_) -> None:
    """Take the key at `path` out of `data`; where it is missing, the table that lacks it; of a list, all."""
    if not path:
        data.clear()
        return
    holder = data
    for part in path[:-1]:
        try:
            holder = holder[part]
        except (KeyError, IndexError, TypeError):
            return  # its table has gone with an earlier fault
    if isinstance(holder, dict) and path[-1] in holder:
        del holder[path[-1]]
    else:
        _drop(data, path[:-1])


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path)

"""TOML as bytes to values and, for messages about a value, its line.

`tomllib` keeps no positions, so on the error path the text is scanned a second time: lightly, as it is known
to be valid by then.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_SCALAR = re.compile(r"[^,\]}#\n]+")
_DEEP = re.compile(r"^[ \t[]*(?:[A-Za-z0-9_-]+[ \t]*\.[ \t]*){100}", re.MULTILINE)
_ERROR_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_ERROR_END = re.compile(r" \(at end of document\)$")


class TomlSyntaxError(Exception):
    """The text is not TOML: `line`, counted from 1, and `reason`."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def read(data: bytes) -> tuple[str, dict[str, Any]]:
    """The text and the values of a TOML file; raises TomlSyntaxError and nothing else."""
    try:
        text = data.decode("utf-8-sig")  # editors on Windows begin a file with a byte-order mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlSyntaxError(line, "not UTF-8 text; save the file with the encoding UTF-8") from None
    if deep := _DEEP.search(text):  # `tomllib` takes time with the square of a key's parts
        raise TomlSyntaxError(text.count("\n", 0, deep.start()) + 1, "nested too deeply")
    try:
        values = tomllib.loads(text)
        for path, reason in _find_misfits(values, ()):
            raise TomlSyntaxError(line_of(text, path), reason)
        return text, values
    except RecursionError:
        raise TomlSyntaxError(1, "nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError is one; so is a number of thousands of digits
        message = str(error)
        at = _ERROR_LINE.search(message)
        end = len(text.rstrip().splitlines()) or 1
        line = int(at[1]) if at else end if _ERROR_END.search(message) else 1
        reason = _ERROR_END.sub(" at the end of the file", _ERROR_LINE.sub("", message))
        raise TomlSyntaxError(line, reason) from None


def _find_misfits(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Integers of more than 64 bits, which TOML does not have, and texts that name no file: path and reason."""
    if isinstance(value, int) and value.bit_length() > 63:
        yield path, "a whole number has at most 64 bits; write it with a point"
    elif isinstance(value, str) and "\0" in value:
        yield path, "a text cannot contain the character \\u0000"
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from _find_misfits(item, (*path, key))


def value_of(text: str) -> Any:
    """The TOML value of `text`, or, where it is not TOML, the text itself."""
    try:
        _, data = read(f"value = {text}".encode(errors="surrogateescape"))
    except TomlSyntaxError:
        return text
    return data["value"] if len(data) == 1 else text  # more lines brought more keys


def as_toml(text: str) -> str:
    """`text` if it is a TOML value, else as a TOML string; ValueError where it is not UTF-8."""
    return quote(text) if value_of(text) == text else text


def quote(text: str) -> str:
    """`text` as a TOML string; ValueError where it is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is not UTF-8 text") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def line_of(text: str, path: Path) -> int:
    """The line, counted from 1, of the key or array element at `path` in a valid TOML text.

    A path is made of keys and array indices, as one would walk the parsed values: `("set", 1, "name")`. For one
    that is not there, the line of the nearest container that is (a missing key: its table's header), else 1.
    """
    lines = _lines(text)
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


@lru_cache(maxsize=4)
def _lines(text: str) -> dict[Path, int]:
    """The line of each key path, from one scan: a file with many faults asks for many."""
    lines, line, before = {}, 1, 0
    for path, start in sorted(_Scan(text).starts.items(), key=itemgetter(1)):
        line += text.count("\n", before, start)
        lines[path], before = line, start
    return lines


class _Scan:
    """`starts`: where each key path begins in the text. Stops quietly at anything that is not TOML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}  # arrays of tables: how many elements so far
        table: Path = ()
        while self._blank() < len(text):
            before = self.at
            table = self._header() if text[before] == "[" else self._pair(table)
            if self.at == before:
                return

    def _blank(self) -> int:
        return self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _key(self) -> list[str]:
        """A bare, quoted or dotted key, in parts."""
        parts: list[str] = []
        while True:
            start = self.at
            if self._skip(_BARE_KEY) > start:
                parts.append(self.text[start : self.at])
            elif self._skip(_STRING) > start:
                parts.append(_unquoted(self.text[start : self.at]))
            before = self.at
            if self.at == start or self._skip(_DOT) == before:
                return parts

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`: the path of the table that it opens."""
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 2 if is_array else 1
        self._blank()
        path: Path = ()
        for part in self._key():
            path = self._last_element(path)
            path += (part,)
            self.starts.setdefault(path, start)
        if is_array:
            self.tables[path] = self.tables.get(path, -1) + 1
        else:
            self.starts[path] = start
        path = self._last_element(path)
        self.starts.setdefault(path, start)
        self._blank()
        self.at += 2 if is_array else 1
        return path

    def _last_element(self, path: Path) -> Path:
        return (*path, self.tables[path]) if path in self.tables else path

    def _pair(self, table: Path) -> Path:
        """`key = value` in `table`; the path of the table."""
        start, path = self.at, table
        for part in self._key():
            path += (part,)
            self.starts.setdefault(path, start)
        self._blank()
        if self._peek() == "=":
            self.at += 1
            self._blank()
            self._value(path)
        return table

    def _value(self, path: Path) -> None:
        opening = self._peek()
        if opening in ("[", "{"):
            self.at += 1
            self._items(path, "]" if opening == "[" else "}")
        elif self._skip(_STRING) == self.at and opening not in ('"', "'"):
            self._skip(_SCALAR)

    def _items(self, path: Path, closing: str) -> None:
        """The elements of an array, or the pairs of an inline table, with its closing bracket."""
        index = 0
        while self._blank() < len(self.text) and self._peek() != closing:
            before = self.at
            if closing == "]":
                self.starts.setdefault((*path, index), before)
                self._value((*path, index))
            else:
                self._pair(path)
            self._blank()
            self.at += self._peek() == ","
            index += 1
            if self.at == before:
                return
        self.at += 1


def _unquoted(key: str) -> str:
    return next(iter(tomllib.loads(f"{key} = 0")))

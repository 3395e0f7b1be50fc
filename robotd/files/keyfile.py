"""The key file: a key of 64 hexadecimal digits a line, of the whole team, or of the robot whose name stands first.

    # a remark
    1f...          the key that the team signs with
    a0...          a second one that holds too, while keys are changed
    green 77...    what green signs with, in place of the team's

No message ever shows what stands in such a file but names of robots and numbers of lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from radio.keys import AT_ONCE, KEY, Keys
from radio.link import BASE_STATION

_HEX = re.compile(rf"[0-9a-fA-F]{{{2 * KEY}}}")
_SAID = f"{2 * KEY} hexadecimal digits, alone or after a robot's name"


class KeyFileError(ValueError):
    """A key file that cannot be used; the message says which line and what was expected, and shows no key."""


def parse(text: str, numbers: Mapping[str, int]) -> Keys:
    """The keys of a file. `numbers`: the team's, by name; names of others are passed over. KeyFileError."""
    by_name = lines_of(text)
    known = {**numbers, BASE_STATION: 0}
    own = {known[name]: keys for name, keys in by_name.items() if name in known}
    return Keys(by_name.get("", ()), own)


def lines_of(text: str) -> dict[str, tuple[bytes, ...]]:
    """The keys by whose they are, in the order of the file; '' for the team. KeyFileError."""
    found: dict[str, tuple[bytes, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name = words[0] if len(words) == 2 else ""
        if len(words) > 2 or not _HEX.fullmatch(words[-1]) or _HEX.fullmatch(name):
            raise KeyFileError(f"line {number} is not a key; expected {_SAID}")
        found[name] = (*found.get(name, ()), bytes.fromhex(words[-1]))
        whose = f"of {name}" if name else "of the team"
        if len(found[name]) > AT_ONCE:
            raise KeyFileError(f"line {number} is key {AT_ONCE + 1} {whose}; {AT_ONCE} at most hold at once")
        if len(set(found[name])) < len(found[name]):
            raise KeyFileError(f"line {number} repeats the key {whose}")
    if not found:
        raise KeyFileError(f"there is no key in it; expected {_SAID}")
    return found


def read(path: Path, numbers: Mapping[str, int]) -> Keys:
    """The keys in a file; OSError, KeyFileError."""
    return parse(text_of(path), numbers)


def text_of(path: Path) -> str:
    """A key file's text; OSError, KeyFileError where it is no text."""
    try:
        return path.read_text(encoding="ascii")
    except UnicodeDecodeError:
        raise KeyFileError(f"it is no text; expected {_SAID}") from None


def text_for(keys: Mapping[str, tuple[bytes, ...]]) -> str:
    """What `lines_of` reads as `keys`."""
    return "".join(f"{name} {key.hex()}\n".lstrip() for name, of in keys.items() for key in of)


def fresh_key() -> bytes:
    """A key from the system's randomness."""
    return os.urandom(KEY)


def write(path: Path, text: str, *, replace: bool = False) -> None:
    """Write a key file that its owner alone can read, whole or not at all; FileExistsError unless `replace`."""
    target = path.with_name(f".{path.name}.new") if replace else path
    flags = os.O_CREAT | os.O_WRONLY | (os.O_TRUNC if replace else os.O_EXCL)
    fd = os.open(target, flags, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        os.fchmod(fd, 0o600)  # whatever the mask
        file.write(text)
        file.flush()
        os.fsync(fd)
    if replace:
        target.replace(path)

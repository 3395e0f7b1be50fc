"""The key file: a key of 64 hexadecimal digits a line, of the whole team, or of the robot that it names first.

    # a remark
    1f...          the key that the team signs with
    a0...          a second one that holds too, while keys are changed
    green 77...    what green signs with, in place of the team's

No message ever shows more of such a file than names of robots and numbers of lines.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from radio.keys import AT_ONCE, KEY, Keys
from radio.link import BASE_STATION

_HEX = re.compile(rf"[0-9a-fA-F]{{{2 * KEY}}}")
_EXPECTED = f"{2 * KEY} hexadecimal digits, alone or after a robot's name"
_MAKE = "make one for the whole team with: robotd keygen FILE"
MAX_BYTES = 64_000


class KeyFileError(ValueError):
    """A key file that cannot be used; the message names the line and what was expected, and shows no key."""


def parse(text: str, numbers: Mapping[str, int]) -> Keys:
    """The keys of a file. `numbers`: the team's, by name; names of others are passed over. KeyFileError."""
    by_name = lines_of(text)
    known = {"": 0, **numbers, BASE_STATION: 0}
    if not known.keys() & by_name:
        raise KeyFileError(
            f"it holds keys of {', '.join(sorted(by_name))} alone, who are not of this team "
            f"({', '.join(sorted(numbers))}); {_MAKE}"
        )
    own = {known[name]: keys for name, keys in by_name.items() if name and name in known}
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
            raise KeyFileError(f"line {number} is not a key; expected {_EXPECTED}")
        key = bytes.fromhex(words[-1])
        if len(set(words[-1].lower())) == 1:
            raise KeyFileError(f"line {number} is one digit repeated, which anyone can guess; {_MAKE}")
        found[name] = (*found.get(name, ()), key)
        whose = f"of {name}" if name else "of the team"
        if len(found[name]) > AT_ONCE:
            raise KeyFileError(f"line {number} is key {AT_ONCE + 1} {whose}; {AT_ONCE} at most hold at once")
        if len(set(found[name])) < len(found[name]):
            raise KeyFileError(f"line {number} repeats the key {whose}")
    if not found:
        raise KeyFileError(f"there is no key in it; {_MAKE}")
    return found


def read(path: Path, numbers: Mapping[str, int]) -> Keys:
    """The keys in a file; OSError, KeyFileError."""
    return parse(text_of(path), numbers)


def text_of(path: Path) -> str:
    """A key file's text; OSError, KeyFileError where it is no text."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise KeyFileError(f"it is larger than {MAX_BYTES // 1000} kB; expected {_EXPECTED}")
    try:
        return data.decode("utf-8-sig")  # editors on Windows begin a file with a byte-order mark
    except UnicodeDecodeError:
        raise KeyFileError(f"it is not UTF-8 text; expected {_EXPECTED}") from None


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
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            os.fchmod(fd, 0o600)  # whatever the mask
            file.write(text)
            file.flush()
            os.fsync(fd)
        if replace:
            target.replace(path)
    except BaseException:
        target.unlink(missing_ok=True)
        raise

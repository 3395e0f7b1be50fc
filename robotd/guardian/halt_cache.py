"""The halt card: what stops the motors behind each serial port of a robot, so that a halt needs no plug-in loaded.

`robotd install-service` writes it beside the robot file; of a robot file, or a program, that is another by now it
says nothing. It is read by root as soon as a port appears: standard library alone, to start fast.
"""

from __future__ import annotations

import json
import os
import termios
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from robotd.transport.tty import write_last

NAME = "halt.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A serial port by its name, bits per second, and the halt of the board behind it in hexadecimal."""

    path: str
    baud: int
    halt: str


def written(robot_file: bytes, stamp: str, entries: Iterable[Entry]) -> bytes:
    """The card for a robot file's bytes; `stamp` is a file that is replaced whenever the program is."""
    card = {"robot": robot_file.decode(), "stamp": [stamp, _age(stamp)], "ports": [asdict(e) for e in entries]}
    return (json.dumps(card, indent=1) + "\n").encode()


def entries(robot_file: Path) -> list[Entry] | None:
    """What the card beside a robot file says; None where there is none, or it is out of date."""
    try:
        card: dict[str, Any] = json.loads((robot_file.parent / NAME).read_bytes())
        stamp, age = card["stamp"]
        if card["robot"].encode() != robot_file.read_bytes() or age != _age(stamp):
            return None
        return [Entry(str(e["path"]), int(e["baud"]), str(e["halt"])) for e in card["ports"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def halt(entry: Entry) -> None:
    """Write the halt ahead of all that is queued, past both locks of the port; OSError where it does not leave."""
    fd = os.open(entry.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        _set_line(fd, entry.baud)
        write_last(fd, bytes.fromhex(entry.halt))
    finally:
        os.close(fd)


def can_say(baud: int) -> bool:
    """True for bits per second that the system has a name for."""
    return hasattr(termios, f"B{baud}")


def _set_line(fd: int, baud: int) -> None:
    """Eight data bits, no parity, one stop bit, and nothing done to any byte; OSError for what is no line."""
    speed = getattr(termios, f"B{baud}")
    try:
        before = termios.tcgetattr(fd)
        raw = [0, 0, termios.CS8 | termios.CREAD | termios.CLOCAL, 0, speed, speed, before[6]]
        termios.tcsetattr(fd, termios.TCSANOW, raw)
    except termios.error as error:
        raise OSError(*error.args) from None


def _age(path: str) -> int:
    return os.stat(path).st_mtime_ns

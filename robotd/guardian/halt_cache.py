"""The halt cache: what stops the motors behind each serial port of a robot, for halts that load no plug-in.

`robotd install-service` writes it beside the robot file; for a robot file, or a program, that is another by now it
is not valid. It is read as soon as a port appears, and when a service ends: standard library alone, to start fast.
"""

import json
import os
import termios
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


@dataclass(frozen=True, slots=True)
class HaltCache:
    """The ports of a robot file; `complete`: there are no others that can be halted (on TCP, say)."""

    ports: tuple[Entry, ...]
    complete: bool


def format_cache(robot_file: bytes, stamp: str, cache: HaltCache) -> bytes:
    """The file for a robot file's bytes; `stamp` is a file that is replaced whenever the program is."""
    data = {"robot": robot_file.decode(), "stamp": [stamp, os.stat(stamp).st_mtime_ns], **asdict(cache)}
    return (json.dumps(data, indent=1) + "\n").encode()


def read_cache(robot_file: Path) -> HaltCache | None:
    """The cache beside a robot file; None where there is none, or it is out of date."""
    try:
        data: dict[str, Any] = json.loads((robot_file.parent / NAME).read_bytes())
        stamp, age = data["stamp"]
        if data["robot"].encode() != robot_file.read_bytes() or age != os.stat(stamp).st_mtime_ns:
            return None
        ports = [Entry(str(e["path"]), int(e["baud"]), str(e["halt"])) for e in data["ports"]]
        if not all(has_rate(port.baud) and bytes.fromhex(port.halt) and "\0" not in port.path for port in ports):
            return None
        return HaltCache(tuple(ports), data.get("complete") is True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def halt(entry: Entry) -> None:
    """Write the halt ahead of all that is queued, past both locks of the port; OSError where it does not leave."""
    speed = getattr(termios, f"B{entry.baud}")
    fd = os.open(entry.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        # eight data bits, no parity, one stop bit, and nothing done to any byte
        raw = [0, 0, termios.CS8 | termios.CREAD | termios.CLOCAL, 0, speed, speed, termios.tcgetattr(fd)[6]]
        termios.tcsetattr(fd, termios.TCSANOW, raw)
        write_last(fd, bytes.fromhex(entry.halt))
    except termios.error as error:
        raise OSError(*error.args) from None
    finally:
        os.close(fd)


def has_rate(baud: int) -> bool:
    """Whether `termios` has a constant for these bits per second."""
    return hasattr(termios, f"B{baud}")

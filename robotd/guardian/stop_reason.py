"""Why the guardian stopped the daemon: a small file that the next start finds."""

import contextlib
import json
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robotd.files.paths import folder, is_trusted
from robotd.files.text import printable
from robotd.timing import clock

MAX_CAUSE = 300  # characters
RECORD_BYTES = 4096  # of a record, padded with spaces: JSON takes 12 for a character; no longer file is read
UNREADABLE = "the record of the last stop cannot be read"


class CauseFile:
    """The cause of the last stop, kept until a person acknowledged it.

    It is written to the first folder that takes it. `reserved` takes the room for it on each disk while there is
    some, so that a full one takes it all the same; where none does, the stop is as good, and the cause is lost.
    """

    def __init__(self, robot: str, folders: Sequence[Path]) -> None:
        self._paths = [folder / f"stop-{robot}.json" for folder in folders]

    def read(self) -> str | None:
        """The cause of a stop that was not acknowledged, with its wall-clock time; None if there is none.

        One line of at most `MAX_CAUSE` printable characters, whatever the file contains.
        """
        for path in self._paths:
            try:
                with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a FIFO blocks no start
                    record = json.loads(file.read(RECORD_BYTES))
                return portable(f"{record['cause']} (at {record['at']})")
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                return UNREADABLE
        return None

    @contextlib.contextmanager
    def reserved(self) -> Iterator[None]:
        """While it lasts, the room for a record is taken in each folder that gives it."""
        for path in self._paths:
            with contextlib.suppress(OSError):
                _write(path.with_suffix(".new"), b"")
        try:
            yield
        finally:
            _remove(path.with_suffix(".new") for path in self._paths)

    def write(self, cause: str) -> bool:
        """Record a cause; False if no folder took it."""
        at = clock.wall().isoformat(timespec="seconds")
        record = json.dumps({"cause": portable(cause), "at": at}).encode()
        return any(_replace(path, record) for path in self._paths)

    def forget(self) -> None:
        """It was acknowledged."""
        _remove(self._paths)


def portable(text: str) -> str:
    """At most `MAX_CAUSE` characters of `text`, of which every terminal, file and environment takes each."""
    encoding = sys.getfilesystemencoding()  # as the environment of a child has it
    return printable(text, MAX_CAUSE).encode(encoding, "replace").decode(encoding)


def cause_file(robot_file: Path) -> CauseFile:
    """Where the causes of the robot in `robot_file` are kept; the file itself is judged by the daemon."""
    try:
        data = tomllib.loads(robot_file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        data = {}
    name, own = data.get("name"), data.get("state_folder")
    return causes_of(name, robot_file.parent / own if isinstance(own, str) and own and "\0" not in own else None)


def causes_of(name: object, state: Path | None = None) -> CauseFile:
    """Where the causes of the robot `name` are kept on this computer; `state`: its own folder, if it has one."""
    safe = name if isinstance(name, str) and name.replace("-", "_").isidentifier() else "robot"
    return CauseFile(safe, [state or folder("state"), *filter(is_trusted, [folder("runtime")])])


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def _replace(path: Path, record: bytes) -> bool:
    fresh = path.with_suffix(".new")
    try:
        _write(fresh, record)
        fresh.replace(path)
    except OSError:
        return False
    return True


def _write(path: Path, record: bytes) -> None:
    """`record`, padded to its reserved room; over what is there, as that needs no more of the disk."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        os.write(fd, record.ljust(RECORD_BYTES))
        os.ftruncate(fd, RECORD_BYTES)
        os.fsync(fd)
    finally:
        os.close(fd)

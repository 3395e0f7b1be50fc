"""Where a robot keeps what outlives a restart: a folder of its own, which one robot at a time uses."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from robotd.files.paths import folder

SHARED = ("radio.json", "learned.json")  # what version 1 kept for all robots of a computer in one folder


class FolderInUseError(Exception):
    """Another process uses the folder; the message names it."""


def state_folder(robot: str, own: str, base: Path) -> Path:
    """The folder of `robot`: `own` as its file beside `base` names it, else one of its name among the system's."""
    return base / own if own else folder("state") / robot


def take_over_shared(robot: str) -> str:
    """Copy what version 1 kept for all robots into this one's new folder; in words what was copied, or ''.

    Each robot of the computer takes a copy, as it cannot be known whose it was: counters and stops only grow.
    OSError where it cannot be copied.
    """
    shared, mine = folder("state"), folder("state") / robot
    names = [name for name in SHARED if _is_for(robot, shared / name)]
    if mine.exists() or not names:
        return ""
    fresh = shared / f".{robot}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700, parents=True)
    for name in names:
        shutil.copy2(shared / name, fresh / name)
    fresh.replace(mine)
    return f"{', '.join(names)} of {shared}, which robots of this computer shared, copied to {mine}"


def _is_for(robot: str, path: Path) -> bool:
    """Whether a shared document may be this robot's; one that cannot be read is judged by the store."""
    try:
        document = json.loads(path.read_bytes())
    except OSError:
        return False
    except (ValueError, RecursionError):
        return True
    return not isinstance(document, dict) or document.get("robot", robot) == robot


@contextlib.contextmanager
def lock_folder(path: Path, mode: int = 0o777) -> Iterator[int | None]:
    """Keep the folder (made if need be) for this process; yields the lock's descriptor.

    FolderInUseError while another process has it; None is yielded where it cannot be locked (a read-only disk).
    """
    fd = None
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if fd is not None:
            os.close(fd)
        raise FolderInUseError(f"{path} is in use by another process") from None
    except OSError:
        if fd is not None:
            os.close(fd)
        fd = None
    try:
        yield fd
    finally:
        if fd is not None:
            os.close(fd)

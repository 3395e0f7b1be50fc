"""The folder of a robot's persistent data, which one process at a time uses."""

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
    """The state folder of `robot`: `own`, relative to `base`, or the one of its name in the system's folder."""
    return base / own if own else folder("state") / robot


def take_over_shared(robot: str) -> str:
    """Copy what version 1 kept for all robots into this one's new folder; what was copied, or ''.

    Each robot of the computer takes a copy, as the owner is not known: counters and stops only grow. OSError.
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
    """Lock the folder, which is made if missing, for this process; yields the lock's descriptor.

    FolderInUseError while another process has it; None is yielded where it cannot be locked (a read-only disk).
    """
    with contextlib.ExitStack() as opened:
        fd = None
        try:
            path.mkdir(mode=mode, parents=True, exist_ok=True)
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            opened.callback(os.close, fd)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUseError(f"{path} is in use by another process") from None
        except OSError:
            fd = None
        yield fd

"""The folder of a robot's persistent data, which one process at a time uses."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from robotd.files.paths import folder


class FolderInUseError(Exception):
    """Another process uses the folder; the message names it."""


def state_folder(robot: str, own: str, base: Path) -> Path:
    """The state folder of `robot`: `own`, relative to `base`, or the one of its name in the system's folder."""
    return base / own if own else folder("state") / robot


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

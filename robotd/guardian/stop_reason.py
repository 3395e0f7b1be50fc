"""Why the guardian stopped the daemon: a small file that the next start finds."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from robotd.timing import clock


class CauseFile:
    """The cause of the last stop, kept until a person acknowledged it.

    It is written to the first folder that takes it: a full or read-only disk may lose the cause to the next
    boot (the runtime folder is in memory), never the stop.
    """

    def __init__(self, robot: str, folders: Sequence[Path]) -> None:
        self._paths = [folder / f"stop-{robot}.json" for folder in folders]

    def read(self) -> str | None:
        """The cause of a stop that nobody has acknowledged, with its wall-clock time; None if there is none."""
        for path in self._paths:
            try:
                record = json.loads(path.read_text(encoding="utf-8"))
                return f"{record['cause']} (at {record['at']})"
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, TypeError):
                return "the record of the last stop cannot be read"
        return None

    def write(self, cause: str) -> bool:
        """Record a cause; False if no folder took it."""
        at = clock.wall().isoformat(timespec="seconds")
        text = json.dumps({"cause": cause, "at": at})
        return any(_replaced(path, text) for path in self._paths)

    def forget(self) -> None:
        """It was acknowledged."""
        for path in self._paths:
            with contextlib.suppress(OSError):
                path.unlink()


def _replaced(path: Path, text: str) -> bool:
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        return False
    return True

"""A progress bar for what reads a log: on a terminal only, and only where rich is installed."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from robotd.files.progress_bar import bar
from robotd.record.reading import LogLines


@contextlib.contextmanager
def reading(log: Path, doing: str) -> Iterator[Callable[[int], None] | None]:
    """Shows on standard error how much of `log` was read; yields what takes the bytes so far."""
    total = LogLines(log).size() if sys.stderr.isatty() else None
    with bar(doing, total, "TaskProgressColumn", "TimeRemainingColumn") as update:
        yield update and (lambda read: update(completed=read))

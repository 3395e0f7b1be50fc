"""A progress bar for what reads a log: on a terminal only, and only where rich is installed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from robotd.record.log import LogLines


@contextlib.contextmanager
def reading(log: Path, doing: str) -> Iterator[Callable[[int], None] | None]:
    """Shows on standard error how much of `log` was read; gives what is to be told the bytes so far."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
    except ImportError:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=LogLines(log).size())
        yield lambda read: bar.update(task, completed=read)

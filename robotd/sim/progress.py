"""A progress bar for a run, on a terminal only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from robotd.sim.host import Progress

EVERY = 10  # judgements between two redraws: what an eye can follow


@contextlib.contextmanager
def progress_bar(limit_s: float, quiet: bool) -> Iterator[Progress | None]:
    """Shows simulated time and objects delivered; nothing where `quiet`, off a terminal, or without rich."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
    except ImportError:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed} of {task.total} done"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        calls = 0

        def show(now: float, delivered: int, total: int) -> None:
            nonlocal calls
            calls += 1
            if calls % EVERY == 1:
                text = f"{now:6.0f} s (limit {limit_s:.0f} s)"
                bar.update(task, description=text, completed=delivered, total=total)

        yield show

"""A progress bar for a run, on a terminal only."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from robotd.files.progress_bar import bar
from robotd.sim.host import Progress

EVERY = 10  # judgements between two redraws: what an eye can follow


@contextlib.contextmanager
def progress_bar(limit_s: float, quiet: bool) -> Iterator[Progress | None]:
    """Shows simulated time and objects delivered; nothing where `quiet`, off a terminal, or without rich."""
    with bar("starting", None, "{task.completed} of {task.total} done", quiet=quiet) as update:
        if update is None:
            yield None
            return
        calls = 0

        def show(now: float, delivered: int, total: int) -> None:
            nonlocal calls
            calls += 1
            if calls % EVERY == 1:
                text = f"{now:6.0f} s (limit {limit_s:.0f} s)"
                update(description=text, completed=delivered, total=total)

        yield show

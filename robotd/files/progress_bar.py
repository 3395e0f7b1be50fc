"""The one progress bar: on standard error, on a terminal only, and only where rich is installed."""

import contextlib
import sys
from collections.abc import Callable, Iterator

Update = Callable[..., None]
"""Takes any of `description`, `completed` and `total`."""


@contextlib.contextmanager
def bar(doing: str, total: float | None, *columns: str, quiet: bool = False) -> Iterator[Update | None]:
    """A bar after the text `doing`, then `columns` (names of rich's, or texts); None without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        import rich.progress
        from rich.console import Console
    except ImportError:
        yield None
        return
    rest = [
        getattr(rich.progress, name)() if hasattr(rich.progress, name) else rich.progress.TextColumn(name)
        for name in columns
    ]
    shown = (rich.progress.TextColumn("{task.description}"), rich.progress.BarColumn(), *rest)
    with rich.progress.Progress(*shown, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(doing, total=total)
        yield lambda **fields: drawn.update(task, **fields)

"""The table of an acceptance: a row for each check."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.accept.check import Result

PLAIN_WIDTH = 150  # columns where the output is no terminal: the table in full, wrapped as little as can be


def table(results: Sequence[Result]) -> Table:
    """Line, what is shown and by which command, the figure it gave, its bound, pass or fail."""
    made = Table(show_lines=True, highlight=False, expand=True)
    made.add_column("line", no_wrap=True)
    for name, ratio in (("shown", 4), ("command", 6), ("figure", 7), ("bound", 4)):
        made.add_column(name, ratio=ratio, overflow="fold")
    made.add_column("", no_wrap=True)
    for result in results:
        check, found = result.check, result.found
        verdict = Text("pass", "green") if found.ok else Text("FAIL", "bold red")
        # Text, not str: brackets in commands are no markup.
        cells = (check.id, check.what, check.command, found.figure, found.bound)
        made.add_row(*(Text(cell) for cell in cells), verdict)
    return made


def write(results: Sequence[Result], console: Console | None = None) -> None:
    """Print the table and the count."""
    out = console or Console()
    if not out.is_terminal:
        out.width = PLAIN_WIDTH
    out.print(table(results))
    failed = [result.check.id for result in results if not result.found.ok]
    out.print(Text(verdict(len(results), failed)))


def verdict(count: int, failed: Sequence[str]) -> str:
    """The last line."""
    if failed:
        return f"{len(failed)} of {count} checks failed: {', '.join(failed)}"
    return f"all {count} checks passed"

"""What commands print: tables of text, an answer in JSON that nothing else gets into, a question."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence

STDOUT, STDERR = 1, 2


@contextlib.contextmanager
def keep_stdout(*, for_json: bool) -> Iterator[None]:
    """If `for_json`, all that is printed meanwhile goes to standard error: by Python, C and other processes."""
    if not for_json:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, STDOUT)
        os.close(kept)


def agrees(question: str) -> bool:
    """Whether a person at the terminal answers a question with yes; False without a terminal."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except UnicodeDecodeError:
        return False


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of one length as lines whose columns are aligned, two blanks apart and indented."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield ("  " + "  ".join(cells)).rstrip()

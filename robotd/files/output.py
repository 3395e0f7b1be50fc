"""Standard output of a command that answers in JSON: it carries the answer alone, whatever plug-ins print."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

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

"""Running a command whose standard error is a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.accept.desk import LONG_S, CommandError, Ran


def on_a_terminal(words: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> Ran:
    """Run a command to its end with standard error on a terminal, where it shows its progress."""
    master, slave = pty.openpty()
    texts = [str(word) for word in words]
    start = monotonic()
    process = subprocess.Popen(
        texts,
        cwd=cwd,
        env={**env, "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    try:
        assert process.stdout is not None
        out, said = _drained([process.stdout.fileno(), master], start + LONG_S)
        code = process.wait(timeout=LONG_S)
    except TimeoutError:
        raise CommandError(f"{' '.join(texts):.200} took more than {LONG_S:g} s") from None
    finally:
        process.kill()
        process.communicate()
        os.close(master)
    return Ran(texts, code, out, said, monotonic() - start)


def _drained(ends: Sequence[int], until: float) -> list[str]:
    """What comes from each end until all are at their end; TimeoutError past `until`."""
    came = dict.fromkeys(ends, b"")
    still = set(ends)
    while still:
        if monotonic() > until:
            raise TimeoutError
        for end in select.select(sorted(still), [], [], 1.0)[0]:
            try:
                data = os.read(end, 1 << 16)
            except OSError:  # the last user of the terminal has gone
                data = b""
            came[end] += data
            if not data:
                still.discard(end)
    return [came[end].decode(errors="replace") for end in ends]

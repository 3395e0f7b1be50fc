"""Emulated boards and modems behind ports, in a process of their own."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs_pages import ROOT

COMMAND = (sys.executable, "-m", "robotd")


@contextlib.contextmanager
def emulating(*words: str, program: tuple[str, ...] = COMMAND, cwd: Path = ROOT) -> Iterator[list[dict[str, Any]]]:
    """Inside, `robotd emulate WORDS` runs; its devices. It is ended as by control-C, and must end with 0."""
    with subprocess.Popen([*program, "emulate", *words, "--json"], stdout=subprocess.PIPE, cwd=cwd) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["devices"]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0


@contextlib.contextmanager
def answering(kind: str) -> Iterator[str]:
    """Inside, the board answers at the port given."""
    with emulating(kind) as (device,):
        yield device["port"]

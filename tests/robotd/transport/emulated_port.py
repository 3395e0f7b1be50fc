"""An emulated board on a pseudo-terminal, in a process of its own."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator

from tests.docs_pages import ROOT


@contextlib.contextmanager
def answering(kind: str) -> Iterator[str]:
    """Inside, the board answers at the port given."""
    words = [sys.executable, "-m", "robotd", "emulate", kind, "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        try:
            (device,) = json.loads(process.stdout.readline())["devices"]
            yield device["port"]
        finally:
            process.kill()

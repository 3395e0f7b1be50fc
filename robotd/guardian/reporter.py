"""What the guardian reports, to people and to the program that started it; nobody who does not read delays it."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from typing import Any

WRITE_S = 0.2  # for a message to people: a terminal may be stopped (Control-S)


class Reporter:
    """Each event as one JSON line on `fd` (if given); stops with a cause also on standard error."""

    def __init__(self, fd: int | None) -> None:
        self.fd = fd
        if fd is not None:
            os.set_blocking(fd, False)

    def __call__(self, event: str, **values: Any) -> None:
        """Report an event."""
        if values.get("cause"):
            urgent = "<3>" if "JOURNAL_STREAM" in os.environ else ""  # an error, for the journal
            words = f"{urgent}robotd: stopped: {values['cause']}\n"
            writing = threading.Thread(target=_write, args=(2, words), daemon=True)
            writing.start()
            writing.join(WRITE_S)
        if self.fd is not None:
            _write(self.fd, json.dumps({"event": event, **values}) + "\n")


def _write(fd: int, text: str) -> None:
    with contextlib.suppress(OSError):  # nobody listens, or too slowly: no reason to stop less well
        os.write(fd, text.encode(errors="backslashreplace"))

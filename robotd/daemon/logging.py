"""Messages for people: with priorities for the journal under systemd, plain on a terminal."""

from __future__ import annotations

import logging
import os
import sys

_PRIORITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}


class _Journal(logging.Formatter):
    """Lines that begin with the priority that systemd's journal reads (sd-daemon(3))."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        prefix = f"<{_PRIORITY.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in text.splitlines())


def set_up_logging(robot: str, level: int = logging.INFO) -> None:
    """Log to standard error, once, in the form that its reader understands."""
    handler = logging.StreamHandler(sys.stderr)
    form = f"{robot}: %(message)s"
    handler.setFormatter(_Journal(form) if "JOURNAL_STREAM" in os.environ else logging.Formatter(form))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)

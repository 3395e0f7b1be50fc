"""Messages for people: with priorities for the journal under systemd, plain on a terminal.

A thread writes them, as their reader may stop reading (Control-S in a terminal, a pipe, a journal that is
held up): the event loop never waits for it. Too many are dropped, counted, and the count is reported.
"""

import io
import logging
import os
import select
import threading
from collections import deque
from typing import Any

from robotd.files.text import printable

_PRIORITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
ROOM_BYTES = 256 * 1024  # some two thousand lines wait for a slow reader
MAX_MESSAGE = 2000  # characters
STDERR = 2
RETRY_S = 0.02  # until more is written where a program made the descriptor non-blocking


class MessageWriter(io.TextIOBase):
    """A text file that never blocks: a thread of its own writes to the descriptor `fd`, in order."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting: deque[bytes] = deque()
        self._bytes = self._dropped = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="messages", daemon=True).start()

    def fileno(self) -> int:
        """See `io.IOBase`."""
        return self._fd

    def write(self, text: str) -> int:
        """Queue `text`; dropped and counted where `ROOM_BYTES` wait already."""
        data = text.encode(errors="backslashreplace")
        with self._changed:
            if self._bytes + len(data) > ROOM_BYTES:
                self._dropped += 1
            else:
                self._waiting.append(data)
                self._bytes += len(data)
                self._changed.notify_all()
        return len(text)

    def drain(self, limit_s: float) -> bool:
        """Wait until everything is written, `limit_s` at most; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._bytes, limit_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                data = self._waiting.popleft()
            lost = not self._put(data)
            with self._changed:
                self._bytes -= len(data)
                self._dropped += lost
                dropped = 0 if self._bytes else self._dropped
                self._changed.notify_all()
            if dropped and self._put(b"robotd: %d messages were dropped, as they were not read\n" % dropped):
                with self._changed:
                    self._dropped -= dropped

    def _put(self, data: bytes) -> bool:
        """Whether all of `data` is written: a descriptor may be closed, or its disk full."""
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                select.select([], [], [], RETRY_S)
            except OSError:
                return False
        return True


class _Plain(logging.Formatter):
    """Messages of one bounded line, and a traceback line by line, as what others sent may hold anything."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of the library
        """See `logging.Formatter`."""
        return printable(super().formatMessage(record), MAX_MESSAGE)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - of the library
        """See `logging.Formatter`."""
        return "\n".join(printable(line, MAX_MESSAGE) for line in super().formatException(ei).splitlines())


class _Journal(_Plain):
    """Lines that begin with the priority that systemd's journal reads (sd-daemon(3))."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        prefix = f"<{_PRIORITY.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in text.splitlines())


def set_up_logging(robot: str, level: int = logging.INFO) -> MessageWriter:
    """Log to standard error, once, in the form that its reader understands."""
    writer = MessageWriter(STDERR)
    handler = logging.StreamHandler(writer)
    form = f"{robot}: %(message)s"
    handler.setFormatter(_Journal(form) if "JOURNAL_STREAM" in os.environ else _Plain(form))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    return writer

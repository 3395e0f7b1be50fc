"""The kernel's output queue of a line: how much is in it, and how to empty it. Neither call can block."""

from __future__ import annotations

import array
import contextlib
import fcntl
import termios

SETTLE_S = 0.02  # what a UART or USB adapter may still hold back once that queue is empty


def queued(fd: int, request: int = termios.TIOCOUTQ) -> int:
    """Bytes that have not left; 0 where the line cannot say."""
    count = array.array("i", [0])
    try:
        fcntl.ioctl(fd, request, count)
    except (OSError, ValueError):
        return 0
    return count[0]


def discard(fd: int) -> None:
    """Throw away what has not left, where that can be done (a socket's queue cannot)."""
    with contextlib.suppress(termios.error):
        termios.tcflush(fd, termios.TCOFLUSH)

"""The kernel's output queue of a line: how much is in it, how to empty it, and how to be the last to write."""

import array
import contextlib
import fcntl
import os
import select
import termios

from robotd.timing import clock

DRAIN_S = 0.5  # for a halt to leave: some tens of bytes at 1200 baud
SETTLE_S = 0.02  # what a UART or USB adapter may still hold back once that queue is empty


def queued(fd: int, request: int = termios.TIOCOUTQ) -> int:
    """Bytes that have not left; 0 where the line does not count them."""
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


def write_last(fd: int, data: bytes) -> None:
    """Write `data` ahead of all that is queued, and wait until it has left: `DRAIN_S` at most, else OSError."""
    discard(fd)
    if os.write(fd, data) < len(data):
        raise OSError("it takes no bytes")
    end = clock.monotonic() + DRAIN_S
    while queued(fd) and clock.monotonic() < end:
        select.select([], [], [], 0.005)
    if queued(fd):
        discard(fd)  # else closing would wait for it
        raise OSError("its output is stuck")
    select.select([], [], [], SETTLE_S)

"""The guardian's processes: how its child ends and is reaped, and what becomes of those that it leaves."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from robotd.timing import clock

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
REAP_S = 1.0  # a killed process is gone in milliseconds; one stuck in the kernel is not waited for
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


Child = subprocess.Popen[bytes]


def reap(child: Child, limit_s: float) -> int | None:
    """The child's exit status as of `Popen.wait`; None if it has not ended within `limit_s`."""
    try:
        return child.wait(limit_s)
    except subprocess.TimeoutExpired:
        return None


def describe_exit(code: int | None) -> str:
    """How a process ended, in words; `code` as of `reap`."""
    if code is None:
        return "it cannot be reaped"
    if code >= 0:
        return f"exit status {code}"
    named = -code in set(signal.Signals)
    return f"killed by {signal.Signals(-code).name if named else f'signal {-code}'}"


@contextlib.contextmanager
def adopt_orphans() -> Iterator[Callable[[], None]]:
    """Become the parent of what the child's descendants leave; yields what kills those there are by then.

    A plug-in may start processes, in process groups of their own too: each would keep what it inherited.
    """
    before = _children()
    _set_subreaper(on=True)

    def kill() -> None:
        end = clock.monotonic() + REAP_S
        while (found := _children() - before) and clock.monotonic() < end:
            for pid in found:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)
            select.select([], [], [], 0.001)

    try:
        yield kill
    finally:
        _set_subreaper(on=False)


def _set_subreaper(*, on: bool) -> None:
    with contextlib.suppress(ImportError, OSError, AttributeError):  # a Python without it leaves them to init
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def _children() -> set[int]:
    """The numbers of this process's children; none where the kernel does not list them."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found.update(map(int, (task / "children").read_text().split()))
    return found


@contextlib.contextmanager
def on_signals(ask: Callable[[], None]) -> Iterator[int]:
    """Call `ask` at SIGTERM, SIGINT and SIGHUP; gives a descriptor that becomes readable with each."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    handlers = {kind: signal.signal(kind, lambda *_: ask()) for kind in SIGNALS}
    try:
        yield read
    finally:
        for kind, handler in handlers.items():
            signal.signal(kind, handler)
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)


def empty(fd: int) -> None:
    """Read what is there from a descriptor that does not block."""
    with contextlib.suppress(BlockingIOError):
        while os.read(fd, 512):
            pass

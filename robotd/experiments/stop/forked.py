"""A guardian and its daemon as processes that are forked, not started: what they need is imported already.

Their code is that of `robotd run`, and so are socket, ports and signals; a start takes a tenth of the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from robotd.daemon.daemon import serve
from robotd.guardian.guardian import Guardian
from robotd.guardian.reporter import Reporter
from robotd.guardian.stop_reason import cause_file

PR_SET_PDEATHSIG = 1  # linux/prctl.h
NICE = -5  # of a robot's service
END_S = 5.0  # what a guardian may take to end: two seconds for the daemon, then the kill


class Forked:
    """A process that does `work` and nothing else; see `robotd.guardian.process.Child`."""

    def __init__(self, work: Callable[[], int], keep: Mapping[int, int]) -> None:
        """`keep`: by the number that it shall have in the new process a descriptor of this one."""
        self.pid = os.fork()
        if self.pid == 0:
            _become(work, keep)
        self._ends = os.pidfd_open(self.pid)
        self._status: int | None = None

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Ask it to end (SIGTERM), and kill it if it does not; as `wait`."""
        if self._status is None:
            os.kill(self.pid, signal.SIGTERM)
        try:
            return self.wait(END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.wait()

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, or minus the signal that ended it; subprocess.TimeoutExpired after `timeout` s."""
        if self._status is None:
            if not select.select([self._ends], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self._ends)
        return self._status


def _become(work: Callable[[], int], keep: Mapping[int, int]) -> NoReturn:
    """Be another process from here on."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(kind, signal.SIG_DFL)
        os.setsid()
        _keep_only(keep)
        _speak_plainly()
        status = work()
    finally:
        os._exit(status)


def _keep_only(keep: Mapping[int, int]) -> None:
    """Close every descriptor but `keep`, each under its new number, which is below all others."""
    safe = {new: fcntl.fcntl(old, fcntl.F_DUPFD_CLOEXEC, max(keep) + 1) for new, old in keep.items()}
    for number in [int(name) for name in os.listdir("/proc/self/fd")]:
        if number not in safe.values():
            with contextlib.suppress(OSError):  # the list itself was read through one of them
                os.close(number)
    for new, held in safe.items():
        os.dup2(held, new, inheritable=False)
        os.close(held)


def _speak_plainly() -> None:
    """Write to this process's own standard output and error: the parent's may have stood on another descriptor,
    whose number the next file or port that is opened here gets."""
    logging.getLogger().handlers.clear()
    sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, encoding="utf-8", closefd=False) for number in (1, 2))


class ForkingGuardian(Guardian):
    """A guardian whose daemon serves the robot file in a forked process."""

    def __init__(self, robot_file: Path, report: int) -> None:
        super().__init__([], cause_file(robot_file), Reporter(report))
        self._robot_file = robot_file

    def begin(self, environ: Mapping[str, str], link: int) -> Forked:

        def work() -> int:
            os.environ.update({**environ, "ROBOTD_GUARDIAN_FD": "3"})
            return asyncio.run(serve(self._robot_file))

        return Forked(work, {0: 0, 1: 1, 2: 2, 3: link})


@contextlib.contextmanager
def as_hardware() -> Iterator[None]:
    """While it lasts this process waits for none that is less urgent, where that is permitted: as a board does."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, *before)


@contextlib.contextmanager
def guarded(robot_file: Path, report: int) -> Iterator[Forked]:
    """A guardian with its daemon; all that they write is in the robot file's folder. At the end it has ended.

    `report`: where the guardian tells what happens. If this very process is killed, they end by themselves.
    """
    folder, ours = robot_file.parent, os.getpid()
    with (folder / "said.txt").open("wb") as said, open(os.devnull, "rb") as nothing:

        def work() -> int:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, 0, NICE)
            os.environ.update(RUNTIME_DIRECTORY=str(folder), STATE_DIRECTORY=str(folder / "state"))
            try:
                return ForkingGuardian(robot_file, 3).run()
            finally:
                if os.getppid() != ours:
                    shutil.rmtree(folder, ignore_errors=True)

        process = Forked(work, {0: nothing.fileno(), 1: said.fileno(), 2: said.fileno(), 3: report})
    try:
        yield process
    finally:
        process.end()

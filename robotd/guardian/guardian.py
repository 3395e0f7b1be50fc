"""`robotd run` is this guardian: it starts the daemon as its child and stops the motors when the child cannot.

It imports nothing of third parties and neither senses nor decides. The child hands over the descriptor and the
halt of each port before it writes there, and sends one byte per finished tick. No byte for `SILENCE_S`, or end
of file: the child is killed, the halt written on every port, and the cause kept for the next start.

Between the two: a SOCK_SEQPACKET pair. Child to guardian: `.` is a beat; else JSON with "kind": hold (name, halt
in hexadecimal, one descriptor), release (name), ready (period_s), status (text), acknowledged, stopping, bye.
Guardian to child: held (name), released (name), stop.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from robotd.files.paths import folder
from robotd.guardian.ports import HeldPorts
from robotd.guardian.stop_reason import CauseFile
from robotd.guardian.systemd import notify, watchdog_s
from robotd.timing import clock

SILENCE_S = 0.25  # five ticks at 20 Hz, half of a motor command's life
MISSED_TICKS = 2.5  # a tick slower than 10 Hz is given as many of its own periods
STOP_S = 2.0  # what an orderly stop may take: halts, closing ports, the end of the log
REAP_S = 1.0  # a killed process is gone in milliseconds; one stuck in the kernel is not waited for
FD_VARIABLE, CAUSE_VARIABLE = "ROBOTD_GUARDIAN_FD", "ROBOTD_LAST_STOP"
MAX_MESSAGE = 4096
BACKLOG_BYTES = 16384  # some forty beats: the child notices in about two seconds that nobody reads them
FAILED, REFUSED = 1, 2  # exit statuses; REFUSED is the daemon's for a configuration that cannot be used


class Child(Protocol):
    """A process of ours, as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int:
        """Its number."""

    def kill(self) -> None:
        """SIGKILL."""

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, or minus the signal that ended it; subprocess.TimeoutExpired after `timeout` s."""


@dataclass(frozen=True, slots=True)
class End:
    """How a watch ended: `cause` in words ('' for a clean end), and the guardian's exit status for it.

    `latch`: the next start must know. `died`: how the child ended completes the cause.
    """

    cause: str
    code: int
    latch: bool = True
    died: bool = False


class Guardian:
    """Runs `argv` as the child until it ends or must be stopped; `report` is told of each step.

    `attended`: the child is no daemon but a command whose person sits at the terminal, which it shares; its exit
    status is its answer.
    """

    def __init__(
        self, argv: Sequence[str], causes: CauseFile, report: Callable[..., None], *, attended: bool = False
    ) -> None:
        self._argv = list(argv)
        self._attended = attended
        self._causes = causes
        self._report = report
        self._ports = HeldPorts()
        self._watchdog_s = watchdog_s()
        self._pinged = -math.inf
        self._limit_s = SILENCE_S
        self._last_beat: float | None = None  # None until ready
        self._stop_by: float | None = None  # when an asked stop becomes a killing
        self._kill_by = math.inf  # the same, for a stop that has been heard
        self._asked = self._told = 0
        self._bye = self._eof = False

    def run(self) -> int:
        """Start the child, watch it, and leave every motor halted; the exit status."""
        with _signals(self._ask) as wakeup:
            self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._link.settimeout(0)
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BACKLOG_BYTES)
            with self._link:
                with theirs:
                    child = self._start(theirs)
                end = End("the guardian itself failed", FAILED)
                try:
                    end = self._watch(child, wakeup)
                finally:
                    code = self._finish(child, end)
        return code

    def _start(self, theirs: socket.socket) -> Child:
        environ = {
            k: v for k, v in os.environ.items() if k not in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
        }
        environ[FD_VARIABLE] = str(theirs.fileno())
        environ[CAUSE_VARIABLE] = self._causes.read() or ""
        child = self.begin(environ, theirs.fileno())
        self._report("child", pid=child.pid)
        return child

    def begin(self, environ: Mapping[str, str], link: int) -> Child:
        """The child with this environment, to which the descriptor `link` belongs."""
        # A group of its own: control-C reaches the guardian alone, which asks the child to stop. But only the
        # terminal's own group may read from it.
        group = None if self._attended else 0
        return subprocess.Popen(self._argv, pass_fds=[link], env=environ, process_group=group)  # noqa: S603

    def _ask(self) -> None:
        self._asked += 1

    def _watch(self, child: Child, wakeup: int) -> End:
        """Serve the child until it ended or must be ended."""
        poller = select.poll()
        poller.register(self._link, select.POLLIN)
        poller.register(wakeup, select.POLLIN)
        while True:
            self._serve()
            now = clock.monotonic()
            if self._asked > self._told:
                self._pass_on_stop(now)
            if self._eof:
                return self._ended(child)
            wait, end = self._patience(now)
            if wait <= 0:
                return end
            poller.poll(None if wait == math.inf else math.ceil(wait * 1000))
            _empty(wakeup)

    def _patience(self, now: float) -> tuple[float, End]:
        """How long to wait for the child now, s, and what it means if that passes."""
        if self._stop_by is not None:
            if self._last_beat is None:
                return self._stop_by - now, End("stopped while starting", 0, latch=False)
            return self._stop_by - now, End("the daemon did not stop when asked", FAILED)
        if self._last_beat is None:
            return math.inf, End("", 0)
        left = self._last_beat + self._limit_s - now
        return left, End(f"the daemon finished no tick for {self._limit_s:g} s", FAILED)

    def _pass_on_stop(self, now: float) -> None:
        """Ask the child to stop; asked a second time, do not wait for it.

        One that ticks hears it within a tick, says so, and is given `STOP_S`; one that is frozen is not.
        """
        first = self._told == 0 and self._asked == 1
        self._told = self._asked
        self._kill_by = now + STOP_S if first else now
        heard_by = now + self._limit_s if self._last_beat is not None else self._kill_by
        self._stop_by = min(heard_by, self._kill_by)
        notify("STOPPING=1", "STATUS=stopping")
        self._send({"kind": "stop"})

    def _ended(self, child: Child) -> End:
        """The child closed its end: in order if it said so, else by dying."""
        if self._bye:
            try:
                code = child.wait(STOP_S)
            except subprocess.TimeoutExpired:
                return End("the daemon said that it ends, and did not", FAILED)
            if code >= 0 and self._attended:
                return End("", code, latch=False)
            if code == 0 or self._last_beat is None:
                return End("" if code == 0 else _ending(code), code if code >= 0 else FAILED, latch=False)
            return End(f"the daemon failed: {_ending(code)}", FAILED)
        return End("the daemon died", FAILED, died=True)

    def _finish(self, child: Child, end: End) -> int:
        """Kill what is left, halt, reap, halt again (it may have written in between), and tell why.

        A daemon that refuses its configuration has told every fault itself: there is no cause to add.
        """
        seen = clock.monotonic()
        child.kill()
        self._ports.halt()
        halted = clock.monotonic()
        child_code = _reaped(child)
        halts = self._ports.halt()
        reaped = clock.monotonic()
        refused = child_code == REFUSED and self._last_beat is None and (end.died or self._bye)
        cause = f"{end.cause}: {_ending(child_code)}" if end.died else end.cause
        cause, code = ("", REFUSED) if refused else (cause, end.code)
        saved = self._causes.write(cause) if cause and end.latch else None
        self._report(
            "stop", cause=cause, seen_at_s=seen, halted_at_s=halted, reaped_at_s=reaped, halts=halts,
            saved=saved, child_code=child_code, code=code,
        )  # fmt: skip
        self._ports.drain(_pause)
        return code

    def _serve(self) -> None:
        """Take all messages that are there."""
        while not self._eof:
            try:
                data, fds, _, _ = socket.recv_fds(self._link, MAX_MESSAGE, 1)
            except BlockingIOError:
                return
            except OSError:
                data, fds = b"", []
            if data == b".":
                self._beat(clock.monotonic())
            elif data:
                self._message(data, fds)
            else:
                self._eof = True

    def _beat(self, now: float) -> None:
        if self._last_beat is None:
            return
        self._last_beat = now
        if self._watchdog_s is not None and now - self._pinged >= self._watchdog_s / 4:
            self._pinged = now
            notify("WATCHDOG=1")

    def _message(self, data: bytes, fds: list[int]) -> None:
        message: dict[str, Any] = json.loads(data)
        kind, name = message["kind"], message.get("name", "")
        if kind == "hold":
            self._ports.hold(name, fds[0], bytes.fromhex(message["halt"]))
            self._send({"kind": "held", "name": name})
        elif kind == "release":
            self._ports.release(name)
            self._send({"kind": "released", "name": name})
        elif kind == "ready":
            self._limit_s = max(SILENCE_S, MISSED_TICKS * message["period_s"])
            self._last_beat = clock.monotonic()
            notify("READY=1")
            self._report("ready", at_s=self._last_beat)
        elif kind == "status":
            notify(f"STATUS={message['text']}")
        elif kind == "acknowledged":
            self._causes.forget()
        elif kind == "stopping":
            self._stop_by = self._kill_by
        elif kind == "bye":
            self._bye = True

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._link.send(json.dumps(message).encode())
        except OSError:  # full: the child hangs; broken: it died. Both are seen by the watch
            return


def _reaped(child: Child) -> int | None:
    try:
        return child.wait(REAP_S)
    except subprocess.TimeoutExpired:
        return None


def _ending(code: int | None) -> str:
    if code is None:
        return "it cannot be reaped"
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _pause(seconds: float) -> None:
    select.select([], [], [], seconds)


def _empty(fd: int) -> None:
    try:
        while os.read(fd, 512):
            pass
    except BlockingIOError:
        return


@contextmanager
def _signals(ask: Callable[[], None]) -> Iterator[int]:
    """Call `ask` at SIGTERM, SIGINT and SIGHUP; gives a descriptor that becomes readable with each."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    kinds = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    handlers = [signal.signal(kind, lambda *_: ask()) for kind in kinds]
    try:
        yield read
    finally:
        for kind, handler in zip(kinds, handlers, strict=True):
            signal.signal(kind, handler)
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)


def reporter(fd: int | None) -> Callable[..., None]:
    """Each event as one JSON line on `fd` (if given); stops with a cause also on standard error."""
    if fd is not None:
        os.set_blocking(fd, False)

    def report(event: str, **values: Any) -> None:
        line = json.dumps({"event": event, **values})
        if values.get("cause"):
            urgent = "<3>" if "JOURNAL_STREAM" in os.environ else ""  # an error, for the journal
            _tell(2, f"{urgent}robotd: stopped: {values['cause']}\n")
        if fd is not None:
            _tell(fd, line + "\n")

    return report


def _tell(fd: int, text: str) -> None:
    try:
        os.write(fd, text.encode())
    except OSError:  # nobody listens, or too slowly: no reason to stop less well
        return


def cause_file(robot_file: Path) -> CauseFile:
    """Where the causes of the robot in `robot_file` are kept; the file itself is judged by the daemon."""
    try:
        data = tomllib.loads(robot_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = {}
    name, own = data.get("name"), data.get("state_folder")
    state = robot_file.parent / own if isinstance(own, str) and own else folder("state")
    safe = name if isinstance(name, str) and name.replace("-", "_").isidentifier() else "robot"
    return CauseFile(safe, [state, folder("runtime")])


def guard(robot_file: Path, report_fd: int | None = None, argv: Sequence[str] | None = None) -> int:
    """`robotd run`: guard the daemon of `robot_file` (or `argv` in its stead); the exit status."""
    child = argv or [sys.executable, "-m", "robotd.daemon.daemon", str(robot_file)]
    return Guardian(child, cause_file(robot_file), reporter(report_fd)).run()

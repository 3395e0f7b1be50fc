"""`robotd run` is this guardian: it starts the daemon as its child and stops the motors when the child cannot.

It imports nothing of third parties and neither senses nor decides. The child hands over the descriptor and the
halt of each port before it writes there, and sends one byte per finished tick. No byte for `SILENCE_S`, or end
of file: the child is killed, the halt written on every port, and the cause kept for the next start.
"""

import contextlib
import json
import math
import os
import select
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.files.paths import module_command
from robotd.files.refusal import FAILED, USAGE
from robotd.guardian.messages import BEAT, CAUSE_VARIABLE, FD_VARIABLE, MAX_MESSAGE, PING, PONG
from robotd.guardian.ports import HeldPorts
from robotd.guardian.process import REAP_S, Child, adopt_orphans, describe_exit, empty, on_signals, reap
from robotd.guardian.reports import Reporter, notify, watchdog_s
from robotd.guardian.stop_reason import CauseFile, cause_file, portable
from robotd.timing import clock

SILENCE_S = 0.25  # five ticks at 20 Hz, half of a motor command's life
MISSED_TICKS = 2.5  # a tick slower than 10 Hz is given as many of its own periods
STOP_S = 2.0  # what an orderly stop may take: halts, closing ports, the end of the log
EXIT_S = 0.2  # for a daemon that fails to report why, halted already; one that hangs at its end is killed
OF_SYSTEMD = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")  # the guardian itself reports to it
BACKLOG_BYTES = 16384  # some forty messages may wait for the guardian
BURST = 1000  # messages between two looks at the clock and at signals: more than may wait


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
    """Runs `argv` as the child until it ends or must be stopped; `report` is called at each step.

    Where the reader of its reports is gone, so is the program that started it: it stops in order.
    `foreground`: the child is no daemon but a command with a person at the terminal, which it shares; its exit
    status is its answer.
    """

    def __init__(
        self, argv: Sequence[str], causes: CauseFile, report: Reporter, *, foreground: bool = False
    ) -> None:
        self._argv = list(argv)
        self._foreground = foreground
        self._causes = causes
        self._report = report
        self._ports = HeldPorts()
        self._watchdog_s = watchdog_s()
        self._pinged = -math.inf
        self._limit_s = SILENCE_S
        self._last_beat: float | None = None  # None until ready
        self._stop_by: float | None = None  # when an asked stop becomes a killing
        self._kill_by = math.inf  # the same, for a stop that the child has received
        self._asked = self._passed_on = 0
        self._failure = ""  # as the child reported it
        self._bye = self._ended = False

    def run(self) -> int:
        """Start the child, watch it, and leave every motor halted; the exit status."""
        with on_signals(self._ask) as wakeup, adopt_orphans() as self._kill_orphans, self._causes.reserved():
            self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._link.settimeout(0)
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BACKLOG_BYTES)
            with self._link:
                try:
                    with theirs:
                        child = self._start(theirs)
                except OSError as error:  # no memory or process is left, for instance
                    self._report("stop", cause=f"the daemon cannot be started: {error.strerror}", code=FAILED)
                    return FAILED
                end = End("the guardian itself failed", FAILED)
                try:
                    end = self._watch(child, wakeup)
                finally:
                    code = self._finish(child, end)
        return code

    def _start(self, theirs: socket.socket) -> Child:
        environ = {name: value for name, value in os.environ.items() if name not in OF_SYSTEMD}
        environ |= {FD_VARIABLE: str(theirs.fileno()), CAUSE_VARIABLE: self._causes.read() or ""}
        # A group of its own: control-C reaches the guardian alone, which asks the child to stop. But only the
        # terminal's own group may read from it.
        group = None if self._foreground else 0
        fds = [theirs.fileno()]
        child = subprocess.Popen(self._argv, pass_fds=fds, env=environ, process_group=group)  # noqa: S603
        self._report("child", pid=child.pid)
        return child

    def _ask(self) -> None:
        self._asked += 1

    def _watch(self, child: Child, wakeup: int) -> End:
        """Serve the child until it ended or must be ended."""
        poller = select.poll()
        ends = os.pidfd_open(child.pid)
        for fd in (self._link.fileno(), wakeup, ends):
            poller.register(fd, select.POLLIN)
        if self._report.fd is not None:
            poller.register(self._report.fd, 0)  # POLLERR alone: its reader is gone
        try:
            while True:
                self._serve()
                now = clock.monotonic()
                if self._asked > self._passed_on:
                    self._pass_on_stop(now)
                if self._bye or self._ended:
                    return self._judge_end(child)
                wait, end = self._patience(now)
                if wait <= 0:
                    return end
                ready = dict(poller.poll(None if wait == math.inf else math.ceil(wait * 1000)))
                if self._report.fd in ready:
                    poller.unregister(self._report.fd)
                    self._ask()
                if ends in ready:
                    self._serve()  # its last words; a process that it left may keep the socket open
                    self._ended = True
                empty(wakeup)
        finally:
            os.close(ends)

    def _patience(self, now: float) -> tuple[float, End]:
        """How long to wait for the child now, s, and what it means if that passes."""
        if self._last_beat is None:
            return (self._stop_by or math.inf) - now, End("stopped while starting", 0, latch=False)
        if self._stop_by is not None:
            return self._stop_by - now, End("the daemon did not stop when asked", FAILED)
        left = self._last_beat + self._limit_s - now
        return left, End(f"the daemon finished no tick for {self._limit_s:g} s", FAILED)

    def _pass_on_stop(self, now: float) -> None:
        """Ask the child to stop, once: signals that repeat do not make it less orderly.

        One that ticks receives it within a tick, confirms, and is given `STOP_S`; one that is frozen is not. One
        that is starting ends at the second signal.
        """
        again, self._passed_on = self._passed_on > 0, self._asked
        if again:
            self._stop_by = now if self._last_beat is None else self._stop_by
            return
        self._kill_by = now + STOP_S
        self._stop_by = now + self._limit_s if self._last_beat is not None else self._kill_by
        notify("STOPPING=1", "STATUS=stopping")
        self._send({"kind": "stop"})

    def _judge_end(self, child: Child) -> End:
        """The child has ended, or ends: in order if it has announced that, else by dying."""
        if not self._bye:
            cause = f"the daemon failed: {self._failure}" if self._failure else "the daemon died"
            return End(cause, FAILED, died=True)
        code = reap(child, STOP_S)
        if code is None:
            return End("the daemon announced its end, and did not end", FAILED)
        if code == 0 or (code > 0 and self._foreground):
            return End("", code, latch=False)
        if self._last_beat is None:
            return End(describe_exit(code), code if code > 0 else FAILED, latch=False)
        return End(f"the daemon failed: {describe_exit(code)}", FAILED)

    def _finish(self, child: Child, end: End) -> int:
        """Halt, kill what is left, reap, halt again (it may have written in between), and report why.

        A daemon that refuses its configuration has reported every fault itself: there is no cause to add.
        """
        seen = clock.monotonic()
        if not end.died:
            child.kill()
        self._ports.halt()
        halted = clock.monotonic()
        child_code = reap(child, EXIT_S) if end.died else None
        if child_code is None:
            child.kill()
            child_code = reap(child, REAP_S)
        self._kill_orphans()
        halts = self._ports.halt()
        reaped = clock.monotonic()
        refused = child_code == USAGE and self._last_beat is None and (end.died or self._bye)
        cause = f"{end.cause}: {describe_exit(child_code)}" if end.died and not self._failure else end.cause
        cause, code = ("", USAGE) if refused else (portable(cause), end.code)
        saved = self._causes.write(cause) if cause and end.latch else None
        self._report(
            "stop", cause=cause, seen_at_s=seen, halted_at_s=halted, reaped_at_s=reaped, halts=halts,
            saved=saved, child_code=child_code, code=code,
        )  # fmt: skip
        self._ports.drain(_pause)
        return code

    def _serve(self) -> None:
        """Take the messages that are there, `BURST` at most: a child that floods holds up no stop."""
        for _ in range(BURST):
            try:
                data, fds, _, _ = socket.recv_fds(self._link, MAX_MESSAGE, 1)
            except BlockingIOError:
                return
            except ConnectionResetError:  # it has ended with a message unread; its own ones come next
                continue
            except OSError:
                data, fds = b"", []
            if data == BEAT:
                self._beat(clock.monotonic())
            elif data == PING:
                self._send(PONG)
            elif data:
                self._take(data, fds)
            else:
                self._ended = True
                return

    def _take(self, data: bytes, fds: list[int]) -> None:
        """Take a message; one that is none is dropped, and what came with it closed."""
        try:
            message = json.loads(data)
            if message["kind"] == "hold":
                self._ports.hold(str(message["name"]), fds[0], bytes.fromhex(message["halt"]))
                fds.clear()
                self._send({"kind": "held", "name": message["name"]})
            else:
                self._message(message)
        except (ValueError, LookupError, TypeError, RecursionError):
            self._report("unreadable")
        finally:
            for fd in fds:
                os.close(fd)

    def _beat(self, now: float) -> None:
        if self._last_beat is None:
            return
        self._last_beat = now
        if self._watchdog_s is not None and now - self._pinged >= self._watchdog_s / 4:
            self._pinged = now
            notify("WATCHDOG=1")

    def _message(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == "release":
            self._ports.release(message["name"])
            self._send({"kind": "released", "name": message["name"]})
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
        elif kind == "failed":
            self._failure = str(message["text"])
        elif kind == "bye":
            self._bye = True

    def _send(self, message: Mapping[str, Any] | bytes) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        with contextlib.suppress(OSError):  # full: the child hangs; broken: it died. Both are seen by the watch
            self._link.send(data)


def _pause(seconds: float) -> None:
    select.select([], [], [], seconds)


def guard(robot_file: Path, report_fd: int | None = None, argv: Sequence[str] | None = None) -> int:
    """`robotd run`: guard the daemon of `robot_file` (or `argv` in its stead); the exit status."""
    child = argv or module_command("robotd.daemon", str(robot_file))
    return Guardian(child, cause_file(robot_file), Reporter(report_fd)).run()

"""What the guardian reports: to people, to the program that started it, to systemd; no slow reader delays it.

systemd is informed by sd_notify(3), without its library; nothing is done where it does not ask.
"""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Mapping
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
    with contextlib.suppress(OSError):  # not read, or too slowly: no reason to stop less well
        os.write(fd, text.encode(errors="backslashreplace"))


def notify(*lines: str, environ: Mapping[str, str] | None = None) -> bool:
    """Send assignments such as READY=1 to the service manager; False where none listens. Never blocks or raises.

    A newline would start another assignment, so each line ends at its first.
    """
    address = (os.environ if environ is None else environ).get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]  # Linux's abstract namespace
    message = "\n".join(line.partition("\n")[0] for line in lines).encode()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as out:
            out.sendto(message, address)
    except OSError:
        return False
    return True


def watchdog_s(environ: Mapping[str, str] | None = None, pid: int | None = None) -> float | None:
    """The interval within which systemd wants WATCHDOG=1 of this process, s; None where it does not."""
    environ = os.environ if environ is None else environ
    microseconds = environ.get("WATCHDOG_USEC", "")
    if environ.get("WATCHDOG_PID", "") not in ("", str(os.getpid() if pid is None else pid)):
        return None
    if not (microseconds.isascii() and microseconds.isdigit()) or int(microseconds) == 0:
        return None
    return int(microseconds) / 1e6

"""Telling systemd how the service is (sd_notify), without its library; nothing is done where it does not ask."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


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

"""How long tests wait for what a busy machine makes late, and programs that it cannot hold up for too long."""

import sys

import pytest

from robotd.guardian import foreground, guardian

WAIT_S = 60.0  # for what happens at once on a machine with nothing else to do
LONG_S = 10 * WAIT_S  # a limit that no test waits for
BACKLOG_BYTES = 1 << 20  # of messages to a guardian that is held up: as many as the system allows

LIMITS = {
    "robotd.control.server": ("IDLE_S",),
    "robotd.status.listener": ("IDLE_S", "LIFE_S"),
    "robotd.status.streams": ("UNREAD_S",),
}
"""Of servers, by module: a process that is held up is no client that is idle."""

GIVE = """
def give(limit, module, *names):
    for name in names:
        getattr(module, name)  # AttributeError where it has another name by now
        setattr(module, name, limit)

"""
PROGRAM = f"""{GIVE}
import math, runpy, sys
from robotd.guardian import client, foreground, guardian, process, reports
from robotd.robot import ticking
from robotd.transport import connection, port

def command(module, *words):
    return [sys.executable, "-c", sys.orig_argv[2], module, *words]

give(command, guardian, "module_command")
give(command, foreground, "module_command")
give({LONG_S}, guardian, "SILENCE_S", "STOP_S", "EXIT_S", "REAP_S")
give({LONG_S}, process, "REAP_S")
give({LONG_S}, reports, "WRITE_S")
give({LONG_S}, client, "REPLY_S")
give({BACKLOG_BYTES}, guardian, "BACKLOG_BYTES")
give(math.inf, ticking, "EXPIRY_S")
give(math.inf, connection, "STUCK_S")
give(lambda self: math.inf, port.Port, "patience")
_, module, *words = sys.argv
if module == "robotd.daemon":
    from robotd.daemon import daemon
    give({LONG_S}, daemon, "CLOSE_S")
sys.argv = ["", *words]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def patient(module: str, *words: str) -> list[str]:
    """The command `python -m MODULE WORDS`, and what it starts, with limits that a busy machine does not reach."""
    return [sys.executable, "-c", PROGRAM, module, *words]


def have_patience(patch: pytest.MonkeyPatch) -> None:
    """The same of a guardian in this process, and what it starts."""
    patch.setattr(foreground, "module_command", patient)
    for name in ("SILENCE_S", "STOP_S", "EXIT_S", "REAP_S"):
        patch.setattr(guardian, name, LONG_S)
    patch.setattr(guardian, "BACKLOG_BYTES", BACKLOG_BYTES)

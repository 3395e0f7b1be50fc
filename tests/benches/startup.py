"""What starting costs: all that the daemon imports against three of its libraries; and the memory it holds."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time  # noqa: TID251 - waits for another process
from collections.abc import Mapping
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.benches.measure import Figure, at_most, columns, ratio

LIBRARIES = "import aiohttp, numpy, pydantic"
# The daemon as its process imports it, and the plug-ins of the cleanup mission on a robot with a real board.
DAEMON = """
import gc
from robotd.daemon.authorities import no_file_of_authorities
gc.disable()
with no_file_of_authorities():
    import robotd.daemon.daemon
from robotd.files.plugins import Plugins
for name in ("avoid-obstacles", "bump-escape", "find-locations-methodical", "find-locations-wander", "move-spill",
             "report-progress"):
    Plugins().get("robotd.behaviors", name)
for group, name in (("coordinators", "alliance"), ("boards", "r2"), ("radios", "transparent")):
    Plugins().get("robotd." + group, name)
gc.collect()
gc.freeze()
"""
ROBOT = """name = "green"
mission = "cleanup"
state_folder = "state"
[board]
name = "mock"
[radio]
name = "none"
[log]
folder = "log"
[http]
port = 0
"""
REPEAT = 15
BOUND = 1.5
MOST_MB = 60.0
SETTLED_S = 3.0  # ticks for two seconds and more, the garbage of the start collected
LONGEST_S = 60.0


def _starts(code: str, environment: Mapping[str, str]) -> float:
    """The processor time that a fresh interpreter takes for `code`, s, whatever else the machine does."""
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as compiled:
        # Compiled once, as an installation does it; a checkout or its environment may forbid that.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "PYTHONPYCACHEPREFIX": compiled}
        measured = [[_starts(code, environment) for code in (DAEMON, LIBRARIES)] for _ in range(1 + REPEAT)][1:]
    ours, theirs = columns(measured)
    detail = f"{ours * 1e3:.0f} ms against {theirs * 1e3:.0f} ms of importing aiohttp, numpy and pydantic"
    return [
        at_most("start-up of the daemon", ratio(measured), BOUND, detail),
        _memory(resident_mb()),
    ]


def _memory(mb: float) -> Figure:
    met, detail = mb <= MOST_MB, "cleanup on the mock board, ticking"
    return Figure("resident memory of the daemon", mb, "MB", f"at most {MOST_MB:.0f}", met, detail)


def resident_mb() -> float:
    """VmRSS of `robotd run`'s child after some seconds of ticking; RuntimeError where it does not start."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "robot.toml").write_text(ROBOT, encoding="utf-8")
        key = folder / "team.key"
        key.touch(mode=0o600)
        key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
        places = {"XDG_RUNTIME_DIR": name, "XDG_STATE_HOME": name}
        words = [sys.executable, "-m", "robotd.daemon", str(folder / "robot.toml")]
        child = subprocess.Popen(words, env={**os.environ, **places}, stderr=subprocess.PIPE)
        try:
            _wait_for_ticks(folder / "log", child)
            status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
        finally:
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=LONGEST_S)
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024


def _wait_for_ticks(log: Path, child: subprocess.Popen[bytes]) -> None:
    until = monotonic() + LONGEST_S
    while not any(log.glob("*.jsonl")):
        if child.poll() is not None or monotonic() > until:
            errors = child.stderr.read().decode() if child.stderr is not None and child.poll() is not None else ""
            raise RuntimeError(f"the daemon did not start to tick: {errors[-500:]}")
        time.sleep(0.1)
    time.sleep(SETTLED_S)

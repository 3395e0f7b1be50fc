"""A daemon of one robot in a folder, and what tests ask of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from robotd.config.load import load_robot
from robotd.control.client import ask
from robotd.daemon.daemon import Daemon
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import until

ROBOT = """name = "green"
mission = "cleanup"
start = "{start}"
state_folder = "state"
board = {{ name = "mock" }}
radio = {{ name = "none" }}
http = {{ enabled = false }}
log = {{ folder = "{log}" }}
"""


class Link:
    """A guardian that only listens."""

    def __init__(self, last_stop: str = "") -> None:
        self.last_stop = last_stop
        self.stop_asked, self.died = asyncio.Event(), asyncio.Event()
        self.beats = 0
        self.sent: list[str] = []

    def ready(self, period_s: float) -> None:
        self.sent.append(f"ready {period_s:g}")

    def beat(self) -> None:
        self.beats += 1

    def status(self, text: str) -> None:
        self.sent.append(text)

    def acknowledged(self) -> None:
        self.last_stop = ""
        self.sent.append("acknowledged")


def write(folder: Path, start: str = "at-boot", log: str = "log") -> Path:
    path = folder / "green.toml"
    path.write_text(ROBOT.format(start=start, log=log))
    return path


@asynccontextmanager
async def running(home: Path, link: Any = None, daemon: Daemon | None = None) -> AsyncIterator[Daemon]:
    """A daemon that ticks; at the end it is asked to stop, unless it ends by itself, and must end with 0."""
    daemon = daemon or made(home, link)
    task = asyncio.ensure_future(daemon.run())
    await until(lambda: daemon._robot.snapshot is not None)
    yield daemon
    daemon._stop.set()
    assert await asyncio.wait_for(task, WAIT_S) == 0


def made(home: Path, link: Any = None) -> Daemon:
    config, mission = load_robot(home / "green.toml")
    return Daemon(config, mission, home, link)


def word(daemon: Daemon) -> str:
    assert daemon._robot.snapshot is not None
    return daemon._robot.snapshot.decision.state.word


def faults(daemon: Daemon) -> list[str]:
    return [fault.name for fault in daemon._faults.open()]


async def asked(runtime: Path, what: str, *words: str) -> dict[str, Any]:
    return await asyncio.to_thread(ask, runtime / "green.sock", {"do": what, "args": list(words)}, WAIT_S)

"""One robot of a `--processes` simulation: its folder, its own `robotd run`, and what was seen of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.config.load import Mission
from robotd.control.client import CannotAskError, ask
from robotd.files.paths import module_command

START_S = 20.0  # what a loaded machine may take from a start to the first tick
END_S = 5.0  # what a guardian may take to end: two seconds for the child, then the kill
POLL_S = 0.05


def mission_text(mission: Mission) -> str:
    """The mission as TOML that means the same in any folder: paths of plug-in files are absolute."""
    import tomli_w

    data = mission.content.model_dump(mode="json", exclude_none=True)
    beside = Path(mission.source).parent
    data["plugins"] = [str((beside / file).resolve()) for file in mission.content.plugins]
    return tomli_w.dumps(data)


@dataclass
class GuardianStop:
    """How a guardian stopped its robot; instants on the loop's clock, s."""

    cause: str
    at: float
    halted_at: float
    reaped_at: float


@dataclass
class RobotProcess:
    """A `robotd run` in `folder`, whose robot file is there already."""

    name: str
    folder: Path
    runtime: Path
    guardian: int = 0
    child: int = 0
    code: int | None = None
    stop: GuardianStop | None = None
    status: Mapping[str, Any] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _reading: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """True while its guardian runs."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it; returns when its control socket answers. TimeoutError with its messages if it never does."""
        read, write = os.pipe()
        environ = {
            **os.environ,
            "RUNTIME_DIRECTORY": str(self.runtime),
            "STATE_DIRECTORY": str(self.folder / "state"),
        }
        with (self.folder / "stderr.txt").open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *module_command("robotd", "run", str(self.folder / "robot.toml"), "--report", str(write)),
                env=environ, stderr=errors, pass_fds=[write], start_new_session=True,
            )  # fmt: skip
        os.close(write)
        self.guardian = self._process.pid
        self._reading = asyncio.ensure_future(self._read(read))
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_S
        while not (await self.ask({"do": "status"})).get("ok"):
            if not self.alive or loop.time() > deadline:
                messages = (self.folder / "stderr.txt").read_text(errors="replace").strip()
                raise TimeoutError(f"{self.name} did not start: {messages or 'no message'}")
            await asyncio.sleep(POLL_S)

    async def _read(self, fd: int) -> None:
        """Take the guardian's reports until it ends."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb")
        )
        try:
            while line := await reader.readline():
                event = json.loads(line)
                if event["event"] == "child":
                    self.child = event["pid"]
                elif event["event"] == "stop":
                    self.stop = GuardianStop(
                        *(event[key] for key in ("cause", "seen_at_s", "halted_at_s", "reaped_at_s"))
                    )
        finally:
            transport.close()

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The daemon's answer, {} where there is none."""
        try:
            return await asyncio.to_thread(ask, self.runtime / f"{self.name}.sock", request)
        except CannotAskError:
            return {}

    async def look(self) -> None:
        answer = await self.ask({"do": "status"})
        self.status = answer.get("status") or self.status

    def signal_child(self, number: signal.Signals) -> None:
        """Send the daemon a signal, past its guardian."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child, number)

    async def terminate(self) -> None:
        """An orderly stop (SIGTERM to the guardian); what does not end in time is killed."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
        try:
            self.code = await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            process.kill()
            self.code = await process.wait()
        if self._reading is not None:
            await self._reading

"""The process of a run as the server has it: what it wrote, kept for those who come later, and its commands."""

import asyncio
import contextlib
import dataclasses
import json
import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from robotd.live.stage import Run

KEPT_EVENTS = 500
LINE = 1 << 22  # bytes of the longest line
END_S = 2.0  # what a process that was asked to end may take
Data = Mapping[str, Any]


class LiveRun:
    """A run in a process of its own; each line that it writes is given to `show`."""

    def __init__(self, run: Run, show: Callable[[bytes], None]) -> None:
        self.run, self._show = run, show
        self.scene: Data | None = None
        self.clicked: list[str] = []
        self._frame: Data | None = None
        self._events: deque[Data] = deque(maxlen=KEPT_EVENTS)
        self._over: Data | None = None
        self._refused: Data | None = None
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Begin; what it writes comes from now on."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "robotd.live.stage", stdin=pipe, stdout=pipe, limit=LINE
        )
        self._reading = asyncio.ensure_future(self._read(self._process))
        self._put(dataclasses.asdict(self.run))

    def command(self, command: Data) -> None:
        """Pass a command on; one that has ended hears nothing."""
        self._put(command)

    def history(self) -> list[bytes]:
        """What a page that comes now must know, as lines."""
        events = {"type": "history", "events": list(self._events), "clicked": self.clicked}
        parts = [self.scene, events if self.scene else None, self._frame, self._over, self._refused]
        return [json.dumps(part, separators=(",", ":")).encode() for part in parts if part is not None]

    async def stop(self) -> None:
        """End the process and wait for that; it is killed where it does not end by itself."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._reading.cancel()

    def _put(self, data: Data) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(json.dumps(data).encode() + b"\n")

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            data = json.loads(line)
            self._note(data)
            self._show(line.rstrip())
        status = await process.wait()
        if status and self._refused is None:
            self._refused = {"type": "refused", "why": f"the run's process ended with {status}", "fatal": True}
            self._show(json.dumps(self._refused).encode())

    def _note(self, data: dict[str, Any]) -> None:
        kind = data["type"]
        if kind == "scene":
            self.scene = data
        elif kind == "frame":
            self._events.extend(data["events"])
            self._frame = {**data, "events": [], "sent": [], "received": []}
        elif kind == "clicked":
            self.clicked.append(data["event"])
        elif kind == "over":
            self._over = data
        elif data.get("fatal"):
            self._refused = data

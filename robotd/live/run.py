"""The process of a run as the server has it: what it wrote, kept for those who come later, and its commands."""

import asyncio
import contextlib
import dataclasses
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from robotd.live.runs import Run
from robotd.status.answers import encode

KEPT_EVENTS = 500
PAST = 120  # frames that a page which comes late is given to draw what was before
LINE = 1 << 22  # bytes of the longest line
START_S = 60.0  # what a busy computer may take to the first line
NICE = 15  # of a run in a class: the server, and runs that begin, go before all that go on
END_S = 2.0  # what a process that was asked to end may take
Data = Mapping[str, Any]
Address = tuple[str, int]
"""Host and port."""


class Past:
    """Frames of a run in short, ever further apart, so that they are few and go back to its beginning."""

    def __init__(self) -> None:
        self.frames: list[Data] = []
        self._apart_s = 0.0

    def note(self, frame: Data) -> None:
        """A frame more; of each, what pages draw over time."""
        if self.frames and frame["t"] - self.frames[-1]["t"] <= self._apart_s:
            return
        robots = [{key: one[key] for key in ("name", "at", "on", "set", "since", "battery") if key in one}
                  | {"levels": [{"set": level["set"], "scores": level["scores"], "limit": level["limit"]}
                                for level in one.get("levels", [])]} for one in frame["robots"]]  # fmt: skip
        radio = {key: frame["radio"][key] for key in ("delivered", "lost")}
        self.frames.append({"t": frame["t"], "robots": robots, "radio": radio})
        if len(self.frames) > PAST:
            self._apart_s = 2.0 * (self.frames[-1]["t"] - self.frames[0]["t"]) / PAST
            self.frames = self.frames[::2]


class LiveRun:
    """A run in a process of its own. Each line that it writes is given to `show`, from `shows` being set on."""

    def __init__(self, run: Run, show: Callable[[bytes], None], foxglove: Address | None = None) -> None:
        """`foxglove`: the address on which the process also serves Foxglove."""
        self.run, self.shows = run, False
        self._foxglove = [] if foxglove is None else list(map(str, foxglove))
        self._show = show
        self._scene: Data | None = None
        self._clicked: list[str] = []
        self._frame: Data | None = None
        self._past = Past()
        self._events: deque[Data] = deque(maxlen=KEPT_EVENTS)
        self._over: Data | None = None
        self._refused: Data | None = None
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> str:
        """Begin. '' once it runs, else why it cannot; ValueError, and no process, for what JSON cannot carry."""
        run = encode(dataclasses.asdict(self.run)) + b"\n"
        self._begun = asyncio.get_running_loop().create_future()
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-m", "robotd.live.stage", *self._foxglove)
        self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LINE)
        self._reading = asyncio.ensure_future(self._read(self._process))
        assert self._process.stdin is not None
        self._process.stdin.write(run)
        try:
            await asyncio.wait_for(asyncio.shield(self._begun), START_S)
        except TimeoutError:
            return f"it did not start within {START_S:g} s"
        return str(self._refused["why"]) if self._refused is not None else ""

    def make_way(self) -> None:
        """Let other processes go before it from now on."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE)

    def command(self, command: Data) -> bool:
        """Pass a command on; False where the process has ended."""
        process = self._process
        if (
            process is None
            or process.stdin is None
            or process.stdin.is_closing()
            or process.returncode is not None
        ):
            return False
        process.stdin.write(encode(command) + b"\n")
        return True

    def history(self) -> list[bytes]:
        """What a page that comes now must know, as lines."""
        events = {"type": "history", "events": list(self._events), "clicked": self._clicked}
        past = {"type": "past", "frames": self._past.frames} if self._past.frames else None
        parts = [self._scene, events if self._scene else None, past, self._frame, self._over, self._refused]
        return [encode(part) for part in parts if part is not None]

    def overview(self) -> Data:
        """Where the run is, in short: for who watches many."""
        scene, frame, over = self._scene or {}, self._frame or {}, self._over or self._refused
        return {
            "mission": scene.get("mission", self.run.mission),
            "room": [scene["room"]["width"], scene["room"]["depth"]] if scene else None,
            "t": over.get("t") if over else frame.get("t"),
            "paused": frame.get("paused", False),
            "counted": frame.get("counted", []),
            "goal": scene["room"]["goal"] if scene else None,
            "objects": [[x, y] for x, y, *_ in frame.get("objects", [])],
            "end": _words(over) if over else "",
            "clicked": self._clicked[-1] if self._clicked else "",
            "robots": [[one["name"], one["at"], one["on"]] for one in frame.get("robots", [])],
        }

    async def stop(self) -> None:
        """End the process and wait for that; it is killed where it does not end by itself."""
        process = self._process
        if process is None:
            return
        self.shows = False
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._reading.cancel()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                self._note(json.loads(line))
                if self.shows:
                    self._show(line.rstrip())
        except ValueError:  # a line that is too long, or is none of ours
            process.kill()
        status = await process.wait()
        if status and self._refused is None:
            self._refused = {"type": "refused", "why": f"the run's process ended with {status}", "fatal": True}
            if self.shows:
                self._show(encode(self._refused))
        self._begin()

    def _begin(self) -> None:
        if not self._begun.done():
            self._begun.set_result(None)

    def _note(self, data: dict[str, Any]) -> None:
        kind = data["type"]
        if kind == "scene":
            self._scene = data
            self._begin()
        elif kind == "frame":
            self._events.extend(data["events"])
            self._past.note(data)
            self._frame = {**data, "events": [], "sent": [], "received": []}
        elif kind == "clicked":
            self._clicked.append(data["event"])
            self._scene = {**(self._scene or {}), "command": data["command"]}
        elif kind == "over":
            self._over = data
        elif data.get("fatal"):
            self._refused = data


def _words(end: Data) -> str:
    """How a run ended."""
    if end["type"] == "refused":
        return str(end["why"])
    return "accomplished" if end["accomplished"] else str(end["reason"])

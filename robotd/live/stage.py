"""One run as a process: `python -m robotd.live.stage [HOST PORT]`, where it serves Foxglove too.

It reads JSON lines and writes JSON lines.

The first line that it reads is the run (`Run`), further ones are commands: {"do": "pause"}, "play", "step" (by
`seconds`), "speed" (`factor`, null: as fast as possible), "event" ("VERB WHO [ARG]", which happens at once). It
writes the scene, frames, {"type": "over"} or {"type": "refused"}; it ends when its input does.

What is clicked becomes an event of the scenario at an instant of its own, so that the same events in
`robotd sim --event` give the same run.
"""

import asyncio
import contextlib
import dataclasses
import gc
import json
import math
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from robotd.config.events import parse
from robotd.config.load import ConfigError
from robotd.live.runs import Run, check_speed, command_of, for_page, run_of
from robotd.live.view import LiveLog, frame_of, scene_of
from robotd.sim.activity_trace import Cut
from robotd.sim.director import script_of
from robotd.sim.host import Host
from robotd.sim.parts import Parts
from robotd.sim.simulation import about, team_of
from robotd.sim.team import build_world
from robotd.timing import clock
from robotd.timing.gc_control import rarely_collected
from robotd.timing.virtual_loop import VirtualLoop, run_virtual

MOST_CLICKS = 1000  # of one run: as many events as a link and a command can still hold
FRAME_S = 0.1  # real time between two frames
ON_TIME = 0.9  # of that
FREE_S = 600.0  # simulated time until a robot whose computer was switched off takes no memory any more
FASTEST_S = 1.0  # simulated time between two looks at whether a frame is due, at any speed
CLICK_PARTS = 10  # a click happens at an instant of k / 10 + 0.05 s, when nothing else does


class Stage:
    """A run and those who look on; `run` ends when the input does."""

    def __init__(self, run: Run, source: int, sink: int, foxglove: tuple[str, int] | None = None) -> None:
        """ConfigError or ValueError for a run that cannot be; `foxglove`: the address that serves it."""
        mission = run.load()
        script, world = script_of(mission, run.events), build_world(mission, run.seed)
        self._log = LiveLog(about(mission, run.seed))
        if foxglove is not None:
            from robotd.live.foxglove import FoxgloveWatcher

            self._log.watcher = FoxgloveWatcher(*foxglove, mission.as_data())
        self._team = team_of(mission, run.seed, world, Parts(), self._log)
        self._team.airs.report_losses(self._log.lose)
        cut = Cut(mission.content.time_limit_s)
        self._host = Host(self._team, script, cut, stays=True, at_end=self._finish)
        self._run, self._clicked = run, list[str]()
        scene = scene_of(mission, run.seed, self._team, dataclasses.asdict(run))
        self._scene = {**scene, "command": command_of(run, ())}
        self._source, self._sink, self._begun = source, sink, b""
        self._speed, self._drawn, self._freed = run.speed, -math.inf, 0.0
        self._over = False

    async def run(self) -> None:
        """Run to the end of the mission, then keep on answering until the input ends."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._loop, self._ended = loop, loop.create_future()
        loop.add_reader(self._source, self._read)
        self._write(self._scene)
        team = asyncio.ensure_future(self._host.run())
        drawing = asyncio.ensure_future(self._draw())
        try:
            await asyncio.wait([team, drawing, self._ended], return_when=asyncio.FIRST_COMPLETED)
            if drawing.done():
                drawing.result()
            if team.done():
                outcome = team.result()
                ended = {"t": round(outcome.duration_s, 3), "accomplished": outcome.accomplished}
                self._write({"type": "over", **ended, "reason": outcome.reason, "ending": outcome.ending})
                drawing.cancel()
                await self._ended
        finally:
            loop.remove_reader(self._source)
            if self._log.watcher is not None:
                self._log.watcher.close()
            for task in (team, drawing):
                task.cancel()

    async def _draw(self) -> None:
        """Frames as often as an eye can follow; looking on changes nothing."""
        while True:
            await asyncio.sleep(min(FASTEST_S, FRAME_S * (self._speed or math.inf)))
            if clock.monotonic() - self._drawn >= FRAME_S * ON_TIME:
                self._frame()
            if self._loop.time() >= self._freed + FREE_S:
                self._freed = self._loop.time()
                gc.collect()

    def _finish(self) -> None:
        """Show the end; once all computers are off, there is nothing to show any more."""
        self._frame()
        self._over = True

    def _frame(self) -> None:
        if self._over:
            return
        self._drawn = clock.monotonic()
        if self._log.watcher is not None:
            self._log.watcher.look(self._team.world, self._loop.time())
        frame = frame_of(self._host, self._team, self._log, self._loop.time())
        paused = self._loop.until < math.inf
        self._write({**frame, "paused": paused, "speed": self._speed})

    def _write(self, data: Mapping[str, Any]) -> None:
        line = json.dumps(data, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._sink, line) :]

    def _read(self) -> None:
        data = os.read(self._source, 65536)
        if not data:
            self._end()
            return
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            try:
                self._do(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                self._write({"type": "refused", "why": str(error)})

    def _end(self) -> None:
        self._loop.until = math.inf
        if not self._ended.done():
            self._ended.set_result(None)

    def _do(self, command: Mapping[str, Any]) -> None:
        """One command; ValueError for what it is not, or cannot be now."""
        loop, what, now = self._loop, command.get("do"), self._loop.time()
        if self._over:
            raise ValueError("the run is over; start another")
        if what == "pause":
            loop.until = now
        elif what == "play":
            loop.until = math.inf
        elif what == "step":
            loop.until = now + min(60.0, max(0.05, float(command.get("seconds", 1.0))))
            loop.call_at(loop.until, self._frame)
        elif what == "speed":
            check_speed(command.get("factor"))
            self._speed = loop.speed = command.get("factor")
        elif what == "event":
            self._click(str(command.get("event", "")), now)
        else:
            raise ValueError(f"{what!r}: expected pause, play, step, speed or event")
        if what != "step":
            self._frame()

    def _click(self, text: str, now: float) -> None:
        if len(self._clicked) >= MOST_CLICKS:
            raise ValueError(f"{MOST_CLICKS} clicks are enough for one run; start another")
        at = (math.floor(now * CLICK_PARTS) + 1) / CLICK_PARTS + 0.5 / CLICK_PARTS
        event = parse(f"{at:.2f} {text}")
        self._host.add(event)
        self._clicked.append(str(event))
        self._write({"type": "clicked", "event": str(event), "command": command_of(self._run, self._clicked)})


def main() -> int:
    """The process: 0 once its input has ended, 2 for a run that cannot be."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # control-C ends the server, and that this process's input
    source, sink = sys.stdin.fileno(), os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a plug-in's print must not be taken for a frame
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(source, 1)
        if not part:
            return 0
        line += part
    try:
        run = run_of(json.loads(line))
        stage = Stage(run, source, sink, (sys.argv[1], int(sys.argv[2])) if sys.argv[1:] else None)
    except (ConfigError, ValueError, OSError) as error:
        os.write(sink, json.dumps({"type": "refused", "why": for_page(error), "fatal": True}).encode() + b"\n")
        return 2
    os.set_blocking(source, False)
    with rarely_collected(), contextlib.suppress(BrokenPipeError):  # whoever reads it has gone
        run_virtual(stage.run(), run.speed, serving=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

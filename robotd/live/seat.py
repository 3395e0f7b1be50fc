"""One run and the pages that watch it: their stream, their commands, and another run in its place."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from robotd.config.load import ConfigError, mission_names
from robotd.live.run import Address, LiveRun
from robotd.live.runs import Run, for_page, run_of, run_of_command
from robotd.live.tuning import choices_of
from robotd.status import web
from robotd.status.answers import encode, refuse, respond
from robotd.status.guards import own_origin, read_json
from robotd.status.page import ALIVE
from robotd.status.streams import Streams, part_of

MOST_WORDS = 500  # of what is refused
MAX_BODY = 65536  # bytes of a command
METHODS = {"/stream": "GET", "/about": "GET", "/choices": "GET", "/do": "POST"}
RUNNING = ("play", "step", "restart")  # commands that let simulated time pass
FOREIGN = "the request is of another page", "use the page of this server"
HELD = "all runs are paused by the teacher"


class Seat:
    """Has one run at a time. `number` is what its pages show, 0 for none; `held`: it stays paused.

    `turns`: runs of several seats wait for one before they begin.
    """

    def __init__(
        self, run: Run, number: int = 0, foxglove: Address | None = None,
        turns: asyncio.Semaphore | None = None,
    ) -> None:  # fmt: skip
        self.number, self.held, self._foxglove = number, False, foxglove
        self._turns = turns or asyncio.Semaphore()
        self._first = run
        self.streams = Streams(ALIVE)
        self.live = LiveRun(run, self.show, foxglove)
        self._changing = asyncio.Lock()
        self._ended = False

    async def begin(self) -> None:
        """Start the first run; ValueError where it cannot be."""
        async with self._changing:
            await self._begin(self.live)

    async def stop(self) -> None:
        """End the streams and the run, and one that begins just now."""
        self._ended = True
        self.streams.end()
        await self.live.stop()

    def hold(self, *, held: bool) -> None:
        """Pause the run for as long as that is not taken back, whatever its pages ask for."""
        self.held = held
        self.live.command({"do": "pause" if held else "play"})

    def show(self, line: bytes) -> None:
        self.streams.send(part_of(line))

    def about(self) -> web.Response:
        """What the command line names, and which missions there are."""
        first = self._first
        named = {"mission": first.mission, "events": list(first.events), "changes": dict(first.changes)}
        return respond(200, encode({**named, "missions": mission_names(), "seat": self.number}))

    async def choices(self, request: web.BaseRequest) -> web.Response:
        """What another run of a mission may be: see `choices_of`."""
        mission = request.query.get("mission", self._first.mission)
        try:
            self._check_mission(mission)
            return respond(200, encode(await asyncio.to_thread(choices_of, self._first, mission)))
        except (ConfigError, ValueError, OSError) as error:
            return refuse(400, for_page(error)[:MOST_WORDS], "choose another mission")

    async def do(self, request: web.BaseRequest) -> web.Response:
        """A command of a page; a `restart` with a `run`, or a `command` that gives one, begins another."""
        if not own_origin(request):
            return refuse(403, *FOREIGN)
        try:
            command = await read_command(request)
            if self.held and command.get("do") in RUNNING:
                return refuse(409, HELD, "wait until they go on")
            if command.get("do") == "restart":
                await self._restart(_run_in(command))
            elif not self.live.command(command):
                if self._changing.locked():
                    return refuse(409, "the run has not begun yet", "ask again in a moment")
                return refuse(409, "the run has ended", "start another")
        except (ValueError, TypeError, RecursionError) as error:
            return refuse(400, for_page(error)[:MOST_WORDS], 'send {"do": "pause"} or another command')
        return respond(200, b"{}")

    async def _restart(self, run: Run) -> None:
        """Another run in place of this one; where it cannot be ValueError, and this one goes on."""
        first = self._first
        self._check_mission(run.mission)
        if run.plugins not in ((), first.plugins) or any(
            key.partition(".")[0] == "plugins" for key in run.changes
        ):
            raise ValueError("a page names no files with plug-ins")
        async with self._changing:
            other = LiveRun(run, self.show, self._foxglove)
            await self._begin(other)
            before, self.live = self.live, other
            await before.stop()
            if self._ended:
                await other.stop()

    def _check_mission(self, mission: str) -> None:
        if mission not in (*mission_names(), self._first.mission):
            raise ValueError(f"{mission}: a page starts installed missions only, or that of the command line")

    async def _begin(self, run: LiveRun) -> None:
        """Start a run and show it, unless the seat has ended meanwhile; ValueError where it cannot be."""
        async with self._turns:
            why = "" if self._ended else await run.start()
        if self._ended:
            await run.stop()
            return
        if why:
            await run.stop()
            raise ValueError(why)
        if self.number:
            run.make_way()
        if self.held:
            run.command({"do": "pause"})
        self.live.shows, run.shows = False, True
        for line in run.history():
            self.show(line)


def _run_in(command: Mapping[str, Any]) -> Run:
    """The run that a `restart` names, as an object or as a command line; ValueError."""
    words = command.get("command")
    return run_of_command(words) if isinstance(words, str) else run_of(command.get("run"))


async def read_command(request: web.BaseRequest) -> Mapping[str, Any]:
    """The JSON object of a POST; ValueError where it is none."""
    command = json.loads(await read_json(request, "command", MAX_BODY))
    if not isinstance(command, dict):
        raise ValueError("a command is one JSON object")
    return command

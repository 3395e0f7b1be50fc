"""The live page over HTTP: the page itself, a stream of Server-Sent Events, and commands by POST.

Nothing answers without the cookie that the one-time link gives, be it on loopback: any page in a browser of this
computer can send requests here. So the Host header must name an address that this server answers to, and the
Origin of a POST its own. A client that does not read its stream is cut; others and the run do not wait for it.
"""

import asyncio
import functools
import importlib.resources
import json
import logging
import math
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from robotd.config.load import mission_names
from robotd.config.robot import HttpPart
from robotd.files.plugins import Plugins
from robotd.live.run import LiveRun
from robotd.live.stage import Run, run_of
from robotd.status.answers import HEADERS, encode, refuse, respond
from robotd.status.guards import Links, own_origin, read_json, refuse_host
from robotd.status.streams import Streams, part_of

FILES = {"/": ("index.html", "text/html"), "/live.js": ("live.js", "text/javascript"),
         "/world.js": ("world.js", "text/javascript"), "/live.css": ("live.css", "text/css")}  # fmt: skip
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
PAGE_HEADERS = {**HEADERS, "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
MAX_BODY = 65536  # bytes of a command
ALIVE = part_of(b'{"type":"alive"}')
STOP_S = 1.0
quiet = logging.getLogger(f"{__name__}.strangers")  # of what others send that is no HTTP: nobody's business
quiet.setLevel(logging.CRITICAL + 1)
USED = "this link was used, or is of an earlier start; robotd live prints a new one"


class LiveServer:
    """Serves one run at a time while it is entered (`async with`); `link` is what a person opens."""

    def __init__(self, run: Run, config: HttpPart, foxglove: tuple[str, int] | None = None) -> None:
        self._config, self._first, self._foxglove = config, run, foxglove
        self._links = Links("robotd-live", math.inf, math.inf)
        self._token = self._links.token()
        self._streams = Streams(ALIVE)
        self._live = LiveRun(run, self._show, foxglove)
        self._changing = asyncio.Lock()
        self._port = config.port

    async def __aenter__(self) -> "LiveServer":
        """OSError where it cannot listen there; ValueError for a run that does not start."""
        server = web.Server(self._handle, access_log=None, logger=quiet)
        self._runner = web.ServerRunner(server, shutdown_timeout=STOP_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._config.host, self._config.port)
        try:
            await site.start()
            self._port = self._runner.addresses[0][1]
            self._links.cookie = f"robotd-live-{self._port}"  # browsers keep one for all ports of a host
            await self._begin(self._live)
        except BaseException:
            await self._runner.cleanup()
            await self._live.stop()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._streams.end()
        await self._runner.cleanup()
        await self._live.stop()

    @property
    def link(self) -> str:
        host = f"[{self._config.host}]" if ":" in self._config.host else self._config.host
        return f"http://{host}:{self._port}/?token={self._token}"

    def _show(self, line: bytes) -> None:
        self._streams.send(part_of(line))

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if refusal := refuse_host(request, self._config, "this page", "name the host with --allow-host"):
            return refusal
        if request.path == "/" and "token" in request.query:
            return self._admit(request)
        if not self._links.admitted(request):
            return refuse(401, "this page needs the link that robotd live printed", "open that link")
        answers = {"/stream": ("GET", self._stream), "/about": ("GET", self._about), "/do": ("POST", self._do)}
        if request.path in FILES:
            return _file(request.path) if request.method == "GET" else _wrong_method(request.path, "GET")
        if request.path not in answers:
            return refuse(404, "there is no such page", f"there are {', '.join([*FILES, *answers])}")
        method, answer = answers[request.path]
        if request.method != method:
            return _wrong_method(request.path, method)
        return await answer(request)

    def _admit(self, request: web.BaseRequest) -> web.Response:
        """The one-time link; where it was used `link` is another."""
        response = self._links.admit(request, PAGE_HEADERS)
        if response is None:
            return refuse(401, USED, "open the link of the last start")
        self._token = self._links.token()
        return response

    async def _about(self, request: web.BaseRequest) -> web.Response:
        """What can be chosen."""
        coordinators = sorted(Plugins().names("robotd.coordinators"))
        choices = {"missions": mission_names(), "coordinators": coordinators, "events": list(self._first.events)}
        return respond(200, encode(choices))

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        """Server-Sent Events, one JSON object each: first what was before, then what the run writes."""
        return await self._streams.serve(request, map(part_of, self._live.history()), PAGE_HEADERS)

    async def _do(self, request: web.BaseRequest) -> web.Response:
        """A command of a page; a `restart` with a `run` ends this run and begins another."""
        if not own_origin(request):
            return refuse(403, "the request is of another page", "use the page of this server")
        try:
            command = await _read(request)
            if command.get("do") == "restart":
                await self._restart(run_of(command.get("run")))
            elif not self._live.command(command):
                return refuse(409, "the run has ended", "start another")
        except (ValueError, TypeError, RecursionError) as error:
            return refuse(400, str(error)[:500], 'send {"do": "pause"} or another command')
        return respond(200, b"{}")

    async def _restart(self, run: Run) -> None:
        """Another run in place of this one; where it cannot be ValueError, and this one goes on."""
        first = self._first
        if run.mission not in (*mission_names(), first.mission):
            raise ValueError(f"{run.mission}: a page starts installed missions only, or that of the command line")
        if run.plugins not in ((), first.plugins) or any(
            key.partition(".")[0] == "plugins" for key in run.changes
        ):
            raise ValueError("a page names no files with plug-ins")
        async with self._changing:
            other = LiveRun(run, self._show, self._foxglove)
            await self._begin(other)
            before, self._live = self._live, other
            await before.stop()

    async def _begin(self, run: LiveRun) -> None:
        """Start a run and show it; ValueError where it cannot be."""
        if why := await run.start():
            await run.stop()
            raise ValueError(why)
        self._live.shows, run.shows = False, True
        for line in run.history():
            self._show(line)


async def _read(request: web.BaseRequest) -> Mapping[str, Any]:
    command = json.loads(await read_json(request, "command", MAX_BODY))
    if not isinstance(command, dict):
        raise ValueError("a command is one JSON object")
    return command


def _file(path: str) -> web.Response:
    name, kind = FILES[path]
    return web.Response(text=_text(name), content_type=kind, charset="utf-8", headers=PAGE_HEADERS)


def _wrong_method(path: str, method: str) -> web.Response:
    return refuse(405, "this address takes another method", f"{path} takes {method}", {"Allow": method})


@functools.cache
def _text(name: str) -> str:
    return (importlib.resources.files("robotd.live") / "page" / name).read_text(encoding="utf-8")

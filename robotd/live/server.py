"""The live page over HTTP: the page itself, a stream of Server-Sent Events, and commands by POST.

Nothing answers without the cookie that the one-time link gives, be it on loopback: any page in a browser of this
computer can send requests here. So the Host header must name an address that this server answers to, and the
Origin of a POST its own. A client that does not read its stream is cut; others and the run do not wait for it.
"""

import asyncio
import contextlib
import functools
import hmac
import importlib.resources
import json
import secrets
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from robotd.config.load import ConfigError, mission_names
from robotd.config.robot import HttpPart
from robotd.files.plugins import Plugins
from robotd.live.run import LiveRun
from robotd.live.stage import Run, run_of
from robotd.status.http import HEADERS, encode, is_answered, parse_host, refuse, respond

FILES = {"/": ("index.html", "text/html"), "/live.js": ("live.js", "text/javascript"),
         "/world.js": ("world.js", "text/javascript"), "/live.css": ("live.css", "text/css")}  # fmt: skip
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
PAGE_HEADERS = {**HEADERS, "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
MOST_STREAMS = 64
BEHIND = 100  # lines that a client may be behind: ten seconds and more
MAX_BODY = 65536  # bytes of a command
ALIVE_S, ALIVE = 1.0, b'{"type":"alive"}'
STOP_S = 1.0
USED = "this link was used, or is of an earlier start; robotd live prints a new one"


class LiveServer:
    """Serves one run at a time while it is entered (`async with`); `link` is what a person opens."""

    def __init__(self, run: Run, config: HttpPart) -> None:
        self._config = config
        self._token, self._cookie = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        self._clients: set[asyncio.Queue[bytes | None]] = set()
        self._live = LiveRun(run, self._show)
        self._changing = asyncio.Lock()
        self._port = config.port

    async def __aenter__(self) -> "LiveServer":
        """OSError where it cannot listen there."""
        self._runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=STOP_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._config.host, self._config.port)
        try:
            await site.start()
            self._port = self._runner.addresses[0][1]
            await self._live.start()
        except BaseException:
            await self._runner.cleanup()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        for queue in self._clients:
            _end(queue)
        await self._runner.cleanup()
        await self._live.stop()

    @property
    def link(self) -> str:
        host = f"[{self._config.host}]" if ":" in self._config.host else self._config.host
        return f"http://{host}:{self._port}/?token={self._token}"

    @property
    def _name(self) -> str:
        """Of the cookie: browsers keep one for all ports of a host."""
        return f"robotd-live-{self._port}"

    def _show(self, line: bytes) -> None:
        for queue in tuple(self._clients):
            try:
                queue.put_nowait(line)
            except asyncio.QueueFull:
                _end(queue)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        hosts = request.headers.getall("Host", ["none"])
        if len(hosts) > 1 or not is_answered(hosts[0], self._config):
            return refuse(403, f"no page for the host {', '.join(hosts)[:100]!r}", "name it with --allow-host")
        if request.path == "/" and "token" in request.query:
            return self._admit(request)
        if not hmac.compare_digest(request.cookies.get(self._name, "").encode(), self._cookie.encode()):
            return refuse(401, "this page needs the link that robotd live printed", "open that link")
        answers = {"/stream": ("GET", self._stream), "/about": ("GET", self._about), "/do": ("POST", self._do)}
        if request.path in FILES:
            return _file(request.path) if request.method == "GET" else refuse(405, "not so", "it takes GET")
        if request.path not in answers:
            return refuse(404, "there is no such page", f"there are {', '.join([*FILES, *answers])}")
        method, answer = answers[request.path]
        if request.method != method:
            return refuse(405, "not so", f"{request.path} takes {method}", {"Allow": method})
        return await answer(request)

    def _admit(self, request: web.BaseRequest) -> web.Response:
        """The one-time link: a cookie for its token, once."""
        token, self._token = self._token, secrets.token_urlsafe(16)
        if not hmac.compare_digest(request.query["token"].encode(), token.encode()):
            self._token = token
            return refuse(401, USED, "open the link of the last start")
        response = web.Response(status=303, headers={**PAGE_HEADERS, "Location": "/"})
        response.set_cookie(self._name, self._cookie, httponly=True, samesite="Strict")
        return response

    async def _about(self, request: web.BaseRequest) -> web.Response:
        """What can be chosen."""
        coordinators = sorted(Plugins().names("robotd.coordinators"))
        return respond(200, encode({"missions": sorted(mission_names()), "coordinators": coordinators}))

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        """Server-Sent Events, one JSON object each: first what was before, then what the run writes."""
        if len(self._clients) >= MOST_STREAMS:
            return refuse(503, f"{MOST_STREAMS} pages look on already", "close one")
        response = web.StreamResponse(headers={**PAGE_HEADERS, "Content-Type": "text/event-stream"})
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(BEHIND)
        for past in self._live.history():
            queue.put_nowait(past)
        self._clients.add(queue)
        try:
            await response.prepare(request)
            while (line := await _next(queue)) is not None:
                await response.write(b"data: " + line + b"\n\n")
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._clients.discard(queue)
        return response

    async def _do(self, request: web.BaseRequest) -> web.Response:
        """A command of a page; a `restart` with a `run` ends this run and begins another."""
        origin = request.headers.get("Origin", "")
        if parse_host(origin.removeprefix("http://")) != parse_host(request.headers["Host"]):
            return refuse(403, "the request is of another page", "use the page of this server")
        try:
            command = await _read(request)
            if command.get("do") == "restart":
                await self._restart(run_of(command.get("run")))
            else:
                self._live.command(command)
        except ConfigError as error:
            return refuse(400, str(error)[:500], "mend that")
        except (ValueError, TypeError) as error:
            return refuse(400, str(error)[:500], 'send {"do": "pause"} or another command')
        return respond(200, b"{}")

    async def _restart(self, run: Run) -> None:
        """Another run in place of this one, if it can be."""
        if ("/" in run.mission or run.mission.endswith(".toml")) and run.mission != self._live.run.mission:
            raise ValueError(f"{run.mission}: a page starts installed missions only, or that of the command line")
        if run.plugins and run.plugins != self._live.run.plugins:
            raise ValueError("a page names no files with plug-ins")
        async with self._changing:
            await self._live.stop()
            self._live = LiveRun(run, self._show)
            await self._live.start()


async def _next(queue: asyncio.Queue[bytes | None]) -> bytes | None:
    """The next line; where none comes for a while one that says that the server lives: who is gone then shows."""
    try:
        return await asyncio.wait_for(queue.get(), ALIVE_S)
    except TimeoutError:
        return ALIVE


async def _read(request: web.BaseRequest) -> Mapping[str, Any]:
    if not request.content_type == "application/json":
        raise ValueError(f"a {request.content_type} is no command; expected application/json")
    body = await request.content.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise ValueError(f"a command has at most {MAX_BODY} bytes")
    command = json.loads(body)
    if not isinstance(command, dict):
        raise ValueError("a command is one JSON object")
    return command


def _file(path: str) -> web.Response:
    name, kind = FILES[path]
    return web.Response(text=_text(name), content_type=kind, charset="utf-8", headers=PAGE_HEADERS)


@functools.cache
def _text(name: str) -> str:
    return (importlib.resources.files("robotd.live") / "page" / name).read_text(encoding="utf-8")


def _end(queue: asyncio.Queue[bytes | None]) -> None:
    """End a client's stream, now, whatever it has not read."""
    with contextlib.suppress(asyncio.QueueEmpty):
        while True:
            queue.get_nowait()
    queue.put_nowait(None)

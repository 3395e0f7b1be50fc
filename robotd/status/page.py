"""The live page of a robot or a base station: its files and its stream."""

import asyncio
import functools
import importlib.resources
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from robotd.config.robot import HttpPart
from robotd.status import web
from robotd.status.answers import HEADERS, encode, refuse, respond
from robotd.status.listener import Listener
from robotd.status.scene import Data, rounded
from robotd.status.streams import Streams, part_of

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
UPLOT = ("/uPlot.iife.min.js", "/uPlot.min.css")  # vendored, with its licence beside them
SCRIPTS = (
    "live", "another", "cards", "chart", "drawing", "keys", "labels", "parts", "real", "senses", "sliders",
    "tasks", "trace", "world",
)  # fmt: skip
SHARED = (*(f"/{name}.js" for name in SCRIPTS), "/live.css", *UPLOT)  # of every page
FILES = {"/": "index.html", **{path: path[1:] for path in SHARED}}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
PAGE_HEADERS = {**HEADERS, "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
ALIVE = part_of(b'{"type":"alive"}')
CHANGES = 200  # of what robots do, that are kept
FRAME_S = 0.25  # between two frames: words are read no faster


def send_file(request: web.BaseRequest, name: str) -> web.Response:
    """A file of the pages."""
    if request.method not in ("GET", "HEAD"):
        return refuse_method(request.path, "GET, HEAD")
    kind = KINDS[name.rpartition(".")[2]]
    return web.Response(text=_text(name), content_type=kind, charset="utf-8", headers=PAGE_HEADERS)


def refuse_method(path: str, method: str) -> web.Response:
    return refuse(405, "this address takes another method", f"{path} takes {method}", {"Allow": method})


@functools.cache
def _text(name: str) -> str:
    return (importlib.resources.files("robotd.live") / "page" / name).read_text(encoding="utf-8")


class Activities:
    """What robots did before a page came, for it to draw: frames in short, two of each change."""

    def __init__(self) -> None:
        self._doing: dict[str, str] = {}
        self._frames: deque[Data] = deque(maxlen=2 * CHANGES)

    def note(self, t: float, doing: dict[str, str]) -> None:
        """What each robot does at `t` (s), by its behavior set or task; '' for none."""
        if doing == self._doing:
            return
        for now in (self._doing, doing):  # what was done goes on until then
            robots = [{"name": name, "on": True, "set": what} for name, what in now.items()]
            self._frames.append({"t": rounded(t), "robots": robots})
        self._doing = doing

    def past(self) -> Data:
        """As pages are sent it."""
        return {"type": "past", "frames": list(self._frames)}


class PageServer(Listener):
    """A listener that serves the page too, with its stream. `scene` and the events before are sent to who comes.

    `poll` is called as often as there may be something new, with the own clock (s): it sends a frame where one is
    due and a page looks on.
    """

    def __init__(self, config: HttpPart) -> None:
        super().__init__(config)
        self.pages, self.activities = Streams(ALIVE), Activities()
        self.streams.append(self.pages)
        self._due = 0.0

    def scene(self) -> Data:
        """What stays as it is."""
        raise NotImplementedError

    def history(self) -> Data:
        """What has happened before."""
        raise NotImplementedError

    def frame(self) -> Data | None:
        """What is so now; None before anything is."""
        raise NotImplementedError

    def news(self) -> list[Data]:
        """The events since this was called last."""
        return []

    def may_act(self, request: web.BaseRequest) -> bool:
        """Whether this browser may act."""
        return False

    async def answer_page(self, request: web.BaseRequest) -> web.StreamResponse | None:
        """The answer to a request for the page or what belongs to it; None for another."""
        if request.path in FILES:
            return send_file(request, FILES[request.path])
        if request.method != "GET":
            return None
        if request.path == "/about":
            return respond(200, encode({"acts": self.may_act(request)}))
        if request.path != "/stream":
            return None
        past = [
            _part(one)
            for one in (self.scene(), self.history(), self.activities.past(), self.frame())
            if one is not None
        ]
        return await self.stream(self.pages, request, past, PAGE_HEADERS)

    def poll(self, now: float) -> None:
        """See the class; the frame is made when whatever calls this is over."""
        if len(self.pages) and now >= self._due:
            self._due = now + FRAME_S
            self.later(self._send)

    def later(self, send: Callable[[], None]) -> None:
        """Call `send` soon; what it raises, of what a plug-in hands out, is no fault of the robot."""

        def guarded() -> None:
            try:
                send()
            except Exception as error:  # noqa: BLE001 - as the docstring says
                self.complain("page", f"what cannot be shown is not sent: {type(error).__name__}: {error}")

        asyncio.get_running_loop().call_soon(guarded)

    def _send(self) -> None:
        if (frame := self.frame()) is not None:
            self.pages.send(_part({**frame, "events": self.news()}))


def _part(data: Mapping[str, Any]) -> bytes:
    return part_of(encode(data))

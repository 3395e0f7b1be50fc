"""The live page for a program or a notebook: served by a thread, beside whatever else the program does.

A notebook shows it in a frame. Browsers send the cookie of the page only where the notebook has the same host
name, whatever its port; and no page of another host may frame it.
"""

import asyncio
import contextlib
import html
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Self

from robotd.config.robot import HttpPart, http_part_of
from robotd.live.runs import Run, check_run
from robotd.live.server import LiveServer
from robotd.live.stage import Stage
from robotd.status import web
from robotd.status.guards import LOOPBACK, give_cookie
from robotd.status.page import PAGE_HEADERS

PORT = 0  # any free one
CLOSE_S = 10.0
AGAIN = (
    "run the cell of the notebook again, or open another link: print(page.link), of the page that live() returned"
)
ELSEWHERE = (
    "in a frame of a notebook with another host name than the page's, browsers keep the cookie back: open the "
    "link below the frame, or give live() that host name in allow_hosts"
)
POLICY = "Content-Security-Policy"
FRAME = """<iframe title="{title}" src="{link}" data-other="{other}" style="width:100%;height:{height}px;border:0">
</iframe><script>(frame => {{ if (location.hostname === "127.0.0.1") frame.src = frame.dataset.other; }})(
document.currentScript.previousElementSibling)</script>
<p><a href="{alone}" target="_blank" rel="noopener">{title} in a window of its own</a></p>"""


class FramedServer(LiveServer):
    """A page that notebooks of loopback and of the `allowed_hosts` may show in a frame."""

    option = "bind"
    hint_used, hint_unseen = AGAIN, f"{AGAIN}; {ELSEWHERE}"

    def __init__(self, run: Run, config: HttpPart) -> None:
        super().__init__(run, config)
        names = (host for host in (*LOOPBACK, *config.allowed_hosts) if ":" not in host)  # CSP has no IPv6
        self._frames = "frame-ancestors " + " ".join(f"http://{name}:* https://{name}:*" for name in names)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """See `LiveServer`. A notebook that is drawn anew asks by a link that is used up: its browser may look."""
        links = self._door.links
        if request.path == "/" and "token" in request.query and links.admitted(request):
            return give_cookie(links.cookie, request.cookies[links.cookie], PAGE_HEADERS)
        response = await super().answer(request)
        if not response.prepared and POLICY in response.headers:
            response.headers[POLICY] = response.headers[POLICY].replace("frame-ancestors 'none'", self._frames)
        return response

    async def another(self, host: str) -> str:
        """A further link."""
        return f"{self.url(host)}?token={self._door.links.token()}"


class LivePage:
    """A simulated team and its page, until `close` or the end of the program; as a context it closes itself."""

    def __init__(self, run: Run, bind: str, allow_hosts: Sequence[str], height_px: int) -> None:
        """Returns once it runs. ConfigError or ValueError for a run that cannot be; OSError: it cannot listen."""
        check_run(run)
        Stage(run, -1, -1)
        self.mission, self.height_px = run.mission, height_px
        self._server = FramedServer(run, http_part_of(bind, allow_hosts, "bind", PORT))
        self._started, self._loop, self._ended = Future[None](), asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="live page", daemon=True)
        self._thread.start()
        try:
            self._started.result()
        except BaseException:
            self.close()
            raise

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except Exception as error:  # it is raised where the page was asked for
            if self._started.done():
                raise
            self._started.set_exception(error)

    async def _serve(self) -> None:
        async with self._server:
            self._started.set_result(None)
            await self._ended.wait()

    @property
    def closed(self) -> bool:
        return not self._thread.is_alive()

    @property
    def link(self) -> str:
        """A link that works once, another one each time; ValueError where it is closed."""
        return self._link("")

    def _link(self, host: str) -> str:
        if self.closed:
            raise ValueError("this page is closed; call live again")
        return asyncio.run_coroutine_threadsafe(self._server.another(host), self._loop).result()

    def close(self) -> None:
        """End the run and its page; twice is harmless."""
        if not self.closed:
            with contextlib.suppress(RuntimeError):  # its loop is closed: the thread is about to end
                self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(CLOSE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<live page of {self.mission}: {'closed' if self.closed else self._server.url()}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame, by the host name that most notebooks have, and a link."""
        if self.closed:
            return f"<p>{html.escape(repr(self))}</p>"
        hosts = self._server.config.allowed_hosts or ("localhost",)
        link, other, alone = (self._link(host) for host in (hosts[0], "127.0.0.1", ""))
        title = html.escape(f"robotd: {self.mission}")
        return FRAME.format(link=link, other=other, alone=alone, title=title, height=self.height_px)

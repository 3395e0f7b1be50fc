"""The files of the pages, and the headers that go with them."""

import functools
import importlib.resources

from aiohttp import web

from robotd.status.answers import HEADERS, refuse

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
SHARED = ("/live.js", "/world.js", "/live.css")  # of every page
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
PAGE_HEADERS = {**HEADERS, "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}


def send_file(request: web.BaseRequest, name: str) -> web.Response:
    """A file of the pages, for a GET."""
    if request.method != "GET":
        return refuse_method(request.path, "GET")
    kind = KINDS[name.rpartition(".")[2]]
    return web.Response(text=_text(name), content_type=kind, charset="utf-8", headers=PAGE_HEADERS)


def refuse_method(path: str, method: str) -> web.Response:
    return refuse(405, "this address takes another method", f"{path} takes {method}", {"Allow": method})


@functools.cache
def _text(name: str) -> str:
    return (importlib.resources.files("robotd.live") / "page" / name).read_text(encoding="utf-8")

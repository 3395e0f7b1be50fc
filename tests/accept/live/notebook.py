"""The line on notebooks: a kernel of Jupyter runs one, and a browser shows its live page in a frame."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.accept.live.page import DESKTOP, Page, browsed

SHOW = "import robotd.api\npage = robotd.api.live('cleanup', speed=30.0)\npage"
CLOSE = "page.close()\npage"
HOSTS = ("localhost", "127.0.0.1")  # by which people open a notebook


def in_notebook(desk: Desk) -> Found:
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        raise OSError("no nbclient: pip install 'robotd[bench]'") from None
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (SHOW, SHOW, CLOSE)])
    client = NotebookClient(book, timeout=120)
    with client.setup_kernel():
        seen = {}
        for number, host in enumerate(HOSTS):
            client.execute_cell(book.cells[number], number)
            seen[host] = robots_in(desk, host, book.cells[number].outputs[0]["data"]["text/html"])
        client.execute_cell(book.cells[2], 2)
        closed = book.cells[2].outputs[0]["data"]["text/plain"]
    ok = all(one == (3, []) for one in seen.values()) and "closed" in closed
    return Found(f"robots and errors by host: {seen}; then {closed}", "three robots, no error, closed", ok)


def robots_in(desk: Desk, host: str, shown: str) -> tuple[int, list[str]]:
    """How many robots the frame has, of a notebook that `host` serves; and the errors of the browser."""
    with notebook_at(host, shown) as url, browsed(DESKTOP) as page:
        page.page.goto(url)
        page.wait("the page in its frame", lambda: robots(page) > 0)
        page.page.screenshot(path=desk.folder / f"notebook-{host}.png", full_page=True)
        return robots(page), page.errors


@contextlib.contextmanager
def notebook_at(host: str, shown: str) -> Iterator[str]:
    """A page with `shown` on it, and its address: browsers let pages of this computer alone frame others of it."""

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><link rel=icon href=data:,>{shown}".encode())

        def log_message(self, *words: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://{host}:{server.server_port}/"
        finally:
            server.shutdown()


def robots(page: Page) -> int:
    found: int = page.page.frame_locator("iframe").locator(".robot").count()
    return found


CHECKS = (Check("1.7", "robotd.api.live in a notebook", "page = robotd.api.live('cleanup')", in_notebook),)

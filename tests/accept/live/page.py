"""The live page in a real browser: a program that serves it, and a person who looks and clicks."""

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from robotd.timing.clock import monotonic

BROWSER = Path("/usr/bin/chromium")
START_S, LOOK_MS = 60.0, 100
Window = dict[str, int]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


class Page:
    """One page of a browser, and every address that it asked for."""

    def __init__(self, page: Any) -> None:
        self.page, self.asked, self.errors = page, set[str](), list[str]()
        page.on("request", lambda request: self.asked.add(urlsplit(request.url).netloc))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)

    def text(self, place: str) -> str:
        return self.page.locator(place).text_content() or ""

    @property
    def time_s(self) -> float:
        """The simulated time that it shows, s."""
        found = re.search(r"([\d.]+) s", self.text("#state"))
        return float(found[1]) if found else 0.0

    def wait(self, what: str, holds: Callable[[], bool], within_s: float = START_S) -> None:
        """TimeoutError where it does not become so."""
        end = monotonic() + within_s
        while not holds():
            if monotonic() > end:
                state = self.page.locator("#state").all_text_contents()
                raise TimeoutError(f"the page does not show {what}: {state}; {self.errors}")
            self.page.wait_for_timeout(LOOK_MS)

    def click(self, name: str) -> None:
        """A button by what it says."""
        self.page.get_by_role("button", name=name, exact=True).click()


@contextlib.contextmanager
def browsed(size: Window, scheme: str = "light") -> Iterator[Page]:
    """An empty page of a browser; OSError where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise OSError("no playwright: pip install 'robotd[bench]'") from None
    if not BROWSER.exists():
        raise OSError(f"no {BROWSER}: apt install chromium")
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield Page(browser.new_context(viewport=size, color_scheme=scheme).new_page())
        browser.close()


@contextlib.contextmanager
def served(*words: str) -> Iterator[list[str]]:
    """`robotd WORDS` on loopback, and the addresses that it prints; OSError where it does not end in order."""
    command = [sys.executable, "-m", "robotd", *words, "--bind", "127.0.0.1:0"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        addresses: list[str] = []
        while not addresses or "?token=" not in addresses[-1]:  # that link is printed last
            addresses += re.findall(r"http://\S+", program.stdout.readline())
        yield addresses
        program.send_signal(signal.SIGTERM)
        if program.wait(START_S) != 0:
            raise OSError(f"robotd {words[0]} ended with {program.returncode}")
    finally:
        program.kill()
        program.wait()


@contextlib.contextmanager
def opened(*words: str) -> Iterator[Page]:
    """`robotd live WORDS` and its page, at desktop width; OSError where there is no browser."""
    with served("live", *words) as (link,), browsed(DESKTOP) as page:
        page.page.goto(link)
        page.wait("the team", lambda: page.page.locator(".robot").count() > 0)
        yield page

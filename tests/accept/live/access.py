"""The line on people who see, hear or point otherwise: axe-core finds no serious fault on any page."""

import json
from pathlib import Path

from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.accept.live.page import DESKTOP, PHONE, Page, browsed, opened, served
from tests.accept.live.real import MINE, fleet, visited

AXE = "axe-core@4"  # from npm, for this check alone
SERIOUS = ("serious", "critical")
RUN = "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"


class Auditor:
    """Looks for faults of pages, each at both widths, light and dark."""

    def __init__(self, desk: Desk) -> None:
        folder = desk.folder / "axe"
        folder.mkdir(parents=True, exist_ok=True)
        desk.run("npm", "install", "--no-fund", "--no-audit", AXE, cwd=folder).checked()
        self._script = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
        self._folder: Path = folder
        self.looks, self.faults = 0, set[str]()

    def look(self, page: Page, name: str) -> None:
        """A page with everything on it that can be opened."""
        page.page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
        page.page.evaluate(self._script)
        for size, window in (("desktop", DESKTOP), ("phone", PHONE)):
            for scheme in ("light", "dark"):
                page.page.set_viewport_size(window)
                page.page.emulate_media(color_scheme=scheme)
                page.page.wait_for_timeout(300)
                page.page.screenshot(path=self._folder / f"{name}-{size}-{scheme}.png", full_page=True)
                self.looks += 1
                for one in page.page.evaluate(RUN):
                    if one["impact"] in SERIOUS:
                        where = one["nodes"][0]["target"][0]
                        self.faults.add(f"{name} {size} {scheme}: {one['id']} ({one['impact']}) at {where}")


def accessible(desk: Desk) -> Found:
    """The pages of a simulation, of a class, of a robot and of a base station."""
    auditor = Auditor(desk)
    with opened("cleanup", "--speed", "30") as page:
        page.wait("a minute", lambda: page.time_s > 60.0, 120.0)
        page.click("Choose blue")
        page.click("Remove it")
        auditor.look(page, "live")
    with served("class", "patrol", "--seats", "3") as (seat, teacher), browsed(DESKTOP) as own:
        own.page.goto(seat)
        own.wait("the team", lambda: own.page.locator(".robot").count() > 0)
        auditor.look(own, "seat")
        seats = Page(own.page.context.browser.new_context().new_page())
        seats.page.goto(teacher)
        seats.wait("a seat", lambda: seats.page.locator(".seat:not(.empty)").count() > 0)
        auditor.look(seats, "teacher")
    with fleet(desk) as robots, browsed(DESKTOP) as page:
        for name in (MINE, "station"):
            page.wait(f"the page of {name}", lambda name=name: visited(page, robots.pages[name]))
            auditor.look(page, f"only {name}")
        page.page.goto(json.loads(robots.robotd(desk, "page", "--robot", MINE, "--json"))["link"])
        page.wait("orders", lambda: page.page.locator(".orders").count() > 0)
        auditor.look(page, "robot")
    figure = f"{auditor.looks} looks; {sorted(auditor.faults) or 'no serious fault'}"
    return Found(figure, "no serious fault", auditor.looks == 24 and not auditor.faults)


CHECKS = (Check("2.4", "axe-core finds no serious fault on any page", "axe.run(document)", accessible),)

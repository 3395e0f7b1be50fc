"""The lines on the live page that a person sees in a browser."""

import shlex
from typing import Any

from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.accept.live.page import DESKTOP, PHONE, Page, opened

MINUTE_S = 60.0
ROBOT, TASK = "blue", "move-spill-right"
COMMAND = "robotd live cleanup --speed 30"


def is_busy(page: Page) -> bool:
    """Whether the robot works on the task, as its card says."""
    card = page.page.locator(".robot").filter(has=page.page.get_by_role("button", name=f"Choose {ROBOT}"))
    return TASK in (card.locator("span").first.text_content() or "")


def taken_over(page: Page) -> Any:
    """The events by which another robot takes the task."""
    event = page.page.locator("#events li", has_text=f"activated {TASK}")
    return event.filter(has_not_text=f"{ROBOT}:")


def take_over(desk: Desk) -> Found:
    """A newcomer's three clicks: the link, the robot, and what to do to it."""
    with opened("cleanup", "--speed", "30") as page:
        page.page.evaluate("clicks = 1; addEventListener('click', () => clicks++, true)")  # the link was the first
        page.wait(f"{ROBOT} at {TASK}", lambda: is_busy(page), 300.0)
        page.click(f"Choose {ROBOT}")
        page.click("Remove it")
        removed = page.time_s
        other = taken_over(page)
        page.wait("another robot taking the task", lambda: other.count() > 0, 120.0)
        took, clicks = page.time_s - removed, page.page.evaluate("clicks")
        event = other.first.text_content() or ""
        away = sorted(one for one in page.asked if not one.startswith("127.0.0.1:"))
        why = event.partition(f"activated {TASK}: ")[2]
        figure = f"{clicks} clicks; after {took:.0f} simulated s: {event}; "
        figure += f"requests elsewhere: {away or 'none'}; errors: {page.errors or 'none'}"
        return Found(
            figure,
            f"3 clicks, within {MINUTE_S:g} s, with a cause, loopback only",
            clicks == 3 and took <= MINUTE_S and bool(why) and not away and not page.errors,
        )


def paced(desk: Desk) -> Found:
    with opened("patrol", "--speed", "3") as page:  # slow: the mission is over after a minute
        page.click("Pause")
        page.wait("that it is paused", lambda: "paused" in page.text("#state"))
        before = page.time_s
        page.page.wait_for_timeout(1500)
        still = page.time_s == before
        page.click("Step 1 s")
        page.wait("a step", lambda: page.time_s > before)
        page.page.wait_for_timeout(1000)
        stepped = page.time_s - before
        page.page.select_option("#speed", "100")
        page.click("Play")
        page.wait("that it goes on", lambda: page.time_s > before + 20.0)
        figure = (
            f"paused at {before} s and still; a step of {stepped:.2f} s; then to {page.time_s} s"
            if still
            else "it did not pause"
        )
        return Found(figure, "stays at its time, steps by a second, goes on", still and 0.5 <= stepped <= 1.1)


def repeated(desk: Desk) -> Found:
    with opened("patrol", "--speed", "5") as page:
        page.click("Choose amber")
        page.click("Remove it")
        page.wait("the event", lambda: "remove amber" in page.text("#command"))
        page.page.select_option("#speed", "")
        page.wait("the end", lambda: "accomplished" in page.text("#state"), 120.0)
        first, command = page.text("#state"), page.text("#command")
        page.page.evaluate("link => { location.hash = link }", page.page.locator("#link").get_attribute("href"))
        page.wait("the run anew", lambda: "accomplished" not in page.text("#state"))
        page.wait("the end", lambda: "accomplished" in page.text("#state"), 120.0)
        again, same = page.text("#state"), page.text("#command") == command
    ran = desk.sim(*shlex.split(command)[2:])
    simulated = f"accomplished after {ran['duration_s']:.0f} s"
    ends = {first.partition(":")[0], again.partition(":")[0], simulated}  # after the colon: why it ended
    return Found(
        f"{first}; {again}; robotd sim: {simulated}",
        "thrice the same",
        len(ends) == 1 and first == again and same,
    )


def tuned(desk: Desk) -> Found:
    """A slider of the coordinator, lost frames and a click on a robot in the room."""
    with opened("patrol", "--speed", "10") as page:
        page.page.locator("summary", has_text="Another run").click()
        page.page.get_by_label("coordinator alliance: threshold, exact value").fill("50")
        page.page.locator("#loss").fill("0.3")
        page.click("Start")
        page.wait("another run", lambda: "radio.loss=0.3" in page.text("#command"))
        page.wait("its first seconds", lambda: page.time_s > 2.0)
        command = page.text("#command")
        page.click("Pause")
        page.page.locator("#world").focus()
        page.page.keyboard.press("2")
        chosen = page.text("#actions strong")
        figure = f"{command}; the key 2 chose {chosen or 'no robot'} errors: {page.errors or 'none'}"
        ok = "coordinator.parameters.threshold=50" in command and chosen == "olive:" and not page.errors
        return Found(figure, "both changes in the command, and olive", ok)


def adjusted(desk: Desk) -> Found:
    """A number of the coordinator changed while the run goes on, and its command pasted into the page."""
    with opened("patrol", "--speed", "3") as page:
        page.page.locator("summary", has_text="Another run").click()
        page.page.get_by_label("Sliders act in this run too").check()
        page.page.get_by_label("coordinator alliance: threshold, exact value").fill("80")
        page.page.keyboard.press("Tab")
        page.wait("the change", lambda: "threshold=80" in page.text("#command"))
        ends, command = [], page.text("#command")
        for again in (False, True):
            if again:
                page.page.locator("#pasted").fill(page.text("#live-command"))
                page.click("Start it")
                page.wait("the run anew", lambda: "accomplished" not in page.text("#state"))
            else:
                page.page.select_option("#speed", "")
            page.wait("the end", lambda: "accomplished" in page.text("#state"), 120.0)
            ends.append(page.text("#state"))
        same, errors = page.text("#command") == command, page.errors
    ran = desk.sim(*shlex.split(command)[2:])
    ends.append(f"accomplished after {ran['duration_s']:.0f} s")
    figure = f"{command}: {'; '.join(ends)}; errors: {errors or 'none'}"
    alike = ends[0] == ends[1] and ends[0].startswith(ends[2])
    return Found(figure, "an event of all robots, thrice the same", alike and same and not errors)


def charted(desk: Desk) -> Found:
    """Levels over time with the keyboard alone: the cursor, zoom, another choice, and a line that is hidden."""
    with opened("cleanup", "--speed", "100") as page:
        page.wait("a minute", lambda: page.time_s > MINUTE_S, 120.0)
        page.click("Pause")
        page.wait("that it is paused", lambda: "paused" in page.text("#state"))
        page.page.locator("#chart").focus()
        now = page.text("#moment")
        for _ in range(3):
            page.page.keyboard.press("ArrowLeft")
        before = page.text("#moment")
        page.page.keyboard.press("+")
        page.page.keyboard.press("Escape")
        page.page.locator("#series").focus()
        page.page.select_option("#series", "set report-progress")
        lines = page.page.locator("#legend button")
        page.wait("a line for each robot", lambda: lines.count() == 4)
        lines.first.press("Enter")
        names, pressed = lines.all_text_contents(), lines.first.get_attribute("aria-pressed")
        figure = (
            f"{names} at {before}, before {now}; the first pressed: {pressed}; errors: {page.errors or 'none'}"
        )
        earlier = float(before.split()[0]) < float(now.split()[0])
        ok = earlier and pressed == "false" and names[-1].startswith("threshold") and not page.errors
        return Found(figure, "three robots and the threshold, an earlier time, one hidden", ok)


def tapped(desk: Desk) -> Found:
    """On a phone, paused: a robot's buttons where it was chosen, a click that counts once, keys where they act."""
    with opened("cleanup", "--speed", "10") as page:
        place = "(() => { const { top, bottom } = document.querySelector('#actions').getBoundingClientRect();"
        place += " return top >= 0 && bottom <= innerHeight })()"
        focus = "document.activeElement.textContent"
        page.page.set_viewport_size(PHONE)
        page.wait("its first seconds", lambda: page.time_s > 2.0)
        page.click("Pause")
        page.wait("that it is paused", lambda: "paused" in page.text("#state"))
        page.page.get_by_role("button", name="Choose gold").focus()
        page.page.keyboard.press("Enter")
        seen = page.page.evaluate(place)
        page.page.keyboard.press("Tab")
        for _ in range(3):
            page.page.keyboard.press("Enter")
        page.wait("the event", lambda: "remove gold" in page.text("#command"))
        page.page.keyboard.press("Enter")
        page.page.wait_for_timeout(1000)
        waits, clicks = page.page.evaluate(focus), page.text("#command").count("remove gold")
        before = page.time_s
        page.page.locator("#events").focus()
        page.page.keyboard.press("ArrowRight")
        page.page.wait_for_timeout(500)
        kept = page.time_s == before
        page.page.locator("#actions button").first.focus()
        page.page.keyboard.press("ArrowRight")
        page.wait("a step", lambda: page.time_s > before)
        page.wait("its other action", lambda: page.page.evaluate(focus) == "Put it back", 5.0)
        figure = f"buttons in view: {seen}; {waits!r}, recorded {clicks} times; arrow in a list: {not kept}"
        ok = seen and waits == "Remove it: at the next step" and clicks == 1 and kept and not page.errors
        return Found(
            f"{figure}; errors: {page.errors or 'none'}", "in view, announced and recorded once, focus kept", ok
        )


def pictures(desk: Desk) -> Found:
    """For a person to look at: desktop and phone, light and dark."""
    folder = desk.folder / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    wide = []
    with opened("cleanup", "--speed", "30") as page:
        page.wait("a minute", lambda: page.time_s > MINUTE_S, 120.0)
        for name, window in (("desktop", DESKTOP), ("phone", PHONE)):
            for scheme in ("light", "dark"):
                page.page.set_viewport_size(window)
                page.page.emulate_media(color_scheme=scheme)
                page.page.wait_for_timeout(500)
                page.page.screenshot(path=folder / f"{name}-{scheme}.png", full_page=True)
            across = page.page.evaluate("() => document.documentElement.scrollWidth")
            if across > window["width"]:
                wide.append(f"{name}: {across} of {window['width']} pixels")
    return Found(
        f"{folder}; wider than the window: {wide or 'none'}", "four pictures, none wider than its window", not wide
    )


CHECKS = (
    Check(
        "1.1",
        f"a newcomer's third click removes {ROBOT}, another robot takes its task, and the page says why",
        COMMAND,
        take_over,
    ),
    Check("1.2", "pause, step and speed", "robotd live patrol", paced),
    Check("1.3", "the link and the command give the run with its click again", "robotd live patrol", repeated),
    Check("1.4", "a slider, lost frames, and a robot chosen by its number", "robotd live patrol", tuned),
    Check("1.9", "a slider in the run that goes on, and its command pasted", "robotd live patrol", adjusted),
    Check("1.6", "levels in time, by keyboard alone", "robotd live cleanup", charted),
    Check("1.8", "a robot's buttons on a phone, a click while paused, and keys", "robotd live cleanup", tapped),
    Check("1.5", "desktop and phone, light and dark", COMMAND, pictures),
)

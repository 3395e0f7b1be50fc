"""Three robots in processes of their own and their base station: what a person sees of them, and can do."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from robotd.commands.keygen import write_key
from robotd.config.load import find_mission
from robotd.timing.clock import monotonic
from tests.accept.check import Check, Found, bench_check, pytest_check
from tests.accept.desk import ROOT, Desk
from tests.accept.live.page import DESKTOP, PHONE, START_S, Page, browsed

TOKEN = "http.token"
NAMES, MINE = ("green", "blue", "gold"), "green"
GREY_S = 3.0  # within which a page that has lost its robot greys out
AIR = "udp://239.255.77.{}:{}?interface=lo"
ROBOT = """name = "{name}"
mission = "mission.toml"
start = "at-boot"
state_folder = "state-{name}"
board = {{ name = "mock" }}
radio = {{ name = "udp", port = "{air}", key_file = "team.key" }}
http = {{ port = {port}, token_file = "http.token" }}
log = {{ folder = "none" }}
"""
SLOW = "\n[control]\ntick_hz = 4.0\nticks_per_decision = 1\n"  # its guardian gives a busy machine 0.6 s a tick


@dataclass
class Fleet:
    """Robots by name, where their pages are, and the base station's."""

    folder: Path
    programs: dict[str, subprocess.Popen[bytes]]
    pages: dict[str, str]

    def robotd(self, desk: Desk, *words: str) -> str:
        return desk.robotd(*words, env={"RUNTIME_DIRECTORY": str(self.folder)}).checked().out


@contextlib.contextmanager
def fleet(desk: Desk) -> Iterator[Fleet]:
    """They run until they are left; OSError where one does not end in order."""
    folder = desk.folder / "fleet"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.sock"):
        old.unlink()
    for name in ("team.key", TOKEN):
        (folder / name).unlink(missing_ok=True)
        write_key(folder / name)
    text = re.sub(r"\[control\]\n(?:[^\[\n]+\n)*", "", find_mission("cleanup").read_text(encoding="utf-8"))
    (folder / "mission.toml").write_text(text + SLOW, encoding="utf-8")
    ports = [free_port() for _ in (*NAMES, "station")]
    air = AIR.format(ports[0] % 250, ports[1])
    commands = {}
    for name, port in zip(NAMES, ports, strict=False):
        (folder / f"{name}.toml").write_text(ROBOT.format(name=name, air=air, port=port), encoding="utf-8")
        commands[name] = ["run", f"{name}.toml"]
    station = f"127.0.0.1:{ports[-1]}"
    commands["station"] = [
        "base-station",
        "mission.toml",
        "--radio",
        f"udp@{air}",
        "--state",
        "st",
        "--http",
        station,
    ]
    env = {**os.environ, "RUNTIME_DIRECTORY": str(folder)}
    with contextlib.ExitStack() as started:
        programs = {}
        for name, words in commands.items():
            log = started.enter_context((folder / f"{name}.log").open("wb"))
            program = subprocess.Popen([sys.executable, "-m", "robotd", *words], cwd=folder, env=env, stderr=log)
            started.callback(end, program)
            programs[name] = program
        pages = {name: f"http://127.0.0.1:{port}/" for name, port in zip(programs, ports, strict=True)}
        yield Fleet(folder, programs, pages)


def end(program: subprocess.Popen[bytes]) -> None:
    program.send_signal(signal.SIGTERM)
    try:
        program.wait(10.0)
    finally:
        program.kill()
        program.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def team(desk: Desk) -> Found:
    """A run that is started on a page, a robot driven by hand there, and that robot lost."""
    with fleet(desk) as robots, browsed(DESKTOP) as own:
        base = Page(own.page.context.new_page())
        for page, name in ((base, "station"), (own, MINE)):
            page.wait(f"the page of {name}", lambda page=page, name=name: bool(visited(page, robots.pages[name])))
        own.page.goto(json.loads(robots.robotd(desk, "page", "--robot", MINE, "--json"))["link"])
        for name in NAMES:
            robots.robotd(desk, "ack", "--robot", name)  # of ticks that a busy start has skipped
        own.page.on("dialog", lambda dialog: dialog.accept())
        own.click("Start a run of the mission")
        base.wait("a task in work", lambda: "in work" in base.text("#tasks"), 120.0)
        received = base.page.locator(".robot:not(.off)").count()
        pad = own.page.get_by_role("button", name="back", exact=True)
        pad.dispatch_event("pointerdown", {"pointerId": 1})
        own.wait("that it is driven", lambda: "driven by hand" in own.text("#robots"), 10.0)
        own.page.evaluate("window.dispatchEvent(new Event('blur'))")
        released = monotonic()
        own.wait("that it is let go", lambda: "driven by hand" not in own.text("#robots"), 10.0)
        let_go = monotonic() - released
        pictures(desk, own, "robot")
        pictures(desk, base, "station")
        end(robots.programs[MINE])
        lost = monotonic()
        own.wait("that its robot is lost", lambda: bool(own.page.locator("body.gone").count()), 20.0)
        grey, words = monotonic() - lost, own.text("#state")
        base.wait(f"{MINE} silent", lambda: "nothing received" in base.text(".robot.off"), 60.0)
    errors = [one for one in (*own.errors, *base.errors) if "ERR_" not in one]  # of a robot that is gone
    figure = f"{received} robots received; hand off after {let_go:.1f} s; grey after {grey:.1f} s: {words}; "
    figure += f"errors: {errors}"
    ok = received == len(NAMES) and let_go <= 2.0 and grey <= GREY_S and "since" in words and not errors
    return Found(figure, f"three robots, grey within {GREY_S:g} s with since when, no errors", ok)


def lint(desk: Desk) -> Found:
    """The metrics of a running robot, read by Prometheus' own program."""
    if shutil.which("promtool") is None:
        raise OSError("no promtool: apt install prometheus")
    with fleet(desk) as robots:
        text = fetched(robots.pages[MINE] + "metrics")
    rules = ROOT / "packaging" / "prometheus" / "robotd.rules.yml"
    ran = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    checked = desk.run("promtool", "check", "rules", rules)
    figure = (
        f"{text.count('# TYPE')} metrics: {(ran.stdout + ran.stderr).strip() or 'clean'}; rules: {checked.code}"
    )
    return Found(figure, "clean", not ran.returncode and not ran.stderr.strip() and not checked.code)


def fetched(url: str) -> str:
    """What is answered there, once it is."""
    end_at = monotonic() + START_S
    straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # past any proxy
    while True:
        try:
            with straight.open(url, timeout=5.0) as answer:
                text: str = answer.read().decode()
                return text
        except OSError:
            if monotonic() > end_at:
                raise
            threading.Event().wait(0.2)


def schema(desk: Desk) -> Found:
    """Requests made from /openapi.json against a running robot, with a token that holds."""
    program = Path(sys.executable).with_name("st")
    if not program.exists():
        raise OSError("no schemathesis: pip install 'robotd[bench]'")
    with fleet(desk) as robots:
        url = robots.pages[MINE]
        fetched(f"{url}openapi.json")
        token = (robots.folder / TOKEN).read_text(encoding="utf-8").strip()
        words = ["run", f"{url}openapi.json", "-H", f"Authorization: Bearer {token}"]
        ran = desk.run(program, *words, "--max-time", str(desk.fewer(300, 30)), "--max-examples", "100000")
    last = [line.strip() for line in ran.out.splitlines() if "generated" in line or "===" in line][-2:]
    return Found("; ".join(last) or ran.err[-200:], "no failures", ran.code == 0)


def visited(page: Page, url: str) -> bool:
    """Whether the page is there by now."""
    with contextlib.suppress(Exception):  # it refuses connections until it listens
        page.page.goto(url)
        page.page.wait_for_selector(".robot", timeout=5000)
        return True
    return False


def pictures(desk: Desk, page: Page, name: str) -> None:
    """For a person to look at."""
    for size, window in (("desktop", DESKTOP), ("phone", PHONE)):
        page.page.set_viewport_size(window)
        page.page.wait_for_timeout(300)
        page.page.screenshot(path=desk.folder / f"{name}-{size}.png", full_page=True)


CHECKS = (
    Check("6.1", "the metrics and alert rules by Prometheus' own program", "promtool check metrics", lint),
    Check("6.2", "requests made from /openapi.json find nothing in 5 minutes", "st run /openapi.json", schema),
    Check("2.1", "three robots and a base station in the browser; one is driven, and lost", "robotd page", team),
    bench_check("2.2", "50 streams and 100 polls a second move the ticks by less than a tenth", "http"),
    pytest_check(
        "2.3", "SIGTERM with 50 open streams: the motors first, the end within 2 s",
        "tests/robotd/daemon/test_daemon.py", "-k", "50_open_streams"),
)  # fmt: skip

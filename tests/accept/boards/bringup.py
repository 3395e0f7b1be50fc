"""Line 6: a board is found, tried by a person, and held to the contract."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from boards.firmata.emulator import WIRING
from robotd.bringup.robotfile import text_of
from robotd.control.client import CannotAskError, ask
from robotd.sim.emulated import emulations
from robotd.timing import clock
from tests.accept.check import Check, Found
from tests.accept.desk import ROOT, Desk
from tests.robotd.transport.emulated_port import answering

BOARDS = emulations().boards

NEEDS = {"bumpers", "mobile"}  # of the behavior set patrol
ABLE = "waiting for start, can patrol"
START_S, LOOK_S = 20.0, 0.1  # what a busy machine may take to a first answer; between two looks


def identified(desk: Desk) -> Found:
    found = {}
    for kind in BOARDS:
        with answering(kind) as port:
            ran = desk.robotd("board", port, "--json")
        found[kind] = ran.document()["board"]
    right = sum(kind == named for kind, named in found.items())
    figure = f"{right} of {len(found)}: " + ", ".join(f"{kind} is {named}" for kind, named in found.items())
    return Found(figure, "each by its own name", right == len(found) > 2)


def conforming(desk: Desk) -> Found:
    figures, ok = [], True
    for kind in list(BOARDS)[: desk.fewer(len(BOARDS), 1)]:
        with answering(kind) as port:
            ran = desk.robotd("check", "--board", kind, "--against", port, "--yes", "--json")
        outcomes = [each["outcome"] for each in ran.document()["checks"]]
        failed = [each["check"] for each in ran.document()["checks"] if each["outcome"] == "failed"]
        ok = ok and ran.code == 0 and not failed
        figures.append(f"{kind}: {outcomes.count('passed')} passed{f', failed {failed}' if failed else ''}")
    return Found("; ".join(figures), "none failed", ok)


def runs(desk: Desk) -> Found:
    """The first robot file of every emulated board under `robotd run`, what is wired to an Arduino filled in."""
    found = {kind: _runs(kind) for kind in BOARDS}
    return Found(", ".join(f"{kind}: {state}" for kind, state in found.items()), f"{ABLE}, no fault",
                 all(state == ABLE for state in found.values()))  # fmt: skip


def _runs(kind: str) -> str:
    with tempfile.TemporaryDirectory(prefix="b") as name, answering(kind) as port:
        folder = Path(name)
        file = folder / "robot.toml"
        data = tomllib.loads(text_of("amber", "patrol", kind, port, {}, [], {})) | {"http": {"enabled": False}}
        if kind == "firmata":
            data["board"]["parameters"] = dict(WIRING)
        file.write_text(tomli_w.dumps(data), encoding="utf-8")
        environ = {**os.environ, "RUNTIME_DIRECTORY": name, "STATE_DIRECTORY": name, "LOGS_DIRECTORY": name}
        words = [sys.executable, "-m", "robotd", "run", str(file)]
        process = subprocess.Popen(words, cwd=ROOT, env=environ, stderr=subprocess.DEVNULL)
        try:
            return _state(folder / "amber.sock")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_S)


def _state(socket: Path) -> str:
    end, never = clock.monotonic() + START_S, threading.Event()
    status: dict[str, Any] = {}
    while clock.monotonic() < end:
        with contextlib.suppress(CannotAskError):
            status = ask(socket, {"do": "status"}).get("status") or {}
            if set(status.get("body", {}).get("resources", ())) >= NEEDS:
                break
        never.wait(LOOK_S)
    faults = [fault["name"] for fault in status.get("faults", ())]
    lacks = sorted(NEEDS - set(status.get("body", {}).get("resources", ())))
    word = status.get("state", {}).get("word", "no answer")
    return f"{word}, {f'lacks {lacks}' if lacks else 'can patrol'}{f' {faults}' if faults else ''}"


CHECKS = (
    Check("6.1", "robotd board --type auto names every emulated board", "robotd board PORT --json", identified),
    Check("6.3", "its robot.toml runs", "robotd run robot.toml", runs),
    Check("6.4", "the contract suite on a port", "robotd check --board NAME --against PORT --yes", conforming),
)  # fmt: skip

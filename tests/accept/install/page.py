"""Line 3: every command of docs/first-robot.md, typed from top to bottom against emulated boards and modems.

The emulator that the page starts is behind all ports; each `robotd run` is the real daemon, in real time. What the
page does on three computers is done for three robots on this one.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from robotd.control.client import CannotAskError, ask
from robotd.timing import clock
from tests.accept.check import Check, Found
from tests.accept.desk import CommandError, undisturb
from tests.accept.desk import Desk as Acceptance
from tests.docs_pages import FOREIGN, ROOT, Command, commands

PAGE = "docs/first-robot.md"
ROBOTS = ("amber", "olive", "slate")
LOST = "slate"  # the one that the page ends in the middle of its round
START_S, ROUND_S, TAKEOVER_S = 60.0, 240.0, 240.0
LAST = 8  # messages that are shown of a failure
MODES = (("runtime", "RUNTIME"), ("state", "STATE"), ("log", "LOGS"))
ORDERS = ("start", "stop", "ack", "mission")


class Desk:
    """A desk with terminals: `type` one command of the page after the other; `shown` is what it came to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown: list[str] = []
        self._places = {kind: folder / kind for kind, _ in MODES}
        for place in self._places.values():
            place.mkdir()
        self._environ = {**os.environ, **{f"{name}_DIRECTORY": str(self._places[kind]) for kind, name in MODES}}
        self._emulator: subprocess.Popen[bytes] | None = None
        self._robots: dict[str, subprocess.Popen[bytes]] = {}
        self._runs = 0  # how often a run of the mission was opened

    def type(self, command: Command) -> None:
        """Do what the page says; CommandError where it does not come out."""
        words = [word.replace("$PWD", str(self.folder)) for word in command.words]
        if words[:2] == ["robotd", "emulate"]:
            self._emulator = self._begin(words[1:])
            _until(lambda: len(list(self.folder.glob("ports/*"))) == 2 * len(ROBOTS), "its ports")
        elif words[:2] == ["robotd", "run"]:
            self._run(words[2])
        elif words[:2] == ["systemctl", "enable"]:  # the service of each robot
            for robot in ROBOTS:
                self._run(f"team/{robot}/robot.toml")
        elif words[0] == "robotd":
            self._robotd(words[1:])
        elif words[0] not in FOREIGN:
            self._call(words)

    def _robotd(self, words: list[str]) -> None:
        if words[0] == "board":  # the page goes on at the robots, which remember nothing of the desk
            self._end(*self._robots)
            shutil.rmtree(self._places["state"])
            self._places["state"].mkdir()
        own = "robot.toml" in words  # in each robot's folder
        each = own or (words[0] == "start" and "--robot" not in words)
        codes = (
            (0, 1) if words[0] == "doctor" else (0,)
        )  # what is wrong with this computer is no fault of the page
        for robot in ROBOTS if each else ROBOTS[:1]:
            program = [sys.executable, "-m", "robotd", *map(self._placed, words), *self._options(words, robot)]
            self._call(program, codes, self.folder / "team" / robot if own else None)
        if words[:2] == ["mission", "start"]:
            self._runs += 1
            self._follow()

    def _options(self, words: list[str], robot: str) -> list[str]:
        """What a command needs where three robots are on one computer, which is not theirs."""
        if words[0] == "install-service":
            return ["--root", str(self.folder / "root" / robot), "--program", "/opt/robotd/bin/robotd"]
        return ["--robot", robot] if words[0] in ORDERS and "--robot" not in words else []

    def _placed(self, word: str) -> str:
        if word.startswith("/dev/tty"):
            return str(self.folder / "ports/amber-create2")
        return str(self._places["log"]) if word == "/var/log/robotd" else word

    def _follow(self) -> None:
        """See what follows from a start: each robot at a round; then the rounds done, or one robot lost."""
        _until(lambda: {self._task(robot) for robot in ROBOTS} == ROUNDS, "a round for each robot", START_S)
        began = clock.monotonic()
        if self._runs == 1:
            _until(self._done, "all rounds driven", ROUND_S)
            self.shown.append(f"three rounds by three robots in {clock.monotonic() - began:.0f} s")
        elif self._runs == 2:
            round_of_lost = self._task(LOST)
            self._end(LOST)
            others = [robot for robot in ROBOTS if robot != LOST]
            _until(lambda: round_of_lost in map(self._task, others), "its round taken over", TAKEOVER_S)
            took = next(robot for robot in others if self._task(robot) == round_of_lost)
            self.shown.append(
                f"{took} took over {round_of_lost} {clock.monotonic() - began:.0f} s after {LOST} ended"
            )
        else:
            self.shown.append("as services: a round for each")

    def _task(self, robot: str) -> str:
        return str((self._status(robot).get("active") or {}).get("task") or "")

    def _done(self) -> bool:
        return all("all tasks done" in self._status(robot).get("state", {}).get("reason", "") for robot in ROBOTS)

    def _status(self, robot: str) -> dict[str, Any]:
        with contextlib.suppress(CannotAskError):
            return dict(ask(self._places["runtime"] / f"{robot}.sock", {"do": "status"}).get("status") or {})
        return {}

    def _run(self, file: str) -> None:
        robot = Path(file).parent.name
        self._robots[robot] = self._begin(["run", file])
        _until(lambda: self._status(robot), f"{robot}'s status", START_S)

    def _begin(self, words: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "messages.txt").open("ab") as out:
            program = [sys.executable, "-m", "robotd", *words]
            process = subprocess.Popen(program, cwd=self.folder, env=self._environ, stdout=out, stderr=out)
        undisturb(process.pid)
        return process

    def _call(self, words: list[str], codes: tuple[int, ...] = (0,), cwd: Path | None = None) -> None:
        done = subprocess.run(
            words,
            cwd=cwd or self.folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode not in codes:
            raise CommandError(f"{' '.join(words)}: ended with {done.returncode}: {done.stderr}{done.stdout}")

    def _end(self, *robots: str) -> None:
        """As control-C does; CommandError where one does not end in order."""
        for robot in robots:
            process = self._robots.pop(robot)
            process.send_signal(signal.SIGINT)
            if (code := process.wait(START_S)) != 0:
                raise CommandError(f"robotd run of {robot} ended with {code}")

    def messages(self) -> str:
        return "; ".join((self.folder / "messages.txt").read_text(encoding="utf-8").splitlines()[-LAST:])

    def close(self) -> None:
        ending = [*self._robots.values(), *([self._emulator] if self._emulator is not None else [])]
        for process in ending:
            process.send_signal(signal.SIGINT)
        codes = [process.wait(START_S) for process in ending]
        if any(codes):
            raise CommandError(f"robots and emulator ended with {codes}")


ROUNDS = {"first-round", "second-round", "third-round"}


def _until(condition: Callable[[], Any], what: str, timeout_s: float = START_S) -> None:
    end, never = clock.monotonic() + timeout_s, threading.Event()
    while not condition():
        if clock.monotonic() > end:
            raise CommandError(f"{what}: not within {timeout_s:g} s")
        never.wait(0.5)


@contextlib.contextmanager
def desk() -> Iterator[Desk]:
    """A desk in a folder with a short name, as a socket's path holds 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="first-") as name:
        one = Desk(Path(name))
        try:
            yield one
        except CommandError as error:
            with contextlib.suppress(CommandError):
                one.close()
            raise CommandError(f"{error}; the last messages: {one.messages()}") from None
        one.close()


def follow(acceptance: Acceptance) -> Found:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    typed = list(commands(text, PAGE))
    with desk() as one:
        for command in typed:
            acceptance.report(str(command))
            one.type(command)
    return Found(f"{len(typed)} commands; {'; '.join(one.shown)}", "none fails", len(one.shown) == 3)


CHECKS = (Check("3.1", "the page from the box to a team of three", PAGE, follow),)

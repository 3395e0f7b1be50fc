"""A reader who types every command of a page, from top to bottom, in a folder where what they name exists."""

import argparse
import contextlib
import functools
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import COMMANDS, main
from robotd.commands import base_station, classroom, doctor, emulate, live
from robotd.commands.keygen import write_key
from robotd.config.base_station import read_station
from robotd.config.load import ConfigError, find_mission, load_mission
from robotd.config.robot import http_part_of
from robotd.control.client import CannotAskError, ask
from robotd.files import paths as folders
from robotd.files.plugins import Plugins
from robotd.sim.emulated import emulations
from robotd.sim.emulation import devices_of
from robotd.timing import clock
from tests.docs_pages import FOREIGN, ROOT, Command, blocks
from tests.patience import WAIT_S, have_patience, patient
from tests.robotd.transport.emulated_port import answering
from tests.robotd.transport.serial_helper import Pty

CUT = ("--duration", "0.6")  # on every `robotd sim`, as its last option: only the length differs
FEW = ("--runs", "1", "--limit", "0.2", "--jobs", "1", "--shard", "1/9")  # on every experiment: one run of it
LOG = "robotd-cleanup-1/run.jsonl"  # what `robotd sim cleanup` leaves
ROBOTS_LOG = "/var/log/robotd"
PAUSE_S = 0.03  # between two looks
ASKING = ("status", "start", "stop", "ack", "mission", "radio", "page")  # what needs a running robot


class WrongPageError(Exception):
    """A page shows what does not work: the text names page, line, command and reason."""


def robot_block() -> str:
    """The robot file that README.md shows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (found,) = [block.text for block in blocks(text, "") if block.label == "toml" and "[board]" in block.lines]
    return found


@functools.cache
def helps() -> dict[str, str]:
    """What `robotd COMMAND --help` prints, by command."""
    return {name: _help_of(name) for name in COMMANDS}


def _help_of(name: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0, name
    return out.getvalue()


@functools.cache
def make_targets() -> dict[str, str]:
    """The recipes of the Makefile by target."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z][\w-]*):[^=\n]*\n((?:\t.*\n?)*)", text, re.MULTILINE))


class Reader:
    """`follow` types one command; WrongPageError where it is unknown or fails. One daemon serves all of them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._root = folder / "root"  # where a service is installed
        self._daemon: subprocess.Popen[bytes] | None = None
        self._http = _free_port()
        self._ptys = [Pty(_made(folder / name)) for name in ("board", "radio", "other")]
        shutil.copytree(ROOT / "docs", folder / "docs")
        (folder / "robot.toml").write_text(self._with_ports(robot_block()), encoding="utf-8")
        monkeypatch.chdir(folder)
        monkeypatch.setattr(doctor, "CHECKS", ())  # what is wrong with this computer is no fault of a page
        for kind, variable in (("runtime", "RUNTIME"), ("state", "STATE"), ("log", "LOGS")):
            place = _made(folder / kind)
            monkeypatch.setenv(f"{variable}_DIRECTORY", str(place))
            monkeypatch.setitem(folders.SYSTEM, kind, (f"{variable}_DIRECTORY", place))  # a robot of this computer

    def follow(self, command: Command) -> str:
        """Type `command`, which must end with 0; what it printed."""
        handles = {"robotd": self._robotd, "make": self._make, "curl": self._curl, "sed": self._sed}
        handles |= dict.fromkeys(("python", "python3"), self._python)
        for program in (command.program, *(words[0] for words in command.piped)):
            if program not in {*handles, *FOREIGN}:
                raise WrongPageError(f"{command}: nobody knows the program {program!r}")
        handle = handles.get(command.program)
        said = handle(command) if handle is not None else ""
        _compare(command, said)
        return said

    def close(self) -> None:
        """End what was started; the daemon in order, as control-C does."""
        for pty in self._ptys:
            pty.unplug()
        if self._daemon is not None and self._daemon.poll() is None:
            self._daemon.send_signal(signal.SIGINT)
            assert self._daemon.wait(WAIT_S) == 0, self._errors()

    def _make(self, command: Command) -> str:
        """Targets are looked up and not run: `make test` would begin this very test again."""
        targets = [word for word in command.words[1:] if "=" not in word]
        if not targets or not set(targets) <= set(make_targets()):
            raise WrongPageError(f"{command}: the Makefile has {', '.join(make_targets())}")
        return ""

    def _python(self, command: Command) -> str:
        """A module of ours. Not run: `venv` and `pip`, which are Python's own, and the tests of what `robotd new`
        wrote, as tests/robotd/commands/test_new.py runs them; they are compiled."""
        words = command.words[1:]
        if words[:2] in (("-m", "venv"), ("-m", "pip")):
            return ""
        if words[:2] == ("-m", "pytest"):
            for test in (Path(word) for word in words if word.endswith(".py")):
                compile(test.read_text(encoding="utf-8"), test, "exec")
            return ""
        end = words.index(">") if ">" in words else len(words)
        program = [sys.executable, *words[:end]]
        done = subprocess.run(program, capture_output=True, text=True, input="", check=False)
        if done.returncode:
            raise WrongPageError(f"{command}: {done.stderr}")
        return done.stdout

    def _sed(self, command: Command) -> str:
        words = [word.replace("$PWD", str(self.folder)) for word in command.words]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongPageError(f"{command}: {done.stderr}")
        return done.stdout

    def _curl(self, command: Command) -> str:
        """Ask the daemon for the address, at the port that it has here."""
        self._need_daemon()
        url = next(word for word in command.words[1:] if not word.startswith("-"))
        url = f"http://{url.removeprefix('http://')}".replace(":8421", f":{self._http}")
        straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # past any proxy
        body: list[str] = []

        def asked() -> bool:
            with contextlib.suppress(urllib.error.URLError), straight.open(url, timeout=WAIT_S) as answer:
                body.append(answer.read().decode())
            return bool(body)

        if not _until(asked, WAIT_S):
            raise WrongPageError(f"{command}: no answer")
        return body[0]

    def _robotd(self, command: Command) -> str:
        name = command.words[1] if len(command.words) > 1 else ""
        words = [self._placed(word) for word in command.words[1:]]
        if name == "run":
            self._need_daemon()
            return ""
        if name == "board" or "--against" in words:
            return self._emulated(command, command.words[1:])
        if name == "demo":
            return self._typed(command, ["demo", "--help"])
        serving = {
            "live": self._live,
            "class": self._live,
            "emulate": self._emulate,
            "base-station": self._station,
        }
        if name in serving:  # until they are ended: tests/robotd has the tests that they do
            return serving[name](command, words[1:])
        if name == "sim":  # tests/robotd/sim runs processes, in real time
            words = ["--bytes" if word == "--processes" else word for word in words] + list(CUT)
        if name == "experiment" and "--list" not in words:
            words += FEW
        if name == "install-service":
            words += ["--root", str(self._root), "--program", "/opt/robotd/bin/robotd"]
        if name in ASKING:
            self._need_daemon()
            if "--robot" in words:  # of several; here one answers for all
                del words[(at := words.index("--robot")) : at + 2]
        self._need_files(words)
        said = self._typed(command, words)
        if name == "halt":
            self._halted(command)
        return said

    def _station(self, command: Command, words: Sequence[str]) -> str:
        """What would run until it is ended: that it can be used is looked up, as the program does first."""
        parser = argparse.ArgumentParser()
        base_station.add_arguments(parser)
        args = parser.parse_args(words)
        try:
            read_station(args.mission, args.radio, args.key_file)
        except ConfigError as error:
            raise WrongPageError(f"{command}: {error}") from None
        return ""

    def _live(self, command: Command, words: Sequence[str]) -> str:
        """What would serve until it is ended: that its run can be, and its address, are looked up."""
        parser = argparse.ArgumentParser()
        (live if command.words[1] == "live" else classroom).add_arguments(parser)
        args = parser.parse_args(words)
        try:
            live.run_of(args)
            http_part_of(args.bind, args.allow_host, "--bind", live.PORT)
        except ValueError as error:
            raise WrongPageError(f"{command}: {error}") from None
        return ""

    def _emulate(self, command: Command, words: Sequence[str]) -> str:
        """What would serve until it is ended: its devices are looked up; links lead to a robot's two ports."""
        parser = argparse.ArgumentParser()
        emulate.add_arguments(parser)
        args = parser.parse_args(words)
        team = load_mission(find_mission(args.mission)).content.team
        try:
            devices = devices_of(args.device, sorted(team), emulations(), team=args.team)
        except ValueError as error:
            raise WrongPageError(f"{command}: {error}") from None
        for device in devices if args.links is not None else ():
            args.links.mkdir(exist_ok=True)
            port = self._ptys[device.part == "radio"]
            (args.links / f"{device.robot}-{device.name}").symlink_to(port.name)
        return ""

    def _emulated(self, command: Command, words: Sequence[str]) -> str:
        """A command that talks to a board: an emulated one answers on a port of its own, in another process."""
        first = "create2" if words[0] == "board" else "r2"  # no other board is asked before; the file's
        board = words[words.index("--board") + 1] if "--board" in words else first
        with answering(board) as port, pytest.MonkeyPatch.context() as patch:
            have_patience(patch)
            only = ["--only", "top-speed"] if "--against" in words else []  # the others take a minute
            return self._typed(command, [port if word.startswith("/dev/") else word for word in words] + only)

    def _typed(self, command: Command, words: Sequence[str]) -> str:
        """Run a command of ours in this process, which spares its start; what it printed."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code: Any = main(words)
            except SystemExit as end:
                code = end.code
        if code:
            raise WrongPageError(f"{command}: ended with {code}: {err.getvalue()}{out.getvalue()}")
        return out.getvalue()

    def _placed(self, word: str) -> str:
        """A word of a command with the paths of a robot's computer put into the folder."""
        if word.startswith(("/etc/", "/var/")):
            return f"{self._root}{word}"
        return str(self._ptys[2].link) if word.startswith("/dev/") else word

    def _with_ports(self, text: str) -> str:
        """A robot file with its ports, in order, on pseudo-terminals."""
        ends = iter(self._ptys)
        return re.sub(r'^port = ".*?"', lambda _: f'port = "{next(ends).link}"', text, flags=re.MULTILINE)

    def _need_files(self, words: Sequence[str]) -> None:
        """Make what a page takes as given: a log, that of a robot, a key beside the robot file."""
        robots = self._placed(ROBOTS_LOG)
        if {LOG, robots} & set(words) and not Path(LOG).exists():
            with contextlib.redirect_stdout(io.StringIO()):
                main(["sim", "cleanup", *CUT, "--json"])
        if robots in words:
            Path(robots).mkdir(parents=True, exist_ok=True)
            shutil.copy(LOG, robots)
        if "robot.toml" in words and not Path("team.key").exists():
            write_key(Path("team.key"))

    def _halted(self, command: Command) -> None:
        words = command.words
        board = words[words.index("--board") + 1] if "--board" in words else "r2"
        plugin = Plugins().get("robotd.boards", board)
        halt = plugin(plugin.Settings()).halt
        if not any(halt in pty.read() for pty in self._ptys):
            raise WrongPageError(f"{command}: the board's halt reached no port")

    def _need_daemon(self) -> None:
        """`robotd run` with the robot file of README.md, but for a board and a radio that need no device.

        HTTP is on a free port.
        """
        if self._daemon is not None:
            return
        folder = _made(self.folder / "running")
        robot = robot_block().replace('"r2"', '"mock"')
        robot = re.sub(r"^port = .*\n", "", robot.replace('"transparent"', '"none"'), flags=re.MULTILINE)
        (folder / "robot.toml").write_text(f"{robot}\n[http]\nport = {self._http}\n", encoding="utf-8")
        write_key(folder / "team.key")
        argv = patient("robotd", "run", str(folder / "robot.toml"))
        with (folder / "errors").open("wb") as errors:
            self._daemon = subprocess.Popen(argv, stderr=errors)
        if not _until(self._ticks, 2 * WAIT_S):
            raise WrongPageError(f"robotd run: no answer from the daemon: {self._errors()}")

    def _ticks(self) -> bool:
        with contextlib.suppress(CannotAskError):
            name = tomllib.loads(robot_block())["name"]
            return bool(ask(self.folder / "runtime" / f"{name}.sock", {"do": "status"}).get("ok"))
        return False

    def _errors(self) -> str:
        return (self.folder / "running" / "errors").read_text(encoding="utf-8", errors="replace")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _free_port() -> int:
    """One that Linux gives to no program which asks for any, until the daemon takes it."""
    for port in range(10_000 + os.getpid() % 20_000, 32_768):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def _until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Look again and again; False where it does not come true in time."""
    end, never = clock.monotonic() + timeout_s, threading.Event()
    while not condition():
        if clock.monotonic() > end:
            return False
        never.wait(PAUSE_S)
    return True


def _compare(command: Command, said: str) -> None:
    """Hold what was printed against what the page asks of it (by jq) and shows of it; WrongPageError, KeyError."""
    lines = said.splitlines()
    for words in command.piped:
        found = [value for line in lines for value in selected(json.loads(line), words[-1])]
        lines = [json.dumps(value) for value in found]
    if not shows(command.shown, lines):
        raise WrongPageError(f"{command}: the page shows {list(command.shown)}, and there is {lines}")


def shows(shown: Sequence[str], lines: Sequence[str]) -> bool:
    """True where a page's output is that of a command: JSON by its shape, text by its lines, numbers apart."""
    try:
        expected = [json.loads(line) for line in shown]
        found = [json.loads(line) for line in lines] if shown else []
    except ValueError:
        return {_less_numbers(line) for line in shown} <= {*map(_less_numbers, lines), "..."}
    return len(expected) == len(found) and all(map(alike, expected, found))


def _less_numbers(line: str) -> str:
    return re.sub(r"\d+", "0", line)


def selected(document: Any, expression: str) -> Iterator[Any]:
    """What jq's `.a.b, .c[].d` selects of a document; KeyError for a key that is not there."""
    for path in expression.split(","):
        values = [document]
        for key, each in re.findall(r"\.(\w+)(\[\])?", path):
            values = [None if value is None else value[key] for value in values]
            values = [entry for value in values for entry in value] if each else values
        yield from values


def alike(shown: Any, found: Any) -> bool:
    """True for the same type, and the same keys; null may stand for anything that there is none of now."""
    if found is None:
        return True
    return type(shown) is type(found) and (not isinstance(shown, dict) or list(shown) == list(found))

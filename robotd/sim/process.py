"""The programs of a `--processes` simulation: a `robotd run` for each robot, and the base station, on ptys."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w

from radio.link import BASE_STATION
from robotd.config.load import Mission
from robotd.control.client import CannotAskError, ask
from robotd.files.keyfile import write
from robotd.files.paths import module_command
from robotd.sim.airs import team_key
from robotd.sim.emulated import EmulationContext, emulations
from robotd.sim.ptys import EmulatedPort, end_for
from robotd.status.station import Document, brief

START_S = 20.0  # what a loaded machine may take from a start to the first tick
END_S = 5.0  # what a guardian may take to end: two seconds for the child, then the kill
POLL_S = 0.05


def write_toml(path: Path, data: Mapping[str, Any]) -> None:
    """Write a file of keys; OSError."""
    path.write_text(tomli_w.dumps(data), encoding="utf-8")


def write_team_files(folder: Path, mission: Mission) -> None:
    """What every program of a team reads: its mission, with absolute paths of plug-in files, and its key."""
    data = mission.content.model_dump(mode="json", exclude_none=True)
    beside = Path(mission.source).parent
    data["plugins"] = [str((beside / file).resolve()) for file in mission.content.plugins]
    write_toml(folder / "mission.toml", data)
    write(folder / "team.key", team_key(mission.content.radio.team).hex() + "\n")


def modem_port(context: EmulationContext, name: str, kind: str) -> EmulatedPort:
    """A modem's emulator behind a port of its own, in the air of its kind."""
    radio = emulations().radios[kind]
    modem = radio.driver(context, name)
    emulator = radio.emulator(context, name, asyncio.get_running_loop().time())
    port = EmulatedPort(emulator, modem.line.baud, end_for(modem))
    context.airs.of(kind).watch(port.kick)
    return port


class GuardianStop(NamedTuple):
    """How a guardian stopped its robot; instants on the loop's clock, s."""

    cause: str
    at: float
    halted_at: float
    reaped_at: float


class Program:
    """A `robotd` command in a process of its own; `code` is its exit status. Its messages go to `folder`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.code: int | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """True while it runs; of a robot, while its guardian runs."""
        return self._process is not None and self._process.returncode is None

    async def _execute(self, *words: str, **options: Any) -> asyncio.subprocess.Process:
        with (self.folder / "stderr.txt").open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *module_command("robotd", *words), stderr=errors, start_new_session=True, **options
            )
        return self._process

    def _failure(self) -> TimeoutError:
        messages = (self.folder / "stderr.txt").read_text(errors="replace").strip()
        return TimeoutError(f"{self.name} did not start: {messages or 'no message'}")

    async def terminate(self) -> None:
        """An orderly stop (SIGTERM; of a robot, to its guardian); what does not end in time is killed."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self.code = await asyncio.wait_for(self._process.wait(), END_S)
        except TimeoutError:
            self._process.kill()
            self.code = await self._process.wait()
        if self._reading is not None:
            await self._reading


class RobotProcess(Program):
    """A `robotd run` in `folder`, whose robot file is there already, and what was seen of it."""

    def __init__(self, name: str, folder: Path, runtime: Path) -> None:
        super().__init__(name, folder)
        self.runtime = runtime
        self.guardian = self.child = 0  # process ids
        self.stop: GuardianStop | None = None
        self.status: Mapping[str, Any] = {}

    async def start(self) -> None:
        """Start it; returns when its control socket answers. TimeoutError with its messages if it never does."""
        read, write_ = os.pipe()
        folders = {"RUNTIME_DIRECTORY": str(self.runtime), "STATE_DIRECTORY": str(self.folder / "state")}
        try:
            process = await self._execute(
                "run", str(self.folder / "robot.toml"), "--report", str(write_),
                env={**os.environ, **folders}, pass_fds=[write_],
            )  # fmt: skip
        except OSError:
            os.close(read)
            raise
        finally:
            os.close(write_)
        self.guardian = process.pid
        self._reading = asyncio.ensure_future(self._read(read))
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_S
        while not (await self.ask({"do": "status"})).get("ok"):
            if not self.alive or loop.time() > deadline:
                raise self._failure()
            await asyncio.sleep(POLL_S)

    async def _read(self, fd: int) -> None:
        """Take the guardian's reports until it ends."""
        reader, pipe = asyncio.StreamReader(), os.fdopen(fd, "rb")
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        with contextlib.closing(transport):
            while line := await reader.readline():
                event = json.loads(line)
                if event["event"] == "child":
                    self.child = event["pid"]
                elif event["event"] == "stop":
                    instants = (event[key] for key in ("seen_at_s", "halted_at_s", "reaped_at_s"))
                    self.stop = GuardianStop(event["cause"], *instants)

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The daemon's answer, {} where there is none."""
        try:
            return await asyncio.to_thread(ask, self.runtime / f"{self.name}.sock", request)
        except CannotAskError:
            return {}

    async def look(self) -> None:
        """Ask for its status; the last one is kept where it does not answer."""
        answer = await self.ask({"do": "status"})
        self.status = answer.get("status") or self.status

    def signal_child(self, number: signal.Signals) -> None:
        """Send the daemon a signal, past its guardian."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child, number)


class StationProcess(Program):
    """A `robotd base-station` in `folder` (made here), with an emulated radio of each of `kinds`."""

    def __init__(self, folder: Path, mission: Mission, context: EmulationContext, kinds: Sequence[str]) -> None:
        super().__init__("the base station", folder)
        self._context = context
        folder.mkdir()
        write_team_files(folder, mission)
        self._ports = {kind: modem_port(context, BASE_STATION, kind) for kind in kinds}
        self._last: Document | None = None

    def _words(self) -> list[str]:
        words = ["base-station", str(self.folder / "mission.toml"), "--json"]
        for kind, port in self._ports.items():
            settings = emulations().radios[kind].parameters(self._context, BASE_STATION)
            options = "".join(f",{key}={json.dumps(value)}" for key, value in settings.items())
            words += ["--radio", f"{kind}@{port.end.path}{options}"]
        return [*words, "--key-file", str(self.folder / "team.key"), "--state", str(self.folder / "state")]

    async def start(self) -> None:
        """Start it; returns when it has printed its status. TimeoutError with its messages if it never does."""
        process = await self._execute(*self._words(), stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        first = b""
        with contextlib.suppress(TimeoutError):
            first = await asyncio.wait_for(process.stdout.readline(), START_S)
        if not first:
            raise self._failure()
        self._last = json.loads(first)
        self._reading = asyncio.ensure_future(self._read(process.stdout))

    async def _read(self, out: asyncio.StreamReader) -> None:
        while line := await out.readline():
            self._last = json.loads(line)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def close(self) -> None:
        """Take its radios out of their airs."""
        for kind, port in self._ports.items():
            self._context.airs.of(kind).unwatch(port.kick)
            port.close()

    def document(self) -> Document:
        """What an outcome reports of it: its last status."""
        return brief(self._last) if self._last is not None else {}

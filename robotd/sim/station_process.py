"""The base station of a `--processes` simulation: its own `robotd base-station` on ptys, in the team's airs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from radio.link import BASE_STATION
from robotd.config.load import Mission
from robotd.files.keyfile import write
from robotd.files.paths import module_command
from robotd.sim.airs import team_key
from robotd.sim.emulated import RADIOS, EmulationContext
from robotd.sim.process import END_S, START_S, mission_text
from robotd.sim.ptys import EmulatedPort, end_for
from robotd.status.station import Document, brief


class StationProcess:
    """A base station in `folder` (made here), with an emulated radio of each of `kinds`."""

    def __init__(self, folder: Path, mission: Mission, context: EmulationContext, kinds: Sequence[str]) -> None:
        self._folder, self._context = folder, context
        folder.mkdir()
        (folder / "mission.toml").write_text(mission_text(mission), encoding="utf-8")
        write(folder / "team.key", team_key(mission.content.radio.team).hex() + "\n")
        self._ports = {kind: self._port(kind) for kind in kinds}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._last: Document | None = None

    def _port(self, kind: str) -> EmulatedPort:
        radio, now = RADIOS[kind], asyncio.get_running_loop().time()
        modem = radio.driver(self._context, BASE_STATION)
        port = EmulatedPort(radio.emulator(self._context, BASE_STATION, now), modem.line.baud, end_for(modem))
        self._context.airs.of(kind).watch(port.kick)
        return port

    def _words(self) -> list[str]:
        words = ["base-station", str(self._folder / "mission.toml"), "--json"]
        for kind, port in self._ports.items():
            settings = RADIOS[kind].parameters(self._context, BASE_STATION)
            options = "".join(f",{key}={json.dumps(value)}" for key, value in settings.items())
            words += ["--radio", f"{kind}@{port.end.path}{options}"]
        return [*words, "--key-file", str(self._folder / "team.key"), "--state", str(self._folder / "state")]

    async def start(self) -> None:
        """Start it; returns when it has printed its status. TimeoutError with its messages if it never does."""
        with (self._folder / "stderr.txt").open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *module_command("robotd", *self._words()),
                stdout=asyncio.subprocess.PIPE, stderr=errors, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        try:
            first = await asyncio.wait_for(self._process.stdout.readline(), START_S)
        except TimeoutError:
            first = b""
        if not first:
            messages = (self._folder / "stderr.txt").read_text(errors="replace").strip()
            raise TimeoutError(f"the base station did not start: {messages or 'no message'}")
        self._last = json.loads(first)
        self._reading = asyncio.ensure_future(self._read(self._process.stdout))

    async def _read(self, out: asyncio.StreamReader) -> None:
        while line := await out.readline():
            self._last = json.loads(line)

    def signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    async def terminate(self) -> None:
        """An orderly stop (SIGTERM); what does not end in time is killed."""
        if self._process is None:
            return
        self.signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), END_S)
        except TimeoutError:
            self.signal(signal.SIGKILL)
            await self._process.wait()
        if self._reading is not None:
            await self._reading

    def close(self) -> None:
        for kind, port in self._ports.items():
            self._context.airs.of(kind).unwatch(port.kick)
            port.close()

    def document(self) -> Document:
        """What an outcome reports of it: its last status."""
        return brief(self._last) if self._last is not None else {}

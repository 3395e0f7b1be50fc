"""`robotd sim --processes`: each robot is its own `robotd run` on ptys, in real time; one process is the world."""

import argparse
import asyncio
import shutil
import signal
import tempfile
from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boards.mock.world import progress
from radio.base_station import NUMBER
from radio.link import BASE_STATION
from robotd.config.events import ScenarioEvent
from robotd.config.load import Mission
from robotd.model.inputs import Order
from robotd.robot.run_orders import UNCHECKED
from robotd.sim.activity_trace import Cut, Outcome
from robotd.sim.airs import air
from robotd.sim.director import Director, script_of
from robotd.sim.emulated import NONE, Emulated, emulations
from robotd.sim.ending import ending_of
from robotd.sim.lines import BITS_PER_BYTE
from robotd.sim.parts import Parts, parts_of
from robotd.sim.process import RobotProcess, StationProcess, modem_port, write_team_files, write_toml
from robotd.sim.ptys import EmulatedPort
from robotd.sim.seen import StopWatch, story_of
from robotd.sim.station import StationContext
from robotd.sim.team import build_world

LOOK_S = 0.25  # between two looks at what the robots do
BOOT_S = 2.0  # a computer that is switched off and on; a real one takes longer, and nothing else differs
REQUESTS = {"acknowledge": "ack"}  # where the control socket's word differs from the order's
SIGNALS = {"kill": signal.SIGKILL, "stop-process": signal.SIGSTOP}


def run_processes(mission: Mission, options: argparse.Namespace) -> Outcome:
    """Run the mission as `robotd sim --processes` does; ValueError or ConfigError for what it cannot use."""
    parts = parts_of(mission, options.board, options.radio, all_bytes=True, base_station=options.base_station)
    script = script_of(mission, options.event)
    if tunes := [str(event) for event in script if event.verb == "tune"]:
        raise ValueError(f"{tunes[0]}: daemons read their numbers once, when they start; leave out --processes")
    out = Path(options.out or f"robotd-{mission.content.name}-{options.seed}-processes").resolve()

    async def run() -> Outcome:
        return await Processes(mission, options.seed, parts, out).run(script, options.duration)

    return asyncio.run(run())


@dataclass
class Ports:
    """What a robot's devices are behind: its board (none where it has no port), its add-ons by name, its modem."""

    board: EmulatedPort | None
    add_ons: dict[str, EmulatedPort]
    radio: EmulatedPort

    def received(self) -> int:
        """How many bytes the board has received."""
        return self.board.end.received if self.board is not None else 0

    def close(self) -> None:
        """Unplug all."""
        for port in (self.board, *self.add_ons.values(), self.radio):
            if port is not None:
                port.close()


class Processes:
    """The world and the air in this process, a process for each robot; a `Backend` for the director."""

    def __init__(self, mission: Mission, seed: int, parts: Parts, out: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self._mission, self._seed, self._parts, self._out = mission, seed, parts, out
        self.numbers = {name: member.number for name, member in mission.content.team.items()}
        self.world = build_world(mission, seed, self._loop.time())
        self.airs = air(mission, seed, parts.airs, self.world)
        self._ports: dict[str, Ports] = {}
        self._robots: dict[str, RobotProcess] = {}
        self._watches: dict[str, StopWatch] = {}
        self._silent: dict[str, dict[str, float]] = {}
        self._raised: dict[str, str] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._director = Director(self)
        self._station: StationProcess | None = None
        self._start = 0.0

    async def run(self, script: Sequence[ScenarioEvent], duration_s: float) -> Outcome:
        """From the first process to the last; the mission's time begins when all robots are permitted to move."""
        runtime = Path(tempfile.mkdtemp(prefix="robotd-"))  # short: a socket's path holds 107 bytes
        try:
            for name in sorted(self.numbers):
                self._prepare(name, runtime)
            if self._parts.base_station:
                context = StationContext(self.world, self.airs)
                self._station = StationProcess(runtime / BASE_STATION, self._mission, context, self._parts.airs)
                await self._station.start()
            await asyncio.gather(*(robot.start() for robot in self._robots.values()))
            for request in ({"do": "start"}, {"do": "mission-start", "args": [UNCHECKED]}):
                await asyncio.gather(*(robot.ask(request) for robot in self._robots.values()))
            self._start = self._loop.time()
            play = self._spawn(self._director.play(script))
            reason = await self._judge(Cut(self._mission.content.time_limit_s, duration_s))
            play.cancel()
            end = self._loop.time()
            await asyncio.gather(*(robot.terminate() for robot in self._robots.values()))
        finally:
            await self._clean_up(runtime)
        return self._outcome(reason, end)

    def _prepare(self, name: str, runtime: Path) -> None:
        board, *add_ons = self._parts.boards[name].split("+")
        self._ports[name] = Ports(
            None if board == NONE else self._port_of(emulations().boards[board], name),
            {other: self._port_of(emulations().add_ons[other], name) for other in add_ons},
            modem_port(self, name, self._parts.radios[name]),
        )
        folder = self._out / name
        folder.mkdir(parents=True, exist_ok=True)
        self._write_files(name, folder)
        self._robots[name] = RobotProcess(name, folder, runtime)

    def _table(self, kind: str, device: Emulated, port: EmulatedPort, name: str) -> dict[str, Any]:
        """A device's table of a robot file."""
        return {"name": kind, "port": port.end.path, "parameters": device.parameters(self, name)}

    def _board_table(self, name: str) -> dict[str, Any]:
        """A member without wheels has the resources of its body and no port."""
        board, port = self._parts.boards[name].partition("+")[0], self._ports[name].board
        if port is not None:
            return self._table(board, emulations().boards[board], port, name)
        spec = self.world.robots[name].spec
        own = {"resources": list(spec.resources), "x_m": spec.x_m, "y_m": spec.y_m}
        return {"name": board, "parameters": own}

    def _port_of(self, device: Emulated, name: str) -> EmulatedPort:
        return EmulatedPort(device.emulator(self, name, self._loop.time()), device.driver(self, name).line.baud)

    def _write_files(self, name: str, folder: Path) -> None:
        ports, kind, known = self._ports[name], self._parts.radios[name], emulations()
        add_ons = [self._table(one, known.add_ons[one], port, name) for one, port in ports.add_ons.items()]
        radio = self._table(kind, known.radios[kind], ports.radio, name)
        write_toml(folder / "robot.toml", {
            "name": name, "mission": "mission.toml", "state_folder": "state", "board": self._board_table(name),
            "add_ons": add_ons, "radio": {**radio, "key_file": "team.key"}, "http": {"enabled": False},
            "log": {"folder": "log"},
        })  # fmt: skip
        write_team_files(folder, self._mission)

    async def _judge(self, cut: Cut) -> str:
        """Why the run ended."""
        while True:
            await asyncio.sleep(LOOK_S)
            for task in [task for task in self._tasks if task.done()]:
                self._tasks.discard(task)
                task.result()  # what fails here is an error of the simulation itself
            now = self._loop.time() - self._start
            self.world.advance(self._loop.time())
            await asyncio.gather(*(robot.look() for robot in self._robots.values() if robot.alive))
            self._see(now)
            done, total = progress(self.world, self._mission.content.goal.world)
            if reason := cut.reason(now, accomplished=done == total and self._known_done()):
                return reason

    def _known_done(self) -> bool:
        """Whether some robot reports that it knows all facts of the goal."""
        wanted = self._mission.content.goal_facts()
        return any(
            wanted <= {fact["name"] for fact in robot.status.get("facts", ())}
            for robot in self._robots.values()
            if robot.status
        )

    def _see(self, now: float) -> None:
        """Note silent teammates and ticks that raised, from each robot's last status."""
        beats = self._mission.content.parameters.get("silence_timeout_beats", 6.0) + 0.5
        for name, robot in self._robots.items():
            for teammate in robot.status.get("teammates", ()) if robot.alive else ():
                if (teammate["age_beats"] or 0.0) > beats:
                    self._silent.setdefault(name, {}).setdefault(teammate["name"], round(now, 3))
            for fault in robot.status.get("faults", ()):
                if fault["name"] == "tick-raised":
                    self._raised.setdefault(name, fault["detail"])

    async def _clean_up(self, runtime: Path) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for robot in self._robots.values():
            await robot.terminate()
        if self._station is not None:
            await self._station.terminate()
            self._station.close()
        for name, ports in self._ports.items():
            self.airs.of(self._parts.radios[name]).unwatch(ports.radio.kick)
            ports.close()
        shutil.rmtree(runtime, ignore_errors=True)

    def _outcome(self, reason: str, end: float) -> Outcome:
        logs = {name: robot.folder / "log" for name, robot in self._robots.items()}
        story, ticks = story_of(logs, self._start, end)
        stops = {
            name: watch.as_json(self._robots[name], self._ports[name].received, self._start)
            for name, watch in sorted(self._watches.items())
        }
        robots, accomplished = sorted(self._robots.items()), reason == "accomplished"
        extra: dict[str, object] = {
            "pids": {name: [robot.guardian, robot.child] for name, robot in robots},
            "exits": {name: robot.code for name, robot in robots}, "stops": stops, "silent": self._silent,
            "raised": self._raised,
            **({"base_station": self._station.document()} if self._station is not None else {}),
            **self._director.outcome(), **story.outcome(self._mission.table),
        }  # fmt: skip
        happened = self._director.happened
        return Outcome(
            self._mission.content.name, self._seed, accomplished, reason, end - self._start, story,
            sorted(self._robots), self.airs.statistics(), ticks, str(self._out), extra,
            ending=ending_of(self._mission, self.world, story, happened, accomplished=accomplished),
        )  # fmt: skip

    # What the director acts on

    @property
    def holding(self) -> Mapping[str, Collection[str]]:
        """See `Backend`: from the last status of each robot."""
        holders: dict[str, set[str]] = {}
        for name, robot in self._robots.items():
            if robot.alive:
                for task in (robot.status.get("active", {}) or {}).get("task"), robot.status.get("held"):
                    if task:
                        holders.setdefault(str(task), set()).add(name)
        return holders

    def order(self, name: str, order: Order) -> None:
        """See `Backend`: by its control socket."""
        request = {"do": REQUESTS.get(order.kind, order.kind), "args": list(order.args)}
        self._spawn(self._robots[name].ask(request))

    def end(self, name: str, verb: str) -> None:
        """See `Backend`: a signal to the daemon, past its guardian; a base station has none."""
        if name == BASE_STATION:
            if self._station is None:
                self.airs.switch(NUMBER, on=False, now=self._loop.time())
            else:
                self._station.signal(SIGNALS[verb])
            return
        self._watches[name] = StopWatch(self._loop.time(), self._halts_s(name))
        self._robots[name].signal_child(SIGNALS[verb])
        self._spawn(self._watches[name].watch(self.world, self._robots[name], self._ports[name].received))

    def _halts_s(self, name: str) -> float:
        """What the guardian's two halts take on the line of a robot's board."""
        if self._ports[name].board is None:
            return 0.0
        board = emulations().boards[self._parts.boards[name].partition("+")[0]].driver(self, name)
        return 2 * len(board.halt) * BITS_PER_BYTE / float(board.line.baud)

    def reboot(self, name: str) -> None:
        """See `Backend`; it starts again after `BOOT_S`."""

        async def restart() -> None:
            self.end(name, "kill")
            await asyncio.sleep(BOOT_S)
            process = self._station if name == BASE_STATION else self._robots[name]
            if process is None:
                self.airs.switch(NUMBER, on=True, now=self._loop.time())
                return
            await process.terminate()
            await process.start()

        self._spawn(restart())

    def note(self, event: ScenarioEvent, name: str, now: float) -> None:
        """See `Backend`: the robots' own logs record what they noticed of it."""

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        return task

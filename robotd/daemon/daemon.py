"""The daemon of one robot, as the guardian's child: ports, radio, control socket and HTTP round the tick."""

import asyncio
import contextlib
import errno
import functools
import gc
import logging
import os
import selectors
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from boards.body import Body
from boards.contract import plugin_of
from radio.contract import Modem
from radio.keys import KEY, Keys
from radio.link import Radio
from radio.regulations import SubBand
from robotd.config.airtime import band_of
from robotd.config.load import Mission, load_robot
from robotd.config.robot import RobotFile
from robotd.config.task_order import check_order
from robotd.control.client import answers
from robotd.control.orders import Orders
from robotd.control.server import ControlServer
from robotd.daemon.forks import withhold
from robotd.daemon.health_monitor import HealthMonitor
from robotd.daemon.logging import MessageWriter, set_up_logging
from robotd.files import keyfile
from robotd.files.paths import folder
from robotd.files.refusal import DONE, FAILED, USAGE, Refusal, advise_install
from robotd.files.state import FolderInUseError, lock_folder, state_folder
from robotd.guardian.client import GuardianLink
from robotd.model.plain import Json
from robotd.model.streams import Stream
from robotd.record.log import PART_BYTES, RunLog, about_run
from robotd.robot.build import build_mind
from robotd.robot.faults import Faults
from robotd.robot.mind import STILL
from robotd.robot.persistence import RADIO_MEMORY
from robotd.robot.robot import Robot
from robotd.robot.ticking import run_ticks
from robotd.status.http import HttpServer
from robotd.status.scene import scene_of
from robotd.status.status import status_of
from robotd.storage.background import BackgroundStore, LogFolder
from robotd.storage.document import load
from robotd.timing import clock
from robotd.timing.ticker import Ticker
from robotd.transport.port import Port

if TYPE_CHECKING:
    from robotd.foxglove.server import RobotServer

log = logging.getLogger(__name__)
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)  # for one connection more
SMALLEST_LOG_PARTS = 4  # so that a small log loses a quarter at a time
DRAIN_S = 0.1  # for the last messages to people
CLOSE_S = 1.8  # for ports and disks to end; the guardian waits two seconds


class Daemon:
    """Everything that waits on behalf of one robot."""

    def __init__(self, config: RobotFile, mission: Mission, base: Path, link: GuardianLink | None) -> None:
        """`base`: the folder of the robot file, for the paths in it."""
        self._config = config
        self._mission = mission
        self._base = base
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._code = DONE
        self._faults = Faults()
        self._store = BackgroundStore(state_folder(config.name, config.state_folder, base))
        self._part_bytes = round(min(PART_BYTES, config.log.max_mb * 1e6 / SMALLEST_LOG_PARTS))
        self._log_folder = self._make_log_folder()
        self._ports: list[Port] = []
        self._robot = self._make_robot()
        self._watch = HealthMonitor(self._robot, self._store, self._log_folder, self._ports, link)
        name = mission.content.name
        scene = functools.partial(scene_of, mission, config.name)
        self._http = HttpServer(config.http, lambda: self._robot.snapshot, mission=name, scene=scene)
        if config.http.enabled:
            self._robot.watchers.append(self._http.watch)
        self._foxglove = _foxglove_of(config, mission, self._robot)
        orders = self._make_orders()
        tokens = config.http.token_file
        self._http.serve_orders(orders, keyfile.lines_of(keyfile.text_of(base / tokens)) if tokens else {})
        self._control = ControlServer(orders)

    def _make_log_folder(self) -> LogFolder | None:
        own = self._config.log
        if own.folder == "none":
            return None
        logs = self._base / own.folder if own.folder else folder("log")
        return LogFolder(logs, self._config.name, own.max_mb * 1e6, self._part_bytes)

    def _make_orders(self) -> Orders:
        name, coordinator = self._mission.content.name, self._mission.content.coordinator.name
        return Orders(
            self._config.name,
            self._robot.submit,
            lambda: self._robot.snapshot,
            lambda snapshot: status_of(snapshot, mission=name, warnings=self._http.warnings),
            self._check_task,
            f"coordinator {coordinator!r} or a behavior of the mission",
            self._http.link,
        )

    def _check_task(self, words: Sequence[str]) -> None:
        """ValueError where the task cannot be added, or the run that it would belong to has not opened yet."""
        if asked := self._robot.run_asked:
            raise ValueError(f"{asked} waits until the team's run is known, and opens another: add the task then")
        check_order(words, self._mission.content, self._mission.plugins)

    def _make_robot(self) -> Robot:
        config, content, plugins = self._config, self._mission.content, self._mission.plugins
        board_kind = plugins.get("robotd.boards", config.board.name)
        # a simulated board without a world of its own is in the mission's
        world = {"world": content.world} if "world" in board_kind.Settings.model_fields else {}
        board = board_kind(board_kind.Settings(**{**world, **config.board.parameters}))
        kinds = [(part, plugins.get("robotd.boards", part.name)) for part in config.add_ons]
        add_ons = [(part, kind(kind.Settings(**part.parameters))) for part, kind in kinds]
        radio_kind = plugins.get("robotd.radios", config.radio.name)
        settings = radio_kind.Settings(**config.radio.parameters)
        modem = radio_kind(settings)
        devices = [("board", board, config.board.port), ("radio", modem, config.radio.port)]
        devices += [(part.name, one, part.port) for part, one in add_ons]
        for name, device, address in devices:
            if plugin_of(device).needs_port:
                self._ports.append(Port(name, address, device, self._link))
        radio, warnings = self._make_radio(modem, band_of(config.radio, radio_kind, settings))
        own = {config.name: {"start": config.start, "leash_s": config.base_station_timeout_s}}
        about = about_run(self._mission.as_data(), self._mission.table.digest, None, own)
        mind = build_mind(content, plugins, config.name, config.start, config.base_station_timeout_s)
        run_log = RunLog(self._log_folder, about, self._part_bytes, clock.utc_text)
        body = Body(board, [one for _, one in add_ons])
        robot = Robot(config.name, mind, body, radio, self._faults, run_log, self._store)
        robot.warnings = tuple(warnings)
        return robot

    def _make_radio(self, modem: Modem, band: SubBand | None) -> tuple[Radio, list[str]]:
        """The radio with its memory, and what was not usable of that, in words."""
        config, content = self._config, self._mission.content
        keys = Keys((bytes(KEY),))  # without a modem nothing is sent: no key file is needed
        if config.radio.name != "none":
            keys = keyfile.read(self._base / config.radio.key_file, content.numbers())

        def made(memory: Json, doubt: str = "") -> Radio:
            number, team = content.team[config.name].number, content.radio.team
            phase = Stream(clock.boot_seed(), config.name, "radio-phase")
            minutes = clock.minutes_since_2026()
            return Radio(self._mission.table, number, keys, team, modem, phase, memory, minutes, band, doubt)

        found: list[Radio] = []
        warnings = load(self._store, RADIO_MEMORY, lambda memory: found.append(made(memory)))
        for words in warnings:
            log.error("%s", words)
        lost = f"its state could not be read ({RADIO_MEMORY}.json): a team stop may have been lost"
        return found[0] if found else made(None, lost if warnings else ""), warnings

    def descriptors(self) -> list[int]:
        """Of the ports and the guardian's socket; the loop has all others."""
        link = [] if self._link is None else [self._link.fileno()]
        return [*link, *(port.fileno() for port in self._ports)]

    async def run(self) -> int:
        """Serve until asked to stop, or until the guardian or the tick is gone; leave the motors halted.

        The exit status: 0, or 1 where the tick died.
        """
        now = self._loop.time()
        if self._link is not None and self._link.last_stop:
            self._faults.open_fault("guardian-stop", self._link.last_stop, now)
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self._loop.add_signal_handler(name, self._stop.set)
        self._loop.set_exception_handler(self._callback_raised)
        self._robot.begin(now, self._store.save_now)
        why = "the daemon failed"
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._guarded(name, run)) for name, run in self._parts()]
                why = await self._until_stop()
                now = self._loop.time()
                self._robot.board.command(now, STILL)  # before anything else ends, and no tick follows
                for port in self._ports:
                    port.poke()
                for task in tasks:
                    task.cancel()
        finally:
            with contextlib.ExitStack() as last:  # whatever one of them raises, all are called, from the last up
                last.callback(self._close_disks, now + CLOSE_S)
                last.callback(self._watch.report)
                last.callback(lambda: self._robot.log.note("end", robot=self._robot.name, reason=why))
                last.callback(self._robot.board.command, self._loop.time(), STILL)
        log.info("ended: %s; the motors are halted", why)
        return self._code

    def _callback_raised(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What a device's driver raises between two ticks: a fault that holds the wheels still."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in NO_ROOM:  # a server accepts again a second later
            log.warning("%s: %s", context.get("message"), error.strerror)
            return
        detail = f"{type(error).__name__}: {error}" if error is not None else str(context.get("message"))
        log.error("a callback raised: %s", detail, exc_info=error)
        self._faults.open_fault("task-died:callback", detail, loop.time())

    def _close_disks(self, deadline: float) -> None:
        """Let both disks' writers finish side by side, until the deadline (loop clock, s)."""
        writers = [writer for writer in (self._store, self._log_folder) if writer is not None]
        for writer in writers:
            writer.finish()
        for writer in writers:
            writer.close(deadline - self._loop.time())

    def _parts(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        parts: list[tuple[str, Callable[[], Awaitable[None]]]] = [(port.name, port.run) for port in self._ports]
        parts += [("watch", self._watch.run), ("control", self._control.run), ("tick", self._tick)]
        if self._config.http.enabled:
            parts.append(("http", self._http.run))
        if self._foxglove is not None:
            parts.append(("foxglove", self._foxglove.run))
        return parts

    async def _guarded(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """A part that ends by itself is a named fault; without the tick there is no robot left."""
        try:
            await run()
            detail = "it ended"
        except OSError as error:  # the machine's doing, not the program's: no traceback is needed
            log.error("%s ended: %s", name, error)
            detail = str(error)
        except (Exception, SystemExit) as error:  # whatever a part raises must not take the others with it
            log.exception("%s died", name)
            detail = f"{type(error).__name__}: {error}"
        self._faults.open_fault(f"task-died:{name}", detail, self._loop.time())
        if name == "tick":
            self._code = FAILED
            self._stop.set()

    async def _tick(self) -> None:
        ready = False

        def after() -> None:
            nonlocal ready
            for port in self._ports:
                port.poke()
            if not ready:
                ready = True
                self._settle(ticker.period_s)
            if self._link is not None:
                self._link.beat()

        with contextlib.closing(Ticker(1.0 / self._mission.content.control.tick_hz)) as ticker:
            await run_ticks(self._robot, ticker, self._loop.time, after)

    def _settle(self, period_s: float) -> None:
        """The first tick is done: from now on garbage is collected, and a guardian expects a beat each period."""
        gc.enable()
        if self._link is not None:
            gc.collect()
            gc.freeze()
            self._link.ready(period_s)

    async def _until_stop(self) -> str:
        """Wait for the end; why it came, in words."""
        waits, link = [self._stop.wait()], self._link
        if link is not None:
            waits += [link.stop_asked.wait(), link.died.wait()]
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        if link is not None and link.died.is_set():
            return "the guardian is gone"
        return "the ticks ended" if self._code else "asked to end (control-C, SIGTERM or systemctl stop)"


def _foxglove_of(config: RobotFile, mission: Mission, robot: Robot) -> "RobotServer | None":
    """What shows the robot to Foxglove; None where that is not asked for, or lacks its package, with a warning."""
    part = config.foxglove
    if not part.enabled:
        return None
    try:
        from robotd.foxglove.server import RobotServer
    except ImportError as error:
        robot.warnings = (*robot.warnings, f"[foxglove]: {advise_install(error) or error}")
        return None
    server = RobotServer(part.host, part.port, config.name, mission.as_data())
    robot.watchers.append(server.watch)
    return server


def _refuse_twin(robot_file: Path, name: str) -> None:
    """Refusal where a daemon of this name runs here already: it has the memory and receives the orders."""
    path = folder("runtime") / f"{name}.sock"
    with contextlib.suppress(OSError):  # what cannot be known now is a fault as soon as the socket is made
        if answers(path):
            words = f"a robot called {name!r} runs here already (it answers at {path})"
            raise Refusal(f"{robot_file}: name: {words}; end that one, or rename this one")


async def serve(robot_file: Path) -> int:
    """Run the daemon of `robot_file`; the exit status. What is not caught is reported to the guardian."""
    link = GuardianLink.from_environment()
    try:
        code = await _serve(robot_file, link)
    except Refusal as error:
        sys.stderr.write(f"{error}\n")
        code = USAGE
    except FolderInUseError as error:
        sys.stderr.write(f"{robot_file}: state_folder: {error}: each robot needs its own\n")
        code = USAGE
    except (Exception, SystemExit) as error:
        log.exception("the daemon failed")
        if link is not None:
            link.failed(f"{type(error).__name__}: {error}")
        return FAILED
    if link is not None:
        link.bye()
        link.close()
    return code


async def _serve(robot_file: Path, link: GuardianLink | None) -> int:
    config, mission = load_robot(robot_file)
    _refuse_twin(robot_file, config.name)
    sys.stdout = sys.stderr = set_up_logging(config.name)  # what plug-ins print blocks no tick either
    with lock_folder(state_folder(config.name, config.state_folder, robot_file.parent), 0o700) as lock:
        daemon = Daemon(config, mission, robot_file.parent, link)
        with withhold(lambda: daemon.descriptors() if lock is None else [lock, *daemon.descriptors()]):
            return await daemon.run()


def main(argv: list[str] | None = None) -> int:
    """Run the daemon of the robot file in `argv`, by default that of the command line; the exit status."""
    arguments: list[Any] = sys.argv[1:] if argv is None else argv
    selector = selectors.DefaultSelector()
    runner = asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector))
    try:
        with withhold(lambda: [key.fd for key in (selector.get_map() or {}).values()]):
            return runner.run(serve(Path(arguments[0])))
    except SystemExit:  # called by a plug-in between two ticks: it ends the loop, past everything
        log.exception("a plug-in ended the daemon")
        return FAILED


def leave(code: int) -> NoReturn:
    """End the process at once: threads, tasks and exit handlers of plug-ins cannot hold it up or change `code`."""
    if isinstance(sys.stderr, MessageWriter):
        sys.stderr.drain(DRAIN_S)
    os._exit(code)

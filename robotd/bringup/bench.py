"""A board on its port without a mind: ticked, commanded, and halted however it ends."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self

from robotd.bringup.recording_line import RecordingLine
from robotd.files.plugins import describe_error
from robotd.model.command import Command
from robotd.model.senses import Capabilities
from robotd.timing.clock import processor_s, waits, work_clock
from robotd.transport.port import Keeper, Opener, Port, PortStatus, open_wire

TICK_S = 0.05  # as the daemon's control tick
OPEN_S = 6.0  # a defective USB device may delay an opening by almost as much
PARTS_S = 1.0  # a part that works is in the capabilities by then
LOST_S = 1.0  # so long a port may be refused: another program may be closing it


class BoardError(Exception):
    """The board's own code raised, or its port cannot be opened: the message names which."""


class Watcher(Keeper, Protocol):
    """A guardian: it holds the ports, and expects a beat in each tick once it is ready."""

    def ready(self, period_s: float) -> None:
        """Ticks begin."""

    def beat(self) -> None:
        """A tick is finished."""


class Bench:
    """`async with Bench(port, device)`: inside, the port is open and the board ticks; outside, it is halted.

    `device` is a `SerialDevice` and a `Board`. What it raises in a callback or a tick becomes a `BoardError` at
    the next wait. `calls`: by method, how long each call took, s.
    """

    def __init__(
        self, address: str, device: Any, opener: Opener = open_wire, watcher: Watcher | None = None
    ) -> None:
        self.board = device
        self.line = RecordingLine(device.halt)
        self.wanted: Command | None = None  # commanded in each tick
        self.driven = Command()  # what the board returned in the last tick
        self.ticks = 0
        self.calls: dict[str, list[float]] = {}
        self.on_tick: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._failure = ""
        self._watcher = watcher
        self._address, self._opener = address, opener
        self._port = self._new_port()
        self._running: list[asyncio.Task[None]] = []
        self._before: Any = None

    def _new_port(self) -> Port:
        return Port("board", self._address, _Timed(self.board, self.calls), self._watcher,
                    self.line.through(self._opener))  # fmt: skip

    @property
    def now(self) -> float:
        """The loop's clock, s."""
        return self._loop.time()

    @property
    def status(self) -> PortStatus:
        return self._port.status

    @property
    def ready(self) -> bool:
        """The line is open and the board has answered."""
        return self._port.ready

    async def __aenter__(self) -> Self:
        if self._watcher is not None:
            self._watcher.ready(TICK_S)
        self._before = self._loop.get_exception_handler()
        self._loop.set_exception_handler(self._raised)
        self._running = [asyncio.create_task(self._port.run()), asyncio.create_task(self._tick())]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.wanted, self.line.cut = None, False
        for task in self._running:  # the port first: a guardian expects beats until it is halted and closed
            task.cancel()
            await asyncio.wait([task])
        self._loop.set_exception_handler(self._before)

    def _raised(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        words = describe_error(error) if error is not None else str(context.get("message"))
        self._failure = self._failure or words

    async def _tick(self) -> None:
        origin = self.now
        try:
            while True:
                self.ticks += 1
                self._one_tick(self.now)
                await asyncio.sleep(max(0.0, origin + self.ticks * TICK_S - self.now))
        except Exception as error:  # noqa: BLE001 - whatever a board raises is reported
            self._failure = self._failure or describe_error(error)

    def _one_tick(self, now: float) -> None:
        with timing(self.calls, "senses"):
            self.board.senses(now)
        with timing(self.calls, "capabilities"):
            self.board.capabilities(now)
        if self.wanted is not None:
            with timing(self.calls, "command"):
                self.driven = self.board.command(now, self.wanted)
        self._port.poke()
        self.on_tick()
        if self._watcher is not None:
            self._watcher.beat()

    def check(self) -> None:
        """BoardError where the board has raised."""
        for task in self._running:
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                self._failure = self._failure or describe_error(error)
        if self._failure:
            raise BoardError(f"the board's code raised {self._failure}")

    async def let(
        self, seconds: float, command: Command | None = None, until: Callable[[], bool] = lambda: False
    ) -> Command:
        """Wait so long, or until `until`, with `command` in each tick (None: none); what was driven."""
        self.wanted, self.driven = command, Command()
        last = self.ticks + max(1, round(seconds / TICK_S))
        try:
            while self.ticks < last and not until():
                await asyncio.sleep(TICK_S / 2)
                self.check()
        finally:
            self.wanted = None
        return self.driven

    async def opens(self) -> None:
        """Wait until the line is open; BoardError where it still cannot be opened after `LOST_S`."""
        end = self.now + OPEN_S
        while not self.line.lines and self.now < end:
            await self.let(TICK_S)
            if self.status.word == "lost":
                end = min(end, self.status.since + LOST_S)
        if not self.line.lines:
            raise BoardError(f"cannot be opened: {self.status.detail}")

    async def answers(self, seconds: float) -> bool:
        """Whether the board has answered after `seconds` of an open line; BoardError as `opens`."""
        await self.opens()
        await self.let(seconds, until=lambda: self.ready)
        return self.ready

    async def settle(self) -> Capabilities:
        """The capabilities of a board that has answered, once no part is missing, or after `PARTS_S`."""
        await self.let(PARTS_S, until=lambda: not self.board.capabilities(self.now).missing)
        able: Capabilities = self.board.capabilities(self.now)
        return able

    async def reopen(self, *, mute: bool = False) -> tuple[bytes, bytes]:
        """Close the port in order and open it again; the last bytes sent before, and the first after."""
        port = self._running[0]
        port.cancel()
        await asyncio.wait([port])
        if self._watcher is not None:
            await self._watcher.release("board")
        last = bytes(self.line.sent)
        self.line.mute = mute
        self._port = self._new_port()
        self._running[0] = asyncio.create_task(self._port.run())
        end = self.now + OPEN_S
        while not self.line.first and self.now < end:
            await asyncio.sleep(TICK_S)
            self.check()
        return last, self.line.first


@contextlib.contextmanager
def timing(calls: dict[str, list[float]], name: str) -> Iterator[None]:
    """Note how long the body works or waits, s, without the time that other programs have the processor."""
    start, worked, waited = work_clock(), processor_s(), waits()
    try:
        yield
    finally:
        passed = work_clock() - start
        calls.setdefault(name, []).append(passed if waits() > waited else min(passed, processor_s() - worked))


class _Timed:
    """A `SerialDevice` whose calls by the port are timed."""

    def __init__(self, device: Any, calls: dict[str, list[float]]) -> None:
        self._device, self._calls = device, calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._device, name)
        if name not in ("connect", "receive", "transmit"):
            return found

        def timed(*args: Any) -> Any:
            with timing(self._calls, name):
                return found(*args)

        return timed

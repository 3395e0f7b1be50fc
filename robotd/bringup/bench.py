"""A board on its real port without a mind: ticked, told what to do, and halted however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self

from robotd.bringup.recording_line import RecordingLine
from robotd.model.command import Command
from robotd.model.senses import Capabilities
from robotd.timing.clock import processor_s, waits, work_clock
from robotd.transport.port import Keeper, Opener, Port, PortStatus, open_wire

TICK_S = 0.05  # as the daemon's control tick
OPEN_S = 6.0  # what a sick USB device may hold an opening for, and a bit
PARTS_S = 1.0  # a part that works is in the capabilities within
LOST_S = 1.0  # a port that cannot be opened for so long is told as such: another program may just be closing it


class BoardError(Exception):
    """The board's own code raised, or its port cannot be opened: the message says what."""


class Watcher(Keeper, Protocol):
    """A guardian: it holds the ports, and is told of each tick."""

    def beat(self) -> None:
        """A tick is finished."""


class Bench:
    """`async with Bench(port, device)`: inside, the port is open and the board ticks; outside, it is halted.

    `device` is a `SerialDevice` and a `Board`. What it raises in a callback or a tick ends in `BoardError`, at the
    next wait. `calls`: by method, how long each call has held the program up, s.
    """

    def __init__(
        self, address: str, device: Any, opener: Opener = open_wire, watcher: Watcher | None = None
    ) -> None:
        self.board = device
        self.line = RecordingLine(device.halt)
        self.wanted: Command | None = None  # commanded in each tick
        self.driven = Command()  # what the board made of it in the last tick
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
        """Of the port."""
        return self._port.status

    @property
    def ready(self) -> bool:
        """The line is open and the board has answered."""
        return self._port.ready

    async def __aenter__(self) -> Self:
        self._before = self._loop.get_exception_handler()
        self._loop.set_exception_handler(self._raised)
        self._running = [asyncio.create_task(self._port.run()), asyncio.create_task(self._tick())]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.wanted, self.line.cut = None, False
        for task in self._running:  # the port first: a guardian is told of ticks until it is halted and closed
            task.cancel()
            await asyncio.wait([task])
        self._loop.set_exception_handler(self._before)

    def _raised(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._failure = self._failure or (
            describe_error(error) if error is not None else str(context.get("message"))
        )

    async def _tick(self) -> None:
        origin = self.now
        try:
            while True:
                self.ticks += 1
                self._one_tick(self.now)
                await asyncio.sleep(max(0.0, origin + self.ticks * TICK_S - self.now))
        except Exception as error:  # noqa: BLE001 - whatever a board raises is told to the person who tries it
            self._failure = self._failure or describe_error(error)

    def _one_tick(self, now: float) -> None:
        with self._timing("senses"):
            self.board.senses(now)
        with self._timing("capabilities"):
            self.board.capabilities(now)
        if self.wanted is not None:
            with self._timing("command"):
                self.driven = self.board.command(now, self.wanted)
        self._port.poke()
        self.on_tick()
        if self._watcher is not None:
            self._watcher.beat()

    def _timing(self, name: str) -> contextlib.AbstractContextManager[None]:
        return timing(self.calls, name)

    def check(self) -> None:
        """BoardError where the board has raised."""
        for task in self._running:
            if task.done() and not task.cancelled() and task.exception() is not None:
                self._failure = self._failure or describe_error(task.exception())
        if self._failure:
            raise BoardError(f"the board's code raised {self._failure}")

    async def let(
        self, seconds: float, command: Command | None = None, until: Callable[[], bool] = lambda: False
    ) -> Command:
        """Pass so much time, commanding in each tick (None: nothing), or less once `until`; what was driven."""
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
        """Wait until the board has answered; False where it has not after `seconds` of an open line.

        BoardError where the port cannot be opened at all.
        """
        lost_at = math.inf
        end = self.now + seconds
        while not self.ready and self.now < min(end, lost_at + LOST_S):
            await self.let(TICK_S)
            lost = self.status.word == "lost"
            lost_at = min(lost_at, self.now) if lost else math.inf
        if self.status.word == "lost":
            raise BoardError(f"cannot be opened: {self.status.detail}")
        return self.ready

    async def settle(self) -> Capabilities:
        """What a board can do that has answered: parts show, and modes are entered, a moment later."""
        await self.let(PARTS_S, until=lambda: not self.board.capabilities(self.now).missing)
        able: Capabilities = self.board.capabilities(self.now)
        return able

    async def reopen(self, *, mute: bool = False) -> tuple[bytes, bytes]:
        """Close the port in order and open it again; what was written last before, and first after."""
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
    """Note how long the body works or waits, s; a processor that others use meanwhile counts as neither."""
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
        return getattr(self._device, name)

    def connect(self, now: float) -> None:
        with timing(self._calls, "connect"):
            self._device.connect(now)

    def receive(self, now: float, data: bytes) -> None:
        with timing(self._calls, "receive"):
            self._device.receive(now, data)

    def transmit(self, now: float) -> Any:
        with timing(self._calls, "transmit"):
            return self._device.transmit(now)


def describe_error(error: BaseException | None) -> str:
    """An exception of the board's code, in words."""
    return f"{type(error).__name__}: {error}"

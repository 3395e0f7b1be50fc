"""A robot on a real port, and a cable in virtual time to an emulated board: byte by byte at the baud rate."""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from robotd.daemon.health_monitor import HealthMonitor
from robotd.model.command import ActionResult, Command
from robotd.model.inputs import Order
from robotd.model.serial import SetLine
from robotd.model.streams import Stream
from robotd.record.log import RunLog, about_run
from robotd.robot.faults import Faults
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission
from robotd.robot.robot import Robot
from robotd.sim.emulated import Emulated, emulations
from robotd.sim.seen import AT_REST_M_S
from robotd.status.status import status_of
from robotd.storage.store import MemoryStore
from robotd.transport.port import Port
from tests.robotd.robot.stand_ins import KEY, TABLE, TEAM, FakeBehaviors, FakeCoordinator

STEP_S = 0.01  # between two looks at the cable
TICK_S = 0.05
BITS = 10
NAME = "red"
SPIN = Command(-10.0, 10.0)  # as fast as it can, on the spot: nothing is in the way


class Cable:
    """Carries bytes both ways. While `garbage` is set, bytes drawn from it come instead of the board's words."""

    def __init__(self, emulator: Any, baud: int, now: float) -> None:
        self.emulator = emulator
        self.byte_s = BITS / baud
        self.wire: CableWire | None = None
        self.plugged = True
        self.garbage: Stream | None = None
        self.written: list[tuple[float, bytes]] = []
        self._down: deque[tuple[float, int]] = deque()  # to the board: when each byte has left, and the byte
        self._up: deque[tuple[float, bytes]] = deque()
        self._busy_up = now

    async def open(self, address: Any, line: Any, protocol: asyncio.Protocol) -> CableWire:
        """A port's opener."""
        if not self.plugged:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        self._down.clear()
        self._up.clear()
        self.wire = CableWire(self, protocol)
        return self.wire

    def unplug(self) -> None:
        """What was on the way is lost; the board is left to itself."""
        self.plugged = False
        self._down.clear()
        self._up.clear()
        if self.wire is not None:
            self.wire.lose(OSError(errno.EIO, "Input/output error"))

    def put(self, data: bytes) -> None:
        now = asyncio.get_running_loop().time()
        self.written.append((now, data))
        start = max(now, self._down[-1][0] if self._down else now)
        self._down.extend((start + (k + 1) * self.byte_s, byte) for k, byte in enumerate(data))

    def unsent(self) -> int:
        return len(self._down)

    def discard(self) -> None:
        """As the kernel's flush: what has left is with the board."""
        self.move(asyncio.get_running_loop().time())
        self._down.clear()

    def move(self, now: float) -> None:
        """Let arrive what has left by `now`, and the board say what is due."""
        left = bytearray()
        while self._down and self._down[0][0] <= now + 1e-9:
            left.append(self._down.popleft()[1])
        if left:
            self.emulator.receive(now, bytes(left))
        if self.emulator.wake_at is not None and self.emulator.wake_at <= now:
            sent = b"".join(part for part in self.emulator.transmit(now) if isinstance(part, bytes))
            if self.garbage is not None:
                sent = bytes(int(self.garbage.uniform(0, 256)) for _ in range(40))
            if sent and self.plugged:
                self._busy_up = max(now, self._busy_up) + len(sent) * self.byte_s
                self._up.append((self._busy_up, sent))
        while self._up and self._up[0][0] <= now:
            data = self._up.popleft()[1]
            if self.wire is not None:
                self.wire.deliver(data)
        if left and self.wire is not None and not self._down:
            self.wire.drained()


class CableWire:
    """The port's end of a cable; see `robotd.transport.wire.Wire`."""

    def __init__(self, cable: Cable, protocol: asyncio.Protocol) -> None:
        self._cable = cable
        self._protocol = protocol
        self._open = True

    def fileno(self) -> int:
        return 99

    def write(self, data: bytes) -> None:
        if self._open:
            self._cable.put(data)

    def unsent(self) -> int:
        return self._cable.unsent() if self._open else 0

    def discard(self) -> None:
        if self._open:
            self._cable.discard()

    def set_line(self, lines: SetLine) -> None:
        raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")

    def close(self) -> None:
        self.lose(None)

    def abort(self) -> None:
        self.lose(None)

    async def released(self) -> None:
        """At once."""

    def lose(self, error: Exception | None) -> None:
        if self._open:
            self._open = False
            self._cable.wire = None
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, error)

    def deliver(self, data: bytes) -> None:
        self._protocol.data_received(data)

    def drained(self) -> None:
        self._protocol.resume_writing()


class Ride:
    """A robot that spins at full speed wherever it may, from the running loop's now; `close` when done."""

    def __init__(self, board: str) -> None:
        kind, loop = emulations().boards[board], asyncio.get_running_loop()
        now = loop.time()
        self.world = World(WorldSettings(spills=(), steps_per_s=100), [BodySpec(NAME, "r2", 1)], 7, now)
        self.channel = Channel(1, TABLE, key=KEY, team=TEAM, loss=0.0, base_station=True)
        self.numbers = {NAME: 1}
        self.emulator: Any = kind.emulator(self, NAME, now)
        self.driver = kind.driver(self, NAME)
        self.cable = Cable(self.emulator, self.driver.line.baud, now)
        self.port = Port("board", "/dev/board", self.driver, None, self.cable.open)
        self.robot = self._robot()
        self.robot.begin(now)
        store: Any = SimpleNamespace(trouble="")
        self.watch = HealthMonitor(self.robot, store, None, [self.port], None)
        self._tasks = [asyncio.ensure_future(work) for work in (self._carry(), self.port.run(), self._tick())]
        self.kind: Emulated = kind

    def _robot(self) -> Robot:
        mind = Mind(TABLE, 1, FakeCoordinator(), FakeBehaviors(ActionResult(SPIN)), Permission("at-boot"), 4)
        radio = Radio(
            TABLE, 1, Keys((KEY,)), TEAM, MockModem(self.channel, 1), Stream(1, NAME, "phase"), None, None
        )
        log = RunLog(None, about_run({}, TABLE.digest, 1, {}))
        robot = Robot(NAME, mind, self.driver, radio, Faults(), log, MemoryStore())
        robot.orders.append(Order("mission-start", by="test"))
        return robot

    async def _carry(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self.cable.move(loop.time())
            await asyncio.sleep(STEP_S)

    async def _tick(self) -> None:
        loop, start, n = asyncio.get_running_loop(), asyncio.get_running_loop().time(), 0
        while True:
            await asyncio.sleep(start + n * TICK_S - loop.time())
            self.robot.step(loop.time(), n)
            self.port.poke()
            n += 1

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def speed(self) -> float:
        """The faster wheel's, as the world has it, m/s."""
        self.world.advance(self.now)
        return max(abs(speed) for speed in self.world.wheel_speeds(NAME))

    @property
    def rolls(self) -> bool:
        return self.speed > AT_REST_M_S

    @property
    def faults(self) -> list[str]:
        return [fault.name for fault in self.robot.faults.open()]

    @property
    def status(self) -> dict[str, Any]:
        assert self.robot.snapshot is not None
        return status_of(self.robot.snapshot)

    async def until(self, condition: Any, within_s: float = 15.0) -> float:
        """How long it took, s; AssertionError where it does not come to pass."""
        start = self.now
        while not condition():
            assert self.now < start + within_s, f"not within {within_s} s: {self.faults}"
            await asyncio.sleep(STEP_S)
        return self.now - start

    async def at_speed(self) -> None:
        """Return when it spins as fast as it is commanded to, which is as fast as its base can."""
        await self.until(lambda: self.speed > 0.9 * max(map(abs, self.emulator.body.driven(self.now))) > 0.1)

    async def stands_for(self, seconds: float) -> None:
        """Let time pass, in which no wheel may turn."""
        end = self.now + seconds
        while self.now < end:
            assert not self.rolls, f"it rolls at {self.speed} m/s, {self.faults}"
            await asyncio.sleep(0.02)

    async def freeze(self) -> None:
        """The computer is dead: nothing of it runs any more, nor does its line carry what it would have sent."""
        if self.cable.wire is not None:
            self.cable.wire.lose(None)
        await cancelled(self._tasks[1:])

    async def close(self) -> None:
        await cancelled(self._tasks)


async def cancelled(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel them, and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

"""Boards on a bench: a mock R-2 in its world, reached directly or through its serial protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from boards.contract import Board
from boards.mock.bodies import BodySpec
from boards.mock.emulator import R2Emulator
from boards.mock.r2 import MockR2
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from boards.r2 import R2, R2Settings
from robotd.model.command import Command

TICK_S = 0.05
BYTE_S = 10 / 115200  # on the line


class Bench(Protocol):
    """What the contract suite needs of a board and of the hand that can break it.

    `run(s, command)` lets time pass in control ticks, commanding in each (None: nothing is commanded), and returns
    what was driven in the last. `event` is a verb of boards/mock/happenings.py. `wheels` are the true speeds.
    """

    board: Board
    now: float

    def run(self, seconds: float, command: Command | None = None) -> Command: ...
    def event(self, verb: str, arg: str = "") -> None: ...
    def wheels(self) -> tuple[float, float]: ...


def world(**changes: Any) -> World:
    """A room with nothing in it but one robot, "green"."""
    settings = WorldSettings(**{"spills": (), **changes})
    return World(settings, [BodySpec("green", "r2", 1)], seed=7)


@dataclass
class DirectBench:
    """The mock board itself."""

    world: World = field(default_factory=world)
    now: float = 0.0
    ticks: int = 0

    def __post_init__(self):
        self.board = MockR2(self.world, "green")

    def run(self, seconds, command=None):
        driven = Command()
        for _ in range(round(seconds / TICK_S)):
            self.ticks += 1
            self.now = self.ticks * TICK_S
            self.tick()
            self.board.senses(self.now)
            self.board.capabilities(self.now)
            if command is not None:
                driven = self.board.command(self.now, command)
        return driven

    def tick(self):
        """What happens between two ticks."""

    def event(self, verb, arg=""):
        self.world.happen(verb, "green", arg, self.now)

    def wheels(self):
        self.world.advance(self.now)
        return self.world.wheel_speeds("green")


class SerialBench(DirectBench):
    """The driver of the serial protocol, its emulator, and a line of 115200 bits per second between them."""

    connected = True

    def __post_init__(self):
        self.board = R2(R2Settings())
        self.emulator = R2Emulator(MockR2(self.world, "green"))
        self.to_board = bytearray()
        self.on_the_way: list[tuple[float, bytes]] = []
        self.plugged = True
        if self.connected:
            self.board.connect(0.0)

    def tick(self):
        """Five milliseconds at a time: both ends say what is due, and it arrives when it has been transmitted."""
        for k in range(9, -1, -1):
            self.line(self.now - k * TICK_S / 10)

    def line(self, now):
        """One look at the line."""
        for end, other in ((self.board, self.emulator), (self.emulator, self.board)):
            if end.wake_at is not None and end.wake_at <= now:
                data = b"".join(end.transmit(now))
                if data and self.plugged:
                    self.on_the_way.append((now + len(data) * BYTE_S, data, other))
        arrived = [entry for entry in self.on_the_way if entry[0] <= now]
        self.on_the_way = [entry for entry in self.on_the_way if entry[0] > now]
        for at, data, other in arrived:
            other.receive(at, data)

"""Boards on a bench: a mock R-2 in its world, reached directly or through its serial protocol."""

import math
import pkgutil
from dataclasses import dataclass, field
from typing import Any

from boards.body import Body
from boards.conformance import Check, Let
from boards.firmata.emulator import WIRING
from boards.maestro.driver import Maestro, MaestroSettings
from boards.maestro.emulator import WIRING as SERVOS
from boards.maestro.emulator import MaestroEmulator
from boards.mock.driver import MockR2
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from boards.positioning.driver import Positioning, PositioningSettings
from boards.positioning.emulator import PositioningEmulator
from robotd.model.command import Command
from robotd.sim.emulated import emulations

TICK_S = 0.05
BITS = 10  # of a byte on the line


def world(**changes: Any) -> World:
    """A room with nothing in it but one robot, "green"."""
    settings = WorldSettings(**{"spills": (), **changes})
    return World(settings, [BodySpec("green", "r2", 1)], seed=7)


def play(bench: Any, check: Check) -> None:
    """One script of the shipped suite, the bench doing the waiting; UnmetError, or NotObservableError."""
    script, answer = check.script(bench), None
    while True:
        try:
            step = script.send(answer)
        except StopIteration:
            return
        answer = bench.let(step) if isinstance(step, Let) else bench.reopen(step)


@dataclass
class DirectBench:
    """The mock board itself: a board, and the hand that can break it, for the contract suite.

    `hides` names what its protocol cannot report: "dead PART", "frozen PART", "lifted", "stalled"; `resolution` is
    that of its speeds, m/s; all that it senses is younger than `fresh_s`; a restart is detected after `notice_s`
    and over after `restart_s`; it drives again `again_s` after a halt; `steps` is False for a gripper that is open
    or shut.

    `run(s, command)` lets time pass in control ticks, commanding in each (None: nothing is commanded), and returns
    what was driven in the last. `event` is a verb of boards/mock/scenario.py. `wheels` are the true speeds.
    """

    world: World = field(default_factory=world)
    now: float = 0.0
    ticks: int = 0
    hides = frozenset()
    resolution = 1e-6
    fresh_s = 0.25
    notice_s, restart_s, again_s = 0.1, 1.0, 0.3
    steps = True
    lag_s, answers_s = 0.0, 2.0  # a handshake that began without asks ever more seldom

    def __post_init__(self):
        self.board = MockR2(self.world, "green")

    def let(self, step):
        if not step.able:
            return self.run(step.seconds, step.command)
        driven, end = Command(), self.now + step.seconds
        while self.now < end and "mobile" not in self.board.capabilities(self.now).resources:
            driven = self.run(TICK_S, step.command)
        return driven

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

    @property
    def able(self):
        """The resources that work now."""
        return set(self.board.capabilities(self.now).resources)

    @property
    def missing(self):
        """What does not work now, and why."""
        return dict(self.board.capabilities(self.now).missing)

    def event(self, verb, arg=""):
        apply(self.world, verb, "green", arg, self.now)

    def wheels(self):
        self.world.advance(self.now)
        return self.world.wheel_speeds("green")


class SerialBench(DirectBench):
    """The driver of the serial protocol, its emulator, and a line of 115200 bits per second between them."""

    kind, table = "r2", {}

    def __post_init__(self):
        plugin = emulations().boards[self.kind].plugin
        self.board = plugin(plugin.Settings(**self.table))
        self.emulator = pkgutil.resolve_name(plugin.emulator)(MockR2(self.world, "green"))
        self.pairs = [(self.board, self.emulator)]
        self.on_the_way: list[tuple[float, bytes, Any]] = []
        self.free_at: dict[int, float] = {}  # when what an end sent has been transmitted: nothing overtakes it
        self.plugged = True
        self.mute = self.cut = False
        self.board.connect(0.0)

    def let(self, step):
        self.mute, self.cut = step.mute, step.cut
        driven = super().let(step)
        self.mute = self.cut = False
        return driven

    def reopen(self, step):
        halt = self.board.halt
        self.emulator.receive(self.now, halt)
        self.mute = step.mute
        self.board.connect(self.now)
        return halt, halt

    def tick(self):
        """Five milliseconds at a time: both ends send what is due, and it arrives when it has been transmitted."""
        for k in range(9, -1, -1):
            self.line(self.now - k * TICK_S / 10)

    def alone(self, seconds, sent=b""):
        """Let time pass in which nothing comes from the driver; what a guardian has `sent` comes byte by byte."""
        self.on_the_way.clear()
        start, done = self.now, 0
        while self.now < start + seconds - 1e-9:
            self.now = min(start + seconds, self.now + TICK_S / 10)
            left = math.floor((self.now - start) * self.board.line.baud / BITS + 1e-9)
            self.emulator.receive(self.now, sent[done:left])
            done = left
            if self.emulator.wake_at is not None and self.emulator.wake_at <= self.now:
                self.emulator.transmit(self.now)
        self.ticks = math.ceil(self.now / TICK_S - 1e-9)

    def line(self, now):
        """One look at the line."""
        ways = [(ends[0], ends[k], ends[1 - k]) for ends in self.pairs for k in (0, 1)]
        for ours, end, other in ways:
            baud = ours.line.baud
            if end.wake_at is not None and end.wake_at <= now:
                data = b"".join(part for part in end.transmit(now) if isinstance(part, bytes))
                if data and self.plugged and not (self.cut if end is ours else self.mute):
                    self.free_at[id(end)] = max(now, self.free_at.get(id(end), now)) + len(data) * BITS / baud
                    self.on_the_way.append((self.free_at[id(end)], data, other))
        arrived = [entry for entry in self.on_the_way if entry[0] <= now]
        self.on_the_way = [entry for entry in self.on_the_way if entry[0] > now]
        for at, data, other in arrived:
            other.receive(at, data)


class Create2Bench(SerialBench):
    """A Create 2: its switches report nothing, its encoders only in motion, and its light bumpers only
    before something."""

    kind = "create2"
    hides = frozenset({"dead front-range", "frozen front-range", "dead bumpers", "frozen bumpers", "dead wheels"})
    resolution = 0.001
    restart_s, again_s = 7.0, 2.0

    def wheels(self):
        self.world.advance(self.now)
        return self.emulator.chassis.speeds()


class KobukiBench(Create2Bench):
    """A Kobuki: as a Create 2, and without proximity sensors."""

    kind = "kobuki"
    hides = frozenset({"dead bumpers", "frozen bumpers", "dead wheels"})
    restart_s, again_s = 2.0, 0.3
    notice_s = 0.4


class FirmataBench(SerialBench):
    """An Arduino with StandardFirmata: nothing measures its wheels, nothing reports of its switches and servo."""

    kind, table = "firmata", WIRING
    hides = frozenset({"dead bumpers", "frozen bumpers", "dead gripper", "frozen gripper", "frozen front-range",
                       "frozen side-range", "dead motors", "lifted", "stalled"})  # fmt: skip
    notice_s, restart_s, again_s = 0.6, 3.0, 1.0


class PioneerBench(Create2Bench):
    """A Pioneer with gripper and bumper rings: it feels no lift, and ends of the gripper's ways alone."""

    kind = "pioneer"
    hides = frozenset({"dead bumpers", "frozen bumpers", "dead wheels", "dead gripper", "frozen gripper", "lifted",
                       "frozen front-range", "frozen side-range"})  # fmt: skip
    resolution = 0.003
    fresh_s = 0.45
    notice_s, restart_s, again_s = 0.6, 2.5, 0.3
    steps = False


class BodyBench(Create2Bench):
    """A Create 2 with a gripper on a Maestro and a positioning system, each on a line of its own."""

    hides = Create2Bench.hides | {"dead gripper", "frozen gripper"}
    steps = True
    fresh_s = 0.5

    def __post_init__(self):
        super().__post_init__()
        self.gripper, self.servos = Maestro(MaestroSettings(**SERVOS)), MaestroEmulator(self.emulator.body)
        self.positioning = Positioning(PositioningSettings())
        self.beacons = PositioningEmulator(self.emulator.body)
        self.base, self.board = self.board, Body(self.board, (self.gripper, self.positioning))
        self.pairs += [(self.gripper, self.servos), (self.positioning, self.beacons)]


def fast_world(**changes):
    """A room whose robot can turn its wheels as fast as a Create 2, Kobuki or Pioneer."""
    return world(max_speed_m_s=0.6, **changes)


def ready(kind):
    """A bench of a kind, whose robot has answered."""
    bench = kind(fast_world())
    bench.run(1.0)
    return bench


BENCHES = {one.kind: one for one in (SerialBench, Create2Bench, FirmataBench, KobukiBench, PioneerBench)}

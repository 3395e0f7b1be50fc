"""Worlds and hands for tests: robots put somewhere, and driven in ticks of 50 ms."""

import math

from boards.mock.driver import MockR2
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.command import Command

TEAM = [BodySpec("green", "r2", 1), BodySpec("blue", "r2", 2), BodySpec("gold", "r2", 3)]
ONE_OBJECT = ({"name": "left", "x_m": 2.0, "y_m": 2.5, "objects": 1, "spread_m": 0.0},)


def lone(**changes):
    """A world with one robot, and its board."""
    world = World(WorldSettings(**{"spills": (), **changes}), [BodySpec("green", "r2", 1)], 1)
    return world, MockR2(world, "green")


def move(world, name, x, y, heading=math.pi / 2):
    """Put a robot somewhere by hand."""
    body = world.robots[name]
    body.remove()
    body._enter((x, y), heading)
    body.present = True


class Hand:
    """Drives one board in ticks of 50 ms."""

    def __init__(self, board, start=0):
        self.board, self.ticks = board, start

    @property
    def now(self):
        return self.ticks / 20

    def drive(self, seconds, left=0.0, right=0.0, opening=None, lift=None, until=None):
        for _ in range(round(seconds * 20)):
            self.ticks += 1
            senses = self.board.senses(self.now)
            if until is not None and until(senses):
                break
            self.board.command(self.now, Command(left, right, opening, lift))
        return self.board.senses(self.now)


class BaseTalk:
    """A driver at instants given by hand; a subclass names it, and builds what it receives."""

    def __init__(self, **table):
        self.board = self.driver(self.driver.Settings(**table))
        self.board.connect(0.0)

    def sent(self, now):
        return b"".join(part for part in self.board.transmit(now) if isinstance(part, bytes))

    def missing(self, now):
        return dict(self.board.capabilities(now).missing)


def fetch(world, hand):
    """Drive up to the object of `ONE_OBJECT`, grip and lift it."""
    move(world, "green", 2.0, 1.5)
    hand.drive(3, opening=1.0, lift=0.0)
    hand.drive(10, 0.1, 0.1, until=lambda senses: senses.grip.beam)
    hand.drive(1.5, opening=0.0)
    return hand.drive(3, lift=1.0)


def withstand(driver, emulator, pieces, lift=0.5):
    """Give a driver, and the emulator of its robot, what comes: none raises, and no wheel goes too fast."""
    for n, piece in enumerate(pieces, 1):
        now = n / 20
        driver.receive(now, piece)
        emulator.receive(now, piece)
        driver.senses(now)
        top = driver.capabilities(now).max_speed
        driven = driver.command(now, Command(1.0, -1.0, 0.5, lift, 1))
        assert -top <= driven.right <= 0.0 <= driven.left <= top <= 1.0
        driver.transmit(now)
        emulator.transmit(now)

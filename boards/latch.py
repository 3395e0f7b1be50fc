"""The dead-man of a driver: a command holds until it expires; then stops are sent until the wheels rest."""

import math
from dataclasses import dataclass

from robotd.model.command import EXPIRY_S, Command, limit
from robotd.model.senses import Capabilities

STOP_S = 0.05  # between two stops until the wheels are known to be at rest
STOPS = 3  # at least: one may be lost on the line, and a frozen encoder reports rest at once


def clamp_to_body(command: Command, body: Capabilities, tunes: int = 0) -> Command:
    """What of a command a body with such capabilities does; `tunes`: how many it knows, from 0."""
    driven = limit(command, body)
    grips, sounds = "gripper" in body.resources, "sound" in body.resources
    opening, lift = (command.opening, command.lift) if grips else (None, None)
    tune = command.tune if sounds and command.tune is not None and 0 <= command.tune < tunes else None
    expiry_s = min(command.expiry_s, EXPIRY_S) if command.expiry_s > 0 else 0.0
    return Command(driven.left, driven.right, opening, lift, tune, expiry_s)


@dataclass
class CommandLatch:
    """The newest command while it holds. All times are the loop's clock, s. It is fresh only from `set`: nothing
    that keeps a line alive keeps a command alive. `repeat_s`: a command that holds is due again after, for boards
    that stop by themselves without one."""

    repeat_s: float = math.inf
    command: Command | None = None
    until: float = 0.0
    unsent: bool = False
    sent_at: float = -math.inf
    may_be_moving: bool = False  # the wheels were commanded to turn, and are not known to be at rest since
    stopped: float | None = None  # when a stop was last sent
    stops: int = 0  # in a row

    def clear(self) -> None:
        """Forget the command; if the wheels may turn, stops are due."""
        self.command, self.unsent = None, False
        self.stopped, self.stops = None, 0

    def set(self, now: float, command: Command) -> None:
        self.command, self.until, self.unsent = command, now + command.expiry_s, True
        self.stopped, self.stops = None, 0

    def expire(self, now: float) -> None:
        if self.command is not None and now >= self.until:
            self.clear()

    def due(self, now: float) -> Command | None:
        """The command, where it has to be sent now."""
        return self.command if self.unsent or now >= self.sent_at + self.repeat_s else None

    def sent(self, now: float, left: float, right: float) -> None:
        """The command has gone out, wheels in any unit."""
        self.unsent, self.sent_at = False, now
        self.may_be_moving = self.may_be_moving or bool(left or right)

    def stop_due(self, now: float) -> bool:
        """True where a stop has to be sent now; it then counts as sent."""
        due = self.command is None and self.may_be_moving and now >= self.wake_at(now)
        if due:
            self.stopped = now
            self.stops += 1
        return due

    def at_rest(self) -> None:
        """The wheels are seen to be at rest."""
        if self.command is None and self.stops >= STOPS:
            self.may_be_moving = False

    def wake_at(self, now: float) -> float:
        """When there is something to send next; inf for nothing."""
        if self.command is not None:
            return now if self.unsent else min(self.until, self.sent_at + self.repeat_s)
        if not self.may_be_moving:
            return math.inf
        return now if self.stopped is None else self.stopped + STOP_S


@dataclass
class Tunes:
    wanted: int | None = None  # by the newest command
    due: int | None = None  # not yet begun

    def want(self, tune: int | None) -> None:
        if tune is not None and tune != self.wanted:
            self.due = tune
        self.wanted = tune

    def take(self) -> int | None:
        due, self.due = self.due, None
        return due

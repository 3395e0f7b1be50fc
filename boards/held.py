"""The dead-man of a driver: a command holds until it expires, and then a stop is said until the wheels stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

from robotd.model.command import EXPIRY_S, Command
from robotd.model.senses import Capabilities

REPEAT_S = 0.05  # between two stops until the wheels are known to stand
STOPS = 3  # at least: one may be lost on the line, and an encoder that is frozen "stands" at once


def within(value: float, most: float) -> float:
    """`value` within [-most, most]; 0 for what is no number."""
    return 0.0 if math.isnan(value) else min(max(value, -most), most)


def granted(command: Command, capabilities: Capabilities, tunes: int = 0) -> Command:
    """What of a command a body with such capabilities does; `tunes`: how many it knows, from 0."""
    top = capabilities.max_speed if "mobile" in capabilities.resources else 0.0
    grips, sounds = "gripper" in capabilities.resources, "sound" in capabilities.resources
    return Command(
        within(command.left, top),
        within(command.right, top),
        command.opening if grips else None,
        command.lift if grips else None,
        command.tune if sounds and command.tune is not None and 0 <= command.tune < tunes else None,
        within(command.expiry_s, EXPIRY_S) if command.expiry_s > 0 else 0.0,
    )


@dataclass
class Held:
    """The newest command while it holds. All times are the loop's clock, s.

    It is fresh only from `take`: nothing that keeps a line alive keeps a command alive.
    """

    command: Command | None = None
    until: float = 0.0
    unsent: bool = False
    roused: bool = False  # the wheels were told to turn, and are not known to stand since
    stopped: float | None = None  # when a stop was last said
    stops: int = 0  # in a row

    def void(self) -> None:
        """Forget the command; if the wheels may turn, stops are due."""
        self.command, self.unsent = None, False
        self.stopped, self.stops = None, 0

    def take(self, now: float, command: Command) -> None:
        """A new command; the newest wins."""
        self.command, self.until, self.unsent = command, now + command.expiry_s, True
        self.stopped, self.stops = None, 0

    def expire(self, now: float) -> None:
        """Drop the command if its time is over."""
        if self.command is not None and now >= self.until:
            self.void()

    def sent(self, left: float, right: float) -> None:
        """The command has gone out, wheels in any unit."""
        self.unsent = False
        self.roused = self.roused or bool(left or right)

    def stop_due(self, now: float) -> bool:
        """True where a stop has to be said now; it then counts as said."""
        due = self.command is None and self.roused and (self.stopped is None or now >= self.stopped + REPEAT_S)
        if due:
            self.stopped = now
            self.stops += 1
        return due

    def stands(self) -> None:
        """The wheels are seen to stand."""
        if self.command is None and self.stops >= STOPS:
            self.roused = False

    def wake_at(self, now: float) -> float:
        """When there is something to say next; inf for nothing."""
        if self.command is not None:
            return now if self.unsent else self.until
        if not self.roused:
            return math.inf
        return now if self.stopped is None else self.stopped + REPEAT_S

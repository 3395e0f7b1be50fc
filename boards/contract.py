"""What every board promises, whatever its body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses

if TYPE_CHECKING:
    from pydantic import BaseModel


class Board(Protocol):
    """A body: what it can do now, what it feels, and what it is told. Pure in `now` (loop clock, s)."""

    def capabilities(self, now: float) -> Capabilities:
        """What works now; a part that is stale or fails its self-check is missing, with the reason."""

    def senses(self, now: float) -> Senses:
        """The newest reading, with the age of each group."""

    def command(self, now: float, command: Command) -> Command:
        """Take a command; returns what is really driven (limits applied, zero while not ready)."""


@dataclass(frozen=True, slots=True)
class BoardKind:
    """What an entry point of `robotd.boards` names.

    `settings` validates the board's own table of a robot file; `make(settings, name, number, start)` gives the
    board of robot `name` (`start`: loop clock, s). A board that is also a `SerialDevice` wants a port.
    """

    settings: type[BaseModel]
    make: Callable[[Any, str, int, float], Board]

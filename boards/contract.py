"""What every board promises, whatever its body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses

if TYPE_CHECKING:
    from pydantic import BaseModel


class Board(Protocol):
    """A body: what it can do now, what it feels, and what it is told. Pure in `now` (loop clock, s)."""

    @property
    def reboots(self) -> int:
        """How often the body was seen to start anew by itself; after each a person must acknowledge."""

    def capabilities(self, now: float) -> Capabilities:
        """What works now; a part that is stale or fails its self-check is missing, with the reason."""

    def senses(self, now: float) -> Senses:
        """The newest reading, with the age of each group."""

    def command(self, now: float, command: Command) -> Command:
        """Take a command; returns what is really driven (limits applied, zero while not ready)."""


class Moded(Board, Protocol):
    """A board whose own controls can end the mode in which it is driven."""

    @property
    def departures(self) -> int:
        """How often it left that mode by itself for nothing that it senses, as at its button; after each a person
        must acknowledge."""


class AddOn(Protocol):
    """A part that any base may carry, behind a port of its own: a gripper, say, or positioning."""

    @property
    def reboots(self) -> int:
        """How often what it moves was seen to let go by itself; after each a person must acknowledge."""

    @property
    def adds(self) -> tuple[str, ...]:
        """The resources that it brings, sorted."""

    def missing(self, now: float) -> dict[str, str]:
        """Those of them that do not work now, and why."""

    def complete(self, now: float, senses: Senses) -> Senses:
        """The base's senses with what this part senses, and its age; without it while that is stale."""

    def command(self, now: float, command: Command) -> Command:
        """Take its share of a command; returns what it really does, None for what is not its own."""


class BoardPlugin(Protocol):
    """What an entry point of `robotd.boards` names: a class, made from its own validated table.

    With `add_on` True it makes an `AddOn` instead of a `Board`.
    """

    @property
    def Settings(self) -> type[BaseModel]:  # noqa: N802 - it names a class
        """The model of that table."""

    @property
    def needs_port(self) -> bool:
        """True where the board is a `robotd.model.serial.SerialDevice` too."""

    def __call__(self, settings: Any) -> Board:
        """The board; nothing is opened yet.

        All that it was built with, by its settings, is among the capabilities of a new one, as missing. A board
        that itself tells of a part, once it answers, has a method `may_have(resource) -> bool` too.
        """

"""What every board is held to, whatever its body, and what its plug-in declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.value import value

if TYPE_CHECKING:
    from pydantic import BaseModel


class Board(Protocol):
    """A body: what it can do now, what it senses, and what it is commanded. Pure in `now` (loop clock, s). Two
    counts and sets are optional: see `drive_mode_exits_of` and `optional_resources_of`."""

    @property
    def reboots(self) -> int:
        """How often the body was seen to restart by itself; after each a person must acknowledge."""

    def capabilities(self, now: float) -> Capabilities:
        """What works now; a part that is stale or fails its self-check is missing, with the reason. Those of a new
        board name all that it was built with, by its settings, as missing."""

    def senses(self, now: float) -> Senses:
        """The newest reading, with the age of each group."""

    def command(self, now: float, command: Command) -> Command:
        """Take a command; returns what is really driven (limits applied, zero while not ready)."""


def drive_mode_exits_of(board: Board) -> int:
    """How often a board left the mode in which it is driven by itself, as at its button. After each a person must
    acknowledge. 0 of a board without `drive_mode_exits`: it has no such controls."""
    return int(getattr(board, "drive_mode_exits", 0))


def optional_resources_of(board: Board) -> frozenset[str]:
    """What a board may report once it answers, beside what it was built with by its settings; empty by default."""
    return frozenset(getattr(board, "optional_resources", ()))


class AddOn(Protocol):
    """A part that any base may carry, behind a port of its own: a gripper or positioning, for example."""

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


@value
class BoardPlugin:
    """What an entry point of `robotd.boards` declares: a class, made from its own table, and its attributes.
    `plugin_of` reads them from the class; those that it does not have are as here."""

    # Makes a `Board`, or an `AddOn`, from an instance of `Settings`; nothing is opened yet.
    make: Callable[[Any], Any]
    # The model of its table in a robot file; a class without one cannot be named there.
    Settings: type[BaseModel] | None = None
    needs_port: bool = False  # It is a `robotd.model.serial.SerialDevice` too.
    add_on: bool = False  # It makes an `AddOn`, to any base.
    adds: tuple[str, ...] = ()  # Of an add-on: the resources that it brings, sorted.
    # How it can be reached: keys of `robotd.transport.address.FORMS`.
    schemes: tuple[str, ...] = ("serial", "tcp")
    # What stops its wheels then, in words that begin with "nothing" where nothing does.
    when_computer_dies: str = ""
    start_button: bool = False  # It has a button that starts a mission.
    # Bring-up tries it before others: bytes meant for others could be commands to it.
    identify_first: bool = False
    # Its emulator as "module:Class", imported when it is needed: see `boards.emulator.Emulator`.
    emulator: str = ""
    simulated: bool = False  # It brings its own world: its body is described by the mission.


def plugin_of(plugin: Any) -> BoardPlugin:
    """What a plug-in's class declares."""
    declared = {one.name: getattr(plugin, one.name) for one in fields(BoardPlugin) if hasattr(plugin, one.name)}
    return BoardPlugin(make=plugin, **declared)

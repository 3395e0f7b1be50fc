"""What a robot wants its body to do, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field

from robotd.model.facts import Fact
from robotd.model.plain import SAID_IF_SET
from robotd.model.tasks import Task

EXPIRY_S = 0.5  # small wheeled robots that stop on lost commands use half a second


@dataclass(frozen=True, slots=True)
class Command:
    """Wanted wheel speeds in m/s, gripper opening and lift (0 to 1), tune to play; None leaves a part alone.

    `tool` names the resource (a broom, say) that shall run; None stops whichever runs. The board stops wheels and
    tool by itself `expiry_s` after the last command.
    """

    left: float = 0.0
    right: float = 0.0
    opening: float | None = None
    lift: float | None = None
    tune: int | None = None
    expiry_s: float = EXPIRY_S
    tool: str | None = field(default=None, metadata=SAID_IF_SET)


@dataclass(frozen=True, slots=True)
class ActionResult:
    """One tick of the behaviors: the command, the facts asserted, the subtasks asked for, who held a channel."""

    command: Command = Command()
    facts: tuple[Fact, ...] = ()
    subtasks: tuple[Task, ...] = ()
    drivers: tuple[tuple[str, str], ...] = ()  # (channel, behavior that drove it)

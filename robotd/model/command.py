"""What a robot wants its body to do, and what it did."""

import math
from dataclasses import field, replace

from robotd.model.facts import Fact
from robotd.model.plain import OMIT_DEFAULT
from robotd.model.senses import Capabilities
from robotd.model.tasks import Task
from robotd.model.value import value

EXPIRY_S = 0.5  # small wheeled robots that stop on lost commands use half a second


@value
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
    tool: str | None = field(default=None, metadata=OMIT_DEFAULT)


def limit(command: Command, body: Capabilities) -> Command:
    """`command` within the wheel speeds of `body`: both are scaled alike, so that the curve is kept.

    A body that is not mobile, or a speed that is no finite number, stops both wheels. The other parts are left
    as they are.
    """
    left, right, top = command.left, command.right, body.max_speed if "mobile" in body.resources else 0.0
    fastest = max(abs(left), abs(right))
    if fastest <= top and not math.isnan(left + right):
        return command
    if top <= 0.0 or not math.isfinite(left + right):
        return replace(command, left=0.0, right=0.0)
    left, right = (max(-top, min(top, speed * top / fastest)) for speed in (left, right))  # rounding adds nothing
    return replace(command, left=left, right=right)


@value
class ActionResult:
    """One tick of the behaviors: the command, facts asserted, subtasks asked for, the holder of each channel."""

    command: Command = Command()
    facts: tuple[Fact, ...] = ()
    subtasks: tuple[Task, ...] = ()
    drivers: tuple[tuple[str, str], ...] = ()  # (channel, behavior that drove it)

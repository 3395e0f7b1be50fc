"""What behaviors are given and what they give: percepts, outputs on channels, wires."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from robotd.model.facts import Fact
from robotd.model.senses import Capabilities, Pose, Range, Senses
from robotd.model.tasks import Task
from robotd.model.value import value

FAR = math.inf
AHEAD, SLANT, DIAGONAL, SIDE = (math.radians(d) for d in (7.0, 30.0, 67.0, 113.0))  # upper ends of sectors
REAR = math.radians(150.0)
SECTORS = ((AHEAD, "ahead", "ahead"), (SLANT, "ahead_left", "ahead_right"),
           (DIAGONAL, "left_diagonal", "right_diagonal"), (SIDE, "left", "right"))  # fmt: skip
CHANNELS = ("drive", "gripper", "lift", "sound")
BELOW = "*"  # as a wire's target: everything below its source


@dataclass(slots=True)
class Eyes:
    """The nearest thing in each sector, m from the hull; `inf`: nothing near, or no such sensor."""

    ahead: float = FAR
    ahead_left: float = FAR  # 7 to 30 degrees
    ahead_right: float = FAR
    left_diagonal: float = FAR  # 30 to 67 degrees
    right_diagonal: float = FAR
    left: float = FAR  # 67 to 113 degrees
    right: float = FAR
    rear: float = FAR  # beyond 150 degrees, either side

    @property
    def front(self) -> float:
        """The nearest of all that look ahead, within 30 degrees."""
        return min(self.ahead, self.ahead_left, self.ahead_right)


def by_sector(ranges: Sequence[Range]) -> Eyes:
    eyes = Eyes()
    for one in ranges:
        distance, off = one.distance, abs(one.bearing)
        if distance is None:
            continue
        for end, left, right in SECTORS:
            if off <= end:
                sector = left if one.bearing > 0.0 else right
                break
        else:
            if off < REAR:
                continue
            sector = "rear"
        if distance < getattr(eyes, sector):
            setattr(eyes, sector, distance)
    return eyes


@value
class Drive:
    """Wanted motion: forward speed as a share of the body's greatest, turn rate in rad/s (left is positive)."""

    speed: float
    turn: float


@dataclass(slots=True)
class Percept:
    """What behaviors are given: one tick's senses, the pose steadied with odometry, what is wanted from below."""

    now: float
    n: int
    senses: Senses
    capabilities: Capabilities
    pose: Pose | None  # of the robot's centre; None until positioned once
    eyes: Eyes  # the proximity readings by sector
    wanted: Drive | None = None  # the drive channel as all behaviors below this one leave it
    handled: bool = False  # one of them drives the gripper or the lift
    tasks: tuple[str, ...] = ()  # of the active sets, root first: a set sees what those below its own task work on


@dataclass(slots=True)
class Out:
    """What one behavior puts on the channels in one tick; None leaves a channel to those below.

    `lines` names further lines that it raises, for wires alone. `facts` are asserted, `subtasks` wanted. `tool`
    is the resource that shall run; no wire leads to it, and of several the highest behavior's runs.
    """

    drive: Drive | None = None
    gripper: float | None = None  # opening wanted, 0 closed to 1 open
    lift: float | None = None  # 0 down to 1 up
    sound: int | None = None  # tune to play
    lines: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    subtasks: tuple[Task, ...] = ()
    tool: str | None = None


@value
class Wire:
    """From a behavior's `line` (a channel or a line of its own) to the `channel` of `target`.

    suppress: while the source puts something on the line, and `hold_s` longer, it takes the target's place on
    the channel. inhibit: for as long, the target's output there is blank. `target` is a behavior or BELOW.
    """

    kind: Literal["suppress", "inhibit"]
    line: str
    target: str
    channel: str
    hold_s: float = 0.0

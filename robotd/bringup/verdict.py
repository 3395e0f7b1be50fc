"""What is wrong with the wheels, from what was commanded, what the robot measured and what a person saw."""

import math
from dataclasses import dataclass

from robotd.model.senses import Senses, Wheels

TURNS = 0.02  # m/s: above the noise of a stopped wheel
OTHER = {"left": "right", "right": "left"}
BOTH, NONE, UNKNOWN = "both", "none", ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One wheel was commanded to turn forwards. `measured`: left, right, both or none by the robot's own sensors;
    `seen`: left, right or none by the person; '': unknown.
    """

    commanded: str
    measured: str
    seen: str
    measured_back: bool = False  # backwards, by the robot's sensors
    seen_back: bool = False  # backwards, by the person


def wheel_by_speed(wheels: Wheels | None) -> tuple[str, bool]:
    """Which wheel turned by its measured speed, and whether backwards; both, if one is over half as fast."""
    if wheels is None:
        return UNKNOWN, False
    left, right = abs(wheels.left), abs(wheels.right)
    faster, speed = ("left", wheels.left) if left >= right else ("right", wheels.right)
    if max(left, right) < TURNS:
        return NONE, False
    return BOTH if min(left, right) > max(left, right) / 2 else faster, speed < 0


def wheel_by_heading(turned: float) -> tuple[str, bool]:
    """The same from a heading's change alone, rad: forwards, the left wheel turns the robot to the right.

    A wheel that turns backwards cannot be distinguished from the other that turns forwards.
    """
    if abs(turned) < 0.02:  # a degree: less than a second of one wheel at 0.08 m/s turns any robot
        return NONE, False
    return ("left" if turned < 0 else "right"), False


def turned(before: Senses, after: Senses) -> float | None:
    """The change of the heading, rad; None where it is not known."""
    for one, other in ((before.odometry, after.odometry), (before.pose, after.pose)):
        if one is not None and other is not None:
            change = other.heading - one.heading
            return math.remainder(change, math.tau)
    return None


def problem(turn: Turn) -> str:
    """What is wrong and how to repair it; '' for a wheel that did what was commanded."""
    other, wheel = OTHER[turn.commanded], turn.commanded
    if turn.seen == NONE or (turn.seen == UNKNOWN and turn.measured == NONE):
        return f"the {wheel} wheel does not turn on command: look at its motor, and at its plug"
    mixed = _mixed(turn, other)
    if mixed:
        return f"left and right are exchanged: commanded to turn the {wheel} wheel, {mixed}"
    if turn.measured == BOTH:
        return f"both wheels turn when the {wheel} one is commanded to"
    if turn.measured == NONE:
        return f"the {wheel} wheel turns and its encoder counts nothing: look at the encoder's plug"
    if turn.seen_back and (turn.measured_back or turn.measured == UNKNOWN):
        return f"the {wheel} wheel turns backwards: change the two wires of its motor"
    if turn.seen_back or turn.measured_back:
        if turn.seen_back:
            return f"the {wheel} wheel turns backwards and its encoder counts forwards: change the wires of both"
        return f"the {wheel} wheel's encoder counts backwards: change its two signal wires"
    return ""


def _mixed(turn: Turn, other: str) -> str:
    if turn.seen == other and turn.measured == turn.commanded:
        counted = f"and the {turn.commanded} encoder counts it"
        return f"the {other} one turns, {counted}: change the plugs of motors and encoders"
    if turn.seen == other:
        return f"the {other} one turns: change the plugs of the two motors"
    if turn.measured == other and turn.seen == turn.commanded:
        return f"the {other} encoder counts it: change the plugs of the two encoders"
    if turn.measured == other:
        return f"the {other} encoder counts: change the plugs of the two motors, or of the two encoders"
    return ""

"""What every board must do, ours or others', as scripts that are played on a real one, or on its emulator.

A script is a generator, as pure as a board: it yields what shall be done next (`Let` time pass, `Reopen` the
line), is sent what came of it, and raises `UnmetError` where the board does not do what it must. Whoever plays it
does the waiting. Robots are on blocks meanwhile: their wheels turn, at `FORWARD` and `TURNING` and no faster.
"""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from boards.contract import plugin_of
from robotd.model.command import EXPIRY_S, Command
from robotd.model.senses import Capabilities, Senses

WITHIN_S = 1.0  # what stops coming leaves the capabilities within, and what comes again is back within
FORWARD, TURNING = Command(0.1, 0.1), Command(-0.06, 0.06)
OFF_M_S = 0.03  # a speed may be off by: a Create 2 has steps of 0.0285
TURNS_M_S, RESTS_M_S = 0.05, 0.02
ALONE_S = 4.0  # of a cut cable: a P2OS robot's watchdog bites after 2 s, and is reported a little later
GRIP_S = 3.0  # for a gripper to open, or to close
JUNK = (b"", b"\0", bytes(range(256)) * 4, b"\xff" * 5000, b"\0\x01\0\x02\x01\0")


@dataclass(frozen=True, slots=True)
class Let:
    """Let `seconds` pass in control ticks, with `command` in each (None: nothing is commanded).

    `mute`: what the board sends meanwhile is lost; `cut`: what is sent to it is. `able`: no longer than until it
    can be driven. Sent back: what was driven last.
    """

    seconds: float
    command: Command | None = None
    mute: bool = False
    cut: bool = False
    able: bool = False


@dataclass(frozen=True, slots=True)
class Reopen:
    """Close the line in order and open it again, deaf to the board where `mute` (until the next `Let`). Sent back:
    the last bytes written before and the first after."""

    mute: bool = False


Script = Generator[Let | Reopen, Any, Any]
"""What it returns, if anything, is a note on a board that does what it must."""


class Robot(Protocol):
    """Where a script looks: the board, which is a `SerialDevice` too where it has a line, and the loop's clock, s.

    `lag_s`: by how much `wheels()` is late; `answers_s`: what a handshake may take.
    """

    board: Any
    lag_s: float
    answers_s: float

    @property
    def now(self) -> float: ...

    def wheels(self) -> tuple[float, float] | None:
        """How fast the wheels turn, left and right, m/s; None where nothing measures them."""


class UnmetError(Exception):
    """The board does not do what it must: what was `expected`, what was `seen`."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected, self.seen = expected, seen


class NotObservableError(Exception):
    """The board has nothing that shows whether it does what it must: the message is what is missing."""


@dataclass(frozen=True)
class Check:
    """One thing that a board must do. `needs`: any board, one behind a line, or one behind a real port."""

    name: str
    what: str
    needs: Literal["board", "line", "port"]
    script: Callable[[Robot], Script]


CHECKS: list[Check] = []  # in the order in which they are played


def check(name: str, what: str, needs: Literal["board", "line", "port"]) -> Callable[[Any], Any]:
    return lambda script: CHECKS.append(Check(name, what, needs, script))


def able(robot: Robot) -> Capabilities:
    found: Capabilities = robot.board.capabilities(robot.now)
    return found


def senses(robot: Robot) -> Senses:
    found: Senses = robot.board.senses(robot.now)
    return found


def must(holds: bool, expected: str, seen: object) -> None:
    if not holds:
        raise UnmetError(expected, str(seen))


def mobile(robot: Robot, when: str) -> None:
    why = dict(able(robot).missing).get("mobile", "it is not among what it has")
    must("mobile" in able(robot).resources, f"{when} it can be driven", f"it cannot: {why}")


def speeds(robot: Robot) -> tuple[float, float]:
    found = robot.wheels()
    if found is None:
        raise NotObservableError("it has no encoders, or they report nothing: watch its wheels yourself")
    return found


def turn(robot: Robot, when: str) -> None:
    found = speeds(robot)
    must(min(found) > TURNS_M_S, f"{when} the wheels turn", format_speeds(found))


def drives_nothing(driven: Command, when: str) -> None:
    must(driven.left == driven.right == 0, f"{when} nothing is driven", format_speeds((driven.left, driven.right)))


def rest(robot: Robot, when: str) -> None:
    found = speeds(robot)
    must(max(map(abs, found)) < RESTS_M_S, f"{when} the wheels rest", format_speeds(found))


def format_speeds(found: tuple[float, float]) -> str:
    return f"left {found[0]:.2f}, right {found[1]:.2f} m/s"


@check("answers", "it answers in time, and all that it was built with works", "board")
def _answers(robot: Robot) -> Script:
    yield Let(robot.answers_s, able=True)
    yield Let(WITHIN_S)
    mobile(robot, f"after {robot.answers_s:g} s")
    missing = dict(able(robot).missing)
    must(not missing, "all that it was built with works", missing)
    found = senses(robot)
    must(max(found.ages.wheels, found.ages.ranges) < WITHIN_S / 2, "its senses are fresh", found.ages)


@check("drives", "it drives what it reports that it drives", "board")
def _drives(robot: Robot) -> Script:
    driven = yield Let(1.0 + robot.lag_s, FORWARD)
    off = max(abs(driven.left - FORWARD.left), abs(driven.right - FORWARD.right))
    must(off <= OFF_M_S, "0.10 m/s is driven as requested", format_speeds((driven.left, driven.right)))
    found = speeds(robot)
    off = max(abs(found[0] - driven.left), abs(found[1] - driven.right))
    must(off <= OFF_M_S, f"wheels at {format_speeds((driven.left, driven.right))}", format_speeds(found))


@check("top-speed", "no requested speed exceeds its top speed", "board")
def _clamps(robot: Robot) -> Script:
    """Each is taken back in the same instant, before it can leave."""
    yield Let(0.1)
    top = able(robot).max_speed
    must(0 < top < math.inf, "a top speed", top)
    for wanted in (50.0, -50.0, math.inf, -math.inf, math.nan):
        driven = robot.board.command(robot.now, Command(wanted, wanted, wanted, wanted))
        robot.board.command(robot.now, Command())
        fastest = max(abs(driven.left), abs(driven.right))
        must(fastest <= top + OFF_M_S / 10, f"at most {top:.2f} m/s where {wanted} is requested", fastest)


@check("expiry", "its wheels stop when a command expires", "board")
def _expires(robot: Robot) -> Script:
    yield Let(1.0 + robot.lag_s, FORWARD)
    yield Let(EXPIRY_S - 0.15)
    turn(robot, "until its command expires")
    yield Let(0.4 + robot.lag_s)
    rest(robot, f"{EXPIRY_S + 0.25 + robot.lag_s:.2f} s after the last command")


@check("longest-expiry", "no command holds longer than half a second", "board")
def _no_longer(robot: Robot) -> Script:
    driven = yield Let(0.05, Command(0.1, 0.1, expiry_s=60.0))
    granted = driven.expiry_s
    must(granted <= EXPIRY_S, f"a command holds {EXPIRY_S:g} s at most", f"{granted:g} s are granted")
    yield Let(0.8 + robot.lag_s)
    rest(robot, f"{0.8 + robot.lag_s:.2f} s after one command that requested 60 s")


@check("expired", "a command that has expired already moves nothing", "board")
def _too_late(robot: Robot) -> Script:
    yield Let(0.5 + robot.lag_s, Command(0.1, 0.1, expiry_s=0.0))
    rest(robot, "under commands that have expired already")


@check("zero", "a command of zero stops it at once", "board")
def _stops(robot: Robot) -> Script:
    yield Let(1.0 + robot.lag_s, FORWARD)
    turn(robot, "under commands")
    yield Let(0.25 + robot.lag_s, Command())
    rest(robot, f"{0.25 + robot.lag_s:.2f} s after a command of zero")


@check("healthy", "what works stays while it moves", "board")
def _stays(robot: Robot) -> Script:
    before = able(robot).resources
    for command in (FORWARD, TURNING, FORWARD, TURNING):
        yield Let(1.0, command)
        found = able(robot)
        lost = {name: dict(found.missing).get(name, "") for name in before if name not in found.resources}
        must(not lost, f"{', '.join(before)} work while it moves", f"lost: {lost}")


@check("bounds", "its senses are within the bounds of the model", "board")
def _bounds(robot: Robot) -> Script:
    for _ in range(10):
        yield Let(0.2, TURNING)
        found = senses(robot)
        poses = [pose for pose in (found.odometry, found.pose) if pose is not None]
        must(all(abs(pose.heading) <= 3.15 and pose.accuracy >= 0 for pose in poses), "headings in ±π", poses)
        far = [r for r in found.ranges if r.distance is not None and not r.low <= r.distance <= r.high]
        must(not far, "ranges within their limits", far)
        ages = found.ages
        youngest = min(ages.wheels, ages.pose, ages.ranges, ages.bumps, ages.grip)
        must(youngest >= 0, "no sense from the future", ages)


@check("gripper", "its gripper goes where it is sent", "board")
def _grips(robot: Robot) -> Script:
    if "gripper" not in able(robot).resources:
        raise NotObservableError("it has no gripper")
    for opening, words in ((1.0, "opens"), (0.0, "closes")):
        yield Let(GRIP_S, Command(opening=opening))
        grip = senses(robot).grip
        must(grip is not None and abs(grip.opening - opening) < 0.5, f"the gripper {words} in {GRIP_S:g} s", grip)


@check("unanswered", "before an answer it drives nothing and senses nothing", "line")
def _unanswered(robot: Robot) -> Script:
    yield Reopen(mute=True)
    driven = yield Let(1.0, FORWARD, mute=True)
    drives_nothing(driven, "before an answer")
    must(not robot.board.ready, "it is not ready", "ready")
    must(not able(robot).resources, "it can do nothing", able(robot).resources)
    must("mobile" in dict(able(robot).missing), "it reports why it cannot be driven", dict(able(robot).missing))
    must(senses(robot).wheels is None, "nothing is sensed", senses(robot).wheels)
    yield Let(robot.answers_s, able=True)
    mobile(robot, "once its answers arrive again")


@check("stale", "senses that stop coming leave the capabilities within a second", "line")
def _stale(robot: Robot) -> Script:
    yield Let(0.5, FORWARD)
    driven = yield Let(WITHIN_S, FORWARD, mute=True)
    drives_nothing(driven, "without senses")
    must(not able(robot).resources, f"{WITHIN_S:g} s without senses take all capabilities", able(robot).resources)
    found = senses(robot)
    must(found.wheels is None and found.pose is None and not found.ranges, "old readings are not given", found)
    must(found.ages.wheels > 0, "the age of what was sensed last", found.ages)
    yield Let(max(robot.answers_s, WITHIN_S), able=True)
    mobile(robot, "once its senses come again")


@check("lost-frame", "one lost frame takes nothing along", "line")
def _one_lost(robot: Robot) -> Script:
    before = able(robot).resources
    for _ in range(5):
        yield Let(0.05, FORWARD, mute=True)
        yield Let(0.2, FORWARD)
        must(able(robot).resources == before, "a lost frame takes nothing along", able(robot).missing)


@check("garbage", "garbage raises nothing, and what follows counts", "line")
def _junk(robot: Robot) -> Script:
    yield Let(0.2)
    for junk in (*JUNK, robot.board.halt):
        robot.board.receive(robot.now, junk)
        for k in range(min(len(junk), 300)):
            robot.board.receive(robot.now, junk[k : k + 1])
    yield Let(0.5, FORWARD)
    mobile(robot, "half a second after garbage")


@check("reconnect", "connected again, nothing moves before a new command", "line")
def _again(robot: Robot) -> Script:
    yield Let(1.0, FORWARD)
    yield Reopen()
    yield Let(robot.answers_s, able=True)
    mobile(robot, "after it was connected again")
    yield Let(1.0)
    rest(robot, "after it was connected again, before a new command")
    yield Let(1.0 + robot.lag_s, FORWARD)
    turn(robot, "under new commands")


@check("leaves-halted", "the halt is the last thing written, and the first", "port")
def _leaves(robot: Robot) -> Script:
    yield Let(0.5, FORWARD)
    last, first = yield Reopen()
    halt = robot.board.halt
    must(bool(halt), "a halt", "none")
    must(last.endswith(halt), "the halt is written last, before the line is closed", last[-len(halt) :].hex(" "))
    must(first.startswith(halt), "the halt is written first when it is opened", first[: len(halt)].hex(" "))
    yield Let(robot.answers_s, able=True)


@check("cut-cable", "when the cable is cut, its wheels stop as it declares, or sooner", "line")
def _alone(robot: Robot) -> Script:
    declared = plugin_of(robot.board).when_computer_dies
    must(bool(declared), "it declares what stops its wheels when the computer dies", "nothing is declared")
    yield Let(1.0 + robot.lag_s, FORWARD)
    turn(robot, "before the cable is cut")
    yield Let(ALONE_S, cut=True)
    note = ""
    if not declared.startswith("nothing"):
        rest(robot, f"{ALONE_S:g} s after the cable is cut, as it declares ({declared}),")
    elif max(map(abs, speeds(robot))) < RESTS_M_S:
        note = f"safer than it declares ({declared}): {ALONE_S:g} s after the cable is cut its wheels rest"
    yield Let(1.0 + robot.lag_s, Command())
    rest(robot, "under commands of zero, the cable mended,")
    return note

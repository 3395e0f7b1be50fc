"""Bringing a board up with a person: show its senses, drive wheels and gripper, write a robot file."""

import math
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from robotd.bringup import verdict
from robotd.bringup.bench import TICK_S, Bench
from robotd.bringup.identify import Identification
from robotd.bringup.terminal import LeaveError, Terminal
from robotd.model.command import Command
from robotd.model.senses import Bump, Capabilities, Grip, Pose, Senses, Wheels

GENTLE_M_S = 0.08  # of one wheel: a Create 2 turns evenly from 0.057 on, and a person can follow it by eye
TURN_S, LOOK_S = 2.0, 0.25  # how long a wheel turns; between two drawings of the senses
GRIP_S = 3.0  # for a gripper to open, or to close
GRIP_OPEN, GRIP_CLOSED = 0.9, 0.5  # openings past which it has opened, and below which it has closed
BLOCKS = """\
Now each wheel is turned forwards, gently ({speed} m/s for {seconds:g} s). Put the robot on blocks: its wheels must
be off the ground. If it detects that, and refuses, put it on the floor with half a metre of free space around it.
Any key stops it."""
WHICH = "Which wheel turned? l, r: that one, forwards; L, R: that one, backwards; n: none; ?: not seen"
SEEN = {"l": ("left", False), "r": ("right", False), "L": ("left", True), "R": ("right", True),
        "n": (verdict.NONE, False), "?": (verdict.UNKNOWN, False)}  # fmt: skip

Save = Callable[[], Awaitable[list[str]]]
"""Writes the robot file; lines that report it."""


@dataclass
class Findings:
    """What was driven, and what is wrong; `left` early, by the person."""

    turns: list[verdict.Turn] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left: bool = False


async def run_wizard(terminal: Terminal, bench: Bench, found: Identification, save: Save) -> Findings:
    """All steps in order, each on confirmation. BoardError where the board's code raises."""
    findings = Findings()
    try:
        await _look(terminal, bench)
        if await _may_drive(terminal, bench):
            for wheel in ("left", "right"):
                await _turn(terminal, bench, wheel, findings)
        if "gripper" in bench.board.capabilities(bench.now).resources:
            await _grip(terminal, bench, findings)
        _sum_up(terminal, findings, found)
        if await terminal.ask("Write a first robot file?", "yn") == "y":
            for line in await save():
                terminal.say(line)
    except LeaveError:
        findings.left = True
        terminal.say("\nstopped")
    return findings


async def _look(terminal: Terminal, bench: Bench) -> None:
    """Show the senses until a key is pressed."""
    terminal.say("Its senses now; any key continues, control-C leaves at any time:\n")
    while True:
        now = bench.now
        terminal.draw(format_senses(bench.board.senses(now), bench.board.capabilities(now)))
        bench.check()
        if await terminal.key(LOOK_S):
            return


async def _may_drive(terminal: Terminal, bench: Bench) -> bool:
    """Whether the person wants the wheels driven, and they can be."""
    terminal.say("\n" + BLOCKS.format(speed=GENTLE_M_S, seconds=TURN_S))
    while await terminal.ask("Turn the wheels?", "yn") == "y":
        able = await bench.settle()
        if "mobile" in able.resources:
            return True
        terminal.say(f"It cannot be driven now: {dict(able.missing).get('mobile', 'it has no wheels')}")
    return False


async def _turn(terminal: Terminal, bench: Bench, wheel: str, findings: Findings) -> None:
    """Turn one wheel and note which one turned, or why none was driven."""
    before = bench.board.senses(bench.now)
    driven, measured_wheels, stopped = await _drive(terminal, bench, wheel)
    if not (driven.left or driven.right):
        if not stopped:
            missing = dict(bench.board.capabilities(bench.now).missing)
            why = missing.get("mobile", "the command has expired in the board")
            findings.problems.append(f"the {wheel} wheel was not driven: {why}")
        return
    measured, measured_back = verdict.wheel_by_speed(max(measured_wheels, key=_speed, default=None))
    change = verdict.turned(before, bench.board.senses(bench.now))
    if measured == verdict.UNKNOWN and change is not None:
        measured, measured_back = verdict.wheel_by_heading(change)
    seen, seen_back = SEEN[await terminal.ask(WHICH, "lrLRn?")]
    turn = verdict.Turn(wheel, measured, seen, measured_back, seen_back)
    findings.turns.append(turn)
    wrong = verdict.problem(turn)
    if wrong:
        findings.problems.append(wrong)
    terminal.say(wrong or f"the {wheel} wheel turns as commanded")


async def _drive(terminal: Terminal, bench: Bench, wheel: str) -> tuple[Command, list[Wheels], bool]:
    """Drive one wheel for `TURN_S`, or until a key is pressed: what was driven, the speeds measured, and whether
    a key stopped it."""
    terminal.drain()
    terminal.say(f"{wheel} wheel ... ", end="")
    measured: list[Wheels] = []
    command = Command(GENTLE_M_S, 0.0) if wheel == "left" else Command(0.0, GENTLE_M_S)

    def measure() -> None:
        wheels = bench.board.senses(bench.now).wheels
        measured.extend([wheels] if wheels is not None else [])

    bench.on_tick = measure
    try:
        driven = await bench.let(TURN_S, command, until=lambda: terminal.pressed)
    finally:
        bench.on_tick = lambda: None
    stopped = terminal.pressed
    await bench.let(2 * TICK_S, Command())
    terminal.say("stopped" if stopped else "done")
    terminal.drain()
    return driven, measured, stopped


def _speed(wheels: Wheels) -> float:
    return max(abs(wheels.left), abs(wheels.right))


async def _grip(terminal: Terminal, bench: Bench, findings: Findings) -> None:
    """Open and close the gripper until a key is pressed; note whether it reports that."""
    terminal.say("\nNow the gripper opens and closes; nothing may be between its fingers. Any key stops it.")
    if await terminal.ask("Open and close the gripper?", "yn") != "y":
        return
    terminal.drain()
    for opening, word in ((1.0, "open"), (0.0, "close")):
        await bench.let(GRIP_S, Command(opening=opening), until=lambda: terminal.pressed)
        await bench.let(2 * TICK_S, Command())
        grip = bench.board.senses(bench.now).grip
        if terminal.pressed:
            terminal.say("stopped")
            terminal.drain()
            return
        done = grip is not None and (grip.opening > GRIP_OPEN if opening else grip.opening < GRIP_CLOSED)
        if not done:
            findings.problems.append(f"the gripper does not {word} on command")
        terminal.say(f"{word}: {'done' if done else 'not reported'}")


def _sum_up(terminal: Terminal, findings: Findings, found: Identification) -> None:
    terminal.say("")
    for wrong in findings.problems:
        terminal.say(f"problem: {wrong}")
    if not findings.problems:
        terminal.say("no problems were found" if findings.turns else "nothing was driven")
    terminal.say(f"When this computer dies, what stops its wheels is: {found.when_computer_dies or 'not known'}\n")


def format_senses(senses: Senses, able: Capabilities) -> list[str]:
    """What works and what is missing, then each group of readings that is present."""
    return [f"{name:<10} {words}" for name, words in _rows(senses, able)]


def _rows(senses: Senses, able: Capabilities) -> Iterator[tuple[str, str]]:
    yield "works", ", ".join(able.resources) or "nothing"
    for name, why in able.missing:
        yield "missing", f"{name}: {why}"
    if senses.wheels is not None:
        yield "wheels", f"left {senses.wheels.left:+.2f} m/s, right {senses.wheels.right:+.2f} m/s"
    for name, pose in (("odometry", senses.odometry), ("position", senses.pose)):
        if pose is not None:
            yield name, _pose(pose)
    for kind in sorted({reading.kind for reading in senses.ranges}):
        seen = sorted((r for r in senses.ranges if r.kind == kind), key=lambda r: -r.bearing)
        yield kind, "  ".join(f"{_degrees(r.bearing)} {_metres(r.distance)}" for r in seen)
    if senses.bumps:
        yield "bumps", _pressed(senses.bumps)
    if senses.cliffs:
        yield "cliffs", _pressed(senses.cliffs)
    if senses.grip is not None:
        yield "gripper", _gripper(senses.grip)
    for sight in senses.sights:
        yield "sees", f"{sight.kind} {sight.label} at {_degrees(sight.bearing)}"
    if senses.battery is not None:
        yield "battery", f"{senses.battery:.0%}{', charging' if senses.charging else ''}"
    felt = [word for word, on in (("lifted", senses.lifted), ("stalled", senses.stalled)) if on]
    if felt:
        yield "state", ", ".join(felt)


def _pose(pose: Pose) -> str:
    return f"x {pose.x:.2f} m, y {pose.y:.2f} m, heading {_degrees(pose.heading)}, good to {pose.accuracy:.2f} m"


def _gripper(grip: Grip) -> str:
    felt = [word for word, on in (("beam broken", grip.beam), ("pressed", grip.bump)) if on]
    return ", ".join([f"opening {grip.opening:.0%}", f"lift {grip.lift:.0%}", *felt])


def _pressed(bumps: tuple[Bump, ...]) -> str:
    on = [_degrees(bump.bearing) for bump in bumps if bump.pressed]
    return f"at {', '.join(on)}" if on else f"none of {len(bumps)}"


def _degrees(radians: float) -> str:
    return f"{math.degrees(radians):+.0f}°"


def _metres(distance: float | None) -> str:
    return "-" if distance is None else f"{distance:.2f} m"

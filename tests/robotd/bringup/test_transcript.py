"""`robotd board` with a person at one pseudo-terminal and an emulated board at another: the whole conversation."""

from __future__ import annotations

import asyncio
import re

import pytest

from boards.mock.scenario import apply
from robotd.advice.check import check
from robotd.bringup.procedure import Asked, Surroundings, bring_up
from robotd.files.plugins import Plugins
from robotd.sim.emulated import BOARDS
from robotd.timing.virtual_loop import run_virtual
from tests.robotd.bringup.desk import PORT, PtyPort, emulated, loop_time, memory, open_at_once
from tests.robotd.bringup.person import Person

PATIENCE_S = 600.0  # virtual: a conversation takes a quarter of a minute
SPEED, PTY_SPEED = 100.0, 12.0  # of the clock: a stale sense of 0.3 s takes 25 ms on a pseudo-terminal
LOOK = ("any key goes on", " ")
DRIVE = ("Turn the wheels?", "y")
WHICH = "Which wheel turned?"
GRIP = ("Open and close the gripper?", "y")
WRITE = ("Write a first robot file?", "y")
NO_FILE = ("Write a first robot file?", "n")


async def at_once(work):
    return work()


def brought_up(kind, answers, out, *, swapped=False, meddle=lambda emulator: None, on_pty=False, settings=()):
    """A course with `kind`, the person answering so: exit status, transcript, emulator, port.

    A pseudo-terminal passes bytes on in the kernel's own time, so that a clock which only jumps would outrun it.
    """

    async def main():
        robot = emulated(kind, loop_time())
        robot.body.swapped = swapped
        meddle(robot)
        plugin = Plugins().get("robotd.boards", kind)
        port = PtyPort(robot, plugin(plugin.Settings()).line.baud) if on_pty else None
        path, opener = (port.path, open_at_once) if port is not None else (PORT, memory(robot))
        person = Person(answers)
        try:
            async with asyncio.timeout(PATIENCE_S):
                asked = Asked(path, kind, out=str(out), settings=settings)
                code = await bring_up(asked, Surroundings(person.fd, person.write, opener, at_once))
            await asyncio.sleep(1.0)  # virtual: the halt goes over the line, the last words over the terminal
            return code, person.transcript, robot, path
        except TimeoutError:
            raise AssertionError(f"the program waits for the person: {person.transcript[-2000:]}") from None
        finally:
            person.close()
            if port is not None:
                port.close()

    return run_virtual(main(), PTY_SPEED if on_pty else SPEED)


def stands(robot):
    """Whether the emulated wheels are told to stand, without the half second after which a body lets go."""
    return robot.body.driven(robot.body.world.now) == (0.0, 0.0)


@pytest.mark.parametrize("kind", BOARDS)
def test_a_board_is_met_looked_at_driven_and_gets_a_robot_file_that_is_accepted(kind, tmp_path):
    out = tmp_path / "robot.toml"
    has_gripper = "gripper" in emulated(kind).body.capabilities(0.0).resources and kind in ("pioneer", "r2")
    answers = [LOOK, DRIVE, (WHICH, "l"), (WHICH, "r"), *([GRIP] if has_gripper else []), WRITE]
    code, text, robot, path = brought_up(kind, answers, out, on_pty=True)
    assert f"{path} is a board of the kind {kind}" in text
    assert re.search(r"works .*mobile", text)
    assert "the left wheel does what it is told" in text
    assert "the right wheel does what it is told" in text
    assert ("told to open: done\ntold to close: done" in text) == has_gripper
    assert "no problems were found" in text
    assert "When this computer dies" in text
    assert stands(robot)
    assert code == 0
    assert (f"{out} is written and checked" in text) == (kind != "firmata")
    report = check(str(out), here=False)
    assert (report.problems, report.name) == ([], "amber")
    assert f'name = "{kind}"' in out.read_text(encoding="utf-8")


def test_a_file_that_is_not_enough_for_its_mission_says_what_is_lacking_before_what_is_next(tmp_path):
    out = tmp_path / "robot.toml"
    _, text, _, _ = brought_up("firmata", [LOOK, ("Turn the wheels?", "n"), WRITE], out, on_pty=True)
    told = text[text.index(f"{out} is written") :]
    assert "is written, but not enough for its mission; it would stand still" in told
    assert "amber cannot do 'first-round', 'second-round' and 'third-round': its board 'firmata'" in told
    assert "has no bumpers" in told
    assert told.index("bumpers = [{ pin = ..., bearing_deg = ... }]    # bump switches") < told.index("Next: ")
    assert f"Next: robotd check {out}, until it says that amber can do its tasks" in told
    lines = out.read_text(encoding="utf-8").splitlines()
    assert "# infrared = [{ channel = ..., bearing_deg = ... }]    # analogue proximity sensors" in lines
    assert lines.index("[board.parameters]") < lines.index("[radio]")
    filled = [line.removeprefix("# ").replace("...", "2") if "bumpers" in line else line for line in lines]
    out.write_text("\n".join(filled), encoding="utf-8")
    assert check(str(out), here=False).advice.shortcomings == []


def test_a_file_with_the_parts_that_were_said_is_enough(tmp_path):
    out, bumpers = tmp_path / "robot.toml", (("bumpers", "[{ pin = 2, bearing_deg = 0 }]"),)
    _, text, _, _ = brought_up(
        "firmata", [LOOK, ("Turn the wheels?", "n"), WRITE], out, on_pty=True, settings=bumpers
    )
    assert f"{out} is written and checked. Next: robotd run" in text
    assert "# bumpers" not in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", BOARDS)
def test_wheels_that_are_swapped_are_noticed(kind, tmp_path):
    answers = [LOOK, DRIVE, (WHICH, "r"), (WHICH, "l"), (GRIP[0], "n"), NO_FILE]
    answers = answers if kind in ("pioneer", "r2") else [each for each in answers if each[0] != GRIP[0]]
    code, text, robot, _ = brought_up(kind, answers, tmp_path / "robot.toml", swapped=True)
    assert "left and right are mixed up: told to turn the left wheel, the right one turns" in text
    assert "left and right are mixed up: told to turn the right wheel, the left one turns" in text
    assert "problem: left and right" in text
    assert stands(robot)
    assert code == 1
    assert not (tmp_path / "robot.toml").exists()


def test_swapped_wheels_are_noticed_without_a_person_who_looks(tmp_path):
    answers = [LOOK, DRIVE, (WHICH, "?"), (WHICH, "?"), NO_FILE]
    code, text, _, _ = brought_up("create2", answers, tmp_path / "robot.toml", swapped=True)
    assert "told to turn the left wheel, the right encoder counts" in text
    assert code == 1


def test_any_key_stops_a_wheel_and_the_walk_goes_on(tmp_path):
    answers = [LOOK, DRIVE, ("left wheel ... ", "x"), (WHICH, "n"), (WHICH, "r"), NO_FILE]
    code, text, robot, _ = brought_up("create2", answers, tmp_path / "robot.toml")
    assert "left wheel ... stopped" in text
    assert "right wheel ... done" in text
    assert stands(robot)
    assert code == 1  # a wheel that nobody saw turning is a problem


@pytest.mark.parametrize(
    ("when", "key"),
    [("any key goes on", "\x03"), ("Turn the wheels?", "\x04"), ("left wheel ... ", "\x03"), (WHICH, "\x1c")],
)
def test_control_c_and_a_hangup_leave_at_any_time_with_the_wheels_halted(when, key, tmp_path):
    steps = [LOOK, DRIVE, ("left wheel ... ", ""), (WHICH, "l")]
    cut = next(n for n, step in enumerate(steps) if step[0] == when)
    code, text, robot, _ = brought_up("create2", [*steps[:cut], (when, key)], tmp_path / "robot.toml")
    assert text.endswith("stopped\n")
    assert stands(robot)
    assert robot.mode == 0  # the halt has left a Create 2 switched off
    assert code == 1


def test_a_robot_that_cannot_be_driven_says_why_and_is_asked_about_again(tmp_path):
    def lift(robot):
        apply(robot.body.world, "remove", "amber", "", 0.0)

    answers = [LOOK, DRIVE, ("Turn the wheels?", "n"), NO_FILE]
    code, text, _, _ = brought_up("create2", answers, tmp_path / "robot.toml", meddle=lift)
    assert "It cannot be driven now: lifted off the floor" in text
    assert "nothing was driven" in text
    assert code == 0


def test_a_wheel_that_does_not_turn_is_told(tmp_path):
    def hold(robot):
        apply(robot.body.world, "seize", "amber", "", 0.0)

    answers = [LOOK, DRIVE, (WHICH, "n"), (WHICH, "?"), NO_FILE]
    code, text, _, _ = brought_up("create2", answers, tmp_path / "robot.toml", meddle=hold)
    assert "the left wheel does not turn when it is told to" in text
    assert "the right wheel does not turn when it is told to" in text
    assert code == 1


def test_a_robot_file_that_is_there_stays_as_it_is(tmp_path):
    out = tmp_path / "robot.toml"
    out.write_text("mine", encoding="utf-8")
    _, text, _, path = brought_up("create2", [LOOK, ("Turn the wheels?", "n"), WRITE], out, on_pty=True)
    assert out.read_text(encoding="utf-8") == "mine"
    assert "exists and stays as it is" in text
    assert f'port = "{path}"' in text

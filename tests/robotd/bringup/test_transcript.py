"""`robotd board` with a person at one pseudo-terminal and an emulated board at another: the whole dialogue."""

import asyncio
import os
import pty
import re

import pytest

from boards.mock.scenario import apply
from robotd.advice.check import check
from robotd.bringup.procedure import BringUpRequest, Surroundings, bring_up
from robotd.bringup.terminal import LeaveError, Terminal
from robotd.files.plugins import Plugins
from robotd.sim.emulated import emulations
from robotd.timing.virtual_loop import run_virtual
from tests.robotd.bringup.desk import PORT, PtyPort, emulated, loop_time, memory, open_at_once
from tests.robotd.bringup.person import Person

BOARDS = emulations().boards

PATIENCE_S = 600.0  # virtual: a conversation takes a quarter of a minute
SPEED = 100.0  # of the clock
LOOK = ("any key continues", " ")
DRIVE = ("Turn the wheels?", "y")
WHICH = "Which wheel turned?"
GRIP = ("Open and close the gripper?", "y")
WRITE = ("Write a first robot file?", "y")
NO_FILE = ("Write a first robot file?", "n")


async def at_once(work):
    return work()


def brought_up(kind, answers, out, *, swapped=False, meddle=lambda emulator: None, on_pty=False):
    """Bring-up of `kind` with these answers of the person: exit status, transcript, emulator, port."""

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
                request = BringUpRequest(path, kind, out=str(out))
                code = await bring_up(request, Surroundings(person.fd, person.write, opener, at_once))
            await asyncio.sleep(1.0)  # virtual: the halt goes over the line, the last words over the terminal
            return code, person.transcript, robot, path
        except TimeoutError:
            raise AssertionError(f"the program waits for the person: {person.transcript[-2000:]}") from None
        finally:
            person.close()
            if port is not None:
                port.close()

    return run_virtual(main(), SPEED)


def is_stopped(robot):
    """Whether the emulated wheels have no command, before a command of the body expires."""
    return robot.body.driven(robot.body.world.now) == (0.0, 0.0)


@pytest.mark.parametrize("kind", BOARDS)
def test_every_board_is_identified_shown_and_driven_and_its_robot_file_is_accepted(kind, tmp_path):
    out = tmp_path / "robot.toml"
    has_gripper = "gripper" in emulated(kind).body.capabilities(0.0).resources and kind in ("pioneer", "r2")
    answers = [LOOK, DRIVE, (WHICH, "l"), (WHICH, "r"), *([GRIP] if has_gripper else []), WRITE]
    code, text, robot, path = brought_up(kind, answers, out, on_pty=True)
    assert f"{path} is a board of the kind {kind}" in text
    assert re.search(r"works .*mobile", text)
    assert all(f"the {wheel} wheel turns as commanded" in text for wheel in ("left", "right"))
    assert ("\nopen: done\nclose: done" in text) == has_gripper
    assert "no problems were found" in text
    assert "When this computer dies" in text
    assert is_stopped(robot)
    assert code == 0
    assert (f"{out} is written and checked" in text) == (kind != "firmata")
    report = check(str(out), here=False)
    assert (report.problems, report.name) == ([], "amber")
    assert f'name = "{kind}"' in out.read_text(encoding="utf-8")


def test_an_incomplete_file_is_reported_with_the_lines_to_fill_in(tmp_path):
    out = tmp_path / "robot.toml"
    _, text, _, _ = brought_up("firmata", [LOOK, ("Turn the wheels?", "n"), WRITE], out, on_pty=True)
    report = text[text.index(f"{out} is written") :]
    assert "it would not move" in report
    assert "has no bumpers" in report
    assert report.index("bumpers = [{ pin = ..., bearing_deg = ... }]    # bump switches") < report.index("Next: ")
    lines = out.read_text(encoding="utf-8").splitlines()
    assert "# infrared = [{ channel = ..., bearing_deg = ... }]    # analogue proximity sensors" in lines
    assert lines.index("[board.parameters]") < lines.index("[radio]")
    filled = [line.removeprefix("# ").replace("...", "2") if "bumpers" in line else line for line in lines]
    out.write_text("\n".join(filled), encoding="utf-8")
    assert check(str(out), here=False).advice.shortcomings == []


@pytest.mark.parametrize(("kind", "seen"), [*((kind, "rl") for kind in BOARDS), ("create2", "??")])
def test_exchanged_wheels_are_detected_by_eye_or_by_the_encoders_alone(kind, seen, tmp_path):
    gripper = [(GRIP[0], "n")] if kind in ("pioneer", "r2") else []
    answers = [LOOK, DRIVE, *((WHICH, key) for key in seen), *gripper, NO_FILE]
    code, text, robot, _ = brought_up(kind, answers, tmp_path / "robot.toml", swapped=True)
    for wheel, other in (("left", "right"), ("right", "left")):
        assert f"exchanged: commanded to turn the {wheel} wheel, the {other} " in text
    assert is_stopped(robot)
    assert code == 1
    assert not (tmp_path / "robot.toml").exists()


def test_any_key_stops_a_wheel_and_the_next_step_follows(tmp_path):
    answers = [LOOK, DRIVE, ("left wheel ... ", "x"), (WHICH, "n"), (WHICH, "r"), NO_FILE]
    code, text, robot, _ = brought_up("create2", answers, tmp_path / "robot.toml")
    assert "left wheel ... stopped" in text
    assert "right wheel ... done" in text
    assert is_stopped(robot)
    assert code == 1  # the person saw no wheel turn


@pytest.mark.parametrize(
    ("when", "key"),
    [("any key continues", "\x03"), ("Turn the wheels?", "\x04"), ("left wheel ... ", "\x03"), (WHICH, "\x1c")],
)
def test_control_c_and_a_hangup_leave_at_any_time_with_the_wheels_halted(when, key, tmp_path):
    steps = [LOOK, DRIVE, ("left wheel ... ", ""), (WHICH, "l")]
    cut = next(n for n, step in enumerate(steps) if step[0] == when)
    code, text, robot, _ = brought_up("create2", [*steps[:cut], (when, key)], tmp_path / "robot.toml")
    assert text.endswith("stopped\n")
    assert is_stopped(robot)
    assert robot.mode == 0  # the halt has left a Create 2 switched off
    assert code == 1


async def test_a_terminal_that_is_closed_is_left_without_another_error():
    master, fd = pty.openpty()
    async with Terminal(fd, lambda text: os.write(fd, text.encode())) as terminal:
        os.close(master)
        with pytest.raises(LeaveError):
            await terminal.key()
        terminal.say("stopped")
    os.close(fd)


@pytest.mark.parametrize(
    ("event", "answers", "words", "status"),
    [
        ("remove", [DRIVE, ("Turn the wheels?", "n")], ("cannot be driven now: lifted", "nothing was driven"), 0),
        ("seize", [DRIVE, (WHICH, "n"), (WHICH, "?")], ("left wheel does not", "right wheel does not"), 1),
    ],
)
def test_a_robot_that_cannot_be_driven_or_does_not_turn_is_reported(event, answers, words, status, tmp_path):
    def meddle(robot):
        apply(robot.body.world, event, "amber", "", 0.0)

    answers = [LOOK, *answers, NO_FILE]
    code, text, _, _ = brought_up("create2", answers, tmp_path / "robot.toml", meddle=meddle)
    assert [each for each in words if each not in text] == []
    assert code == status


def test_a_robot_file_that_is_there_stays_as_it_is(tmp_path):
    out = tmp_path / "robot.toml"
    out.write_text("mine", encoding="utf-8")
    _, text, _, path = brought_up("create2", [LOOK, ("Turn the wheels?", "n"), WRITE], out, on_pty=True)
    assert out.read_text(encoding="utf-8") == "mine"
    assert "exists and stays as it is" in text
    assert f'port = "{path}"' in text

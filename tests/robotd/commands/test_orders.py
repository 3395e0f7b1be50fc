"""Commands that give a robot orders over its local socket."""

import asyncio
import io
import json
import shlex

import pytest

from robotd.__main__ import main
from robotd.commands.orders import ALONE
from robotd.control import client
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.robot.permission import Permission, held_still, in_run
from tests.robotd.control.stand_in import FAULTED, RUNNING, STARTS, WAITING, Robot, serving


async def command(*words):
    """The exit status of a command."""
    return await asyncio.to_thread(main, words)


async def test_start_succeeds_when_the_robot_may_move_and_reports_what_hinders_it(folder, capsys):
    for state, status, printed in (
        (WAITING, 0, "green: running (permitted to move)\n"),
        (FAULTED, 1, "green: faulted (port-lost: gone)\nnext: robotd ack\n"),
    ):
        async with serving(folder, Robot(state)):
            assert await command("start") == status
        assert capsys.readouterr().out == printed


async def test_stop_ack_and_mission_give_their_orders(folder, capsys):
    robot = Robot(RUNNING)
    async with serving(folder, robot):
        for words in ("stop", "stop --team --robot green", "ack", "mission reset --json"):
            assert await command(*words.split()) == 0
    assert [order.kind for order in robot.taken] == ["stop", "stop-team", "acknowledge", "mission-reset"]
    printed = capsys.readouterr().out
    assert "is stopped by green" in printed
    answer = json.loads(printed.splitlines()[-1])
    assert (answer["robot"], answer["run"]) == ("green", {"number": 3, "running": False, "asked": ""})


@pytest.mark.parametrize(("what", "named"), [("start", []), ("stop", ["--robot", "green"]), ("reset", [])])
async def test_what_ends_a_running_run_needs_a_yes_and_gives_no_order_without(
    folder, monkeypatch, capsys, what, named
):
    robot = Robot(RUNNING)
    robot.running = True
    robot.snapshot = robot.made()
    async with serving(folder, robot):
        monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
        assert await command("mission", what, "--json", *named) == 1  # without a terminal no one can be asked
        error = json.loads(capsys.readouterr().out)["error"]
        assert error.endswith(": " + " ".join(["robotd mission", what, "--yes", *named]))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        assert await command("mission", what) == 1
        assert robot.taken == []
        monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        assert await command("mission", what) == 0
        robot.running = True
        assert await command("mission", what, "--yes") == 0
    assert (len(robot.taken), robot.run) == (2, 4)


@pytest.mark.parametrize("words", [("stop", "--team"), ("mission", "start")])
async def test_an_order_to_the_team_without_a_radio_reports_that_this_robot_alone_is_reached(
    folder, capsys, words
):
    robot = Robot(RUNNING)
    robot.alive = False
    async with serving(folder, robot):
        assert await command(*words) == 0
        assert f"green: {ALONE}" in capsys.readouterr().out.splitlines()
        robot.running = False
        robot.snapshot = robot.made()
        assert await command(*words, "--json") == 0
    assert json.loads(capsys.readouterr().out)["alone"] is True


OPENED = ["green: run 3 is running, for the whole team",
          "green: run 2 ended; its facts and claims were dropped (0 facts)"]  # fmt: skip
HINDERED = [*OPENED, "green itself will not move:"]


@pytest.mark.parametrize(("state", "first"), [(RUNNING, OPENED), (FAULTED, HINDERED), (WAITING, HINDERED)])
async def test_a_run_opens_also_where_this_robot_may_not_move_with_why_and_what_to_do(
    folder, capsys, state, first
):
    async with serving(folder, robot := Robot(state)):
        assert await command("mission", "start") == 0
        rest = [f"green: {state.word} ({state.reason})", *[f"next: {state.next_step}"] * bool(state.next_step)]
        assert capsys.readouterr().out.splitlines() == [*first, *rest]
        robot.run_asked, robot.running = "mission-start", False
        assert await command("mission", "start", "--yes") == 0
    assert "mission start waits" in capsys.readouterr().out


@pytest.mark.parametrize(("asked", "asks"), [("mission-start", 0), ("mission-stop", 1), ("", 1)])
async def test_an_order_that_waits_is_not_what_to_type_next(folder, capsys, asked, asks):
    robot = Robot(in_run(RUNNING, running=False))
    robot.run_asked = asked
    async with serving(folder, robot):
        assert await command("start") == 0
    assert capsys.readouterr().out.count("next: robotd mission start") == asks


def next_steps():
    """The next step of every state that asks for one."""
    stop = (Permission("at-boot"), (Order("stop"),))
    fault, by = Fault("port-lost", "gone", 0.0), Fault("stopped", "stopped by red", 0.0)
    for permission, orders in (stop, *((Permission(how), ()) for how in STARTS)):
        state = permission.step(Inputs(0.0, 0, Senses(), Capabilities(), orders, ()))
        yield from (state, in_run(state, running=False), in_run(state, running=True, all_done=True))
    yield from (held_still([fault]), held_still([by]))


@pytest.mark.parametrize("step", sorted({state.next_step for state in next_steps()} - {""}))
@pytest.mark.parametrize("named", [None, "green"])
async def test_every_next_step_can_be_typed_as_it_is_printed(folder, step, named):
    words = shlex.split(client.next_step(step, named))
    assert words[0] == "robotd"
    robot = Robot(RUNNING)
    async with serving(folder, robot):
        assert await asyncio.to_thread(main, words[1:]) == 0
    assert len(robot.taken) == 1


async def test_an_acknowledgement_of_what_lasts_fails_and_so_does_a_command_without_a_robot(folder, capsys):
    async with serving(folder, Robot(FAULTED)):
        assert await command("ack") == 1
    assert await command("start") == 1
    printed = capsys.readouterr()
    assert "port-lost" in printed.out
    assert "no robotd is running here" in printed.err


# -- robotd radio forget


STATE = {"word": "running", "reason": "", "next_step": "", "may_move": True}
STATUS = {"teammates": [{"name": "blue"}, {"name": "gold"}]}


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch, tmp_path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []

    def ask(path, request, timeout_s: float = 1.0):
        found.append(request)
        return {"ok": True, "robot": "green", "state": STATE, "status": STATUS}

    monkeypatch.setattr(client, "ask", ask)
    monkeypatch.setattr(client, "find_socket", lambda robot: tmp_path / "green.sock")
    return found


@pytest.mark.parametrize("name", ["blue", "base-station"])
def test_the_order_names_the_sender(requests, capsys, name: str) -> None:
    assert main(["radio", "forget", name]) == 0
    assert requests[-1] == {"do": "radio-forget", "args": [name]}
    assert f"a recording of {name}" in capsys.readouterr().out


def test_a_name_that_is_no_other_of_the_team_is_refused_with_the_nearest(requests, capsys) -> None:
    assert [main(["radio", "forget", "bleu"]), main(["radio", "forget", "green"])] == [2, 2]  # itself
    assert len(requests) == 2
    assert "'blue'? (there are: base-station, blue, gold)" in capsys.readouterr().err

"""The local socket: orders reach the tick and are answered after it; whatever else comes is refused."""

import asyncio
import contextlib
import io
import json
import os
import pwd
import shlex
import socket
import stat
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.__main__ import main
from robotd.control import client
from robotd.control import server as control
from robotd.control.client import CannotAskError, ask, find_socket
from robotd.control.server import MAX_CLIENTS, ControlServer
from robotd.model.choice import Choice, Event
from robotd.model.decision import State
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.robot.permission import Permission, held_still, in_run
from tests.robotd.transport.serial_helper import until

ME = pwd.getpwuid(os.getuid()).pw_name
STARTS = ("command", "button", "at-boot")
WAITING = State("waiting for start", "nobody has started it", "robotd start", may_move=False)
RUNNING = State("running", "permitted to move", "", may_move=True)
FAULTED = State("faulted", "port-lost: gone", "robotd ack", may_move=False)


class Robot:
    """What the server sees of a robot; `tick` takes the orders and leaves the next snapshot."""

    def __init__(self, state=WAITING):
        self.orders = []
        self.taken = []
        self.state = state
        self.run, self.running, self.run_asked = 2, False, ""
        self.snapshot = self.made()

    def made(self):
        thought = SimpleNamespace(state=self.state, beliefs=SimpleNamespace(run=self.run, running=self.running))
        return SimpleNamespace(thought=thought, run_asked=self.run_asked)

    def tick(self):
        self.taken += self.orders
        if any(order.kind == "start" for order in self.orders) and self.state is WAITING:
            self.state = RUNNING
        for order in self.orders:
            if order.kind.startswith("mission-"):
                self.run += 1
                self.running = order.kind == "mission-start"
        self.orders.clear()
        self.snapshot = self.made()


@contextlib.asynccontextmanager
async def serving(folder, robot, name="green", ticking=True, check=lambda _: None):
    server = ControlServer(
        name, robot.orders.append, lambda: robot.snapshot, lambda _: {"seen": len(robot.taken)}, folder, check
    )
    tasks = [asyncio.create_task(server.run())]
    if ticking:
        tasks.append(asyncio.create_task(_tick(robot)))
    await until(lambda: server.listening)
    try:
        yield server
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tick(robot):
    while True:
        await asyncio.sleep(0.02)
        robot.tick()


async def say(path, data):
    """The lines that answer `data`, until the server has no more to say or closes."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    answer = b""
    try:
        with contextlib.suppress(ConnectionError):  # a server that turns us away may have left some of it unread
            writer.write(data)
            writer.write_eof()
            answer = await asyncio.wait_for(reader.read(), 3.0)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    return [json.loads(line) for line in answer.splitlines()]


async def test_an_order_is_taken_by_the_tick_and_answered_with_the_state_after_it(tmp_path):
    robot = Robot()
    async with serving(tmp_path, robot) as server:
        answer = await asyncio.to_thread(ask, server.path, {"do": "start", "by": "the president"})
    assert robot.taken == [Order("start", (), ME)]  # by whom cannot be made up
    assert answer["ok"]
    assert answer["state"]["word"] == "running"


class Introduces(Robot):
    """Answers with `event` in its next decision, which is every third tick."""

    event = Event("introduced", "", "push", "as green.1")
    ticks = 0
    choice = Choice()

    def made(self):
        made = super().made()
        made.choice = self.choice
        return made

    def tick(self):
        self.ticks += 1
        asked = any(order.kind == "task-add" for order in self.taken)
        if self.ticks % 3 == 0:
            self.choice = Choice(events=(self.event,) if asked else ())
        super().tick()


@contextlib.asynccontextmanager
async def asking(folder, event, check=lambda _: None):
    robot = Introduces()
    robot.event = event
    async with serving(folder, robot, check=check) as server:
        yield robot, await asyncio.to_thread(ask, server.path, {"do": "task-add", "args": ["push", "side=left"]})


async def test_an_added_task_is_answered_with_what_the_coordinator_says_of_it(tmp_path):
    async with asking(tmp_path, Event("introduced", "", "push", "as green.1")) as (robot, answer):
        assert robot.taken == [Order("task-add", ("push", "side=left"), ME)]
        assert (answer["ok"], answer["task"], answer["reason"]) == (True, "push", "as green.1")
    async with asking(tmp_path, Event("refused", "", "push", "no room")) as (_, answer):
        assert answer == {"ok": False, "error": "refused push: no room"}
    async with asking(tmp_path, Event("introduced", "", "watch", "as green.1")) as (_, answer):
        assert answer["error"].startswith("the coordinator gives no answer")


async def test_a_task_that_cannot_be_added_never_becomes_an_order(tmp_path):
    def refuse(words):
        raise ValueError(f"no {words[0]}")

    async with asking(tmp_path, Event("introduced", "", "push", ""), refuse) as (robot, answer):
        assert (robot.taken, answer) == ([], {"ok": False, "error": "no push"})


@pytest.mark.parametrize("what", sorted({*control.ORDERS} - {"task-add"}))  # which waits for the coordinator
async def test_every_order_has_its_kind(tmp_path, what):
    robot = Robot()
    async with serving(tmp_path, robot) as server:
        await asyncio.to_thread(ask, server.path, {"do": what, "args": ["a"]})
    assert robot.taken == [Order(control.ORDERS[what], ("a",), ME)]


async def test_a_robot_that_has_not_ticked_says_so(tmp_path):
    robot = Robot()
    robot.snapshot = None
    async with serving(tmp_path, robot, ticking=False) as server:
        answer = await asyncio.to_thread(ask, server.path, {"do": "status"})
    assert answer == {"ok": False, "error": "it has not ticked yet"}


async def test_an_order_that_no_tick_takes_is_refused_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(control, "TICK_S", 0.05)
    async with serving(tmp_path, Robot(), ticking=False) as server:
        answer = await asyncio.to_thread(ask, server.path, {"do": "start"})
    assert "does not tick" in answer["error"]


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b"[]", b"{}", b'{"do": "dance"}', b'{"do": ["stop"]}', b'{"do": "stop", "args": "x"}',
     b'{"do": "stop", "args": [1]}', b'{"do": "stop", "args": ["x", "x", "x", "x", "x", "x", "x", "x", "x",'
     b' "x", "x", "x", "x", "x", "x", "x", "x"]}', b"\xff\xfe", b"[" * 3000],
)  # fmt: skip
async def test_what_is_no_request_is_refused_and_orders_nothing(tmp_path, line):
    robot = Robot()
    async with serving(tmp_path, robot) as server:
        refused, status = await say(server.path, line + b'\n{"do": "status"}\n')
    assert not refused["ok"]
    assert status["ok"]
    assert not robot.taken


async def test_a_line_without_an_end_is_dropped_and_the_next_client_is_served(tmp_path):
    async with serving(tmp_path, Robot()) as server:
        assert await say(server.path, b"x" * 100_000) == []
        assert await say(server.path, b'{"do": "status"}') == []
        assert len(await say(server.path, b'{"do": "status"}\n')) == 1


@given(st.binary(max_size=60))
def test_no_bytes_at_all_give_more_than_refusals(tmp_path_factory, data):
    robot = Robot()

    async def main():
        folder = tmp_path_factory.mktemp("run")
        async with serving(folder, robot, ticking=False) as server:
            return await say(server.path, data)

    assert not any(answer["ok"] for answer in asyncio.run(main()))
    assert not robot.orders


@contextlib.contextmanager
def clients(path, count):
    """Sockets that are connected and send nothing."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(count)]
        for one in sockets:
            one.settimeout(3.0)
            client._connect(one, path, 3.0)
        yield sockets


async def test_idle_clients_cannot_lock_an_order_out(tmp_path, caplog):
    robot = Robot()

    def order(path):
        with clients(path, 2 * MAX_CLIENTS) as held:
            assert ask(path, {"do": "stop"})["ok"]
            assert held[0].recv(1) == b""

    async with serving(tmp_path, robot) as server:
        await asyncio.to_thread(order, server.path)
        assert len(server._clients) <= MAX_CLIENTS
    assert robot.taken == [Order("stop", (), ME)]
    assert len(caplog.records) == 1


async def test_of_too_many_clients_the_longest_idle_is_dropped(tmp_path):
    def use(path):
        with clients(path, MAX_CLIENTS) as (first, second, *_):
            for _ in range(2):
                first.sendall(b'{"do": "status"}\n')
                assert first.recv(100)
                assert ask(path, {"do": "status"})["ok"]
            assert second.recv(1) == b""

    async with serving(tmp_path, Robot()) as server:
        await asyncio.to_thread(use, server.path)


async def test_a_client_that_reads_nothing_does_not_delay_the_end(tmp_path):
    async with serving(tmp_path, Robot(), ticking=False) as server:
        server._describe = lambda _: "x" * 1_000_000
        with clients(server.path, 1) as (one,):
            one.sendall(b'{"do": "status"}\n' * 10)
            await until(
                lambda: any(writer.transport.get_write_buffer_size() for writer in server._clients.values())
            )
    assert not server._clients


async def test_the_socket_is_for_user_and_group_alone_and_goes_with_the_daemon(tmp_path):
    async with serving(tmp_path / "run", Robot()) as server:
        assert stat.S_IMODE(server.path.stat().st_mode) == 0o660
        assert stat.S_IMODE(server.path.parent.stat().st_mode) == 0o750
    assert not server.path.exists()


@pytest.mark.parametrize("turns", range(6))
async def test_whoever_connects_while_the_daemon_ends_is_let_go(tmp_path, turns):
    with socket.socket(socket.AF_UNIX) as late:
        async with serving(tmp_path, Robot()) as server:
            late.connect(str(server.path))
            for _ in range(turns):
                await asyncio.sleep(0)
        assert not server._clients
        late.settimeout(0)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(loop.sock_recv(late, 1), 1.0) == b""


async def test_a_socket_left_over_is_replaced_and_one_in_use_is_not(tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "green.sock"))
    async with serving(tmp_path, Robot()) as server:
        assert await say(server.path, b'{"do": "status"}\n')
        with pytest.raises(OSError, match="another robotd"):
            await ControlServer("green", lambda _: None, lambda: None, None, tmp_path).run()
        assert await say(server.path, b'{"do": "status"}\n')


async def test_a_folder_with_a_path_longer_than_a_sockets_address_serves(tmp_path):
    folder = tmp_path.joinpath(*["a-long-name-of-a-folder" * 4] * 3)
    async with serving(folder, Robot()) as server:
        assert server.path.exists()
        assert (await asyncio.to_thread(ask, await found("green", folder), {"do": "status"}))["ok"]
    assert not server.path.exists()


async def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getuid", lambda: 12345)
    os.chown(tmp_path, 4321, -1) if os.geteuid() == 0 else pytest.skip("only root can give a folder away")
    with pytest.raises(OSError, match="another user"):
        await ControlServer("green", lambda _: None, lambda: None, None, tmp_path).run()


async def found(robot, *folders):
    return await asyncio.to_thread(find_socket, robot, folders)


async def test_the_only_robot_needs_no_name_and_of_several_one_must_be_named(tmp_path):
    async with serving(tmp_path, Robot()) as one:
        assert await found(None, tmp_path) == one.path
        async with serving(tmp_path, Robot(), name="red") as other:
            assert await found("red", tmp_path) == other.path
            with pytest.raises(CannotAskError, match=r"green, red; choose one with --robot") as error:
                await found(None, tmp_path)
            assert error.value.status == 2
        with pytest.raises(CannotAskError, match=r"'gren'.*'green'.*running: green") as error:
            await found("gren", tmp_path)
        assert error.value.status == 1


def test_without_any_robot_the_folders_looked_in_are_told(tmp_path):
    (tmp_path / "old.sock").touch()
    with pytest.raises(CannotAskError, match=f"no robotd is running here.*{tmp_path}"):
        find_socket(None, [tmp_path, tmp_path / "none"])


def test_a_daemon_that_answers_nothing_is_an_error_in_words(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "green.sock"))
        listening.listen()
        with pytest.raises(CannotAskError, match=r"does not answer within 0\.05 s"):
            ask(tmp_path / "green.sock", {"do": "status"}, timeout_s=0.05)
    with pytest.raises(CannotAskError, match="cannot be asked"):
        ask(tmp_path / "green.sock", {"do": "status"})
    with pytest.raises(CannotAskError, match="at most"):
        ask(tmp_path / "green.sock", {"do": "x" * 5000})


async def command(monkeypatch, folder, *arguments):
    """The exit status of a command that looks for sockets in `folder`."""
    monkeypatch.setattr(client, "socket_folders", lambda: (folder,))
    return await asyncio.to_thread(main, arguments)


async def test_start_succeeds_when_the_robot_may_move_and_says_what_hinders_it(tmp_path, monkeypatch, capsys):
    async with serving(tmp_path, Robot()):
        assert await command(monkeypatch, tmp_path, "start") == 0
    assert capsys.readouterr().out == "green: running (permitted to move)\n"
    async with serving(tmp_path, Robot(FAULTED)):
        assert await command(monkeypatch, tmp_path, "start") == 1
    assert capsys.readouterr().out == "green: faulted (port-lost: gone)\nnext: robotd ack\n"


async def test_stop_ack_and_mission_give_their_orders(tmp_path, monkeypatch, capsys):
    robot = Robot(RUNNING)
    async with serving(tmp_path, robot):
        assert await command(monkeypatch, tmp_path, "stop") == 0
        assert await command(monkeypatch, tmp_path, "stop", "--team", "--robot", "green") == 0
        assert await command(monkeypatch, tmp_path, "ack") == 0
        assert await command(monkeypatch, tmp_path, "mission", "reset", "--json") == 0
    assert [order.kind for order in robot.taken] == ["stop", "stop-team", "acknowledge", "mission-reset"]
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["robot"], answer["run"]) == ("green", {"number": 3, "running": False, "asked": ""})


async def test_the_run_that_a_mission_order_opened_is_told(tmp_path, monkeypatch, capsys):
    async with serving(tmp_path, Robot(RUNNING)):
        assert await command(monkeypatch, tmp_path, "mission", "start") == 0
        assert await command(monkeypatch, tmp_path, "mission", "stop") == 0
    assert capsys.readouterr().out.splitlines() == [
        "green: run 3 is running, for the whole team",
        "green: run 2 ended; its facts and claims were dropped (0 facts)", "green: running (permitted to move)",
        "green: run 4 is stopped, for the whole team",
        "green: run 3 ended; its facts and claims were dropped (0 facts)", "green: running (permitted to move)",
    ]  # fmt: skip


async def test_a_start_during_a_run_needs_a_yes_and_gives_no_order_without(tmp_path, monkeypatch, capsys):
    robot = Robot(RUNNING)
    robot.running, robot.snapshot = True, None
    robot.snapshot = robot.made()
    async with serving(tmp_path, robot):
        monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
        assert await command(monkeypatch, tmp_path, "mission", "start") == 2  # no terminal, nobody to ask
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        assert await command(monkeypatch, tmp_path, "mission", "start") == 1
        assert robot.taken == []
        monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        assert await command(monkeypatch, tmp_path, "mission", "start") == 0
        assert await command(monkeypatch, tmp_path, "mission", "start", "--yes") == 0
    assert (len(robot.taken), robot.run) == (2, 4)


async def test_a_run_order_that_waits_for_the_team_is_reported_as_waiting(tmp_path, monkeypatch, capsys):
    robot = Robot(RUNNING)
    robot.run_asked = "mission-start"
    async with serving(tmp_path, robot):
        assert await command(monkeypatch, tmp_path, "mission", "start") == 0
    assert "mission start waits" in capsys.readouterr().out


@pytest.mark.parametrize("state", [FAULTED, WAITING])
async def test_a_run_opens_though_this_robot_may_not_move_and_it_says_why_and_what_to_do(
    tmp_path, monkeypatch, capsys, state
):
    async with serving(tmp_path, Robot(state)):
        assert await command(monkeypatch, tmp_path, "mission", "start") == 0
    assert capsys.readouterr().out.splitlines() == [
        "green: run 3 is running, for the whole team",
        "green: run 2 ended; its facts and claims were dropped (0 facts)",
        "green itself will not move:",
        f"green: {state.word} ({state.reason})",
        f"next: {state.next_step}",
    ]


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
async def test_every_next_step_can_be_typed_as_it_is_printed(tmp_path, monkeypatch, step, named):
    monkeypatch.setattr(client, "socket_folders", lambda: (tmp_path,))
    words = shlex.split(client.next_step(step, named))
    assert words[0] == "robotd"
    robot = Robot(RUNNING)
    async with serving(tmp_path, robot):
        assert await asyncio.to_thread(main, words[1:]) == 0
    assert len(robot.taken) == 1


async def test_an_acknowledgement_of_what_lasts_fails_and_so_does_a_command_without_a_robot(
    tmp_path, monkeypatch, capsys
):
    async with serving(tmp_path, Robot(FAULTED)):
        assert await command(monkeypatch, tmp_path, "ack") == 1
    assert await command(monkeypatch, tmp_path, "start") == 1
    printed = capsys.readouterr()
    assert "port-lost" in printed.out
    assert "no robotd is running here" in printed.err

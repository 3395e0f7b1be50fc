"""The local socket: orders reach the tick and are answered after it; whatever else comes is refused."""

import asyncio
import contextlib
import functools
import os
import socket
import stat
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.control import client, server
from robotd.control import orders as control
from robotd.control.client import CannotAskError, ask, find_socket
from robotd.control.server import MAX_CLIENTS, ControlServer
from robotd.model.choice import Choice, Event, Level
from robotd.model.inputs import Order
from robotd.robot.mind import IDLE
from tests.patience import WAIT_S
from tests.robotd.control.stand_in import ME, Robot, orders_of, say, serving
from tests.robotd.transport.serial_helper import until

LEVELS = Choice(levels=(Level("push", {}, 1.0, ""),))


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


async def test_an_added_task_is_answered_with_the_answer_of_the_coordinator(tmp_path):
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


@pytest.mark.parametrize("error", [TypeError("no number"), SystemExit(3)])
async def test_what_a_plug_in_raises_is_refused_by_its_name_and_the_server_goes_on(tmp_path, error):
    def broken(_):
        raise error

    loop, reported = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: reported.append(context))
    async with serving(tmp_path, robot := Robot(), check=broken) as server:
        server._orders.describe = broken
        for request in ({"do": "task-add", "args": ["push"]}, {"do": "status"}):
            answer = await asyncio.to_thread(ask, server.path, request)
            assert answer == {"ok": False, "error": f"coordinator 'mine' raised {type(error).__name__}: {error}"}
        for level in (object(), functools.reduce(lambda inner, _: [inner], range(5000), [])):
            server._orders.describe = lambda _, level=level: {"level": level}  # what JSON cannot hold
            assert "coordinator 'mine'" in (await asyncio.to_thread(ask, server.path, {"do": "status"}))["error"]
        assert (await asyncio.to_thread(ask, server.path, {"do": "stop"}))["ok"]
    assert ([order.kind for order in robot.taken], reported) == (["stop"], [])


async def test_the_first_status_of_a_run_waits_for_its_first_decision(tmp_path, monkeypatch):
    monkeypatch.setattr(control, "DECISION_S", 0.05)
    robot = Robot()
    robot.choice = IDLE
    robot.snapshot = robot.made()
    async with serving(tmp_path, robot) as server:
        server._orders.describe = lambda snapshot: len(snapshot.choice.levels)
        assert (await asyncio.to_thread(ask, server.path, {"do": "status"}))["status"] == 0  # none comes
        monkeypatch.setattr(control, "DECISION_S", 30.0)
        asyncio.get_running_loop().call_later(0.05, setattr, robot, "choice", LEVELS)
        assert (await asyncio.to_thread(ask, server.path, {"do": "status"}))["status"] == 1


@pytest.mark.parametrize("what", sorted({*control.ORDERS} - {"task-add", "drive"}))  # whose words are checked
async def test_every_order_has_its_kind(tmp_path, what):
    robot = Robot()
    async with serving(tmp_path, robot) as server:
        await asyncio.to_thread(ask, server.path, {"do": what, "args": ["a"]})
    assert robot.taken == [Order(control.ORDERS[what], ("a",), ME)]


async def test_without_a_tick_there_is_no_status_and_an_order_is_refused_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(control, "TICK_S", 0.05)
    robot = Robot()
    robot.snapshot = None
    async with serving(tmp_path, robot, ticking=False) as server:
        for what, reason in (("status", "it has not ticked yet"), ("start", "does not tick")):
            answer = await asyncio.to_thread(ask, server.path, {"do": what})
            assert (answer["ok"], reason in answer["error"]) == (False, True)


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b"[]", b"{}", b'{"do": "dance"}', b'{"do": ["stop"]}', b'{"do": "stop", "args": "x"}',
     b'{"do": "stop", "args": [1]}', b'{"do": "stop", "args": [%s""]}' % (b'"x",' * 16), b"\xff\xfe", b"[" * 3000],
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
            one.settimeout(WAIT_S)
            client._connect(one, path, WAIT_S)
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
        server._orders.describe = lambda _: "x" * 1_000_000
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
            assert await asyncio.wait_for(loop.sock_recv(late, 1), WAIT_S) == b""


async def test_a_socket_left_over_is_replaced_and_one_in_use_is_not(tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "green.sock"))
    async with serving(tmp_path, Robot()) as server:
        assert await say(server.path, b'{"do": "status"}\n')
        with pytest.raises(OSError, match="another robotd"):
            await ControlServer(orders_of(Robot()), tmp_path).run()
        assert await say(server.path, b'{"do": "status"}\n')


async def test_a_daemon_that_ends_leaves_the_socket_of_the_next_one_alone(tmp_path, monkeypatch):
    closed = []

    class Slow(socket.socket):
        """Notes what is at its path when it is closed: from then on another daemon may take that."""

        def close(self):
            closed.append((tmp_path / "green.sock").exists())
            super().close()

    with monkeypatch.context() as patch:
        patch.setattr(server, "socket", SimpleNamespace(**{**vars(socket), "socket": Slow}))
        async with serving(tmp_path, Robot()):
            pass
    assert set(closed) == {False}


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
        await ControlServer(orders_of(Robot()), tmp_path).run()


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


def test_without_any_robot_the_folders_looked_in_are_named(tmp_path):
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

"""A stand-in for a robot behind the control socket, and the socket served for it."""

import asyncio
import contextlib
import json
import os
import pwd
from types import SimpleNamespace

from robotd.control.orders import Orders
from robotd.control.server import ControlServer
from robotd.model.choice import Choice, State
from tests.patience import WAIT_S
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
        self.alive, self.choice = True, Choice()
        self.snapshot = self.made()

    def made(self):
        beliefs = SimpleNamespace(run=self.run, running=self.running, table=SimpleNamespace(team=("green", "red")))
        return SimpleNamespace(
            decision=SimpleNamespace(state=self.state, beliefs=beliefs), radio=SimpleNamespace(alive=self.alive),
            run_asked=self.run_asked, choice=self.choice,
        )  # fmt: skip

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


def no_page():
    raise ValueError("it serves no page")


def orders_of(robot, name="green", check=lambda _: None, link=no_page):
    return Orders(
        name, robot.orders.append, lambda: robot.snapshot, lambda _: {"seen": len(robot.taken)}, check,
        "coordinator 'mine'", link,
    )  # fmt: skip


@contextlib.asynccontextmanager
async def served(orders, folder, *beside):
    """The socket of these orders, served in `folder`, while what is `beside` it runs."""
    server = ControlServer(orders, folder)
    tasks = [asyncio.create_task(work) for work in (server.run(), *beside)]
    await until(lambda: server.listening)
    try:
        yield server
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def serving(folder, robot, name="green", ticking=True, check=lambda _: None):
    return served(orders_of(robot, name, check), folder, *([tick(robot)] if ticking else []))


async def tick(robot):
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
            answer = await asyncio.wait_for(reader.read(), WAIT_S)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    return [json.loads(line) for line in answer.splitlines()]

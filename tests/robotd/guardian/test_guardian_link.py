"""The daemon's side of the guardian, against a guardian that answers, is silent, frozen or gone."""

import asyncio
import contextlib
import json
import os
import socket

import pytest

from robotd.guardian import client
from robotd.guardian.client import GuardianLink
from robotd.guardian.guardian import BACKLOG_BYTES, BEAT, FD_VARIABLE, PING, PONG


class Far:
    """The guardian's end of the socket."""

    def __init__(self):
        self.socket, near = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BACKLOG_BYTES)
        self.socket.settimeout(20.0)
        self.link = GuardianLink(near)

    def take(self):
        """The next message of the daemon, and the descriptors with it."""
        data, fds, _, _ = socket.recv_fds(self.socket, 4096, 1)
        return (data if data in (BEAT, PING) else json.loads(data)), fds

    def give(self, **message):
        self.socket.send(json.dumps(message).encode())


@pytest.fixture
async def far():
    far = Far()
    yield far
    far.link.close()
    far.socket.close()


async def test_a_port_is_held_once_the_guardian_says_so(far):
    read, write = os.pipe()
    holding = asyncio.create_task(far.link.hold("board", write, b"\x00\xff"))
    await asyncio.sleep(0.01)
    message, fds = far.take()
    assert message == {"kind": "hold", "name": "board", "halt": "00ff"}
    assert not holding.done()
    os.write(fds[0], b"the same pipe")
    assert os.read(read, 99) == b"the same pipe"
    far.give(kind="held", name="another")
    await asyncio.sleep(0.01)
    assert not holding.done()
    far.give(kind="held", name="board")
    await asyncio.wait_for(holding, 20.0)
    for fd in (read, write, *fds):
        os.close(fd)


async def test_all_that_the_daemon_says_arrives_in_order(far):
    far.link.ready(0.05)
    far.link.beat()
    far.link.status("running: " + "x" * 500)
    far.link.acknowledged()
    far.link.bye()
    messages = [far.take()[0] for _ in range(6)]
    assert messages[:3] == [{"kind": "ready", "period_s": 0.05}, PING, BEAT]
    assert len(messages[3]["text"]) == 200
    assert [message["kind"] for message in messages[4:]] == ["acknowledged", "bye"]


async def test_an_order_to_stop_is_heard_and_nothing_else_is_one(far):
    far.give(kind="released", name="board")
    await asyncio.sleep(0.01)
    assert not far.link.stop_asked.is_set()
    far.give(kind="stop")
    await asyncio.wait_for(far.link.stop_asked.wait(), 20.0)
    assert far.take()[0] == {"kind": "stopping"}
    assert not far.link.died.is_set()


async def test_a_guardian_that_does_not_answer_or_is_gone_ends_every_wait(far, monkeypatch):
    holding = asyncio.create_task(far.link.release("other"))
    await asyncio.sleep(0.01)
    with monkeypatch.context() as patch:
        patch.setattr(client, "REPLY_S", 0.02)
        with pytest.raises(OSError, match="does not answer"):
            await far.link.release("board")
    far.socket.close()
    await asyncio.wait_for(far.link.died.wait(), 20.0)
    with pytest.raises(OSError, match="is gone"):
        await holding
    far.link.beat()


async def test_a_frozen_guardian_is_detected_however_slow_the_ticks_are(far, monkeypatch):
    monkeypatch.setattr(client, "REPLY_S", 0.3)
    monkeypatch.setattr(client, "PING_S", 0.05)
    loop = asyncio.get_running_loop()
    far.link.ready(1.0)
    began = loop.time()
    assert far.take()[0]["kind"] == "ready"
    far.socket.settimeout(0)
    while loop.time() < began + 0.6:  # as long as it answers
        await asyncio.sleep(0.02)
        with contextlib.suppress(BlockingIOError):
            while far.socket.recv(99) == PING:
                far.socket.send(PONG)
    assert not far.link.died.is_set()
    frozen = loop.time()
    await asyncio.wait_for(far.link.died.wait(), 20.0)
    assert 0.2 < loop.time() - frozen < 1.5


async def test_a_guardian_that_takes_no_more_is_dead(far):
    while not far.link.died.is_set():
        far.link.beat()
    assert far.take()[0] == BEAT


async def test_the_environment_tells_where_the_guardian_is_and_forgets_it():
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environ = {FD_VARIABLE: str(theirs.detach()), "ROBOTD_LAST_STOP": "it froze", "HOME": "/"}
    link = GuardianLink.from_environment(environ)
    assert environ == {"HOME": "/"}
    assert link.last_stop == "it froze"
    link.acknowledged()
    assert link.last_stop == ""
    link.close()
    mine.close()
    assert GuardianLink.from_environment({}) is None

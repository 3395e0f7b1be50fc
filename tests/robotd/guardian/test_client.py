"""The daemon's side of the guardian, against a guardian that answers, is silent, frozen or gone."""

import asyncio
import json
import os
import socket

import pytest

from robotd.guardian import client
from robotd.guardian.client import PING_S, REPLY_S, GuardianLink
from robotd.guardian.guardian import BACKLOG_BYTES, Guardian
from robotd.guardian.messages import BEAT, FD_VARIABLE, PING, PONG
from robotd.guardian.reports import Reporter
from robotd.guardian.stop_reason import CauseFile
from robotd.timing.virtual_loop import run_virtual
from tests.patience import WAIT_S


class Far:
    """The guardian's end of the socket."""

    def __init__(self):
        self.socket, near = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BACKLOG_BYTES)
        self.socket.settimeout(WAIT_S)
        self.link = GuardianLink(near)

    def take(self):
        """The next message of the daemon, and the descriptors with it."""
        data, fds, _, _ = socket.recv_fds(self.socket, 4096, 1)
        return (data if data in (BEAT, PING) else json.loads(data)), fds

    def give(self, **message):
        self.socket.send(json.dumps(message).encode())


@pytest.fixture
async def far(monkeypatch):
    monkeypatch.setattr(client, "REPLY_S", WAIT_S)
    far = Far()
    yield far
    far.link.close()
    far.socket.close()


async def test_a_port_is_held_once_the_guardian_confirms_it(far):
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
    await asyncio.wait_for(holding, WAIT_S)
    for fd in (read, write, *fds):
        os.close(fd)


async def test_all_that_the_daemon_sends_arrives_in_order(far):
    far.link.ready(0.05)
    far.link.beat()
    far.link.status("running: " + "x" * 500)
    far.link.acknowledged()
    far.link.bye()
    messages = [far.take()[0] for _ in range(6)]
    assert messages[:3] == [{"kind": "ready", "period_s": 0.05}, PING, BEAT]
    assert len(messages[3]["text"]) == 200
    assert [message["kind"] for message in messages[4:]] == ["acknowledged", "bye"]


async def test_an_order_to_stop_is_received_and_nothing_else_is_one(far):
    far.give(kind="released", name="board")
    await asyncio.sleep(0.01)
    assert not far.link.stop_asked.is_set()
    far.give(kind="stop")
    await asyncio.wait_for(far.link.stop_asked.wait(), WAIT_S)
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
    await asyncio.wait_for(far.link.died.wait(), WAIT_S)
    with pytest.raises(OSError, match="is gone"):
        await holding
    far.link.beat()


def test_a_frozen_guardian_is_detected_however_slow_the_ticks_are():
    async def main():
        far, loop = Far(), asyncio.get_running_loop()
        far.link.ready(10.0)
        assert far.take()[0]["kind"] == "ready"
        for _ in range(20):  # as long as it answers
            assert far.take()[0] == PING
            far.socket.send(PONG)
            await asyncio.sleep(PING_S)
        assert not far.link.died.is_set()
        frozen = loop.time()
        await far.link.died.wait()
        far.link.close()
        far.socket.close()
        return loop.time() - frozen

    assert REPLY_S - PING_S <= run_virtual(main()) <= REPLY_S + PING_S


async def test_a_guardian_that_takes_no_more_is_dead(far):
    while not far.link.died.is_set():
        far.link.beat()
    assert far.take()[0] == BEAT


@pytest.mark.parametrize("unread", [[], [PONG]], ids=["all is read", "an answer is left unread"])
async def test_a_guardian_reads_the_last_words_of_a_daemon_whatever_that_has_left_unread(unread):
    guardian, far = Guardian([], CauseFile("green", []), Reporter(None)), Far()
    guardian._link = far.socket
    with far.socket:
        far.socket.settimeout(0)
        for message in unread:
            guardian._send(message)
        far.link.failed("no board")
        far.link.bye()
        far.link.close()
        guardian._serve()
    assert (guardian._failure, guardian._bye, guardian._ended) == ("no board", True, True)


async def test_the_environment_has_where_the_guardian_is_and_forgets_it():
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

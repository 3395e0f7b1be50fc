"""The port over ptys and TCP, in real time (cases F1 to F10 of reports from the field)."""

import asyncio
import contextlib
import logging
import math
import os

import pytest

from robotd.model.serial import SetLine
from robotd.timing import clock
from robotd.transport import connection
from robotd.transport.port import Port
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import Recorder, port_now, running, until


@pytest.fixture(autouse=True)
def never_stuck(monkeypatch):
    """A process that is held up takes no line for dead; test_port.py has that, in virtual time."""
    monkeypatch.setattr(connection, "STUCK_S", math.inf)


@contextlib.asynccontextmanager
async def connected(pty, **options):
    device = Recorder(silence_s=math.inf, **options)
    port = Port("board", str(pty.link), device)
    async with running(port):
        await until(lambda: device.connected)
        await until(lambda: port.status.bytes_out == len(device.halt) + 1)
        pty.write(b"!")
        await until(lambda: port.ready)
        yield port, device


async def receive(pty, holds):
    """What the board receives until it `holds`."""
    received = bytearray()
    await until(lambda: received.extend(pty.read()) or holds(received))
    return bytes(received)


async def hears_bytes(pty, count):
    """The next `count` bytes that the board receives."""
    return await receive(pty, lambda received: len(received) >= count)


async def test_f1_f5_an_unplugged_board_is_found_again_under_its_stable_name(pty):
    async with connected(pty) as (port, device):
        assert await hears_bytes(pty, 5) == b"HALT?"
        name = pty.name
        other = os.openpty()  # made while the first is there, so that the board comes back under another number
        pty.unplug()
        await until(lambda: port.status.word == "lost")
        pty.plug(other)
        assert pty.name != name
        await until(lambda: len(device.connected) == 2)
        assert await hears_bytes(pty, 5) == b"HALT?"
        pty.write(b"!")
        await until(lambda: port.ready)
        assert port.status.reopened == 1


async def test_f2_a_board_that_reads_nothing_leaves_the_loop_free_and_gets_the_newest(pty):
    async with connected(pty) as (port, device):
        device.order(port_now(), b"x" * 40_000)
        port.poke()
        await asyncio.sleep(0.01)
        before = clock.processor_s()
        for k in range(20):
            device.order(port_now(), b"<%d>" % k)
            port.poke()
            await asyncio.sleep(0.001)
        assert clock.processor_s() - before < 1.0  # a transport that spins uses as much for one of them
        received = await receive(pty, lambda received: b">" in received)
        assert received.endswith(b"<19>")
        assert received.count(b"<") == 1


async def test_f3_stopping_with_a_stuck_board_is_bounded(pty):
    async with asyncio.timeout(WAIT_S), connected(pty) as (port, device):
        device.order(port_now(), b"x" * 40_000)
        port.poke()
        await asyncio.sleep(0.02)
    received = await receive(pty, lambda received: received.endswith(b"HALT"))
    assert received.count(b"x") < 40_000  # what the board does not take is dropped


async def test_f7_the_last_thing_a_board_receives_is_the_halt(pty):
    async with connected(pty):
        pass
    assert pty.read().endswith(b"HALT")


async def test_f9_what_a_board_sent_before_the_handshake_is_void(pty):
    pty.write(b"early")
    device = Recorder()
    port = Port("board", str(pty.link), device)
    async with running(port):
        await until(lambda: port.status.bytes_out == 5)
        assert device.received == b""
        pty.write(b"now")
        await until(lambda: port.ready)
        assert device.received == b"now"


async def test_f10_a_pty_without_modem_lines_is_reported_once(pty, caplog):
    with caplog.at_level(logging.INFO):
        async with connected(pty, dtr=True) as (port, device):
            for _ in range(2):
                device.order(port_now(), SetLine(dtr=False), b"on")
                port.poke()
                await until(lambda: not device.say)
            assert await hears_bytes(pty, 9) == b"HALT?onon"
    assert len([record for record in caplog.records if "DTR" in record.getMessage()]) == 1


async def test_a_silent_pty_is_opened_again(pty):
    device, words = Recorder(silence_s=0.1), []
    port = Port("board", str(pty.link), device)
    port.on_change = lambda status: words.append(status.word)

    def answer():
        with contextlib.suppress(BlockingIOError):  # nobody reads now
            pty.write(b"!")

    async with running(port):
        await until(lambda: answer() or "ready" in words)
        await until(lambda: "silent" in words[words.index("ready") :])
        before = len(words)
        await until(lambda: answer() or "ready" in words[before:])
        assert len(device.connected) >= 2


async def test_a_port_in_use_is_reported_as_such(pty):
    async with connected(pty):
        other = Port("other", str(pty.link), Recorder())
        async with running(other):
            await until(lambda: other.status.word == "lost")
            assert other.status.detail == "in use by another program"


async def test_a_tcp_board_is_a_port_like_any_other():
    received = []

    async def serve(reader, writer):
        received.append(await reader.readexactly(5))
        writer.write(b"!")
        with contextlib.suppress(ConnectionError):
            received.append(await reader.read())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        number = server.sockets[0].getsockname()[1]
        port = Port("board", f"tcp://127.0.0.1:{number}", Recorder())
        async with running(port):
            await until(lambda: port.ready)
        await until(lambda: len(received) == 2)
    assert received == [b"HALT?", b"HALT"]

"""A sender without a pause costs its own line: what is read at a time is bounded, and the loop goes on."""

import asyncio
import contextlib
import os
import select
import socket
import threading
import tty

import pytest

from robotd.model.serial import LineSettings
from robotd.timing.virtual_loop import run_virtual
from robotd.transport import pacing
from robotd.transport.address import Address, parse_address
from robotd.transport.multicast import multicast_socket
from robotd.transport.pacing import BURST_BYTES, BURST_MESSAGES, PAUSE_S, QUIET_S, REPORT_PAUSES, ReadBudget
from robotd.transport.port import open_wire
from tests.robotd.transport.serial_helper import until


class Reader(asyncio.Protocol):
    """Counts what comes between two turns of the loop that are `PAUSE_S` apart."""

    def __init__(self):
        self.pieces = []

    def data_received(self, data):
        self.pieces.append(len(data))


class TcpFlood:
    def __init__(self):
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = Address(host="127.0.0.1", port=self._listening.getsockname()[1])

    def begin(self):
        self._peer, _ = self._listening.accept()

    def send(self):
        self._peer.sendall(b"x" * 65536)

    def close(self):
        self._peer.close()
        self._listening.close()


class PtyFlood:
    def __init__(self):
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.address = Address(path=os.ttyname(slave))
        os.close(slave)

    def begin(self):
        """It sends whoever reads."""

    def send(self):
        select.select([], [self._master], [], 0.05)
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, b"x" * 4096)

    def close(self):
        os.close(self._master)


class UdpFlood:
    def __init__(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("", 0))
            port = probe.getsockname()[1]
        group = f"239.255.{100 + os.getpid() % 100}.9"  # of this process alone
        self.address = parse_address(f"udp://{group}:{port}?interface=lo")
        self._socket, self._to = multicast_socket(group, port, "lo"), (group, port)
        self._socket.settimeout(None)

    def begin(self):
        """It sends whoever reads."""

    def send(self):
        self._socket.sendto(b"x" * 40, self._to)

    def close(self):
        self._socket.close()


@pytest.mark.parametrize("kind", [TcpFlood, PtyFlood, UdpFlood])
async def test_what_is_read_at_a_time_is_bounded_whatever_is_sent(kind, caplog, monkeypatch):
    monkeypatch.setattr(pacing, "PAUSE_S", 0.05)  # a busy machine often takes longer from one burst to the next
    monkeypatch.setattr(pacing, "REPORT_PAUSES", 5)
    flood, reader, over = kind(), Reader(), threading.Event()

    def send():
        with contextlib.suppress(OSError):
            flood.begin()
            while not over.is_set():
                flood.send()

    sending = threading.Thread(target=send, daemon=True)
    sending.start()
    loop = asyncio.get_running_loop()
    began = loop.time()
    wire = await open_wire(flood.address, LineSettings(), reader)
    await until(lambda: caplog.messages)
    bursts = 2 + (loop.time() - began) / pacing.PAUSE_S
    over.set()
    wire.abort()
    await wire.released()
    await until(lambda: not sending.is_alive())
    flood.close()
    most = BURST_MESSAGES if kind is UdpFlood else BURST_BYTES + 1024  # a pty is read by so much
    read = len(reader.pieces) if kind is UdpFlood else sum(reader.pieces)
    assert pacing.REPORT_PAUSES * most / 2 < read <= bursts * most
    assert len(caplog.messages) == 1
    assert max(reader.pieces) <= BURST_BYTES


def test_a_line_that_floods_again_and_again_is_reported_once_in_a_while(caplog):
    async def flood(times):
        budget = ReadBudget(10, lambda: None, lambda: None)
        for _ in range(times):
            for _ in range(2 * REPORT_PAUSES):
                budget.use(10)
                await asyncio.sleep(PAUSE_S)
            await asyncio.sleep(QUIET_S / 4)

    run_virtual(flood(5))
    assert len(caplog.messages) == 2

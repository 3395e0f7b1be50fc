"""A pty with a stable name, a line for virtual time, and a device that notes what happens to it."""

import asyncio
import contextlib
import os
import tty

from robotd.model.serial import LineSettings
from robotd.transport.address import parse_address
from robotd.transport.port import open_wire
from tests.patience import WAIT_S

LOOKS = 1000  # at least, before `until` gives up


class Received(asyncio.Protocol):
    """What came over a line, a piece a call, and why it was lost."""

    def __init__(self):
        self.pieces = []
        self.lost = []

    @property
    def data(self):
        return b"".join(self.pieces)

    def data_received(self, data):
        self.pieces.append(data)

    def connection_lost(self, exc):
        self.lost.append(exc)


def descriptors(target):
    """How many descriptors of this process lead to `target`."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            found += os.readlink(f"/proc/self/fd/{name}") == target
    return found


async def opened(address):
    """The line at `address`, and what comes over it."""
    protocol = Received()
    return await open_wire(parse_address(str(address)), LineSettings(), protocol), protocol


class Recorder:
    """A SerialDevice that asks "?" at connect and is ready at the first byte; `say` is what to send next."""

    def __init__(self, halt=b"HALT", silence_s=1.0, dtr=None):
        self.line = LineSettings(baud=115200, dtr=dtr, rts=dtr, silence_s=silence_s)
        self.wake_at = None
        self.ready = False
        self.halt = halt
        self.connected = []
        self.received = b""
        self.say = []
        self.transmitted = 0

    def connect(self, now):
        self.connected.append(now)
        self.ready = False
        self.say = [b"?"]

    def receive(self, now, data):
        self.received += data
        self.ready = True

    def transmit(self, now):
        self.transmitted += 1
        self.wake_at = None
        sent, self.say = self.say, []
        return sent

    def order(self, now, *items):
        """Have something new to say at `now`."""
        self.say = list(items)
        self.wake_at = now


class Pty:
    """A pseudo-terminal behind a by-id link; `unplug` takes both away, `plug` makes another one."""

    def __init__(self, folder):
        self.link = folder / "by-id-board"
        self.master = self._slave = -1
        self.plug()

    def plug(self, opened=None):
        """Appear as `opened`, a pair of openpty held in readiness, or as a new one under any free number."""
        self.master, slave = opened or os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self._slave = slave  # kept open: else the master reads EIO between two openings
        self.name = os.ttyname(slave)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(self.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unplug()

    def unplug(self):
        self.link.unlink(missing_ok=True)  # as udev does: the number may be another's a moment later
        for fd in (self.master, self._slave):
            if fd >= 0:
                os.close(fd)
        self.master = self._slave = -1  # the numbers are free for others now

    def read(self):
        """Everything that the driver wrote."""
        data = b""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.master, 65536):
                data += piece
        return data

    def write(self, data):
        os.write(self.master, data)


def port_now():
    """The clock of ports and devices, s."""
    return asyncio.get_running_loop().time()


async def until(condition, timeout_s=WAIT_S):
    """Wait, in steps of a few milliseconds, until `condition()`; AssertionError after `timeout_s` and many looks.

    A process that was held up for longer than that has still to look: what it waits for takes turns of its loop.
    """
    loop = asyncio.get_running_loop()
    end, looks = loop.time() + timeout_s, 0
    while not condition():
        looks += 1
        assert loop.time() < end or looks < LOOKS, "it did not happen in time"
        await asyncio.sleep(0.003)


@contextlib.asynccontextmanager
async def running(port):
    """`port.run()` as a task, cancelled at the end."""
    task = asyncio.create_task(port.run())
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def passing(port, end):
    """Once `port` is ready, a frame passes from its driver to the simulated `end` of a network, and one back."""
    frame, other, came, received = bytes(range(40)), bytes(range(1, 41)), [], []
    await until(lambda: port.ready)
    port.device.send(port_now(), frame, port_now())
    port.poke()
    await until(lambda: came.extend(end.transmit(port_now())) or came)
    end.receive(port_now(), other)
    await until(lambda: received.extend(port.device.received(port_now())) or received)
    assert (came, [data for _, data in received]) == ([frame], [other])
    assert (end.received, end.last_at > 0.0) == (40, True)


class FakeWire:
    """A line in virtual time: bytes leave at the baud rate unless `stuck`; `log` is what was done, in order."""

    def __init__(self, protocol, baud, log, stuck=False):
        self._loop = asyncio.get_running_loop()
        self.protocol = protocol
        self._seconds_per_byte = 10 / baud
        self._busy_until = 0.0
        self._kept = 0
        self.stuck = stuck
        self.log = log

    def fileno(self):
        return 99

    def write(self, data):
        self.log.append(("write", data))
        if self.stuck:
            self._kept += len(data)
            return
        self._busy_until = max(self._loop.time(), self._busy_until) + len(data) * self._seconds_per_byte
        self._loop.call_at(self._busy_until, self.protocol.resume_writing)

    def unsent(self):
        return self._kept + max(0, round((self._busy_until - self._loop.time()) / self._seconds_per_byte))

    def discard(self):
        self._kept = 0
        self._busy_until = 0.0

    def set_line(self, lines):
        self.log.append(("lines", lines.dtr, self.unsent()))

    def close(self):
        self.log.append(("close", self._loop.time()))
        if not self._kept:
            self._loop.call_soon(self.protocol.connection_lost, None)

    def abort(self):
        self.log.append(("abort", self._loop.time()))
        self._loop.call_soon(self.protocol.connection_lost, None)

    async def released(self):
        """At once."""


class FakeOpener:
    """Opens `FakeWire`s, each noted in `wires`; `error` is raised instead while it is set."""

    def __init__(self, log=None, stuck=False):
        self.wires = []
        self.times = []
        self.error = None
        self.stuck = stuck
        self.log = [] if log is None else log

    async def __call__(self, address, line, protocol):
        self.times.append(asyncio.get_running_loop().time())
        if self.error is not None:
            raise self.error
        self.wires.append(FakeWire(protocol, address.baud or line.baud, self.log, self.stuck))
        return self.wires[-1]

    def answer(self, data=b"!"):
        """The device says something."""
        self.wires[-1].protocol.data_received(data)

    def unplug(self):
        self.wires[-1].protocol.connection_lost(OSError(5, "Input/output error"))

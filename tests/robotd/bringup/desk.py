"""Emulated boards on lines in memory or pseudo-terminals, in virtual time."""

import asyncio
import threading
from types import SimpleNamespace

from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.sim.emulated import emulations
from robotd.sim.lines import Line
from robotd.sim.ptys import PtyEnd
from robotd.transport.serial import SerialWire, _Tty, serial_port
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import FakeWire

ROBOT = "amber"
PORT = "/dev/board"


def emulated(kind, now=0.0):
    """The emulator of a kind of board, over a body in the middle of an empty room, fast enough for its driver."""
    settings = WorldSettings(spills=(), max_speed_m_s=0.6, entrance={"x_m": 3.0, "y_m": 3.0})
    world = World(settings, [BodySpec(ROBOT, "r2", 1)], 7, now)
    return emulations().boards[kind].emulator(SimpleNamespace(world=world, numbers={ROBOT: 1}), ROBOT, now)


class MemoryWire(FakeWire):
    """A `Wire` whose other end is an emulator; bytes take their time both ways."""

    wake_at = None

    def __init__(self, protocol, baud, emulator):
        super().__init__(protocol, baud, [])
        self._written = []
        self._line = Line(self, emulator, baud)
        self._loop.call_soon(self._line.kick)

    def write(self, data):
        super().write(data)
        self._written.append(data)
        self._loop.call_soon(self._line.kick)

    def transmit(self, now):
        written, self._written = self._written, []
        return written

    def receive(self, now, data):
        self.protocol.data_received(data)

    def discard(self):
        super().discard()
        self._written = []

    def close(self):
        super().close()
        self._loop.call_soon(self._line.close)


def memory(emulator):
    """An opener of lines in memory to one emulator."""

    async def opener(address, line, protocol):
        return MemoryWire(protocol, address.baud or line.baud, emulator)

    return opener


async def open_at_once(address, line, protocol):
    """Opens a real port within one turn of a virtual loop, once threads have closed what was open before."""
    for thread in threading.enumerate():
        if thread.name == "aside":
            thread.join(WAIT_S)
    return SerialWire(_Tty(serial_port(address, line)), protocol)


async def silence(address, line, protocol):
    """A port without a board."""
    return FakeWire(protocol, line.baud, [])


def loop_time():
    """The running loop's clock, s."""
    return asyncio.get_running_loop().time()


class PtyPort:
    """An emulator on a pty; bytes are read at once, as a virtual clock waits while any can be read."""

    wake_at = None

    def __init__(self, emulator, baud):
        self.end = PtyEnd(read_bytes=4096)
        self.path = self.end.path
        self._came = []
        self._line = Line(emulator, self, baud)
        asyncio.get_running_loop().add_reader(self.end, self._read)
        self._line.kick()

    def _read(self):
        self._came += self.end.transmit(loop_time())
        self._line.kick()

    def transmit(self, now):
        came, self._came = self._came, []
        return came

    def receive(self, now, data):
        self.end.receive(now, data)

    def close(self):
        asyncio.get_running_loop().remove_reader(self.end)
        self._line.close()
        self.end.close()

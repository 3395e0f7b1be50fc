"""The device end of a pty, multicast group or Zenoh: emulators behind real ports that other processes open."""

import asyncio
import contextlib
import os
import pty
import socket
import tty
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from radio.contract import plugin_of
from robotd.model.serial import SetLine
from robotd.sim.lines import End, Line
from robotd.transport.multicast import multicast_socket
from robotd.transport.zenoh import Network

READ_BYTES = 32  # a long write is received while it is still on its way: at 9600 baud this is 33 ms
FRAME_BYTES = 4096  # what a modem is sent in one write reaches it without a pause
LOCALHOST = "127.0.0.1"
GROUP, LOOPBACK = "239.255.77.1", "lo"  # a group for use within a site (RFC 2365), on this computer alone


class PortEnd(ABC):
    """What a process sends into its port is what this end sends; an `End` of a `Line`."""

    wake_at: float | None = None
    path: str

    def __init__(self) -> None:
        self.received = 0  # bytes from the process, since the start
        self.last_at = 0.0  # when the last of them came

    @abstractmethod
    def fileno(self) -> int:
        """The descriptor that becomes readable."""

    @abstractmethod
    def receive(self, now: float, data: bytes) -> None:
        """Pass on what the emulator sent; what a process that does not read leaves no room for is lost."""

    @abstractmethod
    def close(self) -> None:
        """Unplug."""

    @abstractmethod
    def _read(self) -> Iterator[bytes]:
        """What came since the last call, until BlockingIOError."""

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """What the process sent since the last call."""
        came: list[bytes | SetLine] = []
        with contextlib.suppress(BlockingIOError):
            for data in self._read():
                came.append(data)
                self.received += len(data)
                self.last_at = now
        return came


class PtyEnd(PortEnd):
    """A pseudo-terminal, received `read_bytes` at a time."""

    def __init__(self, read_bytes: int = READ_BYTES) -> None:
        super().__init__()
        self.read_bytes = read_bytes  # of what the process wrote, received at a time
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)

    def fileno(self) -> int:
        return self._master

    def receive(self, now: float, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def _read(self) -> Iterator[bytes]:
        data = os.read(self._master, self.read_bytes)
        yield from [data] if data else ()

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)


class TcpEnd(PortEnd):
    """The same for a process that connects to `port` of this computer (0: any free one), one at a time.

    OSError where the port is taken. What it sends while its connection is refused or gone is lost.
    """

    def __init__(self, port: int) -> None:
        super().__init__()
        self._server = socket.create_server((LOCALHOST, port))
        self._ours, self._theirs = socket.socketpair()
        for each in (self._server, self._ours, self._theirs):
            each.settimeout(0)
        self._client: socket.socket | None = None
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._server, self._accept)
        self.path = f"tcp://{LOCALHOST}:{self._server.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # gone before it was accepted
            client, _ = self._server.accept()
            if self._client is not None:
                client.close()
                return
            client.settimeout(0)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._client = client
            self._loop.add_reader(client, self._pass_on, client)

    def _pass_on(self, client: socket.socket) -> None:
        data = b""
        with contextlib.suppress(BlockingIOError, ConnectionError):
            data = client.recv(FRAME_BYTES)
            self._theirs.send(data)
        if not data:
            self._drop()

    def _drop(self) -> None:
        if self._client is not None:
            self._loop.remove_reader(self._client)
            self._client.close()
            self._client = None

    def fileno(self) -> int:
        return self._ours.fileno()

    def receive(self, now: float, data: bytes) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.send(data)

    def _read(self) -> Iterator[bytes]:
        yield self._ours.recv(READ_BYTES)

    def close(self) -> None:
        self._drop()
        self._loop.remove_reader(self._server)
        for each in (self._server, self._ours, self._theirs):
            each.close()


class MulticastEnd(PortEnd):
    """The same for a process that exchanges datagrams: a multicast group of its own, on the loopback interface."""

    def __init__(self) -> None:
        super().__init__()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("", 0))
            self._group = (GROUP, int(probe.getsockname()[1]))
        self._socket = multicast_socket(*self._group, LOOPBACK)
        self.path = f"udp://{self._group[0]}:{self._group[1]}?interface={LOOPBACK}"
        self._sent: list[bytes] = []  # each comes back here too

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self, now: float, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            self._socket.sendto(data, self._group)
            self._sent.append(data)

    def _read(self) -> Iterator[bytes]:
        while True:
            data = self._socket.recv(FRAME_BYTES)
            if data in self._sent:
                self._sent.remove(data)
            else:
                yield data

    def close(self) -> None:
        self._socket.close()


class ZenohEnd(PortEnd):
    """The same for a process that exchanges messages over Zenoh: the router that it connects to."""

    def __init__(self) -> None:
        super().__init__()
        with socket.socket() as probe:
            probe.bind((LOCALHOST, 0))
            endpoint = f"tcp/{LOCALHOST}:{probe.getsockname()[1]}"
        self._network = Network((), endpoint, self._pass_on)  # no one knows its endpoint before this returns
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        for end in (self._ours, self._theirs):
            end.settimeout(0)
        self.path = f"zenoh://{endpoint}"

    def _pass_on(self, data: bytes) -> None:
        """In a thread of Zenoh's."""
        with contextlib.suppress(OSError):  # full, or closed by now
            self._theirs.send(data)

    def fileno(self) -> int:
        return self._ours.fileno()

    def receive(self, now: float, data: bytes) -> None:
        self._network.put(data)

    def _read(self) -> Iterator[bytes]:
        while True:
            yield self._ours.recv(FRAME_BYTES)

    def close(self) -> None:
        self._network.close()
        self._ours.close()
        self._theirs.close()


def end_for(modem: object) -> PortEnd:
    """What a driver for a modem can be connected to; OSError where a package for it is missing."""
    scheme = plugin_of(modem).schemes[0]
    if scheme == "zenoh":
        return ZenohEnd()
    return MulticastEnd() if scheme == "udp" else PtyEnd(FRAME_BYTES)


class EmulatedPort:
    """An emulator on `end` (default: a pty), paced at `baud` on the running loop."""

    def __init__(self, emulator: End, baud: int, end: PortEnd | None = None) -> None:
        self.end = end or PtyEnd()
        self._line = Line(emulator, self.end, baud)
        self._loop = asyncio.get_running_loop()
        self._later: asyncio.TimerHandle | None = None
        self._listen()
        self._line.kick()

    def _listen(self) -> None:
        self._loop.add_reader(self.end, self._readable)

    def _readable(self) -> None:
        """What the process wrote waits while the line is busy: a loop that kept looking at it would spin."""
        self._line.kick()
        free_at = self._line.busy_until(self.end)
        if free_at > self._loop.time():
            self._loop.remove_reader(self.end)
            self._later = self._loop.call_at(free_at, self._listen)

    @property
    def kick(self) -> Callable[[], None]:
        """To be called when the emulator may have something new to say."""
        return self._line.kick

    def close(self) -> None:
        """Stop the emulator and unplug."""
        if self._later is not None:
            self._later.cancel()
        self._loop.remove_reader(self.end)
        self._line.close()
        self.end.close()

"""Zenoh as an open line: a frame a message to all robots that routers or teammates lead to, and one a piece read.

Only the endpoints named are used: no other is looked for, by multicast or by gossip. What comes, comes in threads
of Zenoh's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from robotd.transport.pacing import BURST_MESSAGES, PAUSE_S
from robotd.transport.threads import in_thread
from robotd.transport.wire import Wire

NAME = "robotd/frames"  # the key expression; the frames' authenticators show who is of the same team
INSTALL = "Zenoh needs the package eclipse-zenoh: pip install 'robotd[zenoh]'"
WAITING = 64  # messages for a busy loop, two of each robot; older ones are dropped
LONGEST = 4096  # bytes of a message put together from fragments; a frame has 40
LEASE_MS = 3000  # a member that is silent for so long, a beat, is dropped: what waits for it is stale


def missing() -> str:
    """What to do about the package where it is not here; '' where it is."""
    return "" if find_spec("zenoh") else INSTALL


def _config(endpoints: Sequence[str], listen: str) -> dict[str, Any]:
    """Zenoh's configuration: a client of the first router that answers, or, if it listens, a peer of all."""
    return {
        "mode": "peer" if listen else "client",
        "connect/endpoints": list(endpoints),
        "connect/exit_on_failure": not listen,  # teammates may be off; without a router there is no way to any
        "connect/timeout_ms": 0,  # a peer goes on trying in the background
        "listen/endpoints": [listen] if listen else [],
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "transport/shared_memory/enabled": False,
        "transport/link/rx/max_message_size": LONGEST,
        "transport/link/tx/lease": LEASE_MS,
    }


class Network:
    """Zenoh, joined as one member; `received` is called in a thread of Zenoh's with each message of others.

    Blocking; OSError where it cannot be opened.
    """

    def __init__(self, endpoints: Sequence[str], listen: str, received: Callable[[bytes], object]) -> None:
        if missing():
            raise OSError(INSTALL)
        import zenoh

        self._error = zenoh.ZError
        config, others = zenoh.Config(), zenoh.Locality.REMOTE
        try:
            for key, value in _config(endpoints, listen).items():
                config.insert_json5(key, json.dumps(value))
            self._zenoh: Any = zenoh.open(config)
            self._zenoh.declare_subscriber(NAME, lambda each: received(bytes(each.payload)), allowed_origin=others)
            self._publisher = self._zenoh.declare_publisher(
                NAME,
                congestion_control=zenoh.CongestionControl.DROP,  # what cannot leave now is void soon
                express=True,  # alone, at once
                allowed_destination=others,
            )
        except zenoh.ZError as error:
            raise OSError(_words(error)) from error

    def watch(self, lost: Callable[[], object]) -> None:
        """Call `lost`, in any thread, whenever no link is left."""

        def look(_: object) -> None:
            if not self._zenoh.info.links():
                lost()

        self._zenoh.info.declare_link_events_listener(look)
        look(None)

    def put(self, data: bytes) -> None:
        """Send a message to all; never blocks. OSError once it is closed."""
        try:
            self._publisher.put(data)
        except self._error as error:
            raise OSError(_words(error)) from error

    def close(self) -> None:
        """Leave; no message comes any more."""
        with contextlib.suppress(self._error):
            self._zenoh.close()


def _words(error: Exception) -> str:
    """What Zenoh reports, without the lines of its sources."""
    return str(error).partition(" at /")[0].strip()


async def open_zenoh(endpoints: Sequence[str], listen: str, protocol: asyncio.Protocol) -> ZenohWire:
    """Connect; what comes goes to `protocol`, a message a call. OSError where that cannot be."""
    wire = ZenohWire(protocol)
    return await in_thread(lambda: wire.connect(endpoints, listen), ZenohWire.close)


class ZenohWire(Wire):
    """A member of the network; what Zenoh cannot send it drops, and does not report."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._came: deque[bytes] = deque(maxlen=WAITING)
        self._network: Network | None = None
        self._called = self._closing = False
        self._closed: asyncio.Future[None] = self._loop.create_future()

    def connect(self, endpoints: Sequence[str], listen: str) -> ZenohWire:
        """Blocking, in any thread: join. OSError where that cannot be."""
        self._network = Network(endpoints, listen, self.received)
        if not listen:  # a client has no other way to any robot; a peer's teammates come and go
            self._network.watch(lambda: self._call(self._lose))
        return self

    def _call(self, what: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the process is about to end
            self._loop.call_soon_threadsafe(what)

    def received(self, data: bytes) -> None:
        """In any thread: a message came; the loop gets it when it has time."""
        self._came.append(data)
        if not self._called:
            self._called = True
            self._call(self._deliver)

    def _deliver(self) -> None:
        for _ in range(BURST_MESSAGES):
            if self._came and not self._closing:
                self._protocol.data_received(self._came.popleft())
        self._called = False
        if self._came and not self._closing:  # looked at after that, as messages come in other threads
            self._called = True
            self._loop.call_later(PAUSE_S, self._deliver)

    def _lose(self, error: OSError | None = None) -> None:
        self._close(error or OSError("the router hung up"))

    def _close(self, error: OSError | None) -> None:
        """Close in a thread: Zenoh says good-bye to each neighbour and waits for it."""
        if self._closing or self._network is None:
            return
        self._closing = True
        closing = in_thread(self._network.close)
        closing.add_done_callback(lambda _: self._is_closed(error))

    def _is_closed(self, error: OSError | None) -> None:
        self._closed.set_result(None)
        self._protocol.connection_lost(error)

    def write(self, data: bytes) -> None:
        """See `Wire`: one message."""
        if self._network is None or self._closing:
            return
        try:
            self._network.put(data)
        except OSError as error:
            self._lose(error)

    def close(self) -> None:
        self._close(None)

    async def released(self) -> None:
        await asyncio.shield(self._closed)

"""Server-Sent Events: each client has a bounded queue; one that does not read is cut, and never waited for."""

import asyncio
import contextlib
import socket
from collections.abc import Iterable, Mapping

from robotd.status import web
from robotd.status.answers import HEADERS, refuse

MOST_STREAMS = 64
BEHIND = 100  # parts that a client may be behind: ten seconds and more
ALIVE_S = 1.0  # between two signs of life to one that nothing else is sent to
UNREAD_S = 10.0  # a client that takes nothing for so long is cut
GONE_MS = 20_000  # a client whose computer acknowledges nothing for so long is gone
SENT_BYTES = 65_536  # kept by the system for one client
Queue = asyncio.Queue[bytes | None]


def part_of(data: bytes, id: str = "") -> bytes:
    """One event of a stream; `data` has no line feeds."""
    return b"".join((f"id: {id}\n".encode() if id else b"", b"data: ", data, b"\n\n"))


class Streams:
    """The clients of one server. `alive` is sent to those that nothing else was sent to for a while."""

    def __init__(self, alive: bytes) -> None:
        self._alive = alive
        self._clients: dict[Queue, asyncio.BaseTransport | None] = {}

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def full(self) -> bool:
        """Whether no further client is taken."""
        return len(self._clients) >= MOST_STREAMS

    def send(self, part: bytes) -> None:
        """To all; a client that is too far behind is cut."""
        for queue in tuple(self._clients):
            try:
                queue.put_nowait(part)
            except asyncio.QueueFull:
                self._cut(queue)

    def end(self) -> None:
        """End all streams now, whatever is unsent."""
        for queue in self._clients:
            _end(queue)

    async def serve(
        self, request: web.BaseRequest, past: Iterable[bytes], headers: Mapping[str, str] = HEADERS
    ) -> web.StreamResponse:
        """The answer to a request for the stream: first what is `past`, then what is sent to all."""
        if self.full:
            return refuse(503, f"{MOST_STREAMS} streams are open already", "close one")
        response = web.StreamResponse(headers={**headers, "Content-Type": "text/event-stream"})
        _bound(request.transport)
        queue: Queue = asyncio.Queue(BEHIND)
        self._clients[queue] = request.transport
        try:
            await response.prepare(request)
            for part in past:
                await _write(response, part)
            while (following := await self._next(queue)) is not None:
                await _write(response, following)
        except TimeoutError:
            self._cut(queue)
        except ConnectionError:  # it has gone
            pass
        finally:
            self._clients.pop(queue, None)
        return response

    async def _next(self, queue: Queue) -> bytes | None:
        try:
            async with asyncio.timeout(ALIVE_S):
                return await queue.get()
        except TimeoutError:
            return self._alive

    def _cut(self, queue: Queue) -> None:
        """A client that does not read: its connection ends now."""
        transport = self._clients.pop(queue, None)
        if isinstance(transport, asyncio.Transport):
            transport.abort()
        _end(queue)


async def _write(response: web.StreamResponse, part: bytes) -> None:
    async with asyncio.timeout(UNREAD_S):
        await response.write(part)


def _end(queue: Queue) -> None:
    with contextlib.suppress(asyncio.QueueEmpty):
        while True:
            queue.get_nowait()
    queue.put_nowait(None)


def _bound(transport: asyncio.BaseTransport | None) -> None:
    """Let the system keep little for the client, and notice within `GONE_MS` that its computer has gone."""
    line = transport.get_extra_info("socket") if transport is not None else None
    if line is not None:
        with contextlib.suppress(OSError):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_BYTES)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_MS)

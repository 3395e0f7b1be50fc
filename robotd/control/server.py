"""Acting on a running robot from its own computer: a Unix socket that takes one JSON request a line.

Requests and answers are those of `robotd.control.orders`. Who asks is taken from the socket, not from the request.
"""

import asyncio
import contextlib
import json
import logging
import os
import pwd
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robotd.control.client import MAX_LINE, answers, short_address
from robotd.control.orders import Orders, refusal
from robotd.files.paths import folder

MAX_CLIENTS = 32  # beyond it the one that has been idle longest is dropped, so that a stop always gets through
BACKLOG = 8  # accepted at once: by the time that a client could be dropped, its first request has been read
IDLE_S = 10.0  # a client that asks nothing, or reads nothing, for so long is dropped
ACCEPTING = 4  # turns of the loop from an accepted connection to its client here

log = logging.getLogger(__name__)


class ControlServer:
    """Serves the socket of one robot while `run` runs: NAME.sock in `where`, mode 0660."""

    def __init__(self, orders: Orders, where: Path | None = None) -> None:
        self.path = (where or folder("runtime")) / f"{orders.robot}.sock"
        self._orders = orders
        self.listening = False
        self._clients: dict[asyncio.Task[None], asyncio.StreamWriter] = {}  # the longest idle one first
        self._full = False

    async def run(self) -> None:
        """Listen until cancelled; OSError if the socket cannot be made, or another daemon has it."""
        listening = _bound(self.path)
        try:
            server = await asyncio.start_unix_server(
                self._connected, sock=listening, limit=MAX_LINE, backlog=BACKLOG
            )
            self.listening = True
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self.listening = False
                with contextlib.suppress(OSError):  # before it is closed: then the path may be another daemon's
                    self.path.unlink()
                await self._close_all(server, listening)
        finally:
            listening.close()

    async def _close_all(self, server: asyncio.Server, listening: socket.socket) -> None:
        try:
            asyncio.get_running_loop().remove_reader(listening)  # no new clients
            for _ in range(ACCEPTING):  # asyncio leaks a connection that it accepts while a server closes
                await asyncio.sleep(0)
        finally:
            server.close()
            for task in tuple(self._clients):
                self._drop(task)
            await asyncio.gather(*self._clients, return_exceptions=True)

    def _drop(self, task: asyncio.Task[None]) -> None:
        """End a client, whatever of its answer is unsent."""
        self._clients[task].transport.abort()
        task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= MAX_CLIENTS:
            if not self._full:
                log.warning("more than %d clients of the control socket: the idle are dropped", MAX_CLIENTS)
            self._full = True
            self._drop(next(task for task in self._clients if not task.cancelling()))
        task = asyncio.create_task(self._serve(reader, writer))
        self._clients[task] = writer
        task.add_done_callback(self._clients.pop)
        task.add_done_callback(lambda _: writer.transport.abort())  # a task may end before it began

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        by = _find_user(writer.get_extra_info("socket"))
        task = asyncio.current_task()
        assert task is not None
        with contextlib.suppress(ConnectionError, TimeoutError):
            while answer := await self._answer_next(reader, by):
                self._clients[task] = self._clients.pop(task)
                writer.write(answer)
                await asyncio.wait_for(writer.drain(), IDLE_S)
            writer.close()
            await asyncio.wait_for(writer.wait_closed(), IDLE_S)

    async def _answer_next(self, reader: asyncio.StreamReader, by: str) -> bytes | None:
        """The line that answers the next request; None at the end of the connection."""
        try:
            line = await asyncio.wait_for(reader.readline(), IDLE_S)
        except ValueError:  # the line is longer than the stream's limit: where the next one begins is unknown
            return None
        if not line.endswith(b"\n"):
            return None
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _encode(refusal("the request is not JSON"))
        answer = await self._orders.answer(request, by)
        try:
            return _encode(answer)
        except (TypeError, ValueError, RecursionError) as error:  # of what a plug-in hands out
            return _encode(self._orders.broken(error))


def _encode(answer: Mapping[str, Any]) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _bound(path: Path) -> socket.socket:
    """A socket listening at `path`, which is replaced if its owner is gone."""
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    if os.stat(path.parent).st_uid not in (0, os.getuid()):
        raise OSError(f"{path.parent} belongs to another user, who could read along")
    if answers(path):
        raise OSError(f"{path}: another robotd of this name is running")
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o117)  # from the first moment only user and group can connect: mode 0660
    try:
        with short_address(path) as address:
            listening.bind(address)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening


def _find_user(connection: Any) -> str:
    """The login name of the process at the other end."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", raw)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"

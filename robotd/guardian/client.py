"""The daemon's side of its guardian: hand over ports, beat, and learn when to stop."""

from __future__ import annotations

import asyncio
import json
import math
import os
import socket
from collections.abc import MutableMapping
from typing import Any

from robotd.guardian.messages import BEAT, CAUSE_VARIABLE, FD_VARIABLE, MAX_MESSAGE, PING, PONG
from robotd.guardian.stop_reason import MAX_CAUSE

REPLY_S = 1.0  # the guardian answers in microseconds unless it is dead or held up
PING_S = 0.25  # between two questions whether it is there, as soon as it watches


class GuardianLink:
    """One socket to the guardian, on the running loop. A `Keeper` of ports.

    `stop_asked` is set when the guardian asks for an orderly stop; `died` when it is gone or no longer listens:
    then the motors must be stopped at once and the process must end. `last_stop` is the cause of a stop that
    was not acknowledged, '' if there is none.
    """

    def __init__(self, link: socket.socket, last_stop: str = "") -> None:
        self.last_stop = last_stop
        self.stop_asked, self.died = asyncio.Event(), asyncio.Event()
        self._closed = False
        self._link = link
        self._link.settimeout(0)
        self._replies: dict[tuple[str, str], asyncio.Future[None]] = {}
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(link, self._read)
        self._pinging: asyncio.TimerHandle | None = None
        self._answered_at = math.inf

    @classmethod
    def from_environment(cls, environ: MutableMapping[str, str] | None = None) -> GuardianLink | None:
        """The link that the guardian left in `environ`, taken out of it; None where there is no guardian."""
        environ = os.environ if environ is None else environ
        fd, cause = environ.pop(FD_VARIABLE, ""), environ.pop(CAUSE_VARIABLE, "")
        if not fd.isdigit():
            return None
        link = socket.socket(fileno=int(fd))
        link.set_inheritable(inheritable=False)
        return cls(link, cause)

    async def hold(self, name: str, fd: int, halt: bytes) -> None:
        """See `Keeper`: after this the guardian can halt the port; OSError if it cannot."""
        await self._ask({"kind": "hold", "name": name, "halt": halt.hex()}, "held", fd)

    async def release(self, name: str) -> None:
        """See `Keeper`."""
        await self._ask({"kind": "release", "name": name}, "released")

    def beat(self) -> None:
        """A tick is finished. Never blocks; a guardian that does not take beats counts as dead."""
        self._send(BEAT)

    def ready(self, period_s: float) -> None:
        """The ticks run, one each `period_s`: from now on the guardian watches."""
        self._say({"kind": "ready", "period_s": period_s})
        self._answered_at = self._loop.time()
        self._ping()

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._say({"kind": "status", "text": text[:200]})

    def acknowledged(self) -> None:
        """A person has taken notice of `last_stop`."""
        self.last_stop = ""
        self._say({"kind": "acknowledged"})

    def failed(self, cause: str) -> None:
        """The daemon ends, as nothing caught this."""
        self._say({"kind": "failed", "text": cause[:MAX_CAUSE]})

    def bye(self) -> None:
        """The motors are stopped and the process ends in order."""
        self._say({"kind": "bye"})

    def fileno(self) -> int:
        """Of the socket; -1 once it is closed."""
        return self._link.fileno()

    def close(self) -> None:
        """Close the socket: without `bye` before, the guardian kills this process."""
        self._end()
        self._link.close()
        if self._pinging is not None:
            self._pinging.cancel()

    def _ping(self) -> None:
        """Detect a guardian that is frozen: what it has answered by now is read before it is judged."""
        self._read()
        if self._closed:
            return
        if self._loop.time() - self._answered_at > REPLY_S:
            self._die()
            return
        self._send(PING)
        self._pinging = self._loop.call_later(PING_S, self._ping)

    async def _ask(self, message: dict[str, Any], reply: str, fd: int | None = None) -> None:
        done = self._replies[reply, message["name"]] = self._loop.create_future()
        self._say(message, fd)
        try:
            await asyncio.wait_for(done, REPLY_S)
        except TimeoutError:
            raise OSError("the guardian does not answer") from None

    def _say(self, message: dict[str, Any], fd: int | None = None) -> None:
        self._send(json.dumps(message).encode(), fd)

    def _send(self, data: bytes, fd: int | None = None) -> None:
        if self._closed:
            return
        try:
            socket.send_fds(self._link, [data], [] if fd is None else [fd])
        except OSError:  # broken pipe, or full: the guardian has stopped reading
            self._die()

    def _read(self) -> None:
        while not self._closed:
            try:
                data = self._link.recv(MAX_MESSAGE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._die()
                return
            if data == PONG:
                self._answered_at = self._loop.time()
                continue
            message = json.loads(data)
            done = self._replies.pop((message["kind"], message.get("name", "")), None)
            if done is not None and not done.done():
                done.set_result(None)
            if message["kind"] == "stop":
                self._say({"kind": "stopping"})
                self.stop_asked.set()

    def _die(self) -> None:
        self._end()
        self.died.set()

    def _end(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._link)
        for done in self._replies.values():
            if not done.done():
                done.set_exception(OSError("the guardian is gone"))
        self._replies.clear()

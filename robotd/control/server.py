"""Acting on a running robot from its own computer: a Unix socket that takes one JSON request a line.

`{"do": "start"}` -> `{"ok": true, "robot": ..., "state": {"word", "reason", "next_step", "may_move"},
"run": {"number", "running", "asked"}, "alone"}`, after the next tick has taken the order; "alone": true where no
radio works, so that an order to the team reaches this robot only. `{"do": "status"}` -> the same with "status";
`{"do": "task-add", "args": [NAME, "key=value", ...]}` -> the same with "task" and "reason" once the coordinator
has introduced the task; whatever cannot be done -> `{"ok": false, "error": ...}`. Who asks is taken from the
socket, not from the request.
"""

import asyncio
import contextlib
import json
import logging
import os
import pwd
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.control.client import MAX_LINE, answers, short_address
from robotd.files.paths import folder
from robotd.model.choice import Event
from robotd.model.inputs import Order
from robotd.robot.mind import IDLE
from robotd.robot.snapshot import Snapshot

SAME = ("start", "stop", "stop-team", "mission-start", "mission-stop", "mission-reset", "radio-forget", "task-add")
ORDERS = {"ack": "acknowledge", **{name: name for name in SAME}}
ANSWERS = ("introduced", "refused")  # events of a coordinator that is asked for a task
MAX_CLIENTS = 32  # beyond it the one that has been idle longest is dropped, so that a stop always gets through
BACKLOG = 8  # accepted at once: by the time that a client could be dropped, its first request has been read
MAX_ARGUMENTS = 16
IDLE_S = 10.0  # a client that asks nothing, or reads nothing, for so long is dropped
TICK_S = 2.0  # longest wait for the tick that takes an order; a stalled one is killed by the guardian long before
DECISION_S = 1.5  # longest wait for a decision after it: decisions are a second apart at most
LOOK_S = 0.01  # between two looks at whether that tick has been
ACCEPTING = 4  # turns of the loop from an accepted connection to its client here

log = logging.getLogger(__name__)
Describe = Callable[[Snapshot], Any]


class ControlServer:
    """Serves one robot's socket while `run` runs.

    `submit` is given each order; `snapshot` returns what the last tick left, None before the first; `describe`
    makes the answer to a status request of it; `check_task` raises ValueError for the words of a task that cannot
    be added; `plugins`: whose code these two may run, for the refusal where that raises anything else. The socket
    is NAME.sock in `where`, mode 0660.
    """

    def __init__(
        self,
        name: str,
        submit: Callable[[Order], None],
        snapshot: Callable[[], Snapshot | None],
        describe: Describe | None = None,
        where: Path | None = None,
        check_task: Callable[[Sequence[str]], None] = lambda _: None,
        plugins: str = "a plug-in",
    ) -> None:
        self.path = (where or folder("runtime")) / f"{name}.sock"
        self._name = name
        self._submit = submit
        self._snapshot = snapshot
        self._describe = describe
        self._check_task = check_task
        self._plugins = plugins
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
                await self._close_all(server, listening)
        finally:
            listening.close()
            self.path.unlink(missing_ok=True)

    async def _close_all(self, server: asyncio.Server, listening: socket.socket) -> None:
        try:
            asyncio.get_running_loop().remove_reader(listening)  # nobody new
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
            return _encode(await self._answer(line, by))
        except (Exception, SystemExit) as error:  # of a plug-in: no fault of the robot, which goes on
            log.exception("a request could not be answered")
            return _encode(_refusal(f"{self._plugins} raised {type(error).__name__}: {error}"))

    async def _answer(self, line: bytes, by: str) -> dict[str, Any]:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _refusal("the request is not JSON")
        if not isinstance(request, dict):
            return _refusal("the request is not an object")
        what, arguments = request.get("do"), request.get("args", [])
        if what == "status":
            return await self._status()
        if not isinstance(what, str) or what not in ORDERS:
            return _refusal(f"cannot do {str(what)[:40]!r}; expected status, {', '.join(ORDERS)}")
        if not _are_arguments(arguments):
            return _refusal(f"args must be at most {MAX_ARGUMENTS} strings")
        adds = what == "task-add"
        if adds:
            try:
                self._check_task(arguments)
            except ValueError as error:
                return _refusal(str(error))
        before = self._snapshot()
        self._submit(Order(ORDERS[what], tuple(arguments), by))
        after = await self._wait_for(lambda snapshot: snapshot is not before, TICK_S)
        if after is None:
            return _refusal("no tick took the order: the daemon does not tick")
        return await self._answer_of_coordinator(before, " ".join(arguments[:1])) if adds else self._reply(after)

    async def _wait_for(self, is_it: Callable[[Snapshot], bool], timeout_s: float) -> Snapshot | None:
        for _ in range(round(timeout_s / LOOK_S)):
            await asyncio.sleep(LOOK_S)
            snapshot = self._snapshot()
            if snapshot is not None and is_it(snapshot):
                return snapshot
        return None

    async def _answer_of_coordinator(self, before: Snapshot | None, task: str) -> dict[str, Any]:
        """What the first decision after `before` that answers for `task` says of it."""
        known = before.choice if before is not None else None

        def answers_in(snapshot: Snapshot) -> list[Event]:
            events = snapshot.choice.events if snapshot.choice is not known else ()
            return [event for event in events if event.kind in ANSWERS and event.task == task]

        after = await self._wait_for(lambda snapshot: bool(answers_in(snapshot)), DECISION_S)
        if after is None:
            return _refusal("the coordinator gives no answer: it takes no task at run time")
        event = answers_in(after)[0]
        if event.kind == "refused":
            return _refusal(f"refused {task}: {event.cause}")
        return {**self._reply(after), "task": task, "reason": event.cause}

    async def _status(self) -> dict[str, Any]:
        """The status after the first decision of a start or a run: before it there are no levels."""
        snapshot = self._snapshot()
        if snapshot is None:
            return _refusal("it has not ticked yet")
        if snapshot.choice is IDLE:
            snapshot = await self._wait_for(lambda one: one.choice is not IDLE, DECISION_S) or snapshot
        described = self._describe(snapshot) if self._describe is not None else None
        return {**self._reply(snapshot), "status": described}

    def _reply(self, snapshot: Snapshot) -> dict[str, Any]:
        state = snapshot.thought.state
        words = {key: getattr(state, key) for key in ("word", "reason", "next_step", "may_move")}
        beliefs = snapshot.thought.beliefs
        run = {"number": beliefs.run, "running": beliefs.running, "asked": snapshot.run_asked}
        alone = not snapshot.radio.alive and len(beliefs.table.team) > 1
        return {"ok": True, "robot": self._name, "state": words, "run": run, "alone": alone}


def _encode(answer: Mapping[str, Any]) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _refusal(error: str) -> dict[str, Any]:
    return {"ok": False, "error": error}


def _are_arguments(arguments: object) -> bool:
    if not isinstance(arguments, list) or len(arguments) > MAX_ARGUMENTS:
        return False
    return all(isinstance(item, str) for item in arguments)


def _bound(path: Path) -> socket.socket:
    """A socket listening at `path`, which is replaced if its owner is gone."""
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    if os.stat(path.parent).st_uid not in (0, os.getuid()):
        raise OSError(f"{path.parent} belongs to another user, who could read along")
    if answers(path):
        raise OSError(f"{path}: another robotd of this name is running")
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o117)  # from the first moment nobody but user and group can connect: mode 0660
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

"""What runs now, for Foxglove and Lichtblick over a WebSocket: they look on, and can change nothing."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from foxglove import Context, start_server
from foxglove.websocket import WebSocketServer

from robotd.foxglove.topics import NS, Topics, topics_of
from robotd.robot.snapshot import Snapshot
from robotd.timing import clock
from robotd.transport.threads import in_thread

log = logging.getLogger(__name__)
BACKLOG = 256  # messages that a client may be behind; older ones are dropped
RETRY_S = 5.0  # until an address that is in use is tried again
AGAIN_NS = NS  # the room and the bodies are sent so often, for clients that come later


def serve(context: Context, host: str, port: int, name: str) -> WebSocketServer:
    """Listen; OSError where that address cannot be had."""
    try:
        return start_server(name=name, host=host, port=port, context=context, message_backlog_size=BACKLOG)
    except RuntimeError as error:
        raise OSError(f"Foxglove on {host} port {port}: {error}") from None


class RobotServer:
    """Serves one robot's finished ticks, at wall-clock time; the ticks never wait for it, nor end by it."""

    def __init__(self, host: str, port: int, robot: str, mission: Mapping[str, Any]) -> None:
        self._address, self._name = (host, port), robot
        self._context = Context()
        self._topics: Topics | None = topics_of(self._context, mission)
        self.port = 0  # while it listens

    def watch(self, snapshot: Snapshot) -> None:
        """A tick is finished."""
        if self._topics is None or not self._topics.watched:
            return
        decision, at = snapshot.decision, round(clock.wall().timestamp() * NS)
        try:
            self._topics.tick(snapshot.robot, at, snapshot.inputs, (), decision.choice, decision.state)
            self._topics.publish_room(at, AGAIN_NS)
        except Exception:  # whoever looks on must stop no robot
            log.exception("Foxglove is shown nothing more")
            self._topics = None

    def _serve(self) -> WebSocketServer:
        return serve(self._context, *self._address, self._name)

    async def run(self) -> None:
        """Serve until cancelled; an address that is in use is tried again."""
        refused = ""
        while True:
            try:  # in a thread, as it looks names up
                server = await in_thread(self._serve, discard=lambda late: late.stop())
                break
            except OSError as error:
                if str(error) != refused:
                    refused = str(error)
                    log.warning("%s; it is tried again", refused)
                await asyncio.sleep(RETRY_S)
        self.port = server.port
        try:
            await asyncio.Event().wait()
        finally:
            server.stop()

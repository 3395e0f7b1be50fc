"""A simulated run for Foxglove and Lichtblick, at simulated time, with the true places of robots and objects."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from foxglove import Context
from foxglove.websocket import WebSocketServer

from boards.mock.world import World
from robotd.foxglove.server import AGAIN_NS, serve
from robotd.foxglove.topics import NS, topics_of
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.record.why import Happened
from robotd.timing import clock

RETRY_S = 0.5  # real time, until the run before this one has left its address


class FoxgloveWatcher:
    """Serves one run on `host` and `port` as soon as that address is free."""

    def __init__(self, host: str, port: int, mission: Mapping[str, Any]) -> None:
        self._address, self._name = (host, port), str(mission["name"])
        self._context = Context()
        self._topics = topics_of(self._context, mission, truth=True)
        self._server: WebSocketServer | None = None
        self._tried = -math.inf

    def tick(self, robot: str, i: Inputs, sent: Sequence[Sent], decision: Decision) -> None:
        """A robot has finished a tick."""
        if self._topics.watched:
            self._topics.tick(robot, round(i.now * NS), i, sent, decision.choice, decision.state)

    def happened(self, robot: str, one: Happened) -> None:
        """Something was done to a robot."""
        self._topics.happened(robot, one)

    def look(self, world: World, now: float) -> None:
        """The world has advanced to `now` (s from the start)."""
        if self._server is None:
            self._listen()
        if not self._topics.watched:
            return
        at = round(now * NS)
        self._topics.publish_room(at, AGAIN_NS)
        for name in world.robots:
            pose = world.pose(name)
            if pose is not None:
                self._topics.place(name, at, *pose[:3])
        self._topics.objects(at, [(one.x, one.y, one.colour) for one in world.objects()])

    def _listen(self) -> None:
        if clock.monotonic() < self._tried + RETRY_S:
            return
        self._tried = clock.monotonic()
        try:
            self._server = serve(self._context, *self._address, self._name)
        except OSError:  # of the run before this one, which ends
            return

    def close(self) -> None:
        """Leave the address to the next run."""
        if self._server is not None:
            self._server.stop()

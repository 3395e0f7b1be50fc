"""What has happened to a running robot, each event with its cause: a bounded list, fed by finished ticks.

A tick only appends; whoever looks on is informed after it.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from robotd.record.why import Account, Happened
from robotd.robot.snapshot import Snapshot
from robotd.status.model import EventPart, EventsPart

KEPT = 500
MOST_OF_TICK = 50  # events of one tick that are kept: a plug-in may report any number
LONGEST = 500  # characters of a cause


class Numbered(NamedTuple):
    """An event and its number, from 1 since the start of the daemon."""

    n: int
    happened: Happened

    def part(self) -> EventPart:
        """As people and programs are shown it."""
        n, one = self
        cause, data = str(one.cause)[:LONGEST], _plain(one.data)
        return EventPart.of(one, n=n, at_s=one.at, cause=cause, data=data)


class EventLog:
    """The last `KEPT` events; `boot` distinguishes this start of the daemon from others.

    `watch` is called with each snapshot; then `changed`, once for all events of a tick, when the tick is over.
    """

    def __init__(self, boot: str, changed: Callable[[], None]) -> None:
        self.boot, self._changed = boot, changed
        self.account = Account("")
        self._kept: deque[Numbered] = deque(maxlen=KEPT)
        self.count = 0  # of all events: the number of the last

    def watch(self, snapshot: Snapshot) -> None:
        """Take in a tick."""
        account, i, decision = self.account, snapshot.inputs, snapshot.decision
        account.robot = snapshot.robot
        account.take(i, decision.state, decision.choice, i.now - snapshot.started_at)
        if account.happened:
            for one in account.happened[-MOST_OF_TICK:]:
                self.count += 1
                self._kept.append(Numbered(self.count, one))
            account.happened = []
            asyncio.get_running_loop().call_soon(self._changed)

    def since(self, n: int) -> list[Numbered]:
        """The kept events after number `n`, the oldest first."""
        return [one for one in self._kept if one.n > n]

    def document(self, n: int) -> dict[str, Any]:
        """What `GET /events?since=N` answers."""
        kept = self.since(n)
        first = kept[0].n if kept else self.count + 1
        events = [one.part() for one in kept]
        lost = max(0, first - 1 - max(0, n))
        return EventsPart.of(boot=self.boot, last=self.count, lost=lost, events=events).model_dump()

    def number(self, cursor: str) -> int:
        """The event after which a client goes on: N, or BOOT.N, of another start everything; ValueError."""
        boot, _, number = cursor.rpartition(".")
        if not (number.isascii() and number.isdecimal() and len(number) < 16):
            raise ValueError(f"since {cursor[:40]!r}: expected the number of an event, at least 0")
        return 0 if boot not in ("", self.boot) else int(number)


def _plain(data: Mapping[str, Any]) -> Any:
    """As JSON can hold it, empty where it cannot: what a plug-in hands out may be anything."""
    try:
        return json.loads(json.dumps(dict(data), default=str, skipkeys=True), parse_constant=lambda _: None)
    except (ValueError, TypeError, RecursionError):
        return {}

"""Makes the events of a simulation happen, each at its time and to whoever it concerns then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from robotd.model.inputs import Order
from robotd.record.log import RunLog
from robotd.sim.events import BODY_VERBS, Happening, whom
from robotd.sim.story import Story
from robotd.sim.team import Team

RETRY_S = 0.2  # a role that nobody fills is looked for again at every decision period
BOOT_S = 20.0  # what a Raspberry Pi takes from power to a running service
ORDERS = {
    "start": Order("start", by="simulation"),
    "stop-team": Order("stop-team", by="simulation"),
    "ack": Order("acknowledge", by="simulation"),
    "restart-mission": Order("mission-reset", by="simulation"),
}


class Director:
    """Owns the script; `switch_on` and `switch_off` start and end a robot's ticking."""

    def __init__(
        self,
        team: Team,
        story: Story,
        log: RunLog,
        switch_on: Callable[[str], None],
        switch_off: Callable[[str], None],
    ) -> None:
        self._team = team
        self._story = story
        self._log = log
        self._switch_on = switch_on
        self._switch_off = switch_off

    async def play(self, script: Sequence[Happening]) -> None:
        """Let every event happen at its time, in file order where times are equal."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        waiting: list[Happening] = []
        upcoming = sorted(script, key=lambda event: event.at_s)
        tick = 0
        while upcoming or waiting:
            due = upcoming[0].at_s if upcoming else float("inf")
            if waiting:
                tick = max(tick + 1, int((loop.time() - start) / RETRY_S) + 1)
                due = min(due, tick * RETRY_S)
            await asyncio.sleep(start + due - loop.time())
            now = loop.time() - start
            while upcoming and upcoming[0].at_s <= now:
                waiting.append(upcoming.pop(0))
            waiting = [event for event in waiting if not self._happens(event, loop.time())]

    def _happens(self, event: Happening, now: float) -> bool:
        names = whom(event, self._team.names, self._story.holding)
        for name in names:
            self._apply(event, name, now)
            self._log.note("event", at_s=now, verb=event.verb, who=name, arg=event.arg)
        return bool(names)

    def _apply(self, event: Happening, name: str, now: float) -> None:
        team, verb, arg = self._team, event.verb, event.arg
        number = team.mission.content.team[name].number
        if verb in BODY_VERBS:
            team.world.happen(verb, name, arg, now)
        if verb in ("remove", "return"):  # out of the room is out of reach of the radio
            team.channel.switch(number, verb == "return", now)
        elif verb == "radio":
            team.channel.switch(number, arg == "on", now)
        elif verb == "loss":
            team.channel.set_loss(number, float(arg), now)
        elif verb in ("kill", "stop-process"):
            self._switch_off(name)
        elif verb == "reboot":
            self._switch_off(name)
            asyncio.get_running_loop().call_later(BOOT_S, self._switch_on, name)
        elif verb == "add-task":
            self._order(name, Order("task-add", (arg,), "simulation"))
        elif verb in ORDERS:
            self._order(name, ORDERS[verb])

    def _order(self, name: str, order: Order) -> None:
        robot = self._team.robots.get(name)
        if robot is not None:
            robot.orders.append(order)

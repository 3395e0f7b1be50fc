"""The scenario events of a simulation: those of its script, each at its time, to the robots that it concerns."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from boards.mock.scenario import apply
from boards.mock.world import World
from radio.base_station import NUMBER
from radio.link import BASE_STATION
from radio.mock.channel import Channels
from robotd.config.events import HOLDER, ScenarioEvent, check, event_of, parse, whom
from robotd.config.load import ConfigError, Mission, Problem
from robotd.config.task_order import check_order, split_order
from robotd.config.tuning import check_tuning
from robotd.config.verbs import BODY_VERBS
from robotd.model.inputs import Order
from robotd.record.happened import SIMULATION

RETRY_S = 0.2  # between two looks at which robot fills a role, and how far the box has come
ORDERS = {
    "start": Order("start", by=SIMULATION),
    "stop-team": Order("stop-team", by=SIMULATION),
    "ack": Order("acknowledge", by=SIMULATION),
    "restart-mission": Order("mission-reset", by=SIMULATION),
}


class Backend(Protocol):
    """What the director acts on: robots in this process, or robots that are processes."""

    world: World
    airs: Channels

    @property
    def numbers(self) -> Mapping[str, int]:
        """Every robot's number by name."""

    @property
    def holding(self) -> Mapping[str, Collection[str]]:
        """The robots that have each task now, active or suspended."""

    def order(self, name: str, order: Order) -> None:
        """A person asks something of a robot; one whose computer is off does not receive it."""

    def end(self, name: str, verb: str) -> None:
        """`kill` or `stop-process` a robot's process."""

    def reboot(self, name: str) -> None:
        """Switch a robot's computer off, and on again."""

    def note(self, event: ScenarioEvent, name: str, now: float) -> None:
        """`event` has happened to robot `name`."""


class Director:
    """Plays the events of a simulation on the loop's clock; `happened` are those that did, and to which robot."""

    def __init__(self, stage: Backend) -> None:
        self._stage = stage
        self._away: set[str] = set()  # lifted out of the room
        self.muted: set[str] = set()  # radio switched off
        self._upcoming: list[ScenarioEvent] = []
        self._waiting: list[ScenarioEvent] = []  # due, but its role is not filled, or its place is not free
        self._sleep: asyncio.Future[None] | None = None
        self._start = 0.0
        self.happened: list[dict[str, object]] = []

    def outcome(self) -> dict[str, object]:
        """For an outcome: the events that happened, and those that did not before the end, with why; if any."""
        late = {str(event): "the run ended before it" for event in self._upcoming}
        unfilled = {str(event): _why_waiting(event) for event in self._waiting}
        found = {"happened": self.happened, "never_happened": unfilled | late}
        return {key: value for key, value in found.items() if value}

    def add(self, event: ScenarioEvent) -> None:
        """One more event, while it plays; one whose time is over happens at once."""
        self._upcoming = sorted([*self._upcoming, event], key=lambda event: event.at_s)
        self._wake()

    async def play(self, script: Sequence[ScenarioEvent], *, stays: bool = False) -> None:
        """Let every event happen at its time, in file order where times are equal; with `stays` wait for more."""
        loop = asyncio.get_running_loop()
        self._start = start = loop.time()
        self._upcoming = sorted([*script, *self._upcoming], key=lambda event: event.at_s)
        self._waiting = []
        tick = 0
        while self._upcoming or self._waiting or stays:
            due = self._upcoming[0].at_s if self._upcoming else float("inf")
            if self._waiting:
                tick = max(tick + 1, int((loop.time() - start) / RETRY_S) + 1)
                due = min(due, tick * RETRY_S)
            await self._wait_until(start + due)
            now = loop.time() - start
            while self._upcoming and self._upcoming[0].at_s <= now:
                self._waiting.append(self._upcoming.pop(0))
            self._waiting = [event for event in self._waiting if not self._happens(event, loop.time())]

    async def _wait_until(self, when: float) -> None:
        """Until then (loop clock, s; inf: for ever), or until an event was added."""
        loop = asyncio.get_running_loop()
        if when <= loop.time():
            await asyncio.sleep(0)
            return
        self._sleep = loop.create_future()
        timer = loop.call_at(when, self._wake) if when < float("inf") else None
        try:
            await self._sleep
        finally:
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        if self._sleep is not None and not self._sleep.done():
            self._sleep.set_result(None)

    def _happens(self, event: ScenarioEvent, now: float) -> bool:
        if event.box_m and self._stage.world.box_came_m(now) < event.box_m:
            return False
        names = whom(event, self._stage.numbers, self._stage.holding)
        if event.verb == "return" and not all(self._stage.world.may_return(name, now) for name in names):
            return False
        for name in names:
            self._apply(event, name, now)
            self._stage.note(event, name, now)
            at_s = round(now - self._start, 3)
            self.happened.append({"at_s": at_s, "verb": event.verb, "robot": name, "arg": event.arg})
        return bool(names)

    def _apply(self, event: ScenarioEvent, name: str, now: float) -> None:
        stage, verb, arg = self._stage, event.verb, event.arg
        if verb in BODY_VERBS:
            apply(stage.world, verb, name, arg, now)
        if verb in ("remove", "return"):
            self._reach(self._away, name, verb == "remove", now)
        elif verb == "radio":
            self._reach(self.muted, name, arg == "off", now)
        elif verb == "loss":
            stage.airs.set_loss(self._number(name), float(arg), now)
        elif verb in ("kill", "stop-process"):
            stage.end(name, verb)
        elif verb == "reboot":
            stage.reboot(name)
        elif verb == "add-task":
            stage.order(name, Order("task-add", split_order(arg), SIMULATION))
        elif verb == "tune":
            stage.order(name, Order("tune", tuple(arg.split(",")), SIMULATION))
        elif verb in ORDERS:
            stage.order(name, ORDERS[verb])

    def _reach(self, why: set[str], name: str, silent: bool, now: float) -> None:
        """Out of the room is out of reach of the radio, and one that is switched off stays so wherever it is."""
        (why.add if silent else why.discard)(name)
        reached = name not in self._away and name not in self.muted
        self._stage.airs.switch(self._number(name), reached, now)

    def _number(self, name: str) -> int:
        return NUMBER if name == BASE_STATION else self._stage.numbers[name]


def _why_waiting(event: ScenarioEvent) -> str:
    if event.who.startswith(HOLDER):
        return f"no robot had the task {event.who.removeprefix(HOLDER)}"
    if event.box_m:
        return f"the box did not come {event.box_m:g} m towards its goal"
    return "the others were never all busy at the other end of the box"


def script_of(mission: Mission, events: Sequence[str]) -> list[ScenarioEvent]:
    """The mission's own events and `events`; ConfigError names every one that cannot happen."""
    own = list(map(event_of, mission.content.event))
    problems: list[Problem] = []
    script: list[ScenarioEvent] = []
    for where, key, made in ((mission.source, "event", own), ("--event", "", list(events))):
        for entry in made:
            try:
                event = parse(entry) if isinstance(entry, str) else entry
                check_event(event, mission)
            except ValueError as error:
                problems.append(Problem(where, 0, key, str(error)))
            else:
                script.append(event)
    if problems:
        raise ConfigError(problems)
    return script


def check_event(event: ScenarioEvent, mission: Mission) -> None:
    """ValueError for an event that cannot happen in this mission, with what was expected."""
    content = mission.content
    has_box = content.world.get("box") is not None
    check(event, content.team, content.tasks, content.named_resources(), box=has_box)
    if event.verb not in ("add-task", "tune"):
        return
    try:
        if event.verb == "tune":
            check_tuning(event.arg.split(","), mission)
        else:
            check_order(split_order(event.arg), mission.content, mission.plugins)
    except ValueError as error:
        raise ValueError(f"{event}: {error}") from None

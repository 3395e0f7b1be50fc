"""Events that coordinators report alike: orders that are refused, teammates that fall silent or are back."""

import math
from collections.abc import Iterable, Mapping, Sequence

from robotd.model.beliefs import SAME, Teammate
from robotd.model.choice import Event
from robotd.model.inputs import Order
from robotd.model.plain import Json
from robotd.model.table import Member

NO_RUN = "no run is under way; start the mission first"


def refuse_tasks(orders: Iterable[Order], why: str) -> tuple[Event, ...]:
    """A `refused` event for each order to add a task, by the task's name."""
    tasks = [" ".join(order.args[:1]) for order in orders if order.kind == "task-add"]
    return tuple([Event("refused", "", task, why) for task in tasks])


class Silence:
    """Which teammates count as silent, for people: no decision reads it.

    It looks at them only when one can have become so, or may be back.
    """

    def __init__(self, team: Iterable[Member], me: int, *, frees: bool = True) -> None:
        """`me`: this robot's number in the team; `frees`: the task of one that is silent is free at once."""
        self._names = dict(sorted((one.number, one.name) for one in team if one.number != me))
        self._frees = frees
        self._silent: dict[int, float] = {}  # since when
        self._timeout_s, self._due = 0.0, -math.inf  # before then none falls silent

    def look(
        self, now: float, timeout_s: float, teammates: Mapping[int, Teammate], *, any_heard: bool
    ) -> list[Event]:
        """What has changed. `timeout_s`: so long without a frame is silence; `any_heard`: since the last look."""
        if now < self._due and timeout_s == self._timeout_s and not (any_heard and self._silent):
            return []
        self._timeout_s, self._due, events = timeout_s, math.inf, []
        for number, name in self._names.items():
            teammate = teammates.get(number)
            silent_at = (teammate.last_received if teammate is not None else now) + timeout_s
            is_silent = silent_at <= now + SAME
            if not is_silent:
                self._due = min(self._due, silent_at - SAME)
            if teammate is None or is_silent == (number in self._silent):
                continue
            if is_silent:
                self._silent[number] = teammate.last_received
                events.append(self._event(now, name, teammate))
            else:
                silent_s = now - self._silent.pop(number)
                on = f"on {teammate.task}" if teammate.task else "without a task"
                words = f"{name} is received again after {silent_s:.1f} s, {on}"
                events.append(Event("teammate-back", "", teammate.task, words, {"robot": name}))
        return events

    def _event(self, now: float, name: str, teammate: Teammate) -> Event:
        silent_s = now - teammate.last_received
        tasks = " and ".join(task for task in (teammate.task, teammate.held) if task)
        words = f"nothing received from {name} for {silent_s:.1f} s, time-out {self._timeout_s:g} s"
        if tasks:
            words += f"; it was on {tasks}" + (", free from now on" if self._frees else "")
        return Event("teammate-silent", "", teammate.task, words, {"robot": name})

    def freeze(self) -> Json:
        return [[robot, since] for robot, since in sorted(self._silent.items())]

    def thaw(self, state: Sequence[Sequence[float]]) -> None:
        """Take up a frozen state."""
        self._silent, self._due = {int(robot): since for robot, since in state}, -math.inf

"""Bounding overwatch: one group of slots drives on while the other watches (paper 000, section IV, names it).

A group is some slots, each with a count fact: how many bounds have been made in it. A bound of the group is over
once all its slots have made it; then it is the other group's turn. Counts only grow and are asserted at a
standstill, so that however late they are received no two groups move: a robot that has not received one waits.
Each slot is a task of its own: motivation decides which robot takes it, and if one is lost another drives it too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from behaviors import parts
from behaviors.parts import Drive, OnTask, Out, Part, Percept, SingleSet, complete
from behaviors.steering import Trip, distance_to, head_for, nearness, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

FACED = 0.1  # rad: nearer than this it does not turn; twice what the steadied heading errs


class GroupsSettings(parts.Settings):
    """The two groups, as a robot of one of them sees them."""

    own: tuple[str, ...] = parts.setting(
        ..., "the counts of the own group's slots", min_length=1, names=parts.fact("count")
    )
    other: tuple[str, ...] = parts.setting(
        ..., "the counts of the other group's slots", min_length=1, names=parts.fact("count")
    )
    first: bool = parts.setting(default=False, meaning="whether the own group makes the first bound")


def bounds(beliefs: Beliefs, slots: Sequence[str]) -> int:
    """How many bounds a group has finished."""
    return min(beliefs.count(slot) for slot in slots)


def own_turn(beliefs: Beliefs, groups: GroupsSettings) -> bool:
    """Whether the own group may bound: it has made fewer bounds, or as many and was the first."""
    own, other = bounds(beliefs, groups.own), bounds(beliefs, groups.other)
    return own < other or (own == other and groups.first)


@dataclass(slots=True)
class Watching(OnTask):
    """The other group's bounds when it began (-1: not yet), and whether one more is made."""

    begun: int = -1
    over: bool = False


class FaceForward(Part[Watching, "Watch.Settings"]):
    """Turns on the spot to the wanted heading, and counts the watch when the bound is over."""

    name = "face-forward"
    initial = Watching

    def leave(self, now: float, why: str) -> None:
        self.state = Watching()

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s, pose = self.state, self.settings, i.pose
        if state.over:
            return None
        made = bounds(beliefs, s.other)
        if state.begun < 0:
            state.begun = made
        if made > state.begun:
            state.over = True
            return Out(Drive(0.0, 0.0), facts=complete(beliefs, state.task))
        error = wrap(math.radians(s.heading_deg) - pose.heading) if pose is not None else 0.0
        return Out(Drive(0.0, turn_to(error) if abs(error) > FACED else 0.0))


class Watch(SingleSet[FaceForward]):
    behavior = FaceForward

    class Settings(GroupsSettings):
        bounds: int = parts.setting(..., "how many bounds the other group makes in all", gt=0)
        heading_deg: float = parts.setting(
            90.0, "where forward is, degrees from the x axis, left positive", ge=-180, le=180
        )

    needs = ("mobile", "positioning")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable on the other group's turn while it has bounds to make; a watch begun until it is counted."""
        s, state = self.one.settings, self.one.state
        made = bounds(beliefs, s.other)
        due = not own_turn(beliefs, s) and made < s.bounds
        left = made < s.bounds
        why = f"waits for the turn of {' and '.join(s.other)}" if left else "the other group has made all bounds"
        return Feedback(due or (state.begun >= 0 and not state.over), state.over, made / s.bounds, why=why)


@dataclass(slots=True)
class Bounding(OnTask):
    """The station (from 0) that it drives to (-1: none yet), the way, whether it is there."""

    station: int = -1
    trip: Trip = field(default_factory=Trip)
    there: bool = False


class GoOn(Part[Bounding, "Bound.Settings"]):
    """Drives to the station, stops, and counts the bound in the same tick."""

    name = "go-on"
    initial = Bounding

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s, pose = self.state, self.settings, i.pose
        if pose is None or i.senses.lifted or state.there:
            return None
        if state.station < 0:
            state.station = beliefs.count(beliefs.table.task_entries[state.task].completion)
        x, y = s.stations[min(state.station, len(s.stations) - 1)]
        if distance_to(pose, x, y) < s.near_m:
            state.there = True
            return Out(Drive(0.0, 0.0), facts=complete(beliefs, state.task))
        return Out(head_for(state.trip, i, x, y, s.speed, beliefs.me))


class Bound(SingleSet[GoOn]):
    """The behavior set of one slot, whose count is the completion of its task."""

    behavior = GoOn

    class Settings(GroupsSettings):
        stations: tuple[tuple[float, float], ...] = parts.setting(
            ..., "where each bound of this slot ends: x and y, m", min_length=1
        )
        watch: str = parts.setting(
            ..., "the task of the other group's that must be known to be at work", names=parts.TASK
        )
        heard_s: float = parts.setting(20.0, "a watcher received so lately counts as watching, s", gt=0)
        near_m: float = parts.setting(0.25, "so near to the station it is there, m", gt=0, le=5)
        speed: float = parts.setting(0.7, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable on the own group's turn, while this slot has not made the bound and a teammate watches."""
        s, entry = self.one.settings, beliefs.table.task_entries.get(task.id)
        if entry is None:
            return Feedback(applicable=False, why="introduced at run time, it has no slot")
        made = beliefs.count(entry.completion)
        due = made < len(s.stations) and own_turn(beliefs, s) and made == bounds(beliefs, s.own)
        fitness = nearness(i.pose, *s.stations[min(made, len(s.stations) - 1)])
        watched = any(
            teammate.task == s.watch and i.now - teammate.last_received < s.heard_s
            for teammate in beliefs.teammates.values()
        )
        if made >= len(s.stations):
            why = "all its bounds are made"
        else:
            why = f"no teammate reports {s.watch}" if due else f"waits until {' and '.join(s.other)} have grown"
        return Feedback(due and watched, self.one.state.there, made / len(s.stations), fitness, why=why)

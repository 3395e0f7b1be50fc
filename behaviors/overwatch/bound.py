"""Bound: drive one slot of the own group on to its next station, under the eyes of the other group.

Bounding overwatch (paper 000, section IV, names the mission). Each slot of a group is a task of its own: which
robot takes it is decided by motivation, and of a group that has lost a robot another drives that slot too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from behaviors import parts
from behaviors.overwatch.turns import GroupsSettings, own_turn
from behaviors.parts import Drive, OnTask, Out, Part, Percept, SingleSet, complete
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task


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
        s = self.one.settings
        made = beliefs.count(beliefs.table.task_entries[task.id].completion)
        due = made < len(s.stations) and own_turn(beliefs, s) and made == min(beliefs.count(n) for n in s.own)
        far = distance_to(i.pose, *s.stations[min(made, len(s.stations) - 1)]) if i.pose is not None else 10.0
        return Feedback(
            applicable=due and self._is_watched(i.now, beliefs),
            done=self.one.state.there,
            progress=made / len(s.stations),
            fitness=1.0 / (1.0 + far),
        )

    def _is_watched(self, now: float, beliefs: Beliefs) -> bool:
        s = self.one.settings
        return any(mate.task == s.watch and now - mate.last_heard < s.heard_s for mate in beliefs.mates.values())

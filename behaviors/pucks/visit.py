"""Drive to a place and stay there: idle robots, and those that look for help (paper 003, algorithms 1 and 2)."""

from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

INSIDE_M = 0.5  # it drives so far into the circle, so that the error of its position does not take it out again


@dataclass(slots=True)
class Visiting:
    """The place, m, whether it rests there, and the way to it."""

    x: float = 0.0
    y: float = 0.0
    rests: bool = False
    trip: Trip = field(default_factory=Trip)


class GoAndStay(Part[Visiting, "Visit.Settings"]):
    """Drives into a circle round the place and rests; pushed out of it, it comes back.

    A robot that is already in the circle and finds its way blocked rests where it is: several may share a place.
    """

    name = "go-and-stay"
    initial = Visiting

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        if task is not None:
            self.state.x, self.state.y = task.place

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.pose is None or i.senses.lifted:
            return None
        far = distance_to(i.pose, state.x, state.y)
        inner = s.near_m - min(INSIDE_M, s.near_m / 2)
        blocked = far < s.near_m and state.trip.detours > 0
        state.rests = far < s.near_m if state.rests else far < inner or blocked
        if state.rests:
            state.trip = Trip()
            return Out(Drive(0.0, 0.0))
        return Out(head_for(state.trip, i, state.x, state.y, s.speed, beliefs.me))


class Visit(SingleSet[GoAndStay]):
    """The behavior set; its progress is 1 in the circle, and 0 on the way."""

    behavior = GoAndStay

    class Settings(parts.Settings):
        near_m: float = parts.setting(2.5, "so near to the place it is there, m", gt=0, le=20)
        speed: float = parts.setting(1.0, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning")
    args = MappingProxyType({"x": (), "y": ()})

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        there = i.pose is not None and distance_to(i.pose, *task.place) < self.one.settings.near_m
        return Feedback(applicable=True, progress=float(there))

"""Do the work of one place: drive there and run a tool until nothing is left, as the dirt sensor reads it."""

from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.parts import Drive, OnTask, Out, Part, Percept, SingleSet, complete, why_done
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

HALF, STARTED, PERFORMED = 0.5, 0.01, 1.0  # progress: below a half while it works, 1 once nothing is left


@dataclass(slots=True)
class Serving(OnTask):
    """The place, m, the area there, what is left of its work (1: all), whether it was found done, and the way."""

    x: float = 0.0
    y: float = 0.0
    area: str = ""
    there: bool = False
    left: float = 1.0
    over: bool = False
    trip: Trip = field(default_factory=Trip)


class Work(Part[Serving, "ServeSettings"]):
    """Goes to the place, runs the tool and asserts the completion; then it stays as long as it is on the task."""

    name = "work"
    initial = Serving

    def __init__(self, settings: "ServeSettings", tool: str) -> None:
        super().__init__(settings)
        self._tool = tool

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        if task is not None:
            (self.state.x, self.state.y), self.state.area = task.place, task.arg("area")

    def leave(self, now: float, why: str) -> None:
        self.state = Serving()

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.pose is None or i.senses.lifted:
            return None
        state.there = distance_to(i.pose, state.x, state.y) < s.near_m
        if not state.there:
            return Out(head_for(state.trip, i, state.x, state.y, s.speed, beliefs.me))
        if state.over:
            return Out(Drive(0.0, 0.0))
        read = [sight.size for sight in i.senses.sights if sight.label == state.area and sight.size is not None]
        state.left = read[0] if read else state.left
        if state.left > 0.0:
            return Out(Drive(0.0, 0.0), tool=self._tool)
        state.over = True
        return Out(Drive(0.0, 0.0), facts=complete(beliefs, state.task))


class ServeSettings(parts.Settings):
    """Its table in the mission file, the same for each tool."""

    near_m: float = parts.setting(0.3, "so near to the place it works, m", gt=0, le=5)
    speed: float = parts.setting(1.0, "on the way, share of the body's greatest speed", gt=0, le=1)
    fitness: float = parts.setting(1.0, "how well suited the robot is, for bids", ge=0, le=1)


class Serve(SingleSet[Work]):
    """The set of a tool, the last of what it needs.

    Applicable until the task's completion is known, and for the robot that brought it about as long as it stays.
    Progress is 0 on the way, up to a half at work, and 1 once nothing is left.
    """

    Settings = ServeSettings
    args = MappingProxyType({"x": (), "y": (), "area": ()})

    def _make(self, settings: ServeSettings) -> Work:
        return Work(settings, self.needs[-1])

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        state, why = self.one.state, why_done(beliefs, task.id)
        mine = state.task == task.id
        over = mine and state.over
        at_work = max(STARTED, HALF * (1.0 - state.left)) if mine and state.there else 0.0
        progress = PERFORMED if over else at_work
        return Feedback(not why or over, over, progress, self.one.settings.fitness, why=why)


class EmptyBin(Serve):
    """With the tipper."""

    needs = ("mobile", "positioning", "dirt-sensor", "tipper")


class DustDesk(Serve):
    """With the duster."""

    needs = ("mobile", "positioning", "dirt-sensor", "duster")

"""Find a coloured object with the camera and follow it at a safe distance (paper 002, section VI-B.1)."""

from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.errands.seeking import Search, find, look_about
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import clip, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

LOST_S = 3.0  # so long it waits for an object that is out of the picture
GAIN = 0.8  # share of the greatest speed for each metre that it is too far off
UNSEEN = 0.3  # fitness of a robot that does not see the object
CLOSE_M = 0.1  # no nearer or farther off by so much it stays


@dataclass(slots=True)
class Following:
    """The object's name, when and how far aside (rad) it was seen last, and the search for it."""

    object: str = ""
    seen_at: float = -100.0
    bearing: float = 0.0
    search: Search = field(default_factory=Search)


class Follow(Part[Following, "ObjectTracking.Settings"]):
    """Turns to the object and keeps the safe distance from it."""

    name = "follow"
    initial = Following

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        self.state.object = task.arg("object") if task is not None else ""

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.senses.lifted:
            return None
        seen = find(i, "mark", state.object)
        if seen is None or seen.range is None:
            if i.now - state.seen_at < LOST_S:
                return Out(Drive(0.0, turn_to(state.bearing) if abs(state.bearing) > 0.1 else 0.0))
            return Out(look_about(state.search, i, s.room, s.speed, beliefs.me))
        state.seen_at, state.bearing, state.search = i.now, seen.bearing, Search()
        off = seen.range - s.safe_m
        speed = clip(GAIN * off, s.speed) if abs(off) > CLOSE_M else 0.0
        return Out(Drive(speed if abs(seen.bearing) < 0.5 else 0.0, turn_to(seen.bearing)))


class ObjectTracking(SingleSet[Follow]):
    """The behavior set; fittest is a robot that sees the object, and of those the nearest."""

    behavior = Follow

    class Settings(parts.Settings):
        room: tuple[float, float] = parts.setting(..., "width and depth of the room, m")
        safe_m: float = parts.setting(1.2, "distance that it keeps from the object, m", gt=0.5, le=10)
        reach_m: float = parts.setting(6.0, "how far the camera sees, for the fitness, m", gt=0, le=100)
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)

    needs = ("camera", "mobile", "positioning")
    args = MappingProxyType({"object": ()})

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        seen = find(i, "mark", task.arg("object"))
        if seen is None or seen.range is None:
            return Feedback(applicable=True, fitness=UNSEEN)
        near = max(0.0, 1.0 - seen.range / self.one.settings.reach_m)
        return Feedback(applicable=True, fitness=UNSEEN + (1.0 - UNSEEN) * near)

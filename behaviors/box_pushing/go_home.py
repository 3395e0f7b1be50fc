"""Go home: leave the box when its other end is pushed no more (paper 001, section 3.2.2)."""

from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.box_pushing.acquire import OTHER, find_last_push
from behaviors.parts import BehaviorSet, Drive, Out, Part, Percept
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

BACK_S = 2.0  # off the box, before it turns


@dataclass(slots=True)
class Leaving:
    """When it stood at the box first (-1: not yet), whether it is home, and the way there."""

    waits_since: float = -1.0
    home: bool = False


@dataclass(slots=True)
class Homewards:
    since: float = 0.0
    trip: Trip = field(default_factory=Trip)


class WalkAway(Part[Homewards, "GoHome"]):
    name = "walk-away"
    initial = Homewards

    def enter(self, now: float, task: Task | None) -> None:
        self.state = Homewards(now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        s, memory = self.settings.settings, self.settings.memory
        if i.pose is None or i.senses.lifted or memory.home:
            return None
        if i.now - self.state.since < BACK_S:
            return Out(drive=Drive(-s.speed, 0.0))
        if distance_to(i.pose, s.home_x_m, s.home_y_m) < s.near_m:
            memory.home = True
            return None
        return Out(drive=head_for(self.state.trip, i, s.home_x_m, s.home_y_m, s.speed, beliefs.me))


class GoHome(BehaviorSet[Leaving]):
    """The behavior set; `task.arg("from")` is the end at whose pushes it looks in vain."""

    class Settings(parts.Settings):
        home_x_m: float = parts.setting(..., "x of its home, m")
        home_y_m: float = parts.setting(..., "y of its home, m")
        near_m: float = parts.setting(0.5, "so near to it is home, m", gt=0, le=5)
        alone_s: float = parts.setting(
            25.0, "without a push at the other end for so long it is alone, s", gt=0, le=600
        )
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning")
    args = MappingProxyType({"from": tuple(OTHER)})

    def __init__(self, settings: Settings) -> None:
        super().__init__(Leaving())
        self.settings = settings
        self.behaviors = (WalkAway(self),)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable while it has waited in vain for a push at the other end."""
        memory = self.memory
        if i.senses.lifted:
            self.memory = Leaving()
            return Feedback(applicable=False, why=parts.LIFTED)
        if memory.waits_since < 0.0:
            memory.waits_since = i.now
        other = find_last_push(beliefs, task.arg("from"))
        since = max(memory.waits_since, other)
        alone = i.now - since > self.settings.alone_s
        why = "it is home" if memory.home else "the other end was pushed lately, or it has not waited for long"
        return Feedback(applicable=alone and not memory.home, done=memory.home, why=why)

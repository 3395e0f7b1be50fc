"""Go home: leave the box when its other end is pushed no more (paper 001, section 3.2.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import Field

from behaviors import parts
from behaviors.box_pushing.memory import OTHER, find_last_push
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
    """Since when it leaves, and its trip."""

    since: float = 0.0
    trip: Trip = field(default_factory=Trip)


class WalkAway(Part[Homewards, "GoHome"]):
    """Backs off the box and goes home."""

    name = "walk-away"
    initial = Homewards

    def enter(self, now: float, task: Task | None) -> None:
        """It leaves anew."""
        self.state = Homewards(now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        """One tick of the way."""
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
        """Its table in the mission file."""

        home_x_m: float = Field(description="x of its home, m")
        home_y_m: float = Field(description="y of its home, m")
        near_m: float = Field(default=0.5, gt=0, le=5, description="so near to it is home, m")
        alone_s: float = Field(
            default=25.0, gt=0, le=600, description="without a push at the other end for so long it is alone, s"
        )
        speed: float = Field(default=0.6, gt=0, le=1, description="share of the body's greatest speed")

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
            return Feedback(applicable=False)
        if memory.waits_since < 0.0:
            memory.waits_since = i.now
        other = find_last_push(beliefs, task.arg("from"))
        since = max(memory.waits_since, other)
        alone = i.now - since > self.settings.alone_s
        return Feedback(applicable=alone and not memory.home, done=memory.home)

"""Charge: drive to a charger and wait there. It lasts as long as the condition that chose it."""

from __future__ import annotations

from pydantic import Field

from behaviors import parts
from behaviors.parts import Behavior, BehaviorSet, Drive, Nothing, Out, Percept
from behaviors.steering import Trip, distance_to, head_for
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

STAY = Out(drive=Drive(0.0, 0.0))


class GoAndWait(Behavior[Trip]):
    """Goes to the place and stays there, or wherever on the way it is being charged."""

    name = "go-and-wait"

    def __init__(self, settings: Charge.Settings) -> None:
        super().__init__(Trip())
        self._settings = settings

    def enter(self, now: float, task: Task | None) -> None:
        """The trip begins anew."""
        self.state = Trip()

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        """One tick of the way; it stays where it does not know its place."""
        s = self._settings
        if i.senses.lifted:
            return None
        if i.senses.charging or i.pose is None or distance_to(i.pose, *s.at) < s.near_m:
            return STAY
        return Out(drive=head_for(self.state, i, *s.at, s.speed, beliefs.me))


class Charge(BehaviorSet[Nothing]):
    """The behavior set."""

    class Settings(parts.Settings):
        """Its table in the mission file."""

        at: tuple[float, float] = Field(description="place of the charger, x and y, m")
        near_m: float = Field(default=0.3, gt=0, le=5, description="so near to it is there, m")
        speed: float = Field(default=0.6, gt=0, le=1, description="share of the body's greatest speed")

    needs = ("mobile", "positioning")

    def __init__(self, settings: Settings) -> None:
        super().__init__(Nothing())
        self.behaviors = (GoAndWait(settings),)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable at any time; its progress is the charge."""
        return Feedback(applicable=True, progress=i.senses.battery or 0.0)

"""Watch: stand and face forward while the other group bounds (bounding overwatch; paper 000, section IV)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from behaviors import parts
from behaviors.overwatch.turns import GroupsSettings, bounds, own_turn
from behaviors.parts import Drive, OnTask, Out, Part, Percept, SingleSet, complete
from behaviors.steering import turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

FACED = 0.1  # rad: nearer than this it does not turn; twice what the steadied heading errs


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
        return Feedback(due or (state.begun >= 0 and not state.over), state.over, made / s.bounds)

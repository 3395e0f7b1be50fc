"""Lead a formation: walk ahead, wait until the teammates are in their places, and walk to the mark."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from behaviors import parts
from behaviors.formation.sighting import Place, Placed, course, judge, teammates_seen, way_m, who_is_on
from behaviors.parts import TASK, Drive, OnTask, Out, Part, Percept, SingleSet, complete
from behaviors.steering import steer, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task


@dataclass(slots=True)
class Leading(OnTask):
    """Since when it leads, from where (m off its start; below 0: not yet), and if it walks on and is there."""

    began: float = 0.0
    from_m: float = -1.0
    walks: bool = False
    over: bool = False


class WalkAhead(Part[Leading, "Lead.Settings"]):
    name = "walk-ahead"
    initial = Leading

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        self.state.began = now

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.senses.lifted:
            return None
        way, ahead = way_m(i), course(i, s)
        if state.from_m < 0.0:
            state.from_m = way
        if way >= s.to_m:
            state.over = True
            return Out(Drive(0.0, 0.0), facts=complete(beliefs, state.task))
        if way - state.from_m >= s.leg_m:
            state.over = True
            return Out(Drive(0.0, 0.0))
        if not state.walks and way - state.from_m >= s.ahead_m:
            state.walks = self._is_followed(i, ahead, beliefs) or i.now - state.began > s.wait_s
            return Out(Drive(0.0, turn_to(ahead)))
        return Out(steer(ahead, s.speed))

    def _is_followed(self, i: Percept, ahead: float, beliefs: Beliefs) -> bool:
        """Whether it sees in their places all whom it wants, but for tasks that no robot is on."""
        s = self.settings
        spots = {number: spot.turned(ahead) for number, spot in teammates_seen(i, beliefs, s).items()}
        followers = {task: who_is_on(beliefs, i.now, (task,)) for task in s.wants}
        return all(
            any(one in spots and math.dist(spots[one], s.wants[task]) <= s.near_m for one in numbers)
            for task, numbers in followers.items() if numbers
        )  # fmt: skip


class Lead(SingleSet[WalkAhead]):
    """The behavior set; done at the end of a leg, and at that of the way, where it asserts the completion."""

    behavior = WalkAhead

    class Settings(Placed):
        wants: Mapping[str, Place] = parts.setting(
            {}, "by task of a follower its place, m ahead and left: it waits for them", TASK
        )
        near_m: float = parts.setting(0.2, "so near to its place a follower is there, m", gt=0, le=5)
        ahead_m: float = parts.setting(0.5, "it walks so far ahead before it waits, m", ge=0, le=10)
        wait_s: float = parts.setting(30.0, "it waits for its followers no longer than this, s", ge=0, le=600)
        speed: float = parts.setting(0.8, "share of the body's greatest speed: followers catch up", gt=0, le=1)
        leg_m: float = parts.setting(1e3, "it leads no farther than this at a time, m", gt=0, le=1e3)

    needs = ("camera", "mobile")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        return judge(i, beliefs, self.one.settings, done=self.one.state.over)

"""A behavior set for a member that never moves: it watches for a while through a camera overhead."""

from dataclasses import dataclass

from pydantic import Field

from behaviors import parts
from behaviors.parts import Behavior, BehaviorSet, Nothing, Out, Percept, complete
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task


@dataclass(slots=True)
class Since:
    task: str = ""
    at: float = 0.0
    over: bool = False


class Look(Behavior[Since]):
    name = "look"

    def __init__(self, watch_s: float) -> None:
        super().__init__(Since())
        self.watch_s = watch_s

    def enter(self, now: float, task: Task | None) -> None:
        self.state = Since(task.id if task is not None else "", now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        if self.state.over or i.now < self.state.at + self.watch_s:
            return None
        self.state.over = True
        return Out(facts=complete(beliefs, self.state.task))


class Monitor(BehaviorSet[Nothing]):
    class Settings(parts.Settings):
        watch_s: float = Field(default=10.0, gt=0, description="how long, s")

    needs = ("overhead-camera",)

    def __init__(self, settings: Settings) -> None:
        super().__init__(Nothing())
        self._look = Look(settings.watch_s)
        self.behaviors = (self._look,)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        known = beliefs.flag(beliefs.table.task_entries[task.id].completion)
        return Feedback(not known, self._look.state.over)


ROBOTD = {"robotd.behaviors": {"monitor": Monitor}}

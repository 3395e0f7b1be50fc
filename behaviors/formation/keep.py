"""Keep a formation together: over for a robot that has lost the one that it follows (paper 004, Lesson 2)."""

from collections.abc import Mapping
from dataclasses import dataclass

from behaviors import parts
from behaviors.formation.sighting import Sighted, teammates_seen, way_m, who_is_on
from behaviors.parts import TASK, Out, Part, Percept, SingleSet
from behaviors.steering import since
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task


@dataclass(slots=True)
class Watching:
    """Since when the robot that it follows is out of sight (below 0: it is seen), and whether that is too long.

    `saw`: it has seen it since the formation began.
    """

    unseen_since: float = -1.0
    saw: bool = False
    over: bool = False


class Watch(Part[Watching, "KeepFormation.Settings"]):
    """Moves nothing: what the behavior below it in the path works on says whom it has to see."""

    name = "watch"
    initial = Watching

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        followed = s.follows.get(i.tasks[-1], "") if i.tasks else ""
        leads = who_is_on(beliefs, i.now, (followed,)) if followed else []
        seen = teammates_seen(i, beliefs, s) if followed else {}
        sees = any(number in seen for number in leads)
        lost = bool(followed) and not sees and (bool(leads) or not state.saw)
        state.unseen_since = since(state.unseen_since, i.now, holds=lost)
        state.saw = state.saw or sees
        limit_s = s.lost_s if state.saw else s.find_s
        state.over = state.over or (lost and i.now - state.unseen_since >= limit_s)
        return None


class KeepFormation(SingleSet[Watch]):
    """The behavior set of a formation as a whole; applicable on a part of the way."""

    behavior = Watch

    class Settings(Sighted):
        follows: Mapping[str, str] = parts.setting(
            {}, "whom each follows: task of the one, task of the other", TASK
        )
        lost_s: float = parts.setting(2.0, "so long out of sight it counts as lost, s", ge=0, le=60)
        find_s: float = parts.setting(6.0, "so long it may take until it is seen at first, s", ge=0, le=600)
        from_m: float = parts.setting(0.0, "this formation is for robots so far from their start, m", ge=0, le=1e3)
        to_m: float = parts.setting(1e3, "and no farther than this, m", gt=0, le=1e3)

    needs = ("camera", "mobile")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        s = self.one.settings
        why = f"it is for robots {s.from_m:g} to {s.to_m:g} m from their start"
        return Feedback(s.from_m <= way_m(i) < s.to_m, self.one.state.over, why=why)

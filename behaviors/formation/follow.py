"""Follow a teammate at a place left behind, right behind or straight behind it (paper 004, Experiments)."""

from dataclasses import dataclass
from typing import Literal

from behaviors import parts
from behaviors.formation.sighting import Place, Sighted, Spot, closeness, course, teammates_seen, way_m, who_is_on
from behaviors.parts import TASK, Drive, Out, Part, Percept, SingleSet
from behaviors.steering import clip, steer, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

GAIN = 5.0  # share of the greatest speed for each metre off its place
THERE_M = 0.06  # so near to its place it only turns to the course
ASIDE_M = 0.15  # it is before its place: it waits, unless it is so far aside
SIDES = {"left": 1.0, "right": -1.0, "behind": 0.0}


@dataclass(slots=True)
class Following:
    """Whether the end of the way is reached."""

    over: bool = False


class KeepPlace(Part[Following, "Follow.Settings"]):
    """Walks to its place, which moves with the robot that it follows; out of its sight it stops."""

    name = "keep-place"
    initial = Following

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.senses.lifted:
            return None
        state.over = state.over or way_m(i) >= s.to_m
        seen = teammates_seen(i, beliefs, s)
        leads = [seen[number] for number in who_is_on(beliefs, s.of) if number in seen]
        if state.over or not leads:
            return Out(Drive(0.0, 0.0))
        ahead = course(i, s)
        spots = [self._place(spot.turned(ahead)) for spot in leads]
        return Out(self._walk(min(spots, key=lambda one: one.far), ahead))

    def _place(self, lead: Spot) -> Spot:
        """Where its place is, along the course."""
        s = self.settings
        return Spot(lead.ahead - s.behind_m, lead.left + SIDES[s.side] * s.beside_m)

    @staticmethod
    def _walk(place: Spot, ahead: float) -> Drive:
        to = Spot(max(0.0, place.ahead), place.left)
        waits = place.ahead <= 0.0 and abs(place.left) < ASIDE_M
        if waits or to.far < THERE_M:
            return Drive(0.0, turn_to(ahead))
        bearing = to.turned(-ahead).bearing
        return steer(bearing, clip(GAIN * to.far, 1.0))


class Follow(SingleSet[KeepPlace]):
    """The behavior set; done at the end of the way."""

    behavior = KeepPlace

    class Settings(Sighted):
        of: tuple[str, ...] = parts.setting(..., "the tasks of those that it follows", TASK)
        side: Literal["left", "right", "behind"] = parts.setting(..., "on which side of the other its place is")
        behind_m: float = parts.setting(0.45, "so far behind it, m", ge=0, le=10)
        beside_m: float = parts.setting(0.45, "and so far aside, m", ge=0, le=10)
        to_m: float = parts.setting(6.0, "the way is over so far from its start, m", gt=0, le=1e3)
        team_m: Place = parts.setting((0.0, 0.0), "the middle of its teammates in the formation, m ahead and left")

    needs = ("camera", "mobile")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        s = self.one.settings
        fit = closeness(teammates_seen(i, beliefs, s), course(i, s), s.team_m)
        return Feedback(
            applicable=True, done=self.one.state.over, progress=min(1.0, way_m(i) / s.to_m), fitness=fit
        )

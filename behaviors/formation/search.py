"""Look for the teammates: turning left and right on the spot until enough of them are seen."""

from dataclasses import dataclass

from behaviors import parts
from behaviors.formation.sighting import Sighted, course, teammates_seen, way_m, who_is_on
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

FACING_RAD, FACING_S = 0.3, 3.0  # at the end it faces the course; unless it cannot, after times so long a look


@dataclass(slots=True)
class Looking:
    """Since when it looks about, the teammates seen since then (bits by number), and if these are enough."""

    since: float = 0.0
    seen: int = 0
    over: bool = False


class LookAbout(Part[Looking, "Search.Settings"]):
    """To the left, twice as far to the right, and back, again and again; at last to the course."""

    name = "look-about"
    initial = Looking

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        self.state.since = now

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        if i.senses.lifted:
            return None
        for number in teammates_seen(i, beliefs, s):
            state.seen |= 1 << number
        passed, ahead = i.now - state.since, course(i, s)
        if passed < s.look_s or state.seen.bit_count() < min(s.sees, len(who_is_on(beliefs, i.now))):
            quarter = int(4.0 * passed / s.look_s) % 4
            return Out(Drive(0.0, s.turn_rad_s if quarter in (0, 3) else -s.turn_rad_s))
        state.over = state.over or abs(ahead) < FACING_RAD or passed > FACING_S * s.look_s
        return Out(Drive(0.0, 0.0 if state.over else turn_to(ahead)))


class Search(SingleSet[LookAbout]):
    """The behavior set; done once it has seen enough teammates, applicable short of the end of the way."""

    behavior = LookAbout

    class Settings(Sighted):
        sees: int = parts.setting(1, "so many teammates it has to see, of those that it receives", ge=1, le=30)
        look_s: float = parts.setting(1.6, "it looks about for at least so long, s", gt=0, le=60)
        turn_rad_s: float = parts.setting(0.8, "how fast it turns, rad/s", gt=0, le=4)
        to_m: float = parts.setting(1e3, "so far from its start it does not search any more, m", gt=0, le=1e3)

    needs = ("camera", "mobile")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        to_m = self.one.settings.to_m
        return Feedback(way_m(i) < to_m, self.one.state.over, why=f"it is {to_m:g} m from its start, or farther")

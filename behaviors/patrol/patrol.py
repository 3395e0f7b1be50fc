"""Patrol: drive about for a while, turning aside now and then. Wheels and bumpers are all that it needs.

It keeps no map and knows no place: what is in the way is left to the layers that avoid and escape.
"""

from dataclasses import dataclass

from behaviors import parts
from behaviors.parts import Drive, OnTask, Out, Part, Percept, SingleSet, complete, why_done
from robotd.model.beliefs import Beliefs
from robotd.model.streams import draw
from robotd.model.tasks import Feedback, Task

STANDS = 0.02  # m/s: past the noise of wheels that stand
GAP_S = 1.0  # a longer time between two ticks was spent standing


@dataclass(slots=True)
class Round(OnTask):
    """The time driven, and the leg that it is on: first turning to `side`, then straight on."""

    driven_s: float = 0.0
    at: float = -1.0
    turn_until: float = -1.0
    leg_until: float = -1.0
    side: int = 1
    legs: int = 0
    over: bool = False


class DriveAbout(Part[Round, "Patrol.Settings"]):
    """Legs straight on, each turned from the last by chance."""

    name = "drive-about"
    initial = Round

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        self.state.at, self.state.leg_until = now, now + self.settings.leg_s

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        passed, state.at = i.now - state.at, i.now
        if state.over or i.senses.lifted:
            return None
        state.driven_s += passed if passed < GAP_S and self._turns(i) else 0.0
        if state.driven_s >= s.round_s:
            state.over = True
            return Out(Drive(0.0, 0.0), facts=complete(beliefs, state.task))
        if i.now >= state.leg_until:
            self._turn_aside(i.now, beliefs.me)
        if i.now < state.turn_until:
            return Out(Drive(0.0, state.side * s.turn_rad_s))
        return Out(Drive(s.speed, 0.0))

    @staticmethod
    def _turns(i: Percept) -> bool:
        """False where the robot measures that its wheels stand."""
        wheels = i.senses.wheels
        return wheels is None or max(abs(wheels.left), abs(wheels.right)) > STANDS

    def _turn_aside(self, now: float, me: int) -> None:
        """The next leg: up to half a turn to either side, and as long as the first, a half more or less."""
        state, s = self.state, self.settings
        chance, other = (draw(me, "patrol", what, state.legs) for what in ("turn", "leg"))
        state.legs += 1
        state.side = 1 if chance < 0.5 else -1
        state.turn_until = now + 3.1 * abs(2.0 * chance - 1.0) / s.turn_rad_s
        state.leg_until = state.turn_until + s.leg_s * (0.5 + other)


class Patrol(SingleSet[DriveAbout]):
    behavior = DriveAbout

    class Settings(parts.Settings):
        round_s: float = parts.setting(60.0, "how long a round is driven, s", gt=0, le=3600)
        leg_s: float = parts.setting(8.0, "it turns aside about so often, s", gt=0.5, le=600)
        turn_rad_s: float = parts.setting(0.8, "how fast it turns aside, rad/s", gt=0, le=4)
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "bumpers")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        state, why = self.one.state, why_done(beliefs, task.id)
        progress = min(1.0, state.driven_s / self.one.settings.round_s)
        return Feedback(not why, state.over, progress, why=why)

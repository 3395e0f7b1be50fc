"""Charge: drive to a charger and wait there. It lasts as long as the condition that chose it."""

from dataclasses import dataclass, field

from behaviors import parts
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import Trip, distance_to, head_for, place_at
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose
from robotd.model.tasks import Feedback, Task

STAY = Out(drive=Drive(0.0, 0.0))
NEARER_M = 0.3  # a charger in sight is preferred when it is so much nearer: above a camera's error at 3 m, 5 %


@dataclass(slots=True)
class Going:
    """The way to the charger at (x, y); `chosen` once there is one."""

    trip: Trip = field(default_factory=Trip)
    chosen: bool = False
    x: float = 0.0
    y: float = 0.0


class GoAndWait(Part[Going, "Charge.Settings"]):
    """Goes to the nearest charger and stays there, or wherever on the way it is being charged."""

    name = "go-and-wait"
    initial = Going

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        s, going = self.settings, self.state
        if i.senses.lifted:
            return None
        if i.senses.charging or i.pose is None:
            return STAY
        self._choose(i, i.pose)
        if distance_to(i.pose, going.x, going.y) < s.near_m:
            return STAY
        return Out(drive=head_for(going.trip, i, going.x, going.y, s.speed, beliefs.me))

    def _choose(self, i: Percept, pose: Pose) -> None:
        """The nearest charger that the mission file names, or one in the camera's sight that is nearer."""
        going, s = self.state, self.settings
        if not going.chosen:
            going.x, going.y = min((s.at, *s.others), key=lambda place: distance_to(pose, *place))
            going.chosen = True
        for sight in i.senses.sights if s.by_sight else ():
            far = sight.range
            if sight.kind != "charger" or far is None:
                continue
            if far + NEARER_M < distance_to(pose, going.x, going.y):
                going.x, going.y = place_at(pose, sight.bearing, far)


class Charge(SingleSet[GoAndWait]):
    behavior = GoAndWait

    class Settings(parts.Settings):
        at: tuple[float, float] = parts.setting(..., "place of the charger, x and y, m")
        others: tuple[tuple[float, float], ...] = parts.setting(
            (), "places of more chargers; it drives to the nearest, or a nearer one in sight"
        )
        by_sight: bool = parts.setting(
            default=True, meaning="whether it takes a nearer charger that its camera sees; false: it has its own"
        )
        near_m: float = parts.setting(0.3, "so near to it is there, m", gt=0, le=5)
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        return Feedback(applicable=True, progress=i.senses.battery or 0.0)

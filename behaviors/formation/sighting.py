"""What a walker sees of its team: marks of one size, whose bearing and apparent size the camera gives."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from behaviors import parts
from behaviors.parts import Percept
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs, silence_s
from robotd.model.tasks import Feedback

LEAST_RAD = 1e-3  # a mark that looks smaller gives no distance
SCALE_M = 2.0  # so far from its place in the formation a robot's fitness for it is 0

Place = tuple[float, float]


class Spot(NamedTuple):
    """Where something lies, m: ahead and to the left."""

    ahead: float
    left: float

    @property
    def far(self) -> float:
        """Its distance, m."""
        return math.hypot(self.ahead, self.left)

    @property
    def bearing(self) -> float:
        """Its bearing, rad."""
        return math.atan2(self.left, self.ahead)

    def turned(self, angle: float) -> "Spot":
        """The same, seen by a robot whose heading is greater by `angle`, rad."""
        c, s = math.cos(angle), math.sin(angle)
        return Spot(c * self.ahead + s * self.left, c * self.left - s * self.ahead)


class Sighted(parts.Settings):
    """What the sets of a formation know of the marks."""

    mark_m: float = parts.setting(0.1, "width of the marks that robots carry, m", gt=0, le=2)
    towards: str = parts.setting("goal", "the mark that the formation walks to")


class Placed(Sighted):
    """What those have in common that walk at a place in the formation."""

    to_m: float = parts.setting(6.0, "the way is over so far from its start, m", gt=0, le=1e3)
    team_m: Place = parts.setting((0.0, 0.0), "the middle of its teammates in the formation, m ahead and left")


def teammates_seen(i: Percept, beliefs: Beliefs, settings: Sighted) -> dict[int, Spot]:
    """By number the teammates in the picture, in the robot's own frame."""
    numbers = {name: number for number, name in beliefs.table.robots.items()}
    found = {}
    for sight in i.senses.sights:
        number = numbers.get(sight.label) if sight.kind == "mark" else None
        if number is None or not sight.size or sight.size < LEAST_RAD:
            continue
        far = settings.mark_m / sight.size
        found[number] = Spot(far * math.cos(sight.bearing), far * math.sin(sight.bearing))
    return found


def course(i: Percept, settings: Sighted) -> float:
    """The bearing of the way to walk, rad: of the mark; where that is not seen, as at the start, by odometry."""
    for sight in i.senses.sights:
        if sight.kind == "mark" and sight.label == settings.towards:
            return sight.bearing
    return wrap(-i.senses.odometry.heading) if i.senses.odometry is not None else 0.0


def way_m(i: Percept) -> float:
    """How far it is from where it was switched on, m, by odometry."""
    at = i.senses.odometry
    return math.hypot(at.x, at.y) if at is not None else 0.0


def who_is_on(beliefs: Beliefs, now: float, tasks: Collection[str] | None = None) -> list[int]:
    """The teammates that are received and state to work on one of the tasks (None: on any), by number."""
    lately = now - silence_s(beliefs.beat_s(now))
    here = {number: one.task for number, one in beliefs.teammates.items() if one.last_received > lately}
    return sorted(number for number, task in here.items() if (task in tasks if tasks is not None else task))


def closeness(seen: Mapping[int, Spot], turned: float, ideal: Place) -> float:
    """How near a robot is to its place, from 0 to 1; 0 where it sees no teammate.

    There the middle of its teammates lies at `ideal`, m ahead and left along the course, at bearing `turned`, rad.
    """
    if not seen:
        return 0.0
    middle = mean(seen.values()).turned(turned)
    return max(0.0, 1.0 - math.dist(middle, ideal) / SCALE_M)


def mean(spots: Iterable[Spot]) -> Spot:
    """The middle of some spots."""
    all_ = list(spots)
    return Spot(sum(one.ahead for one in all_) / len(all_), sum(one.left for one in all_) / len(all_))


def judge(i: Percept, beliefs: Beliefs, settings: Placed, *, done: bool) -> Feedback:
    """How a set that walks at a place judges its task: fittest is the robot that is nearest to the place."""
    fit = closeness(teammates_seen(i, beliefs, settings), course(i, settings), settings.team_m)
    return Feedback(applicable=True, done=done, progress=min(1.0, way_m(i) / settings.to_m), fitness=fit)

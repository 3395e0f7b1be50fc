"""Emptying garbage, dusting and cleaning floors: go to a dirty area and run a tool in it; and the layer note-dirt.

An area's fact is a scalar of its name: 1 for anything left to do, 0 for clean. Without one it counts as dirty:
that there is work is why the robots were sent. What one robot senses is news for all, so that a floor that was
clean and is not any more is done again (paper 000, section IV-D, the third of three ways).
"""

import math
from dataclasses import dataclass, field

from pydantic import BaseModel

from behaviors import parts
from behaviors.parts import Drive, Nothing, OnTask, Out, Part, Percept, SingleSet, complete
from behaviors.steering import Trip, distance_to, head_for, nearness
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.senses import Pose
from robotd.model.tasks import Feedback, Task

KINDS = ("garbage", "dust", "dirt")  # of sights that are readings of a dirt sensor
THERE_M = 0.2  # so near to a point of a lane it is done: above the error of a steadied position
EDGE_M = 0.3  # lanes stay so far inside the edge, where the area is wide enough
LANE_M = 0.4  # between lanes: what a broom as wide as the robot and its detours cover


ALL_CLEAN = "the task is done: all its areas are known to be clean"


def dirty(beliefs: Beliefs, area: str) -> bool:
    """Whether there is work left in an area, as far as the team knows."""
    fact = beliefs.facts.get(area)
    return fact is None or fact.value[0] > 0.0


class NoteDirt(Part[Nothing, BaseModel]):
    """Always on: report each area that has a fact and of which the dirt sensor reads something else than it."""

    name = "note-dirt"
    initial = Nothing

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        if not i.senses.sights:
            return None
        known = {fact.name for fact in beliefs.table.facts if fact.kind == "scalar"}
        facts = tuple(
            Fact(sight.label, (float(sight.size > 0.0),))
            for sight in i.senses.sights
            if sight.kind in KINDS and sight.label in known and sight.size is not None
            and (sight.label not in beliefs.facts or dirty(beliefs, sight.label) != (sight.size > 0.0))
        )  # fmt: skip
        return Out(facts=facts) if facts else None


class Place(parts.Settings):
    """An area that the robot knows of: a rectangle of the floor with the name that its dirt sensor reports."""

    name: str = parts.setting(..., "the name of the area, and of its fact", names=parts.fact("scalar"))
    x_m: float = parts.setting(..., "x of its centre, m")
    y_m: float = parts.setting(..., "y of its centre, m")
    width_m: float = parts.setting(0.8, "its size along x, m", gt=0)
    depth_m: float = parts.setting(0.8, "its size along y, m", gt=0)


class CleaningSettings(parts.Settings):
    """Its table in the mission file, the same for each of the three cleaning sets."""

    areas: tuple[Place, ...] = parts.setting(..., "the areas that are to be worked on", min_length=1)
    after: tuple[str, ...] = parts.setting(
        (), "areas that must be known to be clean before this makes sense", names=parts.fact("scalar")
    )
    speed: float = parts.setting(0.7, "share of the body's greatest speed", gt=0, le=1)


def lanes(place: Place) -> list[tuple[float, float]]:
    """The ends of lanes to and fro over a rectangle, along x, from its front; one point across a narrow one."""
    half_x, half_y = _inset(place.width_m), _inset(place.depth_m)
    steps = math.ceil(2 * half_y / LANE_M)
    ends = []
    for k in range(steps + 1):
        y = place.y_m - half_y + (2 * half_y * k / steps if steps else 0.0)
        side = half_x if k % 2 else -half_x
        ends += [(place.x_m + side, y), (place.x_m - side, y)] if side else [(place.x_m, y)]
    return ends


def _inset(size: float) -> float:
    """How far lanes reach from the middle of a rectangle of this size; 0 where they would not be worth a turn."""
    half = size / 2 - EDGE_M
    return half if half > THERE_M else 0.0


@dataclass(slots=True)
class Cleaning(OnTask):
    """The task (none: it hibernates), its area (none yet), the end of a lane before it, whether all is done."""

    area: str = ""
    end: int = 0
    trip: Trip = field(default_factory=Trip)
    concluded: bool = False


class Clean(Part[Cleaning, CleaningSettings]):
    """Goes to the nearest dirty area, drives its lanes with the tool on until it reads clean, and so on."""

    name = "clean"
    initial = Cleaning

    def __init__(self, settings: CleaningSettings, tool: str) -> None:
        super().__init__(settings)
        self._tool = tool
        self._lanes = {place.name: lanes(place) for place in settings.areas}

    def leave(self, now: float, why: str) -> None:
        self.state = Cleaning()

    def undone(self, beliefs: Beliefs) -> list[Place]:
        """The areas with work left."""
        return [place for place in self.settings.areas if dirty(beliefs, place.name)]

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, pose, undone = self.state, i.pose, self.undone(beliefs)
        if pose is None or i.senses.lifted or state.concluded:
            return None
        if not undone:
            state.concluded = True
            return Out(facts=complete(beliefs, state.task))
        if all(place.name != state.area for place in undone):
            state.area, state.end = min(undone, key=lambda p: (distance_to(pose, p.x_m, p.y_m), p.name)).name, 0
        inside = any(sight.label == state.area and sight.range == 0.0 for sight in i.senses.sights)
        return Out(self._drive(i, pose, beliefs.me), tool=self._tool if inside else None)

    def _drive(self, i: Percept, pose: Pose, me: int) -> Drive:
        """Along the lanes, again from the first after the last; where there is one point, standing at it."""
        state, ends = self.state, self._lanes[self.state.area]
        if distance_to(pose, *ends[state.end]) < THERE_M:
            if len(ends) == 1:
                return Drive(0.0, 0.0)
            state.end = (state.end + 1) % len(ends)
        return head_for(state.trip, i, *ends[state.end], self.settings.speed, me)


class CleaningSet(SingleSet[Clean]):
    """The set of a tool, which is the last of what it needs; layer note-dirt asserts what it has done."""

    Settings = CleaningSettings

    def _make(self, settings: CleaningSettings) -> Clean:
        return Clean(settings, self.needs[-1])

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable while one of its areas is not known to be clean, and all that come first are.

        When the last one reads clean it is so for one tick more, in which it asserts that.
        """
        settings, state, undone = self.one.settings, self.one.state, self.one.undone(beliefs)
        first = [name for name in settings.after if dirty(beliefs, name)]
        fitness = max((nearness(i.pose, place.x_m, place.y_m) for place in undone), default=1.0)
        applies = not first if undone else bool(state.task) and not state.concluded
        progress = 1.0 - len(undone) / len(settings.areas)
        why = f"waits until {' and '.join(first)} read clean" if undone else ALL_CLEAN
        return Feedback(applies, state.concluded, progress, fitness=fitness, why=why)


class EmptyGarbage(CleaningSet):
    """At each bin until it reads empty (paper 000, section IV-D: some robots drop litter by it)."""

    needs = ("mobile", "positioning", "dirt-sensor", "tipper")


class Dust(CleaningSet):
    """Where dust is sensed or no robot has been yet, until none is."""

    needs = ("mobile", "positioning", "dirt-sensor", "duster")


class CleanFloor(CleaningSet):
    """To and fro over the floor with the broom until no dirt is sensed, and again whenever some is."""

    needs = ("mobile", "positioning", "dirt-sensor", "broom")

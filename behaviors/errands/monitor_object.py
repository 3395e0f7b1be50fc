"""A desktop computer with an overhead camera logs where things are (paper 002, section VI-B.1)."""

import math
from dataclasses import dataclass, field

from behaviors import parts
from behaviors.parts import Out, Part, Percept, SingleSet
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

MOVED_M = 0.25  # what is seen elsewhere by so much is logged again: above a camera's error


@dataclass(slots=True)
class Log:
    """Where each thing was seen last, x and y, m, when, and how many entries there have been."""

    last: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    entries: int = 0


class LogPlaces(Part[Log, "MonitorObject.Settings"]):
    """Notes each thing when it is first seen and when it has moved. Its state is in every run log."""

    name = "log-places"
    initial = Log

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state, s = self.state, self.settings
        for number, sight in enumerate(i.senses.sights):
            if sight.range is None:
                continue
            way = math.radians(s.heading_deg) + sight.bearing
            x, y = s.x_m + sight.range * math.cos(way), s.y_m + sight.range * math.sin(way)
            name = sight.label if sight.kind != "puck" else f"{sight.label} {number}"
            known = state.last.get(name)
            if known is None or math.dist(known[:2], (x, y)) > MOVED_M:
                state.last[name] = (x, y, i.now)
                state.entries += 1
        return None


class MonitorObject(SingleSet[LogPlaces]):
    """The behavior set."""

    behavior = LogPlaces

    class Settings(parts.Settings):
        x_m: float = parts.setting(..., "where the camera hangs, m", ge=0, le=100)
        y_m: float = parts.setting(..., "where the camera hangs, m", ge=0, le=100)
        heading_deg: float = parts.setting(90.0, "where up is in its picture, degrees from the x axis")

    needs = ("overhead-camera",)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        return Feedback(applicable=True, fitness=1.0)

"""Areas of the room with work for a tool: garbage to empty, dust to take off, dirt to sweep up."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from boards.mock.bodies import RobotBody
from boards.mock.settings import AreaSettings, WorldSettings
from robotd.model.streams import draw

TOOL_FOR = {"garbage": "tipper", "dust": "duster", "dirt": "broom"}


@dataclass(slots=True)
class Area:
    """One area as it is now; work is counted in whole steps of the world in which one fitting tool runs in it."""

    settings: AreaSettings
    whole: int  # work at the start, and again where litter fell: a broom has to go over all of a floor to find it
    left: int
    cleaned: int = 0  # how often nothing was left any more
    worked: int = 0  # work done

    def distance(self, x: float, y: float) -> float:
        """Of a point from the rectangle, m; 0 inside."""
        s = self.settings
        aside, ahead = abs(x - s.x_m) - s.width_m / 2, abs(y - s.y_m) - s.depth_m / 2
        return math.hypot(max(aside, 0.0), max(ahead, 0.0))

    def share(self) -> float:
        """What is left, 0 to 1."""
        return self.left / self.whole

    def work(self) -> bool:
        """One step of one tool; True where it was the last that was needed."""
        if not self.left:
            return False
        self.left -= 1
        self.worked += 1
        self.cleaned += not self.left
        return not self.left


class Areas:
    """All areas of a room, by name; `step` is their only change."""

    def __init__(self, settings: WorldSettings, seed: int) -> None:
        self._seed, self._rate = seed, settings.steps_per_s
        steps = {area.name: max(1, round(area.work_s * self._rate)) for area in settings.areas}
        areas = sorted(settings.areas, key=lambda area: area.name)
        self.by_name = {area.name: Area(area, steps[area.name], steps[area.name]) for area in areas}

    def step(self, robots: Iterable[RobotBody], number: int) -> None:
        """World step `number`: the tools that run now, each in the areas in which its robot's axle is."""
        for robot in robots:
            tool = robot.drive.tool
            if not tool or number >= robot.drive.until or not robot.present:
                continue
            x, y, _ = robot.pose()
            for area in self.by_name.values():
                if TOOL_FOR[area.settings.kind] == tool and area.distance(x, y) == 0.0 and area.work():
                    self._litter(area, robot)

    def _litter(self, area: Area, robot: RobotBody) -> None:
        """What a clumsy robot drops when it has emptied garbage: by the area's own chance."""
        s = area.settings
        if s.litter_on and draw(self._seed, s.name, "litter", area.cleaned) < robot.spec.clumsy:
            floor = self.by_name[s.litter_on]
            floor.left = floor.whole

    def progress(self) -> tuple[int, int]:
        """How many areas have nothing left, of how many."""
        return sum(not area.left for area in self.by_name.values()), len(self.by_name)

    def cleaned_again(self, kind: str) -> int:
        """How often an area of this kind was made clean after its first time."""
        return sum(max(0, area.cleaned - 1) for area in self.by_name.values() if area.settings.kind == kind)

    def repeated_s(self, kind: str) -> float:
        """Work on areas of this kind beyond what each needed at the start, s of one tool."""
        own = [area for area in self.by_name.values() if area.settings.kind == kind]
        return sum(max(0, area.worked - area.whole) for area in own) / self._rate

"""Find the locations by walking along the walls: reliable, and in need of the side range sensors.

Paper 000, section IV-B and figure 5: note the home position, follow the walls by side range until home again
while tracking the smallest and greatest x and y, then report where spills and goal must lie.
"""

import math
from dataclasses import dataclass, field

from behaviors import parts
from behaviors.cleanup.room import ROOM_M, Extremes, RoomSettings, Wall, locations
from behaviors.parts import DIAGONAL, SLANT, Drive, Out, Part, Percept, SingleSet, is_known
from behaviors.steering import clip, steer, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose
from robotd.model.tasks import Feedback, Task

LEAN = 1.6  # rad of heading per metre off the wanted distance: corrects within half a metre
MOST_LEAN = 0.5  # rad
LOST_M = 0.45  # m without a wall beside it: more than the length of a hull, so it has ended
FAR_BESIDE = 0.75  # m: nothing beside it within the reach of common infrared sensors
FACED = 0.15  # rad: turned into the new direction
# Quarter turns from east, wall to the right
ALONG: dict[Wall, int] = {"south": 0, "east": 1, "north": 2, "west": 3}
FULL_TURN = 4


@dataclass(slots=True)
class Walk:
    """How far it is round the room. `quarter` counts quarter turns to the left since the start."""

    started: bool = False
    home_x: float = 0.0
    home_y: float = 0.0
    quarter: int = 0
    turning: bool = True
    beside_x: float | None = None  # where the wall beside it was last seen
    beside_y: float = 0.0
    reached: Extremes = field(default_factory=Extremes)
    found: bool = False


class FollowWalls(Part[Walk, "FindLocationsMethodical.Settings"]):
    """Keeps the wall to its right; turns left before walls ahead and right round ends."""

    name = "follow-walls"
    initial = Walk

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        walk, pose = self.state, i.pose
        if pose is None or i.senses.lifted:
            self.state = Walk()  # put down elsewhere, what it saw of walls does not count
            return None
        if walk.found:
            return None
        if not walk.started:
            walk.started, walk.home_x, walk.home_y = True, pose.x, pose.y
        walk.reached.take(pose.x, pose.y)
        if self._home(pose):
            if not walk.reached.spans(ROOM_M):  # round a thing in the room: what it would report is wrong
                self.state = Walk()
                return None
            walk.found, s = True, self.settings
            margin = s.wall_m + 0.65 * i.capabilities.radius  # half the width of a hull within that circle
            return Out(facts=locations(walk.reached, margin, s.entrance_wall))
        return Out(drive=self._follow(i, pose))

    def _heading(self) -> float:
        return wrap((ALONG[self.settings.entrance_wall] + self.state.quarter) * math.pi / 2.0)

    def _home(self, pose: Pose) -> bool:
        """True after a full round, when it comes to where it began or has passed it."""
        walk = self.state
        if walk.quarter < FULL_TURN:
            return False
        if walk.quarter > FULL_TURN:
            return True
        heading = self._heading()
        short = (walk.home_x - pose.x) * math.cos(heading) + (walk.home_y - pose.y) * math.sin(heading)
        return short < self.settings.home_m

    def _follow(self, i: Percept, pose: Pose) -> Drive:
        walk, s, eyes = self.state, self.settings, i.eyes
        if not walk.turning and eyes.front < s.wall_m and _looms(i):
            walk.quarter += 1
            walk.turning, walk.beside_x, walk.beside_y = True, pose.x, pose.y
        error = wrap(self._heading() - pose.heading)
        if walk.turning and abs(error) > FACED:
            return Drive(0.0, turn_to(error))
        walk.turning = False
        if eyes.right < FAR_BESIDE:
            walk.beside_x, walk.beside_y = pose.x, pose.y
            beside = eyes.right
        elif walk.beside_x is None:
            walk.beside_x, walk.beside_y = pose.x, pose.y
            beside = FAR_BESIDE
        else:
            beside = self._pass_end(pose)
        lean = clip(LEAN * (s.wall_m - beside), MOST_LEAN)
        return steer(wrap(error + lean), s.speed)

    def _pass_end(self, pose: Pose) -> float:
        """No wall beside it: go on for a hull's length, then turn right, round the end of what it followed."""
        walk = self.state
        since = math.hypot(pose.x - (walk.beside_x or 0.0), pose.y - walk.beside_y)
        if since > LOST_M and walk.quarter > 0:
            walk.quarter -= 1
            walk.turning, walk.beside_x, walk.beside_y = True, pose.x, pose.y
        return self.settings.wall_m if walk.quarter > 0 else FAR_BESIDE


def _looms(i: Percept) -> bool:
    """Whether what is ahead is tall: sensors that look aside, where there are any, look over spill objects."""
    aside = [one.distance for one in i.senses.ranges if SLANT < one.bearing <= DIAGONAL]
    return not aside or any(distance is not None for distance in aside)


class FindLocationsMethodical(SingleSet[FollowWalls]):
    """The behavior set; done once the places are asserted."""

    behavior = FollowWalls

    class Settings(RoomSettings):
        wall_m: float = parts.setting(0.3, "distance kept from the wall, m", gt=0.1, le=1)
        speed: float = parts.setting(0.8, "share of the body's greatest speed", gt=0, le=1)
        home_m: float = parts.setting(0.5, "so near to its home it is home again, m", ge=0, le=3)

    needs = ("mobile", "positioning", "front-range", "side-range")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        walk = self.one.state
        progress = min(1.0, max(0, walk.quarter) / FULL_TURN)
        return Feedback(
            not beliefs.flag("located"), walk.found, 1.0 if walk.found else progress, why=is_known("located")
        )

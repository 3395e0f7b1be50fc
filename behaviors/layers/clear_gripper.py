"""Always on: let go of what is jammed in a closed gripper, and drive nowhere with an open one on the floor.

A second object between the fingers, beside or before the one held, stays before the sensors whichever way the
robot turns, so that it avoids it for ever. It lowers and opens the gripper and backs away from all of it. And a
behavior set that knows of no gripper, active after another that was cut short, would drag objects along: before
it drives, what is held is lifted, what is not is backed away from, and the gripper is closed and raised.
"""

import math
from dataclasses import dataclass

from behaviors import parts
from behaviors.parts import BELOW, Drive, Out, Part, Percept, Wire
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Grip, Pose

OPENED, LOWERED = 0.95, 0.05
RAISED = 0.4  # lift from which nothing on the floor is dragged along
LONGEST_S = 4.0  # for opening, and for backing


@dataclass(slots=True)
class Jam:
    """How far it has turned (rad) and since when with something at its fingers; the step of getting rid of it."""

    since: float = -1.0
    turned: float = 0.0
    heading: float = 0.0
    step: str = ""  # open, back
    step_at: float = 0.0
    from_x: float = 0.0
    from_y: float = 0.0


class ClearGripper(Part[Jam, "ClearGripper.Settings"]):
    class Settings(parts.Settings):
        touch_m: float = parts.setting(0.06, "what is nearer ahead may be in the gripper, m", gt=0, le=1)
        turn_rad: float = parts.setting(2.0, "it is, if it stays ahead over so much turning, rad", gt=0, le=20)
        time_s: float = parts.setting(3.0, "... and for so long, s", gt=0, le=60)
        back_m: float = parts.setting(0.3, "how far it backs off, m", gt=0, le=2)
        speed: float = parts.setting(0.4, "share of the body's greatest speed", gt=0, le=1)

    name = "clear-gripper"
    initial = Jam
    wires = tuple(Wire("suppress", channel, BELOW, channel) for channel in ("drive", "gripper", "lift"))

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        jam, grip, pose = self.state, i.senses.grip, i.pose
        if grip is None or pose is None:
            self.state = Jam()
            return None
        if not jam.step and not self._is_jammed(i, pose):
            return self._raise(i, grip)
        if jam.step == "open":
            if (grip.opening > OPENED and grip.lift < LOWERED) or i.now - jam.step_at > LONGEST_S:
                jam.step, jam.step_at, jam.from_x, jam.from_y = "back", i.now, pose.x, pose.y
            return Out(Drive(0.0, 0.0), 1.0, 0.0)
        backed = math.hypot(pose.x - jam.from_x, pose.y - jam.from_y) > self.settings.back_m
        if backed or i.now - jam.step_at > LONGEST_S:
            self.state = Jam()
        return Out(Drive(-self.settings.speed, 0.0), 1.0, 0.0)

    def _raise(self, i: Percept, grip: Grip) -> Out | None:
        """Before a drive that minds no gripper: nothing may be between open fingers on the floor."""
        if i.handled or i.wanted is None or not (i.wanted.speed or i.wanted.turn) or grip.lift >= RAISED:
            return None
        if grip.beam and not grip.bump:
            self.state.step, self.state.step_at = "open", i.now
            return Out(Drive(0.0, 0.0), 1.0, 0.0)
        return Out(Drive(0.0, 0.0), 0.0, 1.0)

    def _is_jammed(self, i: Percept, pose: Pose) -> bool:
        jam, s = self.state, self.settings
        if i.eyes.front > s.touch_m or i.wanted is None:
            jam.since = -1.0
            return False
        if jam.since < 0.0:
            jam.since, jam.turned, jam.heading = i.now, 0.0, pose.heading
        jam.turned += abs(wrap(pose.heading - jam.heading))
        jam.heading = pose.heading
        if jam.turned < s.turn_rad or i.now - jam.since < s.time_s:
            return False
        jam.step, jam.step_at = "open", i.now
        return True

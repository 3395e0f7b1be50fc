"""Find small boxes of one colour and push them to the edge of the room with the bumpers (paper 002, VI-B.1)."""

import math
from dataclasses import dataclass, field
from types import MappingProxyType

from behaviors import parts
from behaviors.errands.seeking import Search, look_about
from behaviors.parts import Drive, Out, Part, Percept, SingleSet, Wire
from behaviors.steering import Trip, bearing_to, distance_to, head_for, place_at, steer, turn_to
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Pose
from robotd.model.tasks import Feedback, Task

BEHIND_M = 0.7  # from the box to where it turns in, on the side away from the wall
THERE_M = 0.25
AHEAD = math.radians(25.0)  # a box that is seen so far aside at most is the one that it pushes
PUSH_S, BACK_S = 40.0, 3.0  # the longest push; backing off from the box at the wall
AIMED = 0.12  # rad: it turns in until it faces the wall so well
STUCK_S = 4.0  # wheels that do not turn for so long while a bumper is pressed: at the wall
STANDS_M_S = 0.03


@dataclass(slots=True)
class Pushing:
    """The box at (x, y) and the point (to_x, to_y) of the wall that it is pushed to; `phase`, since when."""

    colour: str = ""
    phase: str = "seek"  # seek, round, aim, push, back
    since: float = 0.0
    x: float = 0.0
    y: float = 0.0
    to_x: float = 0.0
    to_y: float = 0.0
    moving_at: float = 0.0
    pushed: int = 0
    trip: Trip = field(default_factory=Trip)
    search: Search = field(default_factory=Search)


class PushOut(Part[Pushing, "CleanupBoxes.Settings"]):
    """Gets behind a box and pushes it to the nearest wall; the layers that avoid do not see what it pushes."""

    name = "push-out"
    initial = Pushing
    wires = (
        Wire("inhibit", "pushing", "avoid-obstacles", "drive", hold_s=0.3),
        Wire("inhibit", "pushing", "bump-escape", "drive", hold_s=0.3),
    )

    def enter(self, now: float, task: Task | None) -> None:
        super().enter(now, task)
        self.state.colour, self.state.since = task.arg("colour") if task is not None else "", now

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        if i.pose is None or i.senses.lifted:
            return None
        state, s = self.state, self.settings
        if state.phase == "seek":
            self._choose(i, i.pose)
        if state.phase == "seek":
            return Out(look_about(state.search, i, s.room, s.speed, beliefs.me))
        if state.phase == "round":
            return self._go_round(i, i.pose, beliefs.me)
        if state.phase == "aim":
            error = bearing_to(i.pose, state.x, state.y)
            if abs(error) < AIMED:
                self._turn("push", i.now)
            return Out(Drive(0.0, turn_to(error)), lines=("pushing",))
        if state.phase == "push":
            return self._push(i, i.pose)
        if i.now - state.since > BACK_S:
            self._turn("seek", i.now)
        return Out(Drive(-s.push_speed, 0.0), lines=("pushing",))

    def _turn(self, phase: str, now: float) -> None:
        self.state.phase, self.state.since, self.state.moving_at = phase, now, now

    def _choose(self, i: Percept, pose: Pose) -> None:
        """The nearest box of the colour that does not lie at a wall yet."""
        state, s = self.state, self.settings
        for far, bearing in sorted(boxes(i, state.colour)):
            x, y = place_at(pose, bearing, far)
            width, depth = s.room
            walls = [(x, (0.0, y)), (width - x, (width, y)), (y, (x, 0.0)), (depth - y, (x, depth))]
            gap, (to_x, to_y) = min(walls)
            if gap > s.edge_m:
                state.x, state.y, state.to_x, state.to_y = x, y, to_x, to_y
                state.search, state.trip = Search(), Trip()
                self._turn("round", i.now)
                return

    def _go_round(self, i: Percept, pose: Pose, me: int) -> Out:
        """To the place from which the box lies before its wall."""
        state, s = self.state, self.settings
        if i.now - state.since > PUSH_S:
            self._turn("seek", i.now)
        out = math.atan2(state.to_y - state.y, state.to_x - state.x)
        x, y = state.x - BEHIND_M * math.cos(out), state.y - BEHIND_M * math.sin(out)
        if distance_to(pose, x, y) < THERE_M:
            self._turn("aim", i.now)
        return Out(head_for(state.trip, i, x, y, s.speed, me))

    def _push(self, i: Percept, pose: Pose) -> Out:
        """By the camera to the box, then straight on to the wall until nothing moves."""
        state, s = self.state, self.settings
        wheels = i.senses.wheels
        if wheels is None or max(abs(wheels.left), abs(wheels.right)) > STANDS_M_S:
            state.moving_at = i.now
        at_wall = min(pose.x, pose.y, s.room[0] - pose.x, s.room[1] - pose.y) < s.stop_m
        if at_wall or i.now - state.moving_at > STUCK_S or i.now - state.since > PUSH_S:
            state.pushed += at_wall
            self._turn("back", i.now)
        ahead = [bearing for _, bearing in boxes(i, state.colour) if abs(bearing) < AHEAD]
        touches = any(bump.pressed for bump in i.senses.bumps)
        error = ahead[0] if ahead and not touches else bearing_to(pose, state.to_x, state.to_y)
        return Out(steer(error, s.push_speed), lines=("pushing",))


def boxes(i: Percept, colour: str) -> list[tuple[float, float]]:
    """Range (m) and bearing (rad) of the small boxes of a colour in the picture."""
    return [
        (sight.range, sight.bearing) for sight in i.senses.sights
        if sight.kind == "puck" and sight.label == colour and sight.range is not None
    ]  # fmt: skip


class CleanupBoxes(SingleSet[PushOut]):
    """The behavior set; it looks for boxes as long as its contract lasts."""

    behavior = PushOut

    class Settings(parts.Settings):
        room: tuple[float, float] = parts.setting(..., "width and depth of the room, m")
        edge_m: float = parts.setting(0.6, "a box so near to a wall lies at the edge, m", gt=0, le=5)
        stop_m: float = parts.setting(0.5, "so near to a wall it stops pushing, m", gt=0, le=5)
        speed: float = parts.setting(0.6, "on the way, share of the body's greatest speed", gt=0, le=1)
        push_speed: float = parts.setting(0.4, "when pushing, share of the greatest speed", gt=0, le=1)

    needs = ("camera", "bumpers", "mobile", "positioning")
    args = MappingProxyType({"colour": ()})

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        return Feedback(applicable=True, fitness=1.0 if boxes(i, task.arg("colour")) else 0.5)

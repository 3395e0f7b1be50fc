"""Always on: get off what was bumped into, and out of where the wheels turn or stall without any headway."""

import math
from dataclasses import dataclass

from behaviors import parts
from behaviors.parts import BELOW, Drive, Out, Part, Percept, Wire
from behaviors.steering import since
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Wheels
from robotd.model.streams import draw

AGAIN_S = 6.0  # bumps that follow each other sooner than this are one predicament
HEADWAY = 0.25  # a wheel slower than this share of what is wanted makes none
STILL_M, STILL_RAD = 0.1, 0.7  # what a steadied pose drifts, and what undone turns swing
REAR_M = 0.06  # backing stops at things nearer than this


@dataclass(slots=True)
class Escape:
    """Backing until `back_until` at `speed`, then turning until `turn_until`; `count` bumps of one predicament."""

    back_until: float = -1.0
    turn_until: float = -1.0
    speed: float = 0.0
    turn: float = 0.0
    count: int = 0
    last: float = -100.0
    stuck_since: float = -1.0
    draws: int = 0
    still_since: float = -1.0  # since when it has been about (x, y), facing about `heading`
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0


class BumpEscape(Part[Escape, "BumpEscape.Settings"]):
    class Settings(parts.Settings):
        speed: float = parts.setting(0.4, "share of the body's greatest speed", gt=0, le=1)
        back_s: float = parts.setting(0.9, "how long it backs off, s", gt=0, le=10)
        turn_rad_s: float = parts.setting(1.0, "how fast it turns away, rad/s", gt=0, le=4)
        turn_s: float = parts.setting(0.6, "how long it turns away, s", ge=0, le=10)
        stuck_s: float = parts.setting(2.0, "no headway for so long counts as a bump, s", gt=0, le=60)
        still_s: float = parts.setting(7.0, "at one place for so long counts as a bump, s", gt=0, le=60)

    name = "bump-escape"
    initial = Escape
    wires = (Wire("suppress", "drive", BELOW, "drive"),)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        state = self.state
        bearing = self._find_bump(i)
        if bearing is not None and i.now >= state.back_until:
            self._begin(i.now, bearing, beliefs.me)
        if i.now < state.back_until:
            blocked = state.speed < 0.0 and i.eyes.rear < REAR_M
            return Out(drive=Drive(0.0 if blocked else state.speed, 0.0))
        if i.now < state.turn_until:
            return Out(drive=Drive(0.0, state.turn))
        return None

    def _find_bump(self, i: Percept) -> float | None:
        """The middle of the bearings of bumpers and cliffs, rad; straight ahead where it makes no headway."""
        x = y = 0.0
        for bump in (*i.senses.bumps, *i.senses.cliffs):
            if bump.pressed:
                x, y = x + math.cos(bump.bearing), y + math.sin(bump.bearing)
        if x or y:
            return math.atan2(y, x)
        stuck = self._find_stall(i)
        return stuck if stuck is not None else self._find_stillness(i)

    def _find_stillness(self, i: Percept) -> float | None:
        """0 (rad) after `still_s` at one place though it wants away: behaviors that undo each other's turns."""
        state, pose, wanted = self.state, i.pose, i.wanted
        if pose is None or wanted is None or not (wanted.speed or wanted.turn):
            state.still_since = -1.0
            return None
        moved = math.hypot(pose.x - state.x, pose.y - state.y) > STILL_M
        if state.still_since < 0.0 or moved or abs(wrap(pose.heading - state.heading)) > STILL_RAD:
            state.still_since, state.x, state.y, state.heading = i.now, pose.x, pose.y, pose.heading
        if i.now - state.still_since < self.settings.still_s:
            return None
        state.still_since = -1.0
        return 0.0

    def _find_stall(self, i: Percept) -> float | None:
        """0 or pi (rad) after `stuck_s` of wheels that do not do what is wanted."""
        state, wanted, wheels = self.state, i.wanted, i.senses.wheels
        if wanted is None or wheels is None:
            state.stuck_since = -1.0
            return None
        idle = self._idles(wanted, wheels, i.capabilities.max_speed)
        state.stuck_since = since(state.stuck_since, i.now, holds=idle)
        if not idle or i.now - state.stuck_since < self.settings.stuck_s:
            return None
        state.stuck_since = -1.0
        return 0.0 if wanted.speed >= 0.0 else math.pi

    @staticmethod
    def _idles(wanted: Drive, wheels: Wheels, top: float) -> bool:
        speed, spin = wanted.speed * top, abs(wanted.turn) * 0.1
        asked = max(abs(speed), spin)
        return asked > 0.02 and max(abs(wheels.left), abs(wheels.right)) < HEADWAY * asked

    def _begin(self, now: float, bearing: float, me: int) -> None:
        """Away from `bearing`; longer each time of one predicament, and by chance, so that two robots part."""
        s, state = self.settings, self.state
        state.count = state.count + 1 if now - state.last < AGAIN_S else 1
        state.last = now
        chance = draw(me, "bump-escape", "turn", state.draws)
        state.draws += 1
        ahead = abs(bearing) < math.radians(100.0)
        longer = min(state.count, 4)
        state.speed = -s.speed if ahead else s.speed
        state.back_until = now + s.back_s * (0.75 + 0.25 * longer)
        state.turn_until = state.back_until + s.turn_s * longer * (0.6 + 0.8 * chance)
        by_chance = state.count > 2 or abs(math.sin(bearing)) <= 0.1
        side = (1.0 if chance < 0.5 else -1.0) if by_chance else -math.copysign(1.0, bearing)
        state.turn = side * s.turn_rad_s if ahead else 0.0

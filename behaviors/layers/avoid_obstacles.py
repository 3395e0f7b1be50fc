"""Always on: turn what is wanted from below so that it leads past what the proximity sensors see.

It only bends a wanted forward motion, never starts one (paper 000, section IV-B and figure 4: it has the last
word on the motors except where move-spill suppresses it to pick an object up).
"""

from dataclasses import dataclass

from behaviors import parts
from behaviors.parts import BELOW, Drive, Eyes, Out, Part, Percept, Wire
from robotd.model.beliefs import Beliefs

CLEARED_TURN_S = 0.3  # it turns for so long after the last sensor lost the thing: its hull is wider than a ray
PASSING = 0.6  # share of the greatest speed at which it goes past something
FARTHEST = 0.8  # m: beyond this, all is open
CLEARLY = 0.15  # m: the other side is so much opener that it was the wrong one to turn to
SLANT_SHARE = 0.75  # of front_m for the sensors 15 degrees aside: what they see is already half past


@dataclass(slots=True)
class Turned:
    """Which way it turned (1 left, -1 right), when it last saw the obstacle, until when it keeps off it.

    `corrected`: it has changed the side once in this encounter. A second change would be dithering: before small
    things side by side, whichever way it turns, the other side is the opener one.
    """

    side: int = 0
    corrected: bool = False
    seen_at: float = -10.0
    keep_until: float = -10.0


class AvoidObstacles(Part[Turned, "AvoidObstacles.Settings"]):
    class Settings(parts.Settings):
        front_m: float = parts.setting(0.28, "turns away from things ahead nearer than this, m", gt=0, le=2)
        diagonal_m: float = parts.setting(
            0.16, "does not turn towards things at 45 degrees nearer than this, m", ge=0, le=2
        )
        side_m: float = parts.setting(0.08, "leans away from things beside it nearer than this, m", ge=0, le=2)
        stop_m: float = parts.setting(0.1, "does not drive towards things nearer than this, m", ge=0, le=1)
        turn_rad_s: float = parts.setting(1.0, "how fast it turns away, rad/s", gt=0, le=4)
        keep_s: float = parts.setting(1.8, "how long it does not turn back towards what it passed, s", ge=0, le=20)

    name = "avoid-obstacles"
    initial = Turned
    wires = (Wire("suppress", "drive", BELOW, "drive"),)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        wanted = i.wanted
        if wanted is None or wanted.speed < 0.0:
            return None
        if wanted.speed == 0.0:
            return self._hold_off(i, wanted)
        s, eyes = self.settings, i.eyes
        near = min(eyes.ahead / s.front_m, min(eyes.ahead_left, eyes.ahead_right) / (s.front_m * SLANT_SHARE))
        if near < 1.0:
            return Out(drive=self._turn_away(i, wanted, eyes, near))
        return self._pass(i, wanted, eyes)

    def _hold_off(self, i: Percept, wanted: Drive) -> Out | None:
        """Turning on the spot, back towards what it has just turned away from: go past it first."""
        state = self.state
        if i.now >= state.keep_until or wanted.turn * state.side >= 0.0:
            return None
        if i.eyes.front < self.settings.front_m:
            return Out(drive=Drive(0.0, state.side * self.settings.turn_rad_s))
        return Out(drive=Drive(PASSING, 0.0))

    def _turn_away(self, i: Percept, wanted: Drive, eyes: Eyes, near: float) -> Drive:
        s, state = self.settings, self.state
        opener = compare_sides(eyes)
        if i.now >= state.keep_until or state.side == 0:
            state.side, state.corrected = self._side(wanted, opener), False
        elif state.side * opener < -CLEARLY and not state.corrected:
            state.side, state.corrected = -state.side, True
        state.seen_at, state.keep_until = i.now, i.now + s.keep_s
        room = min(1.0, max(0.0, (eyes.front - s.stop_m) / (s.front_m - s.stop_m)))
        return Drive(min(wanted.speed, 0.8 * room * wanted.speed), state.side * s.turn_rad_s)

    @staticmethod
    def _side(wanted: Drive, opener: float) -> int:
        """The opener side; alike on both, the side wanted; if that is straight on, right, as all robots do."""
        if abs(opener) > CLEARLY / 2.0:
            return 1 if opener > 0.0 else -1
        if abs(wanted.turn) > 0.3:
            return 1 if wanted.turn > 0.0 else -1
        return -1

    def _pass(self, i: Percept, wanted: Drive, eyes: Eyes) -> Out | None:
        """Nothing ahead: keep off what is beside, and off what has just been turned away from."""
        s, state = self.settings, self.state
        if i.now - state.seen_at < CLEARED_TURN_S:
            return Out(drive=Drive(0.4 * wanted.speed, state.side * s.turn_rad_s))
        low, high = -9.0, 9.0
        if i.now < state.keep_until:
            low, high = (0.0, high) if state.side > 0 else (low, 0.0)
        if eyes.left_diagonal < s.diagonal_m or eyes.left < s.side_m:
            high = -0.25 * s.turn_rad_s
        if eyes.right_diagonal < s.diagonal_m or eyes.right < s.side_m:
            low = 0.25 * s.turn_rad_s
        if low > high:  # between two things: straight through
            low = high = 0.0
        turn = min(max(wanted.turn, low), high)
        return None if turn == wanted.turn else Out(drive=Drive(max(wanted.speed, 0.3), turn))


def compare_sides(eyes: Eyes) -> float:
    """How much farther it sees on the left than on the right, m."""
    left = min(eyes.ahead_left, eyes.left_diagonal, FARTHEST)
    return left - min(eyes.ahead_right, eyes.right_diagonal, FARTHEST)

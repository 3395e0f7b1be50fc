"""The watcher's dead band against over-rotation: one pusher alone brings the box 1.8 m on, from end to end.

The box turns about its far runner. An end is pushed with the velocity of its contract, which runs out `TERM_S`
after the watcher asks for another one; an auction and, at the other end, a drive follow.
"""

import math
from dataclasses import dataclass

import pytest

from behaviors.box_moving.watch_box import View, WatchBox

RUNNER_M, CONTACT_M = 0.648, 0.8  # from the middle of the box
TERM_S, AUCTION_S, DRIVE_S = 3.0, 1.5, 9.0
STEP_S, LIMIT_S = 0.1, 900.0
OVER_ROTATED_DEG = 70.0
USUAL = WatchBox.Settings()


@dataclass
class Alone:
    """The box, the pusher's contract, and what came of it; times in s."""

    settings: WatchBox.Settings
    x: float = 0.0
    y: float = 1.2
    angle: float = 0.0
    rate: float = 0.0
    now: float = 0.0
    end: str = ""
    speeds: tuple[float, float] = (-1.0, -1.0)
    until: float = math.inf
    next_at: float = 0.0
    pushes: int = 0
    turned_deg: float = 0.0

    def run(self) -> bool:
        """Whether the box comes to the goal."""
        watching = WatchBox(self.settings).behaviors[0]
        while self.now < LIMIT_S:
            view = View((self.x, self.y), (0.0, 3.0), self.angle + math.pi / 2)
            if view.left_m <= USUAL.near_m or abs(view.error) > math.pi / 2:
                return True
            watching._decide(view.error - self.settings.lead_s * self.rate)  # type: ignore[attr-defined]
            state = watching.state
            if (state.left, state.right) != self.speeds:
                self.until = min(self.until, self.now + TERM_S)
            if self.end and self.now >= self.until:
                drive_s = DRIVE_S if state.first != self.end else 0.0
                self.end = ""
                self.next_at = self.now + AUCTION_S + drive_s
            if not self.end and self.now >= self.next_at:
                self.end, self.speeds, self.until = state.first, (state.left, state.right), math.inf
                self.pushes += 1
            self._move()
            if self.turned_deg > OVER_ROTATED_DEG:
                return False
        return False

    def _move(self) -> None:
        side = {"left": -1.0, "right": 1.0}.get(self.end, 0.0)
        speed = self.speeds[0 if self.end == "left" else 1]
        self.rate = side * speed / (RUNNER_M + CONTACT_M)
        ahead_m = abs(self.rate) * RUNNER_M * STEP_S
        self.x -= ahead_m * math.sin(self.angle)
        self.y += ahead_m * math.cos(self.angle)
        self.angle += self.rate * STEP_S
        self.turned_deg = max(self.turned_deg, abs(math.degrees(self.angle)))
        self.now += STEP_S


def pushed(band_deg: float, **changes: float) -> Alone:
    """The settings of a watcher whose dead band is so wide."""
    tolerance = USUAL.gain * USUAL.push_width_m * math.radians(band_deg) / USUAL.speed_m_s
    return Alone(USUAL.model_copy(update={"tolerance": tolerance, **changes}))


def test_a_narrow_dead_band_costs_pushes_and_time_and_a_wide_one_turns_the_box_farther() -> None:
    found = [pushed(band) for band in (3.0, 10.0, 15.0, 25.0)]
    assert all(one.run() for one in found)
    times, pushes, turned = ([getattr(one, name) for one in found] for name in ("now", "pushes", "turned_deg"))
    assert times == sorted(times, reverse=True)
    assert pushes == sorted(pushes, reverse=True)
    assert pushes[0] >= 2 * pushes[2]
    assert turned == sorted(turned)
    assert turned[2] < 25.0 < 35.0 < turned[3]


@pytest.mark.parametrize(("band_deg", "comes"), [(15.0, True), (25.0, True), (50.0, False), (55.0, False)])
def test_past_a_dead_band_of_25_degrees_the_box_is_over_rotated(band_deg: float, comes: bool) -> None:
    one = pushed(band_deg)
    assert one.run() is comes
    assert (one.turned_deg > OVER_ROTATED_DEG) is not comes


def test_the_missions_own_dead_band_is_between_those_that_cost_time_and_those_that_turn_the_box_over() -> None:
    band = math.degrees(USUAL.tolerance * USUAL.speed_m_s / (USUAL.gain * USUAL.push_width_m))
    assert 10.0 < band < 25.0


def test_a_watcher_that_judges_the_angle_as_it_is_turns_the_box_farther() -> None:
    ahead, now = pushed(15.0), pushed(15.0, lead_s=0.0)
    assert ahead.run()
    assert now.run()
    assert ahead.turned_deg < now.turned_deg

"""Wheel encoders: speeds, and the way they add up to, with each robot's own small error."""

from __future__ import annotations

import math

from boards.mock.bodies import Pose as Pose3
from boards.mock.bodies import RobotBody
from robotd.model.senses import Pose, Wheels
from robotd.model.streams import draw

SCALE_ERROR = 0.01  # of a wheel's circumference, at most: what remains after measuring it with a ruler
DRIFT = 0.05  # m of accuracy lost per metre travelled
GROSS = 0.1  # m/s, one sigma of a noisy encoder
_STILL = Wheels(0.0, 0.0)


def rolled(last: Pose3, here: Pose3, base: float) -> tuple[float, float]:
    """What wheels `base` m apart rolled between two poses: in the middle, and half of their difference, m."""
    middle = (last[2] + here[2]) / 2
    forward = (here[0] - last[0]) * math.cos(middle) + (here[1] - last[1]) * math.sin(middle)
    return forward, (here[2] - last[2]) * base / 2


class Odometer:
    """Speeds in m/s and a pose in the frame of the place where it was switched on (x forward)."""

    def __init__(self, seed: int, robot: RobotBody) -> None:
        self._robot = robot
        name = robot.spec.name
        self._scales = [
            1 + SCALE_ERROR * (2 * draw(seed, name, f"{side} wheel", 0) - 1) for side in ("left", "right")
        ]
        self.wheels, self.pose = _STILL, Pose(0.0, 0.0, 0.0, 0.0)
        self._speeds = (0.0, 0.0)  # as in `wheels`
        self._x = self._y = self._heading = self._way = 0.0
        self._last = robot.pose()
        self._carried = robot.carried

    def read(self, *, frozen: bool, noise: float) -> None:
        """Take the encoders' counts since the last reading; `noise` in standard deviations of a noisy encoder."""
        here, last = self._robot.pose(), self._last
        self._last = here
        if self._carried != self._robot.carried:  # wheels do not turn while a person carries the robot
            self._carried = self._robot.carried
            last = here
        if frozen:
            return
        left, right = self._robot.wheel_speeds()
        error = GROSS * noise
        fresh = round(left * self._scales[0] + error, 3), round(right * self._scales[1] - error, 3)
        if fresh != self._speeds:
            self._speeds, self.wheels = fresh, Wheels(*fresh)
        if here != last:
            self._travel(last, here)

    def _travel(self, last: Pose3, here: Pose3) -> None:
        base = self._robot.hull.wheel_base
        forward, half_turn = rolled(last, here, base)
        left, right = (forward - half_turn) * self._scales[0], (forward + half_turn) * self._scales[1]
        turn, way = (right - left) / base, (left + right) / 2
        self._x += way * math.cos(self._heading + turn / 2)
        self._y += way * math.sin(self._heading + turn / 2)
        self._heading += turn
        self._way += abs(way) + abs(half_turn)
        heading = math.remainder(self._heading, 2 * math.pi)
        fresh = Pose(round(self._x, 3), round(self._y, 3), round(heading, 3), round(DRIFT * self._way, 2))
        if fresh != self.pose:
            self.pose = fresh

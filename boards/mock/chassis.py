"""Wheels of another base than the R-2's under its simulated body: for emulators of other robots."""

from __future__ import annotations

import math

from boards.mock.bodies import Gripper
from boards.mock.r2 import MockR2
from boards.mock.sensors import rolled
from robotd.model.command import EXPIRY_S, Command

HOLD_S = EXPIRY_S / 5  # a drive is repeated so often to the body, which lets go of it after half a second


class Chassis:
    """What motors and encoders of a robot with `wheel_base` (m) do while its body moves as the R-2's hull. Speeds
    and ways are those of the robot's own wheels, left and right, m/s and m."""

    def __init__(self, body: MockR2, wheel_base: float) -> None:
        self.body = body
        self._robot = body.world.robots[body.name]
        self._base, self._hull_base = wheel_base, self._robot.hull.wheel_base
        self.commanded = (0.0, 0.0)
        self._held_at = -math.inf
        self._last = self._robot.pose()
        self._carried = self._robot.carried
        self._way = [0.0, 0.0]

    def how(self, part: str) -> str:
        """What is wrong with a part of the body (`boards.mock.anatomy`): dead, frozen, noisy, absent, or ''."""
        return self._robot.faults.get(part, "")

    @property
    def lifted(self) -> bool:
        return not self._robot.present

    def drive(self, now: float, left: float, right: float) -> None:
        """Command the motors; it holds until the next command."""
        self.commanded, self._held_at = (left, right), now
        half = (right - left) * self._hull_base / self._base / 2
        middle = (left + right) / 2
        self.body.command(now, Command(middle - half, middle + half))

    def grip(self, now: float, opening: float | None, lift: float | None) -> None:
        """Send the gripper's axes somewhere; None leaves one."""
        self.body.world.advance(now)
        if not self.how("gripper"):
            self._robot.gripper.aim(opening, lift)

    @property
    def gripper(self) -> Gripper:
        return self._robot.gripper

    @property
    def beam(self) -> bool:
        return self._robot.beam_broken()

    def hold(self, now: float) -> None:
        """Keep the body at the last command of the motors."""
        if any(self.commanded) and now >= self._held_at + HOLD_S:
            self.drive(now, *self.commanded)

    def speeds(self) -> tuple[float, float]:
        left, right = self._robot.wheel_speeds()
        half = (right - left) * self._base / self._hull_base / 2
        return (left + right) / 2 - half, (left + right) / 2 + half

    def ways(self, now: float) -> tuple[float, float]:
        """What the wheels have rolled until `now`, between steps of the world at their speeds of the last one."""
        world, robot = self.body.world, self._robot
        world.advance(now)
        here, last = robot.pose(), self._last
        self._last = here
        if self._carried != robot.carried:  # wheels do not turn while a person carries the robot
            self._carried = robot.carried
        elif here != last:
            forward, half = rolled(last, here, self._base)
            self._way = [self._way[0] + forward - half, self._way[1] + forward + half]
        ahead, speeds = now - world.now, self.speeds()
        return self._way[0] + speeds[0] * ahead, self._way[1] + speeds[1] * ahead

"""Where the robot is: positioning readings (about 0.15 m) steadied with odometry, as behaviors see them.

A scalar Kalman filter on the position: odometry moves the estimate and its variance grows with the distance,
each new positioning reading pulls it. The heading is turned by odometry and pulled by readings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robotd.model.senses import Pose, Senses

SLIP = 0.03  # m of error per square root of a metre driven: wheels on a smooth floor
DRIFT = 1e-4  # m² of variance per second: how far it trusts a long average, for beacons that err slowly
HEADING_GAIN = 0.04  # share of a reading's heading that is taken up: about 25 readings' average
JUMP_SIGMAS = 4.0  # a reading this far off is not noise ...
JUMP_READINGS = 6  # ... when so many follow each other: the robot was carried or pushed
UNKNOWN = 1e3  # variance, m², of a robot that was lifted


def wrapped(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    return math.pi - (math.pi - angle) % (2.0 * math.pi)


@dataclass(slots=True)
class Estimate:
    """All that the filter remembers; `variance` below 0 until the first reading."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    variance: float = -1.0
    odometry: tuple[float, float, float] | None = None
    reading: tuple[float, float] | None = None
    jumps: int = 0
    at: float = 0.0


def steadied(e: Estimate, now: float, senses: Senses) -> Pose | None:
    """Take one tick's senses into `e`; the pose believed now, None until a first reading came."""
    _move(e, now, senses.odometry)
    if senses.lifted:
        e.variance = UNKNOWN if e.variance >= 0.0 else e.variance
    pose = senses.pose
    if pose is not None and (pose.x, pose.y) != e.reading:
        _pull(e, pose)
    if e.variance < 0.0:
        return None
    return Pose(e.x, e.y, e.heading, math.sqrt(e.variance))


def _move(e: Estimate, now: float, odometry: Pose | None) -> None:
    passed, e.at = max(0.0, now - e.at), now
    e.variance += DRIFT * passed if e.variance >= 0.0 else 0.0
    if odometry is None:
        e.odometry = None
        return
    if e.odometry is not None and e.variance >= 0.0:
        x, y, heading = e.odometry
        dx, dy = odometry.x - x, odometry.y - y
        turned = e.heading - heading
        cos, sin = math.cos(turned), math.sin(turned)
        e.x += cos * dx - sin * dy
        e.y += sin * dx + cos * dy
        e.heading = wrapped(e.heading + odometry.heading - heading)
        e.variance += SLIP * SLIP * math.hypot(dx, dy)
    e.odometry = (odometry.x, odometry.y, odometry.heading)


def _pull(e: Estimate, pose: Pose) -> None:
    noise = pose.accuracy * pose.accuracy
    off = math.hypot(pose.x - e.x, pose.y - e.y)
    far = e.variance >= 0.0 and off > JUMP_SIGMAS * math.sqrt(e.variance + noise)
    e.jumps = e.jumps + 1 if far else 0
    e.reading = (pose.x, pose.y)
    if e.variance < 0.0 or e.variance >= UNKNOWN or e.jumps >= JUMP_READINGS:
        e.x, e.y, e.heading, e.variance, e.jumps = pose.x, pose.y, pose.heading, noise, 0
        return
    if far:
        return
    if e.odometry is None:  # nothing else tells of motion: follow the readings
        e.variance = max(e.variance, noise)
    gain = e.variance / (e.variance + noise)
    e.x += gain * (pose.x - e.x)
    e.y += gain * (pose.y - e.y)
    e.variance *= 1.0 - gain
    e.heading = wrapped(e.heading + HEADING_GAIN * wrapped(pose.heading - e.heading))

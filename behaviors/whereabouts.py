"""Where the robot is: positioning readings (about 0.15 m) steadied with odometry, as behaviors see them.

Two small Kalman filters. The heading's knows the heading and how much odometry turns it falsely per metre
(unequal wheels); the position's knows one variance for x and y. Beacons err alike from reading to reading, so
that one reading weighs only as much as the share of their correlation time that it covers.
"""

import math
from dataclasses import dataclass

from robotd.model.senses import Pose, Senses

CORRELATION_S = 6.0  # readings nearer in time than this err alike: echoes change with the place only
SLIP = 3e-3  # m² of variance per metre driven: with CORRELATION_S it averages over some 15 s
HEADING_NOISE = 0.05  # rad, one sigma of a reading's heading
TURN_SLIP = 2e-4  # rad² of variance per radian turned, and per metre driven
UNEQUAL = 1.4e-3  # (rad/m)²: wheels alike within 1 %, 0.22 m apart
JUMP_SIGMAS = 4.0  # a reading this far off is not noise ...
JUMP_READINGS = 6  # ... when so many follow each other: the robot was carried or pushed
LEAP_M = 0.4  # odometry that moves so far in one tick has started afresh
LONGEST_S = 1.0  # a reading weighs no more than this, however long none came


def wrap(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    return math.pi - (math.pi - angle) % (2.0 * math.pi)


@dataclass(slots=True)
class Estimate:
    """All that the filters remember; `variance` (m², of x and of y) is below 0 while the place is unknown."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    variance: float = -1.0
    unequal: float = 0.0  # odometry's false turning, rad/m
    heading_variance: float = 0.0
    both_covariance: float = 0.0
    unequal_variance: float = UNEQUAL
    odometry: tuple[float, float, float] | None = None
    reading: tuple[float, float] | None = None
    read_at: float = 0.0
    jumps: int = 0


def steady(e: Estimate, now: float, senses: Senses) -> Pose | None:
    """Take one tick's senses into `e`; the pose believed now, None until a first reading came."""
    _move(e, senses.odometry)
    if senses.lifted:
        e.variance = -1.0
    pose = senses.pose
    if pose is not None and (pose.x, pose.y) != e.reading:
        e.reading = (pose.x, pose.y)
        _pull(e, pose, min(LONGEST_S, now - e.read_at))
        e.read_at = now
    if e.variance < 0.0:
        return None
    return Pose(e.x, e.y, e.heading, math.sqrt(e.variance))


def _move(e: Estimate, odometry: Pose | None) -> None:
    last = e.odometry
    if odometry is None:
        e.odometry = None
        return
    e.odometry = (odometry.x, odometry.y, odometry.heading)
    if last is None or last == e.odometry:
        return
    dx, dy = odometry.x - last[0], odometry.y - last[1]
    way, turn = math.hypot(dx, dy), wrap(odometry.heading - last[2])
    if way > LEAP_M:
        return
    turned = e.heading - last[2]
    cos, sin = math.cos(turned), math.sin(turned)
    e.x += cos * dx - sin * dy
    e.y += sin * dx + cos * dy
    e.heading = wrap(e.heading + turn + e.unequal * way)
    if e.variance >= 0.0:
        e.variance += SLIP * way
    e.heading_variance += TURN_SLIP * (abs(turn) + way) + way * (2 * e.both_covariance + way * e.unequal_variance)
    e.both_covariance += way * e.unequal_variance


def _pull(e: Estimate, pose: Pose, passed: float) -> None:
    noise = pose.accuracy * pose.accuracy / 2.0  # of each axis
    off = math.hypot(pose.x - e.x, pose.y - e.y)
    far = e.variance >= 0.0 and off > JUMP_SIGMAS * math.sqrt(2.0 * (e.variance + noise)) + 0.05
    e.jumps = e.jumps + 1 if far else 0
    if e.variance < 0.0 or e.jumps >= JUMP_READINGS:
        e.x, e.y, e.heading, e.variance, e.jumps = pose.x, pose.y, pose.heading, noise, 0
        e.heading_variance, e.both_covariance = HEADING_NOISE**2, 0.0
        return
    if far:
        return
    alike = 2.0 * CORRELATION_S / max(passed, 1e-3)
    if e.odometry is None:  # nothing else shows motion: follow the readings
        e.variance, e.heading_variance, alike = max(e.variance, noise), HEADING_NOISE**2, 1.0
    gain = e.variance / (e.variance + noise * alike) if e.variance > 0.0 else 0.0
    e.x += gain * (pose.x - e.x)
    e.y += gain * (pose.y - e.y)
    e.variance *= 1.0 - gain
    _turn(e, pose.heading, HEADING_NOISE**2 * alike)


def _turn(e: Estimate, heading: float, noise: float) -> None:
    spread = e.heading_variance + noise
    one, both = e.heading_variance / spread, e.both_covariance / spread
    error = wrap(heading - e.heading)
    e.heading = wrap(e.heading + one * error)
    e.unequal += both * error
    e.unequal_variance -= both * e.both_covariance
    e.both_covariance *= 1.0 - one
    e.heading_variance *= 1.0 - one

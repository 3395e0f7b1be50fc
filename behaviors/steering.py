"""Driving to places: the controllers that behaviors share. Speeds are shares of the body's greatest."""

import math
from dataclasses import dataclass

from behaviors.parts import Drive, Percept
from behaviors.whereabouts import wrap
from robotd.model.senses import Pose
from robotd.model.streams import draw

GAIN = 2.2  # rad/s of turning per rad of error: settles in half a second without overshoot at 10 Hz
MOST_TURN = 1.4  # rad/s: infrared readings come at 10 Hz, 8 degrees apart
FACING = 0.9  # rad: farther off than this it turns on the spot
STUCK_S = 7.0  # no nearer for so long: something is in the way that avoiding does not solve
NEARER = 0.12  # m: what counts as nearer; above the noise of a steadied position within STUCK_S
DETOUR_S = 3.5  # the first detour's length; later ones are longer
FARTHEST = 1e6  # m: no distance yet
UNKNOWN_M = 10.0  # how far off a robot counts that does not know its pose
MOST_DETOURS = 4  # lengths grow up to this multiple
BOX_M = 0.6  # what is seen nearer than this at a front or side sensor is taken for the box
BOW, CORNER = math.radians(60.0), math.radians(30.0)  # bearings: bumpers of the front, and of one corner alone
ROUND = 0.3  # rad/s of turning about a corner that touches the box alone
SQUARE_GAIN = 3.0  # rad/s of turning per metre between what the two front sensors aside see: settles in a second


def since(known: float, now: float, *, holds: bool) -> float:
    """Since when a condition holds, s, where `known` is what this returned in the last tick; -1: it does not."""
    if not holds:
        return -1.0
    return now if known < 0.0 else known


def clip(value: float, most: float) -> float:
    """`value` within [-most, most]."""
    return max(-most, min(most, value))


def bearing_to(pose: Pose, x: float, y: float) -> float:
    """The bearing of (x, y) from the robot, rad."""
    return wrap(math.atan2(y - pose.y, x - pose.x) - pose.heading)


def distance_to(pose: Pose, x: float, y: float) -> float:
    """The distance of (x, y) from the robot's centre, m."""
    return math.hypot(x - pose.x, y - pose.y)


def nearness(pose: Pose | None, x: float, y: float, half_m: float = 1.0) -> float:
    """How near a robot is to (x, y), a fitness: 1 there, a half at `half_m`, low while its pose is unknown."""
    far = distance_to(pose, x, y) if pose is not None else UNKNOWN_M
    return 1.0 / (1.0 + far / half_m)


def place_at(pose: Pose, bearing: float, far: float) -> tuple[float, float]:
    """x and y, m, of what is `far` m from the robot's centre at a bearing, rad."""
    way = pose.heading + bearing
    return pose.x + far * math.cos(way), pose.y + far * math.sin(way)


def turn_to(error: float) -> float:
    """The turn rate that takes a heading error (rad) away."""
    return clip(GAIN * error, MOST_TURN)


def steer(error: float, speed: float) -> Drive:
    """Drive at `speed` while correcting a heading error; far off, turn on the spot."""
    off = abs(error)
    forward = speed * math.cos(error) ** 2 if off < FACING else 0.0
    return Drive(forward, turn_to(error))


def turn_square(i: Percept) -> float:
    """The turn rate that brings it square to the box, rad/s: by what it touches, else by both front sensors."""
    touched = [bump.bearing for bump in i.senses.bumps if bump.pressed and abs(bump.bearing) < BOW]
    if touched:
        middle = sum(touched) / len(touched)
        return math.copysign(ROUND, middle) if abs(middle) > CORNER else 0.0
    left, right = i.eyes.ahead_left, i.eyes.ahead_right
    return SQUARE_GAIN * (right - left) if max(left, right) < BOX_M else 0.0


@dataclass(slots=True)
class Trip:
    """A way to one place: the nearest it came and when, and the detour that it makes, if any."""

    x: float | None = None
    y: float | None = None
    best: float = FARTHEST
    best_at: float = 0.0
    detour_until: float = -1.0
    detour_heading: float = 0.0
    detours: int = 0
    since: float = 0.0


def head_for(trip: Trip, i: Percept, x: float, y: float, speed: float, me: int) -> Drive:
    """One tick towards (x, y); after STUCK_S without coming nearer it tries its luck another way for a while."""
    pose = i.pose
    if pose is None:
        return Drive(0.0, 0.0)
    now = i.now
    far = distance_to(pose, x, y)
    if trip.x != x or trip.y != y:
        trip.x, trip.y, trip.best, trip.best_at, trip.since = x, y, far, now, now
        trip.detour_until, trip.detours = -1.0, 0
    if now < trip.detour_until:
        return steer(wrap(trip.detour_heading - pose.heading), speed)
    if far < trip.best - NEARER:
        trip.best, trip.best_at = far, now
    if now - trip.best_at > STUCK_S:
        _detour(trip, pose, wrap(pose.heading + bearing_to(pose, x, y)), now, me)
    return steer(bearing_to(pose, x, y), speed)


def _detour(trip: Trip, pose: Pose, ahead: float, now: float, me: int) -> None:
    """Aside by 60 to 130 degrees, on a side by chance: two robots in each other's way draw differently."""
    chance = draw(me, "detour", f"{pose.x:.2f} {pose.y:.2f}", trip.detours)
    side = 1.0 if chance < 0.5 else -1.0
    away = math.radians(60.0 + 140.0 * abs(chance - 0.5))
    trip.detour_heading = wrap(ahead + side * away)
    trip.detours += 1
    trip.detour_until = now + DETOUR_S * min(trip.detours, MOST_DETOURS)
    trip.best, trip.best_at = FARTHEST, trip.detour_until

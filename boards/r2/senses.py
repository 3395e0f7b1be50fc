"""The contents of an R-2's frames as the model's values."""

from __future__ import annotations

from typing import Any

from boards.driver import Reading
from boards.proximity import OUTDATED, STANDS_STILL, fitted, mark_missing, mark_sensor, named
from boards.r2 import frames as wire
from boards.stuck import StuckDetector, moving
from robotd.model.senses import Bump, Grip, Pose, Range, Senses, Wheels
from robotd.model.value import value

OLD = 50  # hundredths of a second: a part whose reading is older does not work
FULL = 1000  # thousandths: wide open, or up
FARTHEST = 1_000_000  # mm: no beacon system reaches a kilometre
TURN = 3150  # mrad: half a turn and its rounding
RESTING = 5  # mm/s: motors commanded less than this are at rest
WORDS = {wire.DEAD: "is dead", wire.STUCK: STANDS_STILL}
RANGE_WORDS = {wire.NO_READING: WORDS[wire.DEAD], wire.STANDS_STILL: WORDS[wire.STUCK]}
PARTS = {"mobile": "motors", "odometry": "wheels", "positioning": "positioning", "gripper": "gripper",
         "sound": "sound"}  # fmt: skip
RESOURCES = frozenset({*PARTS, "bumpers", "front-range", "side-range"})
OUTSIDE = "reads out of its range"


@value
class Identity:
    """What a board is: speed in m/s, lengths in m, bearings in rad."""

    max_speed: float
    wheel_base: float
    radius: float
    ranges: tuple[tuple[float, float, float], ...]  # bearing, low, high
    bumps: tuple[float, ...]

    @classmethod
    def of(cls, fields: Any) -> Identity:
        ranges = tuple((entry.bearing / 1e4, entry.low / 1e3, entry.high / 1e3) for entry in fields.ranges)
        bumps = tuple(bearing / 1e4 for bearing in fields.bumps)
        return cls(fields.max_speed / 1e3, fields.wheel_base / 1e3, fields.radius / 1e3, ranges, bumps)


@value
class R2Reading(Reading):
    """One frame of senses; `built`: the resources of the body; `at_rest`: its motors are commanded to rest."""

    built: frozenset[str] = frozenset()
    at_rest: bool = False


def read(fields: Any, identity: Identity, now: float, fix: StuckDetector) -> R2Reading | None:
    """The reading of a frame of senses; None where it does not fit the identity. `fix` watches the position."""
    if len(fields.ranges) != len(identity.ranges):
        return None
    lost: dict[str, str] = {}  # resource to reason
    wheels, odometry = _wheels(fields, lost)
    pose, ranges = _fix(fields, now, fix, lost), _ranges(fields, identity, lost)
    bumps = _bumps(fields, identity, lost)
    battery, flags = fields.battery / 200 if fields.battery <= 200 else None, fields.flags
    values = Senses(wheels, odometry, pose, ranges, bumps, (), flags.lifted, flags.stalled, _grip(fields, lost),
                    battery=battery, charging=flags.charging)  # fmt: skip
    if flags.lifted:
        lost.setdefault("mobile", "lifted off the floor")
    for name, part in (("mobile", "motors"), ("sound", "sound")):
        _state(fields, part, name, lost)
    built = frozenset(_fitted(fields, identity) | lost.keys())
    at_rest = all(abs(speed) < RESTING for speed in fields.driven)
    ages = fields.ranges_age / 100, fields.pose_age / 100
    return R2Reading(now, values, tuple(sorted(lost.items())), *ages, built=built, at_rest=at_rest)


def _fitted(fields: Any, identity: Identity) -> set[str]:
    built = {name for name, part in PARTS.items() if fields.parts[part] != wire.ABSENT}
    built |= fitted(bearing for bearing, _, _ in identity.ranges)
    return built | ({"bumpers"} if identity.bumps else set())


def _state(fields: Any, part: str, resource: str, lost: dict[str, str]) -> bool:
    """True where a part works; else the reason is noted, unless it was never fitted."""
    state = fields.parts[part]
    if state in WORDS:
        lost[resource] = f"{part} {WORDS[state]}"
    return bool(state == wire.WORKS)


def _wheels(fields: Any, lost: dict[str, str]) -> tuple[Wheels | None, Pose | None]:
    if not _state(fields, "wheels", "odometry", lost):
        return None, None
    return Wheels(*(speed / 1000 for speed in fields.speeds)), _pose(fields.odometry)


def _pose(fields: Any) -> Pose:
    return Pose(fields.x / 1000, fields.y / 1000, fields.heading / 1000, fields.accuracy / 1000)


def _fix(fields: Any, now: float, fix: StuckDetector, lost: dict[str, str]) -> Pose | None:
    if not _state(fields, "positioning", "positioning", lost):
        return None
    at = fields.pose
    reason = ""
    if fields.pose_age > OLD:
        reason = OUTDATED
    elif max(abs(at.x), abs(at.y)) > FARTHEST or abs(at.heading) > TURN:
        reason = OUTSIDE
    elif fix.note(now, (at.x, at.y, at.heading), moves=moving(*(speed / 1000 for speed in fields.speeds))):
        reason = WORDS[wire.STUCK]
    if reason:
        lost["positioning"] = f"positioning {reason}"
        return None
    return _pose(at)


def _ranges(fields: Any, identity: Identity, lost: dict[str, str]) -> tuple[Range, ...]:
    found = []
    for millimetres, (bearing, low, high) in zip(fields.ranges, identity.ranges, strict=True):
        reason = RANGE_WORDS.get(millimetres, "")
        if fields.ranges_age > OLD:
            reason = OUTDATED
        elif not reason and millimetres != wire.NOTHING and millimetres > high * 1000:
            reason = OUTSIDE
        if not reason:
            distance = None if millimetres == wire.NOTHING else max(millimetres / 1000, low)
            found.append(Range("infrared", bearing, distance, low, high))
            continue
        mark_sensor(lost, "infrared", bearing, reason)
    return tuple(found)


def _bumps(fields: Any, identity: Identity, lost: dict[str, str]) -> tuple[Bump, ...]:
    found = []
    for k, bearing in enumerate(identity.bumps):
        dead, stuck = fields.bumps_dead >> k & 1, fields.bumps_stuck >> k & 1
        if dead or stuck:
            words = WORDS[wire.DEAD if dead else wire.STUCK]
            mark_missing(lost, "bumpers", f"{named('bump sensor', bearing)} {words}")
        else:
            found.append(Bump(bearing, bool(fields.pressed >> k & 1)))
    return tuple(found)


def _grip(fields: Any, lost: dict[str, str]) -> Grip | None:
    if not _state(fields, "gripper", "gripper", lost):
        return None
    if max(fields.opening, fields.lift) > FULL:
        lost["gripper"] = f"gripper {OUTSIDE}"
        return None
    return Grip(fields.opening / FULL, fields.lift / FULL, fields.flags.beam, fields.flags.bump)

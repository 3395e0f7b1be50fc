"""The stream of a Create 2 as the model's values, and which of its parts can be believed."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from boards.create2 import frames as wire
from boards.driver import Reading
from boards.odometry import Gauge, Wheelset
from boards.proximity import STANDS_STILL, Curve, mark_sensor, metres
from boards.stuck import StuckDetector, moving
from robotd.model.senses import Bump, Range, Senses
from robotd.model.value import value

COUNT_M = math.pi * 0.072 / 508.8  # m of a 72 mm wheel per count
WRAP = 1 << 16
WHEEL_BASE, RADIUS, MAX_SPEED = 0.235, 0.175, 0.5  # m, m, m/s
GAUGE = Gauge(COUNT_M, WRAP, MAX_SPEED, wire.STREAM_S)
LIGHT_DEG = (65.0, 38.0, 13.0, -13.0, -38.0, -65.0)  # left to right, by where the windows lie; give or take 5
CLIFF_DEG = (60.0, 15.0, -15.0, -60.0)
BUMP_RAD = math.radians(35.0)  # the bumper is one piece on two switches
GREATEST_LIGHT = 4095

STALL_MA = 500  # of a wheel that is held; a free one takes 100 to 200 mA
IDLE_MA = 30  # below this a motor that is commanded to turn does not


@value
class Create2Reading(Reading):
    """One frame, with the robot's mode."""

    mode: int = 0


class Reader:
    """Reads frame after frame. `counts` takes what was refused, by reason."""

    def __init__(self, wheel_base: float, curve: Curve, lights: Sequence[float], counts: Counter[str]) -> None:
        self.wheels = Wheelset(wheel_base, GAUGE, STALL_MA, IDLE_MA, counts)
        self._curve = curve
        self._bearings = [math.radians(degrees) for degrees in lights]
        self._watches = [StuckDetector() for _ in lights]

    def lose_reference(self) -> None:
        self.wheels.lose_reference()
        self._watches = [StuckDetector() for _ in self._bearings]

    def read(self, now: float, frame: Mapping[int, int], commanded: tuple[float, float]) -> Create2Reading:
        """The reading of a frame; `commanded`: what left and right wheel were last commanded, in any unit."""
        lost: dict[str, str] = {}
        over = frame[wire.OVERCURRENT]
        counts = frame[wire.LEFT_COUNT], frame[wire.RIGHT_COUNT]
        currents = frame[wire.LEFT_CURRENT], frame[wire.RIGHT_CURRENT]
        overs = bool(over & wire.OVER_LEFT), bool(over & wire.OVER_RIGHT)
        wheels, odometry, stalled = self.wheels.take(now, counts, currents, overs, commanded, lost)
        bumps = frame[wire.BUMPS]
        lifted = bool(bumps & wire.DROPS)
        if lifted:
            lost["mobile"] = "lifted off the floor"
        seen = zip(wire.CLIFFS, CLIFF_DEG, strict=True)
        cliffs = tuple(Bump(math.radians(degrees), bool(frame[packet])) for packet, degrees in seen)
        ranges = self._ranges(now, frame, lost, rolls=moving(*self.wheels.rolling.speeds))
        ring = Bump(BUMP_RAD, bool(bumps & wire.BUMP_LEFT)), Bump(-BUMP_RAD, bool(bumps & wire.BUMP_RIGHT))
        charging = frame[wire.CHARGING] in (1, 2, 3, 4)  # reconditioning, full, trickle, waiting
        values = Senses(wheels, odometry, None, ranges, ring, cliffs, lifted, stalled, battery=_battery(frame),
                        charging=charging)  # fmt: skip
        return Create2Reading(now, values, tuple(sorted(lost.items())), mode=frame[wire.MODE])

    def _ranges(
        self, now: float, frame: Mapping[int, int], lost: dict[str, str], *, rolls: bool
    ) -> tuple[Range, ...]:
        found = []
        low, high = self._curve[0][1], self._curve[-1][1]
        for packet, bearing, watch in zip(wire.LIGHTS, self._bearings, self._watches, strict=True):
            value = frame[packet]
            # A live one never rests in front of something; one that sees nothing may read the same for long.
            frozen = watch.note(now, value, moves=rolls and value >= self._curve[-1][0])
            if value > GREATEST_LIGHT:
                mark_sensor(lost, "light bumper", bearing, "reads out of its range")
            elif frozen:
                mark_sensor(lost, "light bumper", bearing, STANDS_STILL)
            else:
                found.append(Range("infrared", bearing, metres(value, self._curve), low, high))
        return tuple(found)


def _battery(frame: Mapping[int, int]) -> float | None:
    charge, capacity = frame[wire.CHARGE], frame[wire.CAPACITY]
    return round(charge / capacity, 3) if capacity > 0 and charge <= capacity else None

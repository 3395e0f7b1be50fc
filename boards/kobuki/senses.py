"""The contents of a Kobuki's packets as the model's values, and which of its parts can be believed."""

import math
from collections import Counter

from boards.driver import Reading
from boards.kobuki import frames as wire
from boards.odometry import Gauge, Pair, Wheelset, difference
from robotd.model.senses import Bump, Senses
from robotd.model.value import value

COUNT_M = 1 / 11724.41658  # m of a 70 mm wheel per count (kobuki_core)
WHEEL_BASE, RADIUS, MAX_SPEED = 0.23, 0.18, 0.7  # m, m, m/s
GAUGE = Gauge(COUNT_M, wire.STAMP, MAX_SPEED, 1 / wire.RATE)
BUMP_DEG = ((wire.LEFT, 45.0), (wire.CENTRE, 0.0), (wire.RIGHT, -45.0))  # a third of the front half each, about
EMPTY_V, FULL_V = 13.2, 16.5  # of its four lithium cells in a row
STALL_MA = 1000  # of a wheel that is held; a free one takes about 200 mA (chosen, not measured)
IDLE_MA = 30  # below this a motor that is commanded to turn does not; reported in steps of 10 mA
FREE_MA = 200
AWRY_S = 1.0  # of the robot's clock without ours: packets come late by less, restarts take longer
AWAY_S = 0.2  # ten packets missing: a restart takes longer, and a computer held up for so long is stopped anyhow
COASTS_M = 0.15  # a wheel's way while it brakes from top speed at 2 m/s^2, after a boot that took no time


@value
class KobukiReading(Reading):
    """One packet: `adapter`: the charger's cable is plugged in; `stamp`: the robot's clock, ms; `counts`
    of its encoders, left and right."""

    adapter: bool = False
    stamp: int = 0
    counts: tuple[int, int] = (0, 0)


def began_anew(now: float, core: wire.Core, last: KobukiReading) -> bool:
    """True where the robot was switched off and on since `last`.

    Either its clock, which wraps, has gone on neither by a step, however late that has come, nor as far as ours.
    Or packets stayed away for so long that a restart fits in, the clock has wrapped or the encoders have jumped,
    and both are where a restart leaves them: while the clock wraps it shows in nothing else. A gap of the line at
    the wrap, with the wheels where they were at the start, is taken for one too: it costs an acknowledgement.
    """
    gone, reported = now - last.at, difference(core.stamp, last.stamp, wire.STAMP) / 1000
    apart = math.remainder(gone - reported, wire.STAMP / 1000)
    if not 0 <= reported < AWRY_S and abs(apart) > AWRY_S:
        return True
    runs = core.stamp / 1000
    if gone <= AWAY_S or runs > gone or _apart_m(core, (0, 0)) > COASTS_M + MAX_SPEED * runs:
        return False
    return core.stamp < last.stamp or _apart_m(core, last.counts) > COASTS_M + MAX_SPEED * reported


def _apart_m(core: wire.Core, counts: tuple[int, int]) -> float:
    """How far the encoders are from `counts`, left and right: m of the wheel that is farther."""
    steps = difference(core.left, counts[0], wire.STAMP), difference(core.right, counts[1], wire.STAMP)
    return max(map(abs, steps)) * COUNT_M


def wheelset(wheel_base: float, counts: Counter[str]) -> Wheelset:
    """Its wheels; `counts` takes what was refused, by reason."""
    return Wheelset(wheel_base, GAUGE, STALL_MA, IDLE_MA, counts)


def read(
    now: float, core: wire.Core, currents: bytes | None, commanded: Pair, wheelset: Wheelset
) -> KobukiReading:
    """The reading of a packet; `currents`: of the left and right motor in 10 mA, None where it has none, which
    then count as those of free wheels; `commanded`: what the wheels were last commanded, in any unit."""
    lost: dict[str, str] = {}
    left, right = (10 * one for one in currents) if currents is not None else (FREE_MA, FREE_MA)
    counts, over = (core.left, core.right), (bool(core.over & wire.OVER_LEFT), bool(core.over & wire.OVER_RIGHT))
    wheels, odometry, stalled = wheelset.take(now, counts, (left, right), over, commanded, lost)
    if core.drops:
        lost["mobile"] = "lifted off the floor"
    bumps = tuple(Bump(math.radians(degrees), bool(core.bumpers & bit)) for bit, degrees in BUMP_DEG)
    cliffs = tuple(Bump(math.radians(degrees), bool(core.cliffs & bit)) for bit, degrees in BUMP_DEG)
    level = round(min(1.0, max(0.0, (core.battery / 10 - EMPTY_V) / (FULL_V - EMPTY_V))), 3)
    values = Senses(wheels, odometry, bumps=bumps, cliffs=cliffs, lifted=bool(core.drops), stalled=stalled,
                    battery=level, charging=bool(core.charger))  # fmt: skip
    adapter, lacks = bool(core.charger & wire.ADAPTER), tuple(sorted(lost.items()))
    return KobukiReading(now, values, lacks, adapter=adapter, stamp=core.stamp, counts=counts)

"""When to send: one frame per beat at most, always, in own slots while a base station sends beacons (TDMA).

The radio of the original robots let each send once in three seconds, in slots of a base station (Parker 2000,
section 3.1). Without beacons a robot sends with a jittered phase of its own, so that two robots whose frames
collided once do not collide again and again.
"""

import math

from radio.duty_cycle import DutyCycleLimiter
from robotd.model.beliefs import CLOCKS, HELD_BEATS, accepts_beacon
from robotd.model.streams import Stream
from robotd.model.value import value

STRETCH = 1.001  # of a beat between beacons: robots whose clocks run 100 ppm fast may still use every slot
JITTER = 0.1  # of a beat, in free run: several airtimes, so that frames that collided part
INSET = 0.1  # of a slot: where frames begin at the earliest; what lies before it covers a neighbour's lateness
SPREAD = 0.15  # of a slot: each start draws its place within so much, so that two robots with one number meet
WINDOW = 0.4  # of a slot: how much later than its place a frame may still begin
LISTEN_S = 0.75  # a start waits so much more than a beat: a beacon has come by then, and is believed
LEAD_S = 0.06  # a frame is composed in the last control period (0.05 s) before its instant, lateness included


@value
class Beacon:
    """A base station's beacon as it arrived at `at`: the channel has `slots` per `period` seconds."""

    at: float
    slots: int
    period: float


class Pacing:
    """The instants of one robot's frames. `position` counts it among its team's sorted numbers, from 0.

    `limiter` knows what the regulations leave; None: none limit this transmitter.
    """

    def __init__(
        self, beat_s: float, position: int, phase: Stream, limiter: DutyCycleLimiter | None = None
    ) -> None:
        self._beat_s, self._position, self._phase = beat_s, position, phase
        self._limiter = limiter if limiter is not None else DutyCycleLimiter(None, 0.0, beat_s)
        self._gap = beat_s * (1.0 + CLOCKS)
        self._next_at = self._latest = math.inf  # the next instant, and when the window of its slot closes
        self._not_before = math.inf
        self._beacon: Beacon | None = None
        self._place = INSET  # in the own slot, as a part of it
        self.is_held = False  # whether regulations put the next frame off, and not the beat

    def begin(self, now: float, unpaced: int | None = None) -> None:
        """Start, or start again: whatever a former life sent, it was a beat before the first frame of this one.

        `unpaced`: see `DutyCycleLimiter.begin`.
        """
        self._limiter.begin(now, unpaced)
        self._not_before = max(now + self._gap + LISTEN_S, self._limiter.free_at)
        self._latest, self._beacon, self.is_held = math.inf, None, self.period_s > self._gap
        self._next_at = self._not_before + self._phase.uniform(0.0, self._beat_s)
        self._place = INSET + self._phase.uniform(0.0, SPREAD)

    def follow_beacon(self, at: float, slots: int, period: float) -> None:
        """A base station's beacon arrived at `at`; see `accepts_beacon` for which are followed."""
        if accepts_beacon(self._beat_s, self._position, slots, period):
            self._beacon = Beacon(at, slots, period)
            self._plan(at)

    def is_due(self, now: float) -> bool:
        """Whether the frame of the next instant is to be composed now."""
        return now + LEAD_S >= self._next_at

    def take(self, now: float) -> float | None:
        """The instant for a frame composed now, which is thereby used up; None if it was missed or put off."""
        if now > self._latest:
            self._plan(now)
        if not self.is_due(now):
            return None
        at = max(now, self._next_at)
        self._put_off(at)
        return at

    def note_sent(self, at: float, airtime_s: float = 0.0, *, paced: bool = True) -> None:
        """A frame began to leave at `at`: after a paced one the next is a beat away, or what regulations ask."""
        self._limiter.spend(at, airtime_s, paced=paced)
        if paced:
            self.is_held = self._limiter.free_at > at + self._gap
            self._put_off(at)

    @property
    def period_s(self) -> float:
        """The least time between two of the longest frames: a beat, or what regulations ask; inf: they permit
        none."""
        return max(self._beat_s, self._limiter.period_s)

    def mode(self, now: float) -> str:
        """`slots` while beacons come, and for `HELD_BEATS` after the last; else `free`."""
        beacon = self._beacon
        return "slots" if beacon is not None and now <= beacon.at + HELD_BEATS * beacon.period else "free"

    def beat_s(self, now: float) -> float:
        """The period in which the team sends: that of the beacons while they come, else the own beat, s."""
        beacon = self._beacon
        return beacon.period if beacon is not None and self.mode(now) == "slots" else self._beat_s

    def _put_off(self, at: float) -> None:
        self._not_before = max(self._not_before, at + self._gap, self._limiter.free_at)
        if self._next_at < self._not_before:
            self._plan(at)

    def _plan(self, now: float) -> None:
        """Set the next instant: the next slot that may be used, or in free run a jittered beat from the last."""
        earliest = max(now, self._not_before)
        beacon = self._beacon
        if beacon is not None and earliest < math.inf:
            at, latest = _slot_after(earliest, beacon, self._position + self._place)
            if at <= beacon.at + HELD_BEATS * beacon.period:
                self._next_at, self._latest = at, latest
                return
        self._next_at, self._latest = earliest + self._phase.uniform(0.0, JITTER * self._beat_s), math.inf


def _slot_after(earliest: float, beacon: Beacon, place: float) -> tuple[float, float]:
    """When to begin, and at the latest, in the first own slot whose window is still open at `earliest`.

    `place` is where, counted in slots from the beacon.
    """
    slot = beacon.period / beacon.slots
    begin = beacon.at + place * slot
    apart = beacon.period * STRETCH
    k = max(0, math.ceil((earliest - WINDOW * slot - begin) / apart))
    opens = begin + k * apart
    return max(earliest, opens), opens + WINDOW * slot

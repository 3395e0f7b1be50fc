"""The TDMA slots of a base station: in each period one for every robot, and one for its own beacon."""

import cmath
import math
from dataclasses import dataclass

from radio.pacing import INSET, SPREAD, STRETCH

GUARD_S = 0.05  # between two frames: ticks of 0.05 s and the latency of a modem move a frame by so much
TYPICAL_LAG_S = 0.065  # where nothing is known: modems are 5 to 60 ms late, and there are two
MOST_LAG_S = 0.3  # of two modems of 60 ms and two slow lines; what lies further off is no robot in its slot
FOLLOWED = 0.1  # of what a period showed goes into the lag; more of the first, where nothing was known
UNANIMOUS = 0.5  # of 1: mean vectors shorter than that are of robots that keep to no common slots
PARTS = 100  # of a second: a beacon states the beat in hundredths


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """What beacons state: so many equal slots in a beat. `why` that is longer than the mission's, or ''."""

    slots: int
    beat_s: float
    why: str = ""

    @property
    def period_s(self) -> float:
        """From one beacon to the next, s."""
        return self.beat_s * STRETCH

    @property
    def slot_s(self) -> float:
        """How long robots take a slot to be, s."""
        return self.beat_s / self.slots


def plan_slots(robots: int, beat_s: float, frame_s: float, beacon_s: float, legal_s: float) -> SlotPlan:
    """Slots for `robots`, whose beat is `beat_s` or as much longer as physics and regulations require.

    `frame_s` and `beacon_s` are the airtimes of the longest frame and of a beacon on the slowest radio, `legal_s`
    the least time that regulations put between two of the longest frames of one transmitter.
    """
    room_s = robots * (frame_s + GUARD_S) + beacon_s
    least_s = max(room_s, legal_s)
    if least_s <= beat_s:
        return SlotPlan(robots + 1, _hundredths(beat_s))
    if room_s >= legal_s:
        why = (
            f"{robots} frames of {frame_s:.4f} s, with {GUARD_S:g} s after each, and a beacon take {room_s:.3f} s"
        )
    else:
        why = f"regulations permit a frame of {frame_s:.4f} s every {legal_s:.2f} s"
    return SlotPlan(robots + 1, _hundredths(least_s), why)


def _hundredths(seconds: float) -> float:
    """Upwards: no beacon may promise less than a beat."""
    return math.ceil(round(seconds * PARTS, 6)) / PARTS


class SlotPhaseEstimator:
    """Where a base station's beacons fall, as seen from the slots that robots keep to.

    A base station that comes back listens for a period first, so that it can go on with the slots that it left:
    robots keep to them for a while. What it receives lies later than in its own count, by the lag of its own
    modem, of the robots' modems and of the lines between. It learns that lag while it is on the air.
    `lag_s` is what was known of it before, None where nothing was.
    """

    def __init__(self, slot_plan: SlotPlan, lag_s: float | None = None) -> None:
        self._slots = slot_plan
        self._is_known = lag_s is not None and 0.0 <= lag_s <= MOST_LAG_S
        self._lag_s = lag_s if lag_s is not None and self._is_known else TYPICAL_LAG_S
        self._share = FOLLOWED if self._is_known else 1.0
        self._sum, self._count = 0j, 0  # the sum of unit vectors, each the phase that one frame speaks for

    @property
    def lag_s(self) -> float | None:
        """For the next life; None while nothing is known."""
        return self._lag_s if self._is_known else None

    def note_frame(self, begin: float, place: int) -> None:
        """A frame from slot `place` began at `begin`, s from where times are counted, less a beacon's airtime."""
        first = (INSET + SPREAD / 2.0 + place) * self._slots.slot_s
        self._sum += cmath.rect(1.0, self._turn * (begin - first))
        self._count += 1

    def find_offset(self) -> float:
        """Where in a period, [0, period) s from where times are counted, beacons fit what was received since the
        last call; 0 where nothing was, or robots keep to no common slots: then any is as good."""
        off = self._take()
        return (off - self._lag_s) % self._slots.period_s if off is not None else 0.0

    def update_lag(self) -> None:
        """The times were counted from an own beacon: how late robots in their slots were is the lag."""
        off = self._take()
        if off is not None and abs(off) <= MOST_LAG_S:
            self._lag_s = max(0.0, self._lag_s + self._share * (off - self._lag_s))
            self._is_known = True
            self._share = max(FOLLOWED, self._share / (1.0 + self._share))

    @property
    def _turn(self) -> float:
        return 2.0 * math.pi / self._slots.period_s

    def _take(self) -> float | None:
        """The mean phase, within half a period of 0, s; None where there is none. Listening begins anew."""
        total, count = self._sum, self._count
        self._sum, self._count = 0j, 0
        return cmath.phase(total) / self._turn if abs(total) > UNANIMOUS * count else None

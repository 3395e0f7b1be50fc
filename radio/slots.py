"""The TDMA slots of a base station: in each period one for every robot, and one for its own beacon."""

import math

from radio.pacing import INSET, SPREAD, STRETCH
from robotd.model.value import value

GUARD_S = 0.05  # between two frames: ticks of 0.05 s and the latency of a modem move a frame by so much
LAG_S = 0.065  # how late frames are received, without their airtime: two modems, of 5 to 60 ms each
PARTS = 100  # of a second: a beacon states the beat in hundredths


@value
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

    def find_head(self, begin: float, place: int) -> float:
        """When the beacon of the period left in which the frame of slot `place`, received, began at `begin`, s."""
        return begin - LAG_S - (INSET + SPREAD / 2.0 + place) * self.slot_s


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

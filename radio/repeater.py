"""What one radio of a base station sends: a beacon at the head of each period, and what its others received.

A frame that another radio received is repeated as it is, in the slot of its sender: on this channel no radio uses
that slot, as a sender received here directly is not repeated here. So a bridged team needs no slot more. Where the
slot is long enough the frame is repeated in the very slot in which it came, else a period later. Pure: every call
is handed `now` (own clock, s).
"""

import math
from collections import Counter
from collections.abc import Mapping

from radio.contract import LATE_S, Modem
from radio.duty_cycle import DutyCycleLimiter
from radio.framing import LONGEST
from radio.pacing import INSET, SPREAD
from radio.regulations import SubBand
from radio.slots import GUARD_S, SlotPlan

LEAD_S = 0.03  # a frame is handed over so long before its instant: less than the shortest slot, 0.05 s and a frame


class Repeater:
    """One radio of a base station. `places` are the robots' slots by their numbers.

    `counts`: `beacons` and `repeated` frames that left, `stops` that left at once, and frames that were
    `left-out` as regulations left no airtime for them, or have `no-slot` as their sender is not of the team.
    `held`: regulations leave some frame of this period out.
    """

    def __init__(self, modem: Modem, band: SubBand | None, slot_plan: SlotPlan, places: Mapping[int, int]) -> None:
        self._modem, self._slots, self._places = modem, slot_plan, places
        longest_s = modem.airtime(LONGEST)
        # A whole period's frames may go when they suit, and each may leave late.
        self.limiter = DutyCycleLimiter(band, longest_s, slot_plan.slot_s, burst_s=slot_plan.period_s + LATE_S)
        early, late = (INSET + SPREAD) * slot_plan.slot_s, slot_plan.slot_s - longest_s - GUARD_S
        self._place_s = max(early, late)  # in the slot: as late as may be, and not before robots would begin
        self._waiting: dict[int, bytes] = {}  # by sender: its newest frame, not yet repeated here
        self._came_at: dict[int, float] = {}  # by sender: when a frame last came in by another radio
        self._repeated_at: dict[int, float] = {}
        self._plan: list[tuple[float, int]] = []  # (when, sender) of this period, by time
        self._urgent: tuple[float, bytes] | None = None  # a stop, and when it was handed over, until it has left
        self.airtime_s = 0.0
        self.counts: Counter[str] = Counter()
        self.held = False

    def pass_on(self, at: float, sender: int, frame: bytes) -> None:
        """Another radio received an authentic frame at `at`: it replaces an older one of its sender."""
        if sender in self._places:
            self._waiting[sender], self._came_at[sender] = frame, at
        else:
            self.counts["no-slot"] += 1

    def note_received(self, sender: int) -> None:
        """The newest frame of `sender` was received on this channel itself: no radio here needs it repeated."""
        self._waiting.pop(sender, None)

    def interrupt(self, now: float, sender: int, frame: bytes) -> bool:
        """Repeat a frame at once: it stops the team. False where regulations leave nothing for that, or while
        another stop has not left yet."""
        if self._is_urgent(now) or not (self._modem.alive(now) and self.limiter.may_interrupt(now)):
            return False
        self._waiting.pop(sender, None)
        self._urgent = now, frame
        self._send(now, now, frame, paced=False)
        return True

    def can_beacon(self, now: float, at: float) -> bool:
        """Whether a beacon may leave at `at`."""
        return self._modem.alive(now) and self.limiter.free_at <= at and not self._is_urgent(now)

    def beacon(self, now: float, at: float, frame: bytes) -> None:
        """A period begins at `at` with this beacon. What came before the last period is void: it is stale."""
        self._send(now, at, frame)
        came = [n for n, since in self._came_at.items() if since >= at - self._slots.period_s]
        self._waiting = {n: waits for n, waits in self._waiting.items() if n in came}
        chosen = self._choose(came, len(frame))
        for sender in came:
            if sender not in chosen and self._waiting.pop(sender, None) is not None:
                self.counts["left-out"] += 1
        self.held = len(chosen) < len(came)
        ends = at + self._modem.airtime(len(frame)) + self._place_s
        self._plan = sorted((ends + self._places[n] * self._slots.slot_s, n) for n in chosen)

    def step(self, now: float) -> None:
        """Hand over the frame whose instant has come; call every 0.02 s."""
        for _, frame in self._modem.left(now):
            self._count(frame)
        if self._is_urgent(now):
            return  # a modem holds one frame: a stop that waits there must not be replaced
        if not self._plan or now < self._plan[0][0] - LEAD_S:
            return
        at, sender = self._plan.pop(0)
        if sender not in self._waiting or now > at + GUARD_S or not self._modem.alive(now):
            return  # so late it would meet the next frame
        frame = self._waiting.pop(sender)
        if self.limiter.free_at > at:
            self.counts["left-out"] += 1
            self.held = True
            return
        self._repeated_at[sender] = at
        self._send(now, at, frame)

    def _count(self, frame: bytes) -> None:
        """It has left."""
        if self._urgent is not None and frame == self._urgent[1]:
            self._urgent = None
            self.counts["stops"] += 1
        else:
            self.counts["repeated" if frame[1] else "beacons"] += 1

    def _is_urgent(self, now: float) -> bool:
        """Whether a stop waits in the modem, which drops it where it could not leave in time."""
        return self._urgent is not None and now <= self._urgent[0] + LATE_S

    def silence(self) -> None:
        """Nothing of what was planned is to be sent."""
        self._plan.clear()
        self._waiting.clear()

    def _choose(self, came: list[int], beacon_size: int) -> list[int]:
        """Those senders to be repeated in a period: as many as regulations permit, those longest not repeated
        first.

        What a beacon and they put off must not exceed a period: so the next beacon can always leave.
        """
        own_s = self.limiter.wait_s(self._modem.airtime(LONGEST))
        left_s = self._slots.period_s - self.limiter.wait_s(self._modem.airtime(beacon_size))
        if own_s * len(came) <= left_s:
            return came
        turn = sorted(came, key=lambda n: (self._repeated_at.get(n, -math.inf), self._places[n]))
        return turn[: max(0, math.floor(left_s / own_s))]

    def _send(self, now: float, at: float, frame: bytes, *, paced: bool = True) -> None:
        """Airtime is reckoned as spent when a frame is handed over: at worst one that never leaves counts."""
        airtime_s = self._modem.airtime(len(frame))
        self.limiter.spend(at, airtime_s, paced=paced)
        self.airtime_s += airtime_s
        self._modem.send(now, frame, at)

"""What one radio of a base station sends: a beacon at the head of each period, and what came in by its others.

A frame that came in by another radio is repeated as it is, in the slot that its sender has: in this air nobody
uses it, as whoever is heard here directly is not repeated here. So a bridged team needs no slot more, and hears of
all that a beat later. Pure: every call is handed `now` (own clock, s).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from radio.contract import LATE_S, Modem
from radio.framing import LONGEST
from radio.law import Band
from radio.ledger import Airtime, Ledger
from radio.pacing import INSET, SPREAD
from radio.slots import Slicing

LEAD_S = 0.03  # a frame is handed over so long before its instant: less than the shortest slot, 0.05 s and a frame
PLACE = INSET + SPREAD  # in the slot: where the last robot would begin, as robots count from a beacon's arrival


class Repeater:
    """One radio of a base station. `places` are the robots' slots by their numbers.

    `counts`: `beacons` and `repeated` frames that left, `stops` that were repeated at once, and frames that were
    `put-off` by a period as the law left no airtime, or have `no-slot` as their sender is not of the team.
    """

    def __init__(self, modem: Modem, band: Band | None, slicing: Slicing, places: Mapping[int, int]) -> None:
        self._modem, self._slicing, self._places = modem, slicing, places
        # A whole period's frames may go when they suit, and each may leave late.
        burst_s = slicing.period_s + LATE_S
        self._ledger = Ledger(band, modem.airtime(LONGEST), slicing.slot_s, burst_s)
        self._waiting: dict[int, bytes] = {}  # by sender: its newest frame, not yet repeated here
        self._repeated_at: dict[int, float] = {}
        self._plan: list[tuple[float, int]] = []  # (when, sender) of this period, by time
        self.airtime_s = 0.0
        self.counts: Counter[str] = Counter()
        self.held = False  # in this period some frame was put off

    def begin(self, now: float, unpaced: int | None) -> None:
        """Start; `unpaced` as of `Ledger.begin`."""
        self._ledger.begin(now, unpaced)

    @property
    def waiting(self) -> Mapping[int, bytes]:
        """The frames to be repeated, by sender."""
        return self._waiting

    def memory(self) -> int:
        """For `begin`."""
        return self._ledger.memory()

    def airtime(self, now: float) -> Airtime:
        """The account of its airtime, for people."""
        return self._ledger.airtime(now)

    def pass_on(self, sender: int, frame: bytes) -> None:
        """An authentic frame came in by another radio: it takes the place of an older one of its sender."""
        if sender in self._places:
            self._waiting[sender] = frame
        else:
            self.counts["no-slot"] += 1

    def heard(self, sender: int, frame: bytes) -> None:
        """`frame` is heard in this air itself, so that nobody here needs it repeated."""
        if self._waiting.get(sender) == frame:
            del self._waiting[sender]

    def interrupt(self, now: float, sender: int, frame: bytes) -> bool:
        """Repeat a frame at once: it stops the team. False where the law leaves nothing for that."""
        if not (self._modem.alive(now) and self._ledger.may_interrupt(now)):
            return False
        self._waiting.pop(sender, None)
        self._send(now, now, frame, paced=False)
        self.counts["stops"] += 1
        return True

    def can_beacon(self, now: float, at: float) -> bool:
        """Whether a beacon may leave at `at`."""
        return self._modem.alive(now) and self._ledger.free_at <= at

    def beacon(self, now: float, at: float, frame: bytes) -> None:
        """A period begins at `at` with this beacon."""
        self._send(now, at, frame)
        ends = at + self._modem.airtime(len(frame))
        wait_s = self._ledger.wait_s(self._modem.airtime(len(frame)))
        chosen, put_off = [], 0
        for sender in sorted(self._waiting, key=lambda n: (self._repeated_at.get(n, -math.inf), self._places[n])):
            wait_s += self._ledger.wait_s(self._modem.airtime(len(self._waiting[sender])))
            if wait_s > self._slicing.period_s:
                put_off += 1
            else:
                chosen.append(sender)
        self._plan = sorted((ends + (self._places[n] + PLACE) * self._slicing.slot_s, n) for n in chosen)
        self.held = put_off > 0
        self.counts["put-off"] += put_off

    def step(self, now: float) -> None:
        """Hand over the frame whose instant has come; call every 0.02 s."""
        for _, frame in self._modem.left(now):
            self.counts["repeated" if frame[1] else "beacons"] += 1
        if not self._plan or now < self._plan[0][0] - LEAD_S:
            return
        at, sender = self._plan.pop(0)
        if now > at + LATE_S or not self._modem.alive(now) or self._ledger.free_at > at:
            return
        if sender in self._waiting:
            frame = self._waiting.pop(sender)
            self._repeated_at[sender] = at
            self._send(now, at, frame)

    def silence(self) -> None:
        """Nothing is to be sent that was planned."""
        self._plan.clear()
        self._waiting.clear()

    def _send(self, now: float, at: float, frame: bytes, *, paced: bool = True) -> None:
        """Airtime is reckoned as spent when a frame is handed over: at worst one that never leaves counts."""
        airtime_s = self._modem.airtime(len(frame))
        self._ledger.spend(at, airtime_s, paced=paced)
        self.airtime_s += airtime_s
        self._modem.send(now, frame, at)

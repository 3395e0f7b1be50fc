"""How much of the hour a transmitter has used, and when it may send again.

Within one life the account is exact: every frame with its end. Of the life before nothing is known but how a robot
of this program sends, so the worst of that is assumed.

The rule that keeps any hour within its budget, restarts included: a frame of airtime a puts the next paced one off
by a / share, where `share` is the duty cycle, less a reserve. Paced frames of any hour then sum to at most the
budget less the reserve, and one frame that straddles its edge. The reserve pays for that one and for the frames
that do not wait for their turn (`IMMEDIATE` an hour); those of the life before are remembered by their count.
"""

import itertools
import math
from collections import deque

from radio.regulations import HOUR_S, SubBand
from robotd.model.beliefs import CLOCKS
from robotd.model.value import value

IMMEDIATE = 10  # team stops an hour that need not wait, where the budget has a hundred frames and more
_TENTH = 10  # of the frames of an hour at most one in so many is held back for them
_MICROS = 1e6  # airtimes are summed as whole microseconds, so that no sum drifts


@value
class Airtime:
    """What the regulations leave: the band in words, seconds used of the last hour (at worst), the budget, and the
    least time between two of the longest frames; None and 0 where there is no limit."""

    band: str | None
    used_s: float
    budget_s: float | None
    period_s: float


class DutyCycleLimiter:
    """The account of one transmitter in one band; `band` None: no limit, and the account is kept all the same.

    `longest_s` is the airtime of its longest frame, `beat_s` the least time between two paced ones. By `burst_s`
    a paced frame may go before its turn, so that a sender of several frames a beat may send them when they suit;
    an hour then holds what would else be that of an hour and `burst_s`, for which the share is lowered.
    """

    def __init__(self, band: SubBand | None, longest_s: float, beat_s: float, burst_s: float = 0.0) -> None:
        self._band, self._longest_s, self._beat_s = band, longest_s, beat_s
        self._burst_s = burst_s
        self._budget_s = HOUR_S * band.duty if band is not None and band.duty is not None else math.inf
        frames = self._budget_s / longest_s if longest_s > 0.0 else math.inf
        self._immediate = IMMEDIATE if frames == math.inf else min(IMMEDIATE, int(frames) // _TENTH)
        self._share = self._budget_s / HOUR_S  # of the time, for paced frames
        if frames != math.inf:
            self._share = max(0.0, self._budget_s - (self._immediate + 1) * longest_s) / (HOUR_S + burst_s)
        self._entries: deque[tuple[float, int]] = deque()  # (end, microseconds), of the last hour, by end
        self._micros = 0  # of all entries
        self._unpaced: deque[float] = deque()  # when those left, of the last hour
        self._free_at = -math.inf
        self._began = -math.inf

    @property
    def period_s(self) -> float:
        """The least time between two of the longest frames, s; inf where not even one is permitted."""
        longest_s = self._band.longest_s if self._band is not None else None
        return math.inf if longest_s is not None and self._longest_s > longest_s else self.wait_s(self._longest_s)

    @property
    def free_at(self) -> float:
        """When the next paced frame may begin, as far as the regulations go."""
        return self._free_at - self._burst_s

    def begin(self, now: float, unpaced: int | None) -> None:
        """Start at `now`, after a life that may have sent its longest frame just before.

        `unpaced` is what `memory` gave then, None on a new robot. One more may not have reached the disk.
        """
        self._entries.clear()
        self._micros = 0
        self._unpaced = deque([now] * min(unpaced + 1, self._immediate + 1) if unpaced is not None else ())
        self._free_at = now + self.period_s + self._burst_s
        self._began = now if unpaced is not None else -math.inf

    def memory(self) -> int:
        """How many frames did not wait for their turn in the last hour, for `begin`."""
        return len(self._unpaced)

    def spend(self, at: float, airtime_s: float, *, paced: bool) -> None:
        """A frame began to leave at `at`."""
        end = at + airtime_s
        while self._entries and self._entries[0][0] <= end - HOUR_S:
            self._micros -= self._entries.popleft()[1]
        micros = math.ceil(round(airtime_s * _MICROS, 3))
        self._entries.append((end, micros))
        self._micros += micros
        if paced:
            self._free_at = max(self._free_at, at) + self.wait_s(airtime_s)
        else:
            self._unpaced.append(at)

    def may_interrupt(self, now: float) -> bool:
        """Whether a frame may leave at `now` without waiting for its turn."""
        while self._unpaced and self._unpaced[0] <= now - HOUR_S * (1.0 + CLOCKS):
            self._unpaced.popleft()
        unlimited = self._budget_s == math.inf
        return self.period_s < math.inf and (unlimited or len(self._unpaced) < self._immediate)

    def used_s(self, now: float) -> float:
        """Airtime of the hour that ends at `now`: exact, with the worst of what a life before may have sent, s."""
        past = itertools.takewhile(lambda entry: entry[0] <= now - HOUR_S, self._entries)
        exact = (self._micros - sum(micros for _, micros in past)) / _MICROS
        before = max(0.0, HOUR_S - (now - self._began)) if self._began > -math.inf else 0.0
        return exact + before * self._longest_s / max(self._beat_s, min(self.period_s, HOUR_S))

    def airtime(self, now: float) -> Airtime:
        """The account for people."""
        budget_s = self._budget_s if self._budget_s < math.inf else None
        words = self._band.words if self._band is not None else None
        return Airtime(words, self.used_s(now), budget_s, max(self._beat_s, self.period_s))

    def format_limit(self, now: float) -> str:
        """What the regulations leave, in words."""
        airtime = self.airtime(now)
        if airtime.period_s == math.inf:
            return f"{airtime.band} permits no frame of {self._longest_s:.3g} s: nothing is sent"
        return f"{airtime.band} permits a frame every {airtime.period_s:.1f} s, not every {self._beat_s:g} s"

    def wait_s(self, airtime_s: float) -> float:
        """By how much a paced frame puts off the next, s."""
        if self._share == math.inf:
            return 0.0
        return airtime_s * (1.0 + CLOCKS) / self._share if self._share > 0.0 else math.inf

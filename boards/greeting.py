"""When a driver asks again: time-outs that double in vain, and grow to what an exchange was measured to take."""

from __future__ import annotations

import math

LONGEST_S = 1.0  # an answer to an older question is not expected: the port then counts as silent
MARGIN = 1.5  # times the longest exchange so far: what the next one may take


class Greeting:
    """The questions of a handshake. All times are the loop's clock, s.

    Answers do not name their question, so that one answer may belong to any question of the last `LONGEST_S`: the
    oldest of them counts, and later time-outs are no shorter than that. `first_s` and `seldom_s` are the shortest
    and the longest time-out of a device that has not answered.
    """

    def __init__(self, first_s: float, seldom_s: float) -> None:
        self.first_s, self.seldom_s = first_s, seldom_s
        self.exchange_s = 0.0  # the longest measured, on this line
        self.asked: float | None = None  # when the last question was sent
        self.tries = 0  # questions in a row without an answer
        self._recent: list[float] = []

    def reset(self, asked: float | None = None) -> None:
        """Forget the questions, not what exchanges take; `asked`: wait for one answer's time from then."""
        self.asked, self.tries, self._recent = asked, 0, []

    def connect(self) -> None:
        """The line is opened anew: a device that was switched off for long seemed slow, and may be quick now."""
        self.reset()
        self.exchange_s /= 2

    def ask(self, now: float) -> None:
        self.asked = now
        self.tries += 1
        self._recent = [at for at in self._recent if now - at <= LONGEST_S] + [now]

    def answer(self, now: float) -> None:
        """An answer has come: measure the exchange."""
        taken = [now - at for at in self._recent if now - at <= LONGEST_S]
        self.exchange_s = max([self.exchange_s, *taken])
        self.tries, self._recent = 0, []

    @property
    def timeout_s(self) -> float:
        """How long the last question is waited for."""
        doubled = min(self.first_s * 2.0 ** min(max(self.tries - 1, 0), 10), self.seldom_s)
        return max(doubled, MARGIN * self.exchange_s)

    @property
    def due_at(self) -> float:
        """When to ask next; -inf for at once."""
        return -math.inf if self.asked is None else self.asked + self.timeout_s

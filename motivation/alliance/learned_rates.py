"""From task times to all the parameters of one robot, with the reasons in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from motivation.alliance.learning import (
    Order,
    Strategy,
    best_time,
    bounds,
    delays,
    expects_best,
    fast_rate,
    held,
    patience,
    slow_below_fast,
    slow_rate,
    yield_time,
)
from motivation.alliance.parameters import Bools, Parameters, Reals


class How(Protocol):
    """The settings on which the parameters depend."""

    @property
    def strategy(self) -> Strategy:
        """Whose task times set patience and yield time."""

    @property
    def order(self) -> Order:
        """Which of several tasks comes first."""

    @property
    def min_delay_s(self) -> float:
        """The least time to the threshold, s."""

    @property
    def max_delay_s(self) -> float:
        """The longest, s."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What experience makes of the shipped parameters. `(sets)`, or `(sets, mates)` where said.

    `known`: somebody's task time is known, and the set learns. `best`: `expects_best`. The rates are told for both
    categories. `patience` and the slow rates `(sets, mates)`. `words`: of each set that is known, why so.
    """

    known: Bools
    best: Bools
    fast_first: Reals
    fast_second: Reals
    slow_first: Reals
    slow_second: Reals
    patience: Reals
    yield_time: Reals
    words: tuple[str, ...]


def work_out(how: How, shipped: Parameters, own: Reals, mates: Reals, learns: Bools, shares: Reals) -> Rates:
    """The parameters for the task times `own` `(sets)` and `mates` `(sets, mates)`, nan where unknown.

    What experience does not tell stays as `shipped`. `shares`: see `delays`.
    """
    theta = shipped.threshold
    known = learns & ~np.isnan(best_time(own, mates))
    phi = patience(how.strategy, own, mates)
    phi_known = learns[:, None] & ~np.isnan(phi)
    phi = held(phi, shipped.patience, shipped.beat_s, learns[:, None])
    psi = held(yield_time(how.strategy, own, mates), shipped.yield_time, shipped.beat_s, learns)
    slow = np.where(phi_known, slow_rate(theta, phi), shipped.slow_rate)
    low, high = bounds(own, mates, learns)
    fast, slows, lowered = [], [], np.zeros_like(phi_known)
    for category in (1, 2):
        delay = delays(
            how.order, np.full(own.shape, category), own, low, high, how.min_delay_s, how.max_delay_s, shares
        )
        fast.append(np.where(learns & ~np.isnan(delay), fast_rate(theta, delay), shipped.fast_rate))
        below, too_high = slow_below_fast(fast[-1], slow)
        slows.append(np.where(known[:, None], below, slow))
        lowered |= known[:, None] & too_high
    best = learns & expects_best(own, mates)
    rates = Rates(
        known=known, best=best, fast_first=fast[0], fast_second=fast[1], slow_first=slows[0],
        slow_second=slows[1], patience=phi, yield_time=psi, words=("",) * len(own),
    )  # fmt: skip
    told = tuple("; ".join(_words(rates, j, theta, own, mates, lowered)) for j in range(len(own)))
    return replace(rates, words=told)


def _words(rates: Rates, j: int, theta: float, own: Reals, mates: Reals, lowered: Bools) -> Iterator[str]:
    if not rates.known[j]:
        return
    theirs = mates[j][~np.isnan(mates[j])]
    mine = "own time unknown" if np.isnan(own[j]) else f"own time {own[j]:.1f} s"
    yield mine + (f", best teammate {theirs.min():.1f} s" if theirs.size else ", no teammate's known")
    fast = rates.fast_first if rates.best[j] else rates.fast_second
    yield f"{theta / fast[j]:.1f} s to the threshold, yield time {rates.yield_time[j]:.1f} s"
    if lowered[j].any():
        yield "slow rate lowered below the fast one, as the delay exceeds the patience"

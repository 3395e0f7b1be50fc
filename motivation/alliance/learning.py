"""L-ALLIANCE as array functions: paper 000 (Parker 1998), section III-E, how experience sets the parameters.

Shapes as in `equations`: `(.., sets)` and `(.., sets, teammates)`, whatever leads them independent of itself.
Times are in seconds, rates in motivation per second. A time that no robot has shown yet is nan, and what cannot be
computed without it comes out as nan, for the caller to fill with what the designer wrote.

Ours, where the paper is silent: the population form of the standard deviation; what the strategies `best-wins`
and `fighting-chance` and the orders mean beyond their names (see `patience`, `yield_time`, `delays`); that a
robot is expected to be better than all others as soon as it is better than all that are known, one at least; and
the guards where the formulas give no answer or one that ALLIANCE cannot use.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motivation.alliance.parameters import Bools, Parameters, Reals
from motivation.alliance.timing import BELOW_FAST
from robotd.model.beliefs import SAME

Strategy = Literal["distrust", "best-wins", "fighting-chance"]
Order = Literal["longest-first", "modified-shortest-first", "modified-random"]
Wholes = NDArray[np.int64]

ENDLESS_S = 1e6  # what active learning takes for for ever: a rate must be above 0 (theorem 1), and this is 11 days


def remember(window: Reals, which: Bools, took: ArrayLike) -> Reals:
    """The windows `(.., mu)` of last trials, the newest last, after one more of `took` s wherever `which` is set.

    The oldest trial falls out; a place that no trial has filled yet is nan. The argument is left as it was.
    """
    newest = np.broadcast_to(np.asarray(took, np.float64), which.shape)[..., None]
    return np.where(which[..., None], np.concatenate([window[..., 1:], newest], axis=-1), window)


def trials(window: Reals) -> Wholes:
    """How many trials each window `(.., mu)` holds."""
    count: Wholes = np.count_nonzero(~np.isnan(window), axis=-1)
    return count


def task_time(window: Reals) -> Reals:
    """task_time: mean plus one (population) standard deviation of the last trials `(.., mu)`; nan without any."""
    known = ~np.isnan(window)
    count = np.maximum(np.count_nonzero(known, axis=-1), 1)
    mean = np.where(known, window, 0.0).sum(axis=-1) / count
    spread = np.where(known, window - mean[..., None], 0.0)
    time = mean + np.sqrt((spread * spread).sum(axis=-1) / count)
    return np.where(known.any(axis=-1), time, np.nan)


def best_time(own: Reals, teammates: Reals) -> Reals:
    """The shortest task time `(.., sets)` that anyone of the team is known for; nan where none is."""
    theirs = np.where(np.isnan(teammates), np.inf, teammates).min(axis=-1, initial=np.inf)
    best = np.minimum(np.where(np.isnan(own), np.inf, own), theirs)
    return np.where(np.isinf(best), np.nan, best)


def patience(strategy: Strategy, own: Reals, teammates: Reals) -> Reals:
    """phi `(.., sets, teammates)` from the own `(.., sets)` and the teammates' task times `(.., sets, teammates)`.

    `distrust`, as paper 000 prints it: the own time. Our readings: `best-wins` waits as long as the best of the
    team would need; `fighting-chance` as long as this very teammate is expected to need.
    """
    if strategy == "fighting-chance":
        return teammates.copy()
    time = own if strategy == "distrust" else best_time(own, teammates)
    return np.broadcast_to(time[..., None], teammates.shape).copy()


def yield_time(strategy: Strategy, own: Reals, teammates: Reals) -> Reals:
    """psi `(.., sets)`: the own task time; with `best-wins` (our reading) the best of the team's."""
    return best_time(own, teammates) if strategy == "best-wins" else own.copy()


def held(learned: Reals, shipped: Reals, beat_s: float, learns: ArrayLike = True) -> Reals:
    """A patience or yield time as learned, in sets that `learns` and where it is known, else as `shipped`.

    None that is learned is shorter than a beat: what is sent once a beat could not inhibit a teammate for less.
    """
    return np.where(learns & ~np.isnan(learned), np.maximum(learned, beat_s), shipped)


def slow_rate(threshold: float, patience: Reals) -> Reals:
    """delta_slow: the threshold is reached exactly when patience has run out."""
    return threshold / patience


def bounds(own: Reals, teammates: Reals, counts: ArrayLike = True) -> tuple[Reals, Reals]:
    """low and high `(..)`: the least and the greatest task time over all sets and robots; nan where none is known.

    Only sets in `counts` `(.., sets)` are looked at.
    """
    every = np.concatenate([own[..., None], teammates], axis=-1)
    known = ~np.isnan(every) & np.broadcast_to(np.asarray(counts, np.bool_), own.shape)[..., None]
    low = np.where(known, every, np.inf).min(axis=(-2, -1), initial=np.inf)
    high = np.where(known, every, -np.inf).max(axis=(-2, -1), initial=-np.inf)
    none = ~known.any(axis=(-2, -1))
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def scale_factor(low: Reals, high: Reals, min_delay: float, max_delay: float) -> Reals:
    """Seconds of delay per second of task time `(..)`; 0 where high = low, so that every delay is the least.

    Times within 1e-9 s count as equal.
    """
    apart = _apart(low, high)
    return np.where(apart, (max_delay - min_delay) / np.where(apart, high - low, 1.0), 0.0)


def _apart(low: Reals, high: Reals) -> Bools:
    """Which task times differ by more than rounding, as a mean's last digits depend on the order of the trials."""
    apart: Bools = high - low > SAME
    return apart


def expects_best(own: Reals, teammates: Reals) -> Bools:
    """`(.., sets)`: the robot is quicker than every teammate that is known, and at least one is.

    Robots that are alike, to 1e-9 s, are none of them the best; nor is a robot at what it has not yet done itself.
    """
    known = ~np.isnan(teammates)
    better = _apart(own[..., None], teammates)  # nan compares as False
    best: Bools = np.logical_and(known.any(axis=-1), (better | ~known).all(axis=-1))
    return best


def categories(best: Bools, taken: Bools) -> Wholes:
    """1 where the robot `expects_best` and no robot performs the task now (`taken`), else 2; all `(.., sets)`."""
    return np.where(best & ~taken, 1, 2)


def delays(
    order: Order, category: Wholes, own: Reals, low: Reals, high: Reals, min_delay: float, max_delay: float,
    shares: ArrayLike = 0.0,
) -> Reals:  # fmt: skip
    """How long a set `(.., sets)` waits before it takes up a free task, s: the sooner is chosen first.

    `low` and `high` `(..)` as of `bounds`; `shares` `(.., sets)` are uniform draws of 0 to 1 for the random order.
    `longest-first` is what paper 000 prints: the longest of category 1, then the shortest of category 2. Our
    readings: `modified-shortest-first` takes the shortest in both categories, `modified-random` any in both; they
    are modified in that the categories stand. Where high = low every delay is `min_delay`.
    """
    if order == "modified-random":
        waits = min_delay + np.broadcast_to(np.asarray(shares, np.float64), own.shape) * (max_delay - min_delay)
        return np.where(np.isnan(own), np.nan, waits)
    scaled = (own - low[..., None]) * scale_factor(low, high, min_delay, max_delay)[..., None]
    longest = (category == 1) & _apart(low, high)[..., None] & (order == "longest-first")
    return np.where(longest, max_delay - scaled, min_delay + scaled)


def fast_rate(threshold: float, delay: Reals) -> Reals:
    """delta_fast: the threshold is reached when the delay is over."""
    return threshold / delay


def slow_below_fast(fast: Reals, slow: Reals) -> tuple[Reals, Bools]:
    """The slow rates `(.., sets, teammates)`, each below the fast one of its set, and which were lowered for it.

    The formulas break that where the delay of a set exceeds a patience (never if max_delay < low). The fast rates
    remain, as they order the tasks; so such a set takes its task over some time after patience has run out.
    """
    most = (BELOW_FAST * fast)[..., None]
    lowered: Bools = slow > most
    return np.where(lowered, most, slow), lowered


class How(Protocol):
    """The settings on which the parameters depend, as in `LAllianceSettings`."""

    @property
    def strategy(self) -> Strategy: ...
    @property
    def order(self) -> Order: ...
    @property
    def min_delay_s(self) -> float: ...
    @property
    def max_delay_s(self) -> float: ...


@dataclass(frozen=True)
class Rates:
    """The parameters that experience yields. `(sets)`; `patience` and the slow rates `(sets, teammates)`.

    `known`: a task time is known, and the set learns. `best`: `expects_best`. There are rates for both categories.
    `words`: the reasons, for each set that is known.
    """

    known: Bools
    best: Bools
    fast_first: Reals
    fast_second: Reals
    slow_first: Reals
    slow_second: Reals
    patience: Reals
    yield_time: Reals
    words: tuple[str, ...] = ()


def work_out(how: How, shipped: Parameters, own: Reals, teammates: Reals, learns: Bools, shares: Reals) -> Rates:
    """The parameters for the task times `own` `(sets)` and `teammates` `(sets, teammates)`, nan where unknown.

    What experience leaves open stays as `shipped`. `shares`: see `delays`.
    """
    theta = shipped.threshold
    known = learns & ~np.isnan(best_time(own, teammates))
    phi = patience(how.strategy, own, teammates)
    phi_known = learns[:, None] & ~np.isnan(phi)
    phi = held(phi, shipped.patience, shipped.beat_s, learns[:, None])
    psi = held(yield_time(how.strategy, own, teammates), shipped.yield_time, shipped.beat_s, learns)
    slow = np.where(phi_known, slow_rate(theta, phi), shipped.slow_rate)
    low, high = bounds(own, teammates, learns)
    fast, slows, lowered = [], [], np.zeros_like(phi_known)
    for category in (1, 2):
        which = np.full(own.shape, category)
        delay = delays(how.order, which, own, low, high, how.min_delay_s, how.max_delay_s, shares)
        fast.append(np.where(learns & ~np.isnan(delay), fast_rate(theta, delay), shipped.fast_rate))
        below, too_high = slow_below_fast(fast[-1], slow)
        slows.append(np.where(known[:, None], below, slow))
        lowered |= known[:, None] & too_high
    rates = Rates(known, learns & expects_best(own, teammates), fast[0], fast[1], slows[0], slows[1], phi, psi)
    words = tuple("; ".join(_words(rates, j, theta, own, teammates, lowered)) for j in range(len(own)))
    return replace(rates, words=words)


def _words(rates: Rates, j: int, theta: float, own: Reals, teammates: Reals, lowered: Bools) -> Iterator[str]:
    if not rates.known[j]:
        return
    theirs = teammates[j][~np.isnan(teammates[j])]
    mine = "own time unknown" if np.isnan(own[j]) else f"own time {own[j]:.1f} s"
    yield mine + (f", best teammate {theirs.min():.1f} s" if theirs.size else ", no teammate's known")
    fast = rates.fast_first if rates.best[j] else rates.fast_second
    yield f"{theta / fast[j]:.1f} s to the threshold, yield time {rates.yield_time[j]:.1f} s"
    if lowered[j].any():
        yield "slow rate lowered below the fast one, as the delay exceeds the patience"

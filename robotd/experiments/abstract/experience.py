"""L-ALLIANCE on abstract missions: `motivation.alliance.learning` on trials, written into a batch's parameters.

As `motivation.alliance.l_alliance` does it for one robot. Active learning takes up one free task at random and
disturbs no robot; adaptive learning sets the rates by category at every decision. On a radio that loses nothing
every robot knows every trial, so one window of last trials per robot and task represents what each remembers.
"""

from dataclasses import dataclass, replace

import numpy as np

from motivation.alliance import learning
from motivation.alliance.learning import Order, Strategy
from motivation.alliance.parameters import Bools, Reals
from robotd.experiments.abstract.draws import Purpose, uniform
from robotd.experiments.abstract.missions import Missions, Wholes, others
from robotd.experiments.abstract.running import Running
from robotd.model.beliefs import SAME


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """The settings of L-ALLIANCE; the times are in seconds."""

    strategy: Strategy = "distrust"
    order: Order = "longest-first"
    min_delay_s: float = 5.0
    max_delay_s: float = 60.0
    boredom_s: float = 10.0


def no_trials(missions: Missions, trials: int) -> Reals:
    """The windows `(M, R, T, trials)` of robots that have not done anything yet."""
    return np.full((*missions.shape, trials), np.nan)


def remember(window: Reals, took: Reals) -> Reals:
    """The windows after a mission in which robots took `took` `(M, R, T)`, s (nan: did not try)."""
    return learning.remember(window, ~np.isnan(took), took)


def times(window: Reals) -> tuple[Reals, Reals]:
    """The task times `(M, R, T)` of each robot and `(M, R, T, K)` of its teammates, s; nan where unknown."""
    own = learning.task_time(window)
    return own, np.moveaxis(own[:, others(window.shape[1])], 2, 3)


class Active:
    """Active learning, for `Running`: the mission `attempt` decides what is drawn."""

    def __init__(self, missions: Missions, how: LearnerSettings, attempt: int) -> None:
        p = missions.params
        slow = np.full_like(p.slow_rate, p.threshold / max(learning.ENDLESS_S, 2 * how.max_delay_s))
        patience, yields = np.full_like(p.patience, np.inf), np.full_like(p.yield_time, np.inf)
        params = replace(p, fast_rate=p.fast_rate.copy(), slow_rate=slow, patience=patience, yield_time=yields)
        self.missions = replace(missions, params=params)
        self._how, self._attempt = how, attempt
        self._drawn: Wholes = np.full(missions.shape[:2], -1)
        self._draws: Wholes = np.zeros(missions.shape[:2], np.int64)

    def __call__(self, running: Running) -> None:
        m, rows, tasks = running.missions, running.rows, running.missions.shape[2]
        free = running.applicable & ~taken(running)
        drawn = np.arange(tasks) == self._drawn[rows][..., None]
        again = ~running.state.active.any(axis=-1) & ~(drawn & free).any(axis=-1)
        self._draws[rows] += again
        luck = uniform(
            m.key[:, None, None], Purpose.EXPLORE, self._attempt, self._draws[rows][..., None],
            np.arange(m.shape[1])[:, None], np.arange(tasks),
        )  # fmt: skip
        best = np.where(free, luck, -1.0)  # the greatest of equal draws is any with equal chance
        choice = np.where(free.any(axis=-1), best.argmax(axis=-1), -1)
        self._drawn[rows] = np.where(again, choice, self._drawn[rows])
        drawn = np.arange(tasks) == self._drawn[rows][..., None]
        delay = np.where(drawn, self._how.min_delay_s, self._how.max_delay_s)
        m.params.fast_rate[:] = learning.fast_rate(m.params.threshold, delay)


class Adaptive:
    """Adaptive learning, for `Running`, from the trials of earlier missions."""

    def __init__(self, missions: Missions, how: LearnerSettings, window: Reals) -> None:
        p = missions.params
        self._how = how
        self._shipped = p.fast_rate.copy()
        self._own, teammates = times(window)
        phi = learning.patience(how.strategy, self._own, teammates)
        patience = learning.held(phi, p.patience, p.beat_s)
        self._slow = np.where(np.isnan(phi), p.slow_rate, learning.slow_rate(p.threshold, patience))
        yields = learning.held(learning.yield_time(how.strategy, self._own, teammates), p.yield_time, p.beat_s)
        params = replace(
            p, fast_rate=p.fast_rate.copy(), slow_rate=self._slow.copy(), patience=patience, yield_time=yields
        )
        self.missions = replace(missions, params=params)
        self._known = ~np.isnan(learning.best_time(self._own, teammates))
        self._best = learning.expects_best(self._own, teammates)
        self._low, self._high = learning.bounds(self._own, teammates)
        self._idle_since = np.zeros(missions.shape[:2])
        self._choices: Wholes = np.zeros(missions.shape[:2], np.int64)
        self._was_busy: Bools = np.zeros(missions.shape[:2], np.bool_)

    def __call__(self, running: Running) -> None:
        rows, p, busy = running.rows, running.missions.params, running.state.active.any(axis=-1)
        self._choices[rows] += self._was_busy[rows] & ~busy
        self._was_busy[rows] = busy
        self._idle_since[rows] = np.where(busy, running.now, self._idle_since[rows])
        category = learning.categories(self._best[rows], taken(running))
        fast = learning.fast_rate(p.threshold, self._delays(running, category))
        fast = np.where(np.isnan(fast), self._shipped[rows], fast)
        slow, _ = learning.slow_below_fast(fast, self._slow[rows])
        bored = running.now - self._idle_since[rows] >= self._how.boredom_s - SAME
        waits = self._known[rows] & (category == 2) & ~running.state.active & ~bored[..., None]
        p.fast_rate[:] = np.where(waits, 0.0, fast)
        p.slow_rate[:] = np.where(waits[..., None], 0.0, slow)

    def _delays(self, running: Running, category: Wholes) -> Reals:
        rows, how = running.rows, self._how
        _, robots, tasks = running.missions.shape
        luck = uniform(
            running.missions.key[:, None, None], Purpose.DELAY, self._choices[rows][..., None],
            np.arange(robots)[:, None], np.arange(tasks),
        )  # fmt: skip
        low, high = self._low[rows], self._high[rows]
        return learning.delays(
            how.order, category, self._own[rows], low, high, how.min_delay_s, how.max_delay_s, luck
        )


def taken(running: Running) -> Bools:
    """`(M, R, T)`: a frame of some teammate on the task was received within the silence time-out."""
    now = running.now + SAME
    received = now - running.state.last_received < running.missions.params.silence_timeout
    anyone: Bools = np.logical_or.reduce(received, axis=-1)
    return anyone

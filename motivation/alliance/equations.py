"""ALLIANCE as array functions: paper 000 (Parker 1998), section III, equation (1).

A scenario of one robot is decided on arrays of shape `(sets, teammates)`, a sweep of whole missions on
`(missions, robots, sets, teammates)`; a robot itself decides on lists, with the same result (`lone`). The trailing
axes are always those two; whatever leads them is independent of itself and written `..` below. All instants are
receive times on the listener's own clock, in seconds; a teammate's clock never enters. Instants within `SAME`
seconds of each other are equal.

The caller's order within one tick: `hear` and `complete` in the order of their instants, then `step`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motivation.alliance.lone import CROSSING_BEATS, NEARLY
from motivation.alliance.parameters import Bools, Parameters, Reals, State
from robotd.model.beliefs import SAME


class StepResult(NamedTuple):
    """Why a step went as it did. Masks `(.., sets)` unless stated; treat as read-only.

    `heard` and `held_by` `(.., sets, teammates)`: heard within tau, and of these the ones whose patience lasts.
    `rate` (per second): the growth that applied. `applicable`: after the rule of exclusive sets. `suppressed`:
    by another set active before this step. `reset_by`, `yields_to` `(.., sets, teammates)`: whose statement sent
    the level to 0, and to whom an active set yielded. `gave_up`: active for longer than lambda. `uncapped`:
    levels before the cap. Then the changes: `ended`, `resumed` and `forgotten` (a suspended set, after the
    preempting one ended), `suspended`, `activated`. While no set turns, all five are the state's own `no_set`;
    while no statement is news, `reset_by` is its `no_teammate`.
    """

    heard: Bools
    held_by: Bools
    rate: Reals
    applicable: Bools
    suppressed: Bools
    reset_by: Bools
    yields_to: Bools
    gave_up: Bools
    uncapped: Reals
    ended: Bools
    resumed: Bools
    forgotten: Bools
    suspended: Bools
    activated: Bools


Changes = tuple[Bools, Bools, Bools, Bools, Bools]
"""The last five fields of a `StepResult`."""


def hear(
    state: State, params: Parameters, who: Bools, at: ArrayLike, elapsed: ArrayLike | None = None,
    over: Bools | None = None,
) -> None:  # fmt: skip
    """Take in activity statements received at `at` (s).

    `who` is a mask that broadcasts to `(.., sets, teammates)`: every set whose task was stated, for the teammate
    that stated it. `elapsed` (s): how long the sender has claimed the task; None or nan where it is not stated,
    and then a claim continues if its sender was heard on it within tau, else begins now. `over`
    `(.., sets, teammates)`: the claims of an occasion that has ended: their senders may reset this one yet.
    """
    s, now = state, np.asarray(at, np.float64)
    stated = np.asarray(np.nan if elapsed is None else elapsed, np.float64)
    began, unstated = now - stated, np.isnan(stated)
    if np.count_nonzero(unstated):
        recent = (now + SAME) - s.last_received < params.silence_timeout
        began = np.where(unstated, np.where(recent, s.began, now), began)
    fresh = who if over is None else who & ~over
    again = fresh & s.heard_in_occasion
    first = fresh & ~s.heard_in_occasion
    attempt = again & (began > s.began + (params.beat_s + SAME))
    resets = first | attempt
    if np.count_nonzero(resets):
        s.first, s.attempt, s.news = s.first | first, s.attempt | attempt, True
        s.patience_start = np.where(resets, now, s.patience_start)
        s.heard_in_occasion = s.heard_in_occasion | first
    s.last_received = np.where(who, now, s.last_received)
    s.began = np.where(who, began, s.began)


def complete(state: State, which: Bools, at: ArrayLike) -> None:
    """The tasks of the sets in `which` `(.., sets)` were completed at `at` (s), by whomever.

    A new occasion starts: every teammate may reset again, and patience is counted from here for those still
    within tau. Neither the motivation nor the active set changes.
    """
    s, now = state, np.asarray(at, np.float64)
    column = which[..., None]
    s.done_at = np.where(which, now, s.done_at)
    s.waiting_since = np.where(which, -np.inf, s.waiting_since)
    s.patience_start = np.where(column, now[..., None] if now.ndim else now, s.patience_start)
    s.heard_in_occasion = s.heard_in_occasion & ~column
    s.first = s.first & ~column
    s.attempt = s.attempt & ~column
    s.impatience = np.where(which, 0.0, s.impatience)


def step(
    state: State, params: Parameters, now: float, dt: float, applicable: Bools, held: Bools | None = None
) -> StepResult:
    """One tick of equation (1) at `now`, `dt` seconds after the last; changes `state` in place.

    `applicable` and `held` are masks `(.., sets)`: sensory feedback, and the sets that a preempting
    set may not interrupt at this tick (one that holds an object, say; it waits at the threshold).
    """
    s, p = state, params
    heard = (now + SAME) - s.last_received < p.silence_timeout
    held_by = heard & ((now - SAME) - s.patience_start <= p.patience)
    least = np.minimum.reduce(np.where(held_by, p.slow_rate, np.inf), axis=-1, initial=np.inf)
    beside = least < np.inf
    rate = np.where(beside, least, p.fast_rate)
    if p.any_exclusive:
        applicable = applicable & ~_left_to_teammates(s, p, now, applicable, beside)

    may_grow = applicable
    reset_by = s.no_teammate
    if s.news:
        reset_by = _reset_by(s, p, now)
        may_grow = may_grow & ~np.logical_or.reduce(reset_by, axis=-1)
    growth = rate * dt
    s.impatience = np.where(may_grow, np.minimum(s.impatience + growth, p.threshold), 0.0)
    suppressed, yields_to, gave_up = s.suppressed, s.no_teammate, s.no_set
    if s.busy:
        yields_to, gave_up = _acquiesces(s, p, now, heard)
        stops = suppressed | gave_up
        if yields_to is not s.no_teammate:
            stops = stops | np.logical_or.reduce(yields_to, axis=-1)
        may_grow = may_grow & ~stops
    uncapped = np.where(may_grow, s.level + growth, 0.0)
    s.level = np.minimum(uncapped, p.threshold)

    turning = np.where(s.active, ~may_grow, uncapped >= p.threshold * NEARLY)
    changes: Changes = (s.no_set, s.no_set, s.no_set, s.no_set, s.no_set)
    if np.count_nonzero(turning):
        changes = _turn(s, p, now, applicable, heard, uncapped, held)
    if s.news:
        s.first = s.attempt = s.no_teammate
        s.news = False
    return StepResult(
        heard, held_by, rate, applicable, suppressed, reset_by, yields_to, gave_up, uncapped, *changes
    )


def acquiescence(state: State, params: Parameters, now: float) -> Reals:
    """The shown level `(.., sets)`, 0..theta: how near an active set is to yielding or giving up."""
    if not state.busy:
        return np.zeros(state.level.shape)
    heard = np.logical_or.reduce((now + SAME) - state.last_received < params.silence_timeout, axis=-1)
    limit = np.where(heard, params.yield_time, params.give_up_time)
    share = np.where(state.active, now - state.activated_at, 0.0) / limit
    return np.minimum(share, 1.0) * params.threshold


def _left_to_teammates(s: State, p: Parameters, now: float, applicable: Bools, held: Bools) -> Bools:
    """The exclusive sets that a teammate holds back, which makes them inapplicable.

    It ends when all teammates' patience together has been waited for: one that gives up and tries again restarts
    its own each time, and would hold the task for good. From then on the set grows as an ordinary one.
    """
    waiting = applicable & ~s.active
    since = np.where(s.waiting_since == -np.inf, now, s.waiting_since)
    s.waiting_since = np.where(waiting, since, -np.inf)
    waits: Bools = (now - SAME) - since <= np.add.reduce(p.patience, axis=-1)
    return waiting & held & p.exclusive & waits


def _reset_by(s: State, p: Parameters, now: float) -> Bools:
    """impatience_reset of equation (1), per teammate, and for an active set the claims that crossed on the air."""
    if p.literal_paper_rule:
        return s.first
    young = s.active & ((now + SAME) - s.claimed_at < CROSSING_BEATS * p.beat_s)
    older = s.began - s.claimed_at[..., None] < p.older_below
    crossing = (s.first | s.attempt) & older & young[..., None]
    return np.where(s.active[..., None], crossing, s.first)


def _acquiesces(s: State, p: Parameters, now: float, heard: Bools) -> tuple[Bools, Bools]:
    """acquiescence of equation (1): to whom each set yields `(.., sets, teammates)`, and which give up."""
    active_s = np.where(s.active, (now - SAME) - s.activated_at, -np.inf)
    gave_up = active_s > p.give_up_time
    may_yield = active_s > p.yield_time
    if not np.count_nonzero(may_yield):
        return s.no_teammate, gave_up
    yields_to = heard & may_yield[..., None]
    if p.literal_paper_rule:
        return yields_to, gave_up
    yields_to = yields_to & (s.began - s.claimed_at[..., None] > p.newer_above)
    if p.any_exclusive:
        since = (s.activated_at + p.yield_time)[..., None] + SAME
        yields_to = yields_to & ((s.last_received > since) | ~p.exclusive[..., None])
    return yields_to, gave_up


def _turn(
    s: State, p: Parameters, now: float, applicable: Bools, heard: Bools, uncapped: Reals, held: Bools | None
) -> Changes:
    """End, resume, choose: the part of a step in which some robot's active set changes."""
    ended = s.active & (s.level == 0.0)
    resumed, forgotten = _resume(s, p, now, applicable, heard, ended)
    staying = (s.active & ~ended) | resumed

    # A suppressed set's level is 0, so any set that reaches the threshold beside an active set preempts it.
    closed = ended if held is None else ended | (s.active & held)
    ready = (uncapped >= p.threshold * NEARLY) & ~s.active & ~closed.any(axis=-1, keepdims=True)
    score = np.where(ready, uncapped, -np.inf)
    best = ready & (score >= score.max(axis=-1, keepdims=True) - 1e-9)
    activated = best & (np.cumsum(best, axis=-1) == 1)  # the first declared of the best

    taken_over = staying & activated.any(axis=-1, keepdims=True)
    s.suspended = (s.suspended & ~(resumed | forgotten)) | taken_over
    s.suspended_at = np.where(taken_over, now, s.suspended_at)
    s.claimed_at = np.where(activated, now, s.claimed_at)
    s.activated_at = np.where(activated, now, s.activated_at)
    s.active = active = (staying & ~taken_over) | activated
    s.busy = bool(np.count_nonzero(active))
    by_preempting = (active & p.preempts).any(axis=-1, keepdims=True)
    by_any = active.any(axis=-1, keepdims=True)
    s.suppressed = np.where(p.preempts, by_preempting, by_any) & ~active
    return ended, resumed, forgotten, taken_over, activated


def _resume(
    s: State, p: Parameters, now: float, applicable: Bools, heard: Bools, ended: Bools
) -> tuple[Bools, Bools]:
    """The interrupted set comes back at once if it still applies and no robot took its task meanwhile."""
    returning = s.suspended & (ended & p.preempts).any(axis=-1, keepdims=True)
    if not np.count_nonzero(returning):
        return s.no_set, s.no_set
    since = np.maximum(s.suspended_at, s.done_at)[..., None] + SAME
    taken = (heard & (s.last_received > since)).any(axis=-1)
    resumed = returning & applicable & ~taken
    s.level = np.where(resumed, p.threshold, s.level)
    s.activated_at = np.where(resumed, s.activated_at + (now - s.suspended_at), s.activated_at)
    return resumed, returning & ~resumed

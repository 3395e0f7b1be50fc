"""Equation (1) for one robot, on lists: bit for bit what `equations` does on arrays of shape `(sets, teammates)`.

A call of numpy costs as much as a loop over some ten cells, and a step makes forty; most rows need no loop, as no
teammate has stated their task lately. What seldom happens, a reset or another active set, is left to the arrays.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from motivation.alliance.equations import NEARLY, resets, turn
from motivation.alliance.parameters import MASKS, PER_MATE, SAME, STORED, Parameters, State

Marks = list[bool]
Numbers = list[float]
Changes = tuple[Marks, Marks, Marks, Marks, Marks]
"""The last five fields of a `LoneResult`."""


class Listed(NamedTuple):
    """What a step reads of `Parameters`, as lists: list them again when the arrays were written into."""

    arrays: Parameters
    fast_rate: Numbers
    slow_rate: list[Numbers]
    patience: list[Numbers]
    patience_with_all: Numbers
    yield_time: Numbers
    give_up_time: Numbers
    newer_above: list[Numbers]
    exclusive: Marks

    @classmethod
    def of(cls, p: Parameters) -> Self:
        found = (p.fast_rate, p.slow_rate, p.patience, np.add.reduce(p.patience, axis=-1), p.yield_time,
                 p.give_up_time, p.newer_above, p.exclusive)  # fmt: skip
        return cls(p, *[array.tolist() for array in found])


class LoneResult(NamedTuple):
    """A `StepResult` as lists. While no set turns, the last five are the state's own `no_set`; while no statement
    is news, `reset_by` is its `no_mate`."""

    heard: list[Marks]
    held_by: list[Marks]
    applicable: Marks
    suppressed: Marks
    reset_by: list[Marks]
    yields_to: list[Marks]
    gave_up: Marks
    ended: Marks
    resumed: Marks
    forgotten: Marks
    suspended: Marks
    activated: Marks


@dataclass(kw_only=True, slots=True)
class LoneState:
    """A `State` as lists. `latest`: of each set, when any teammate's last statement of its task was received.

    A step puts new lists into `level`, `active` and `activated_at` and leaves those before it as they were.
    """

    level: Numbers
    impatience: Numbers
    active: Marks
    claimed_at: Numbers
    activated_at: Numbers
    suspended: Marks
    suspended_at: Numbers
    done_at: Numbers
    waiting_since: Numbers
    suppressed: Marks
    last_received: list[Numbers]
    began: list[Numbers]
    patience_start: list[Numbers]
    heard_in_occasion: list[Marks]
    first: list[Marks]
    attempt: list[Marks]
    mates: int
    busy: bool = field(init=False)
    news: bool = field(init=False)
    latest: Numbers = field(init=False)
    no_set: Marks = field(init=False, repr=False)
    no_mate: list[Marks] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.busy = any(self.active)
        self.news = any(map(any, self.first)) or any(map(any, self.attempt))
        self.latest = [max(row, default=-math.inf) for row in self.last_received]
        self.no_set, self.no_mate = [False] * len(self.level), self.blank()

    def blank(self) -> list[Marks]:
        """A mark for each set and teammate, none set."""
        return [[False] * self.mates for _ in self.level]

    @classmethod
    def of(cls, state: State) -> Self:
        lists: dict[str, Any] = {name: getattr(state, name).tolist() for name in STORED}
        return cls(mates=state.last_received.shape[-1], **lists)

    def arrays(self) -> State:
        """The same as arrays, which share nothing with it."""
        made: dict[str, Any] = {}
        for name in STORED:
            array = np.array(getattr(self, name), np.bool_ if name in MASKS else np.float64)
            made[name] = array.reshape(len(self.level), self.mates) if name in PER_MATE else array
        return State(**made)


def hear(
    s: LoneState, p: Listed, rows: Iterable[int], mate: int, at: float, elapsed: float | None, *, over: bool
) -> None:
    """Take in a teammate's statement of the task of the sets `rows`, received at `at` (s).

    `elapsed` (s): how long it has claimed the task, None where that is not stated. `over`: of an occasion that has
    ended, so that the teammate may reset this one.
    """
    for j in rows:
        recent = (at + SAME) - s.last_received[j][mate] < p.arrays.silence_timeout
        began = at - elapsed if elapsed is not None else s.began[j][mate] if recent else at
        if not over:
            first = not s.heard_in_occasion[j][mate]
            attempt = not first and began > s.began[j][mate] + (p.arrays.beat_s + SAME)
            s.first[j][mate] = s.first[j][mate] or first
            s.attempt[j][mate] = s.attempt[j][mate] or attempt
            if first or attempt:
                s.patience_start[j][mate], s.news = at, True
            s.heard_in_occasion[j][mate] = True
        s.last_received[j][mate], s.began[j][mate] = at, began
        s.latest[j] = max(s.last_received[j])


def complete(s: LoneState, rows: Iterable[int], at: float) -> None:
    """The task of the sets `rows` was completed at `at` (s), by whomever: a new occasion starts."""
    for j in rows:
        s.done_at[j], s.waiting_since[j], s.impatience[j] = at, -math.inf, 0.0
        s.patience_start[j] = [at] * s.mates
        s.heard_in_occasion[j], s.first[j], s.attempt[j] = ([False] * s.mates for _ in range(3))


def step(
    s: LoneState, p: Listed, now: float, dt: float, applicable: Sequence[bool], held: Sequence[bool]
) -> LoneResult:
    """One tick of equation (1) at `now`, `dt` seconds after the last; changes `s`. See `equations.step`."""
    theta = p.arrays.threshold
    heard, held_by, rates = _listen(s, p, now)
    if p.arrays.any_exclusive:
        applicable = _not_left_to_mates(s, p, now, applicable, held_by)
    reset_by = resets(s.arrays(), p.arrays, now).tolist() if s.news else s.no_mate
    yields_to, gave_up = _acquiesces(s, p, now, heard) if s.busy else (s.no_mate, s.no_set)
    impatience, uncapped, level, turns = [], [], [], False
    for j, rate in enumerate(rates):
        grows, growth = applicable[j], rate * dt
        if s.news and any(reset_by[j]):
            grows = False
        impatience.append(min(s.impatience[j] + growth, theta) if grows else 0.0)
        if s.busy and (s.suppressed[j] or gave_up[j] or any(yields_to[j])):
            grows = False
        up = s.level[j] + growth if grows else 0.0
        uncapped.append(up)
        level.append(min(up, theta))
        turns = turns or (not grows if s.active[j] else up >= theta * NEARLY)
    s.impatience, s.level, suppressed = impatience, level, s.suppressed
    changes: Changes = (s.no_set, s.no_set, s.no_set, s.no_set, s.no_set)
    if turns:
        changes = _turn(s, p, now, applicable, heard, uncapped, held)
    if s.news:
        s.first, s.attempt, s.news = s.blank(), s.blank(), False
    return LoneResult(heard, held_by, list(applicable), suppressed, reset_by, yields_to, gave_up, *changes)


def acquiescence(s: LoneState, p: Listed, now: float) -> Numbers:
    """Of each set 0..theta: how near an active one is to yielding or giving up."""
    shown = [0.0] * len(s.level)
    if s.busy:
        j = s.active.index(True)
        heard = (now + SAME) - s.latest[j] < p.arrays.silence_timeout
        limit = (p.yield_time if heard else p.give_up_time)[j]
        shown[j] = min((now - s.activated_at[j]) / limit, 1.0) * p.arrays.threshold
    return shown


def _listen(s: LoneState, p: Listed, now: float) -> tuple[list[Marks], list[Marks], Numbers]:
    """Of each set who was heard on it within tau, whose patience lasts of these, and the rate that applies."""
    soon, late, timeout = now + SAME, now - SAME, p.arrays.silence_timeout
    heard, held_by, rates = s.no_mate.copy(), s.no_mate.copy(), p.fast_rate.copy()
    for j, latest in enumerate(s.latest):
        if soon - latest < timeout:
            heard[j] = [soon - at < timeout for at in s.last_received[j]]
            timed = zip(heard[j], s.patience_start[j], p.patience[j], strict=True)
            held_by[j] = [there and late - start <= patience for there, start, patience in timed]
            if any(held_by[j]):
                rates[j] = min([rate for rate, holds in zip(p.slow_rate[j], held_by[j], strict=True) if holds])
    return heard, held_by, rates


def _not_left_to_mates(
    s: LoneState, p: Listed, now: float, applicable: Sequence[bool], held_by: list[Marks]
) -> Marks:
    """What applies but for the exclusive sets that a teammate holds back; see `equations`."""
    kept = []
    for j, applies in enumerate(applicable):
        waiting = applies and not s.active[j]
        since = s.waiting_since[j] if s.waiting_since[j] != -math.inf else now
        s.waiting_since[j] = since if waiting else -math.inf
        waits = waiting and p.exclusive[j] and (now - SAME) - since <= p.patience_with_all[j]
        kept.append(applies and not (waits and any(held_by[j])))
    return kept


def _acquiesces(s: LoneState, p: Listed, now: float, heard: list[Marks]) -> tuple[list[Marks], Marks]:
    """To whom the active set yields, and whether it gives up; see `equations`."""
    j = s.active.index(True)
    active_s = (now - SAME) - s.activated_at[j]
    yields_to, gave_up = s.no_mate, s.no_set.copy()
    gave_up[j] = active_s > p.give_up_time[j]
    if active_s > p.yield_time[j]:
        since = s.activated_at[j] + p.yield_time[j] + SAME if p.exclusive[j] else -math.inf
        claims = zip(heard[j], s.began[j], p.newer_above[j], s.last_received[j], strict=True)
        yields_to = yields_to.copy()
        yields_to[j] = [
            there and (p.arrays.literal_paper_rule or (began - s.claimed_at[j] > newer and at > since))
            for there, began, newer, at in claims
        ]
    return yields_to, gave_up


def _turn(
    s: LoneState, p: Listed, now: float, applicable: Sequence[bool], heard: list[Marks], uncapped: Numbers,
    held: Sequence[bool],
) -> Changes:  # fmt: skip
    """The active set changes: what ended, resumed, is forgotten, was suspended and activated."""
    arrays = s.arrays()
    masks = np.array(applicable, np.bool_), np.array(heard, np.bool_).reshape(arrays.began.shape)
    changes = turn(arrays, p.arrays, now, *masks, np.array(uncapped), np.array(held, np.bool_))
    for name in ("level", "active", "claimed_at", "activated_at", "suspended", "suspended_at", "suppressed"):
        setattr(s, name, getattr(arrays, name).tolist())
    s.busy = arrays.busy
    ended, resumed, forgotten, taken_over, activated = (change.tolist() for change in changes)
    return ended, resumed, forgotten, taken_over, activated

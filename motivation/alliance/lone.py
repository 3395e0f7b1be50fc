"""Equation (1) for one robot, on lists: bit for bit what `equations` does on arrays of shape `(sets, teammates)`.

A call of numpy costs as much as a loop over some ten cells, and a step makes forty; most rows need no loop, as no
teammate has stated their task lately. A robot that decides on lists does not import numpy, either.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self, TypeVar

from robotd.model.beliefs import SAME

NEARLY: Final = 1.0 - 1e-9  # of the threshold: forgives the rounding of a sum of increments
CROSSING_BEATS: Final = 3.0  # an active set listens for an older claim so long: three chances against loss
CROSSING_TIE_BEATS: Final = 0.2  # claims closer than this on the air are one: rank decides
YIELD_TIE_BEATS: Final = 1.0  # a takeover is stated within a beat, so only a claim newer by more is one

T = TypeVar("T")
Marks = list[bool]
Numbers = list[float]
Changes = tuple[Marks, Marks, Marks, Marks, Marks]
"""The last five fields of a `LoneResult`."""


@dataclass(kw_only=True, slots=True)
class LoneParameters:
    """`parameters.Parameters` as lists; `outranks` is of each teammate, whatever the set."""

    threshold: float
    silence_timeout: float
    beat_s: float
    fast_rate: Numbers
    slow_rate: list[Numbers]
    patience: list[Numbers]
    yield_time: Numbers
    give_up_time: Numbers
    outranks: Marks
    preempts: Marks
    exclusive: Marks
    literal_paper_rule: bool = False
    patience_with_all: Numbers = field(init=False)
    older_below: Numbers = field(init=False)
    newer_above: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.patience_with_all = list(map(sum, self.patience))
        older, newer = CROSSING_TIE_BEATS * self.beat_s + SAME, YIELD_TIE_BEATS * self.beat_s + SAME
        self.older_below = [older if outranks else -older for outranks in self.outranks]
        self.newer_above = [-newer if outranks else newer for outranks in self.outranks]


class LoneResult(NamedTuple):
    """A `StepResult` as lists. While no set turns, the last five are the state's own `no_set`; while no statement
    is news, `reset_by` is its `no_teammate`."""

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
    """`parameters.State` as lists. `latest`: of each set, when its task was last stated by any teammate.

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
    teammates: int
    busy: bool = field(init=False)
    news: bool = field(init=False)
    latest: Numbers = field(init=False)
    no_set: Marks = field(init=False, repr=False)
    no_teammate: list[Marks] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.busy = any(self.active)
        self.news = any(map(any, self.first)) or any(map(any, self.attempt))
        self.latest = [max(row, default=-math.inf) for row in self.last_received]
        self.no_set = [False] * len(self.level)
        self.no_teammate = _cells(len(self.level), self.teammates, of=False)

    @classmethod
    def start(cls, sets: int, teammates: int) -> Self:
        """Levels 0, nothing active, no statement yet."""
        never, shape = -math.inf, (sets, teammates)
        return cls(
            level=[0.0] * sets, impatience=[0.0] * sets, active=[False] * sets, claimed_at=[0.0] * sets,
            activated_at=[0.0] * sets, suspended=[False] * sets, suspended_at=[0.0] * sets, done_at=[never] * sets,
            waiting_since=[never] * sets, suppressed=[False] * sets, last_received=_cells(*shape, of=never),
            began=_cells(*shape, of=never), patience_start=_cells(*shape, of=never),
            heard_in_occasion=_cells(*shape, of=False), first=_cells(*shape, of=False),
            attempt=_cells(*shape, of=False), teammates=teammates,
        )  # fmt: skip

    def freeze(self) -> dict[str, Any]:
        """As `State.freeze`: null stands for -inf."""
        return {name: _exchanged(getattr(self, name), -math.inf, None) for name in STORED}

    @classmethod
    def thaw(cls, frozen: Mapping[str, Any], teammates: int) -> Self:
        return cls(teammates=teammates, **{name: _exchanged(frozen[name], None, -math.inf) for name in STORED})


STORED: Final = (
    "level", "impatience", "active", "claimed_at", "activated_at", "suspended", "suspended_at", "done_at",
    "waiting_since", "suppressed", "last_received", "began", "patience_start", "heard_in_occasion", "first",
    "attempt",
)  # fmt: skip


def _cells(sets: int, teammates: int, *, of: T) -> list[list[T]]:
    return [[of] * teammates for _ in range(sets)]


def _exchanged(data: Any, one: float | None, other: float | None) -> Any:
    """A copy of nested lists with `other` in place of each `one`."""
    if isinstance(data, list):
        return [_exchanged(item, one, other) for item in data]
    return other if data == one else data


def hear(
    s: LoneState, p: LoneParameters, rows: Iterable[int], teammate: int, at: float, elapsed: float | None,
    *, over: bool,
) -> None:  # fmt: skip
    """Take in a teammate's statement of the task of the sets `rows`, received at `at` (s).

    `elapsed` (s): how long it has claimed the task, None where that is not stated. `over`: of an occasion that has
    ended, so that the teammate may reset this one.
    """
    for j in rows:
        recent = (at + SAME) - s.last_received[j][teammate] < p.silence_timeout
        began = at - elapsed if elapsed is not None else s.began[j][teammate] if recent else at
        if not over:
            first = not s.heard_in_occasion[j][teammate]
            attempt = not first and began > s.began[j][teammate] + (p.beat_s + SAME)
            s.first[j][teammate] = s.first[j][teammate] or first
            s.attempt[j][teammate] = s.attempt[j][teammate] or attempt
            if first or attempt:
                s.patience_start[j][teammate], s.news = at, True
            s.heard_in_occasion[j][teammate] = True
        s.last_received[j][teammate], s.began[j][teammate] = at, began
        s.latest[j] = max(s.last_received[j])


def complete(s: LoneState, rows: Iterable[int], at: float) -> None:
    """The task of the sets `rows` was completed at `at` (s), by whomever: a new occasion starts."""
    for j in rows:
        s.done_at[j], s.waiting_since[j], s.impatience[j] = at, -math.inf, 0.0
        s.patience_start[j] = [at] * s.teammates
        s.heard_in_occasion[j], s.first[j], s.attempt[j] = ([False] * s.teammates for _ in range(3))


def step(
    s: LoneState, p: LoneParameters, now: float, dt: float, applicable: Sequence[bool], held: Sequence[bool]
) -> LoneResult:
    """One tick of equation (1) at `now`, `dt` seconds after the last; changes `s`. See `equations.step`."""
    theta = p.threshold
    heard, held_by, rates = _listen(s, p, now)
    if True in p.exclusive:
        applicable = _not_left_to_teammates(s, p, now, applicable, held_by)
    reset_by = _resets(s, p, now) if s.news else s.no_teammate
    yields_to, gave_up = _acquiesces(s, p, now, heard) if s.busy else (s.no_teammate, s.no_set)
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
        s.first, s.attempt = (_cells(len(level), s.teammates, of=False) for _ in range(2))
        s.news = False
    return LoneResult(heard, held_by, list(applicable), suppressed, reset_by, yields_to, gave_up, *changes)


def acquiescence(s: LoneState, p: LoneParameters, now: float) -> Numbers:
    """Of each set 0..theta: how near an active one is to yielding or giving up."""
    shown = [0.0] * len(s.level)
    if s.busy:
        j = s.active.index(True)
        heard = (now + SAME) - s.latest[j] < p.silence_timeout
        limit = (p.yield_time if heard else p.give_up_time)[j]
        shown[j] = min((now - s.activated_at[j]) / limit, 1.0) * p.threshold
    return shown


def _listen(s: LoneState, p: LoneParameters, now: float) -> tuple[list[Marks], list[Marks], Numbers]:
    """Of each set the teammates heard on it within tau, those with patience left, and the rate that applies."""
    soon, late, timeout = now + SAME, now - SAME, p.silence_timeout
    heard, held_by, rates = s.no_teammate.copy(), s.no_teammate.copy(), p.fast_rate.copy()
    for j, latest in enumerate(s.latest):
        if soon - latest < timeout:
            heard[j] = [soon - at < timeout for at in s.last_received[j]]
            timed = zip(heard[j], s.patience_start[j], p.patience[j], strict=True)
            held_by[j] = [there and late - start <= patience for there, start, patience in timed]
            if any(held_by[j]):
                rates[j] = min([rate for rate, holds in zip(p.slow_rate[j], held_by[j], strict=True) if holds])
    return heard, held_by, rates


def _not_left_to_teammates(
    s: LoneState, p: LoneParameters, now: float, applicable: Sequence[bool], held_by: list[Marks]
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


def _acquiesces(s: LoneState, p: LoneParameters, now: float, heard: list[Marks]) -> tuple[list[Marks], Marks]:
    """To whom the active set yields, and whether it gives up; see `equations`."""
    j = s.active.index(True)
    active_s = (now - SAME) - s.activated_at[j]
    yields_to, gave_up = s.no_teammate, s.no_set.copy()
    gave_up[j] = active_s > p.give_up_time[j]
    if active_s > p.yield_time[j]:
        since = s.activated_at[j] + p.yield_time[j] + SAME if p.exclusive[j] else -math.inf
        claims = zip(heard[j], s.began[j], p.newer_above, s.last_received[j], strict=True)
        yields_to = yields_to.copy()
        yields_to[j] = [
            there and (p.literal_paper_rule or (began - s.claimed_at[j] > newer and at > since))
            for there, began, newer, at in claims
        ]
    return yields_to, gave_up


def _resets(s: LoneState, p: LoneParameters, now: float) -> list[Marks]:
    """impatience_reset, and for the active set the claims that crossed on the air; see `equations`."""
    rows = [row.copy() for row in s.first]
    if s.busy and not p.literal_paper_rule:
        j = s.active.index(True)
        young = (now + SAME) - s.claimed_at[j] < CROSSING_BEATS * p.beat_s
        claims = zip(s.first[j], s.attempt[j], s.began[j], p.older_below, strict=True)
        rows[j] = [
            young and (first or attempt) and began - s.claimed_at[j] < older
            for first, attempt, began, older in claims
        ]
    return rows


def _turn(
    s: LoneState, p: LoneParameters, now: float, applicable: Sequence[bool], heard: list[Marks],
    uncapped: Numbers, held: Sequence[bool],
) -> Changes:  # fmt: skip
    """End, resume, choose: the active set changes. What ended, resumed, is forgotten, was suspended, activated."""
    sets = range(len(s.level))
    ended = [s.active[j] and s.level[j] == 0.0 for j in sets]
    closed = any(ended[j] or (s.active[j] and held[j]) for j in sets)
    resumed, forgotten = _resume(s, p, now, applicable, heard, ended)
    staying = [(s.active[j] and not ended[j]) or resumed[j] for j in sets]
    ready = [not closed and uncapped[j] >= p.threshold * NEARLY and not s.active[j] for j in sets]
    best = max((uncapped[j] for j in sets if ready[j]), default=math.inf) - 1e-9
    chosen = next((j for j in sets if ready[j] and uncapped[j] >= best), None)  # the first declared of the best
    activated = [j == chosen for j in sets]
    taken_over = [chosen is not None and staying[j] for j in sets]
    s.suspended = [(s.suspended[j] and not (resumed[j] or forgotten[j])) or taken_over[j] for j in sets]
    s.suspended_at = [now if taken_over[j] else s.suspended_at[j] for j in sets]
    s.claimed_at = [now if activated[j] else s.claimed_at[j] for j in sets]
    s.activated_at = [now if activated[j] else s.activated_at[j] for j in sets]
    s.active = active = [(staying[j] and not taken_over[j]) or activated[j] for j in sets]
    s.busy = any(active)
    preempts = any(active[j] and p.preempts[j] for j in sets)
    s.suppressed = [(preempts if p.preempts[j] else s.busy) and not active[j] for j in sets]
    return ended, resumed, forgotten, taken_over, activated


def _resume(
    s: LoneState, p: LoneParameters, now: float, applicable: Sequence[bool], heard: list[Marks], ended: Marks
) -> tuple[Marks, Marks]:
    """The interrupted set comes back at once if it still applies and no robot took its task meanwhile."""
    resumed, forgotten = s.no_set.copy(), s.no_set.copy()
    if True in s.suspended and any(over and preempts for over, preempts in zip(ended, p.preempts, strict=True)):
        j = s.suspended.index(True)
        since = max(s.suspended_at[j], s.done_at[j]) + SAME
        taken = any(there and at > since for there, at in zip(heard[j], s.last_received[j], strict=True))
        resumed[j] = applicable[j] and not taken
        forgotten[j] = not resumed[j]
        if resumed[j]:
            s.level[j] = p.threshold
            s.activated_at = s.activated_at.copy()
            s.activated_at[j] += now - s.suspended_at[j]
    return resumed, forgotten

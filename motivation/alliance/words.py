"""Why a motivation moved: the causes of one step in words and numbers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from motivation.alliance.lone import LoneParameters, LoneResult, LoneState, Marks, Numbers
from robotd.model.beliefs import SAME, Beliefs
from robotd.model.choice import Event, Level
from robotd.model.table import Member
from robotd.model.tasks import Feedback

SCORES = ("impatience", "motivation", "acquiescence")


class OwnSet(NamedTuple):
    """A behavior set of this robot as the coordinator sees it; `task` is a name of the mission."""

    name: str
    task: str


class Reasons(NamedTuple):
    """One step at `now` and its circumstances. `before`, `levels` and `activated_at`: the active mask, the
    motivations and since when each set had been active, before it."""

    now: float
    result: LoneResult
    before: Marks
    levels: Numbers
    state: LoneState
    params: LoneParameters
    activated_at: Numbers
    sets: Sequence[OwnSet]
    teammates: Sequence[Member]
    feedback: Sequence[Feedback]
    beliefs: Beliefs

    def active_s(self, j: int) -> float:
        return self.now - self.activated_at[j]


def explain(
    r: Reasons, acquiescence: Numbers, last: Sequence[Level]
) -> tuple[tuple[Level, ...], tuple[Event, ...]]:
    """The levels of every set, each with what moves its motivation now, and the events of the step.

    `last`: the levels of the step before, one for each set; those that are as they were stay the same objects.
    """
    scores = zip(r.state.impatience, r.state.level, acquiescence, strict=True)
    levels = tuple([
        old if why == old.why and now == tuple(old.scores.values()) else level_of(old.set, now, old.limit, why)
        for old, now, why in zip(last, scores, _whys(r), strict=True)
    ])  # fmt: skip
    return levels, () if _is_quiet(r) else tuple(_all_events(r))


def level_of(name: str, scores: Sequence[float], limit: float, why: str) -> Level:
    """The level of a set: impatience, motivation (which alone decides) and acquiescence."""
    return Level(name, dict(zip(SCORES, scores, strict=True)), limit, why)


def _is_quiet(r: Reasons) -> bool:
    """A step in which nothing turned and no robot reset gives the empty masks of the state, see `StepResult`."""
    return r.result.activated is r.state.no_set and r.result.reset_by is r.state.no_teammate


def _all_events(r: Reasons) -> list[Event]:
    x = r.result
    changes = zip(x.ended, x.activated, x.suspended, x.resumed, x.forgotten, map(any, x.reset_by), strict=True)
    return [event for j, changed in enumerate(changes) if any(changed) for event in _events(r, j)]


def _names(r: Reasons, mask: Iterable[object]) -> str:
    return ", ".join(teammate.name for teammate, there in zip(r.teammates, mask, strict=True) if there)


def _claims(r: Reasons, j: int, mask: Marks) -> str:
    """Who of `mask` began the set's task, and how long ago."""
    task, began = r.sets[j].task, r.state.began[j]
    who = ", ".join(f"{r.teammates[k].name} {r.now - began[k]:.1f} s ago" for k, did in enumerate(mask) if did)
    return f"{task} was begun by {who}"


def _whys(r: Reasons) -> list[str]:
    """What moves each set's motivation now."""
    s, x = r.state, r.result
    marks = zip(s.active, x.applicable, x.suppressed, s.level, x.reset_by, x.held_by, x.heard, strict=True)
    acting = _acting(r)
    return [_why(r, j, acting, *one) for j, one in enumerate(marks)]


def _why(
    r: Reasons, j: int, acting: str, active: bool, applicable: bool, suppressed: bool, level: float,
    reset_by: Marks, held_by: Marks, heard: Marks,
) -> str:  # fmt: skip
    feedback, task = r.feedback[j], r.sets[j].task
    if active:
        return "active"
    if feedback.done:
        return "done"
    if not feedback.applicable:
        return _unfit(feedback, "all tasks done" if r.beliefs.all_done else "not applicable")
    if not applicable:
        return f"{_are_on(r, held_by)} {task}" if any(held_by) else f"{task} was completed"
    if suppressed:
        return f"suppressed by {acting}"
    if any(reset_by):
        return f"set to 0: {_names(r, reset_by)} began {task}"
    if level >= r.params.threshold and r.state.busy:
        return f"waits until {acting} may be interrupted"
    if any(held_by):
        return f"rises slowly: {_are_on(r, held_by)} {task}"
    if any(heard):
        return f"rises fast: patience with {_names(r, heard)} has run out"
    gone = _last_on(r, j)
    if gone is None:
        return "rises fast: no teammate is on it"
    became = "is silent" if _is_silent(r, gone) else "has left it"
    return f"rises fast: {r.teammates[gone].name}, which was on it, {became}"


def _unfit(feedback: Feedback, otherwise: str) -> str:
    """Why a set does not apply."""
    return feedback.why or (f"lacks {', '.join(feedback.missing)}" if feedback.missing else otherwise)


def _are_on(r: Reasons, mask: Marks) -> str:
    return f"{_names(r, mask)} {'are' if sum(mask) > 1 else 'is'} on"


def _last_on(r: Reasons, j: int) -> int | None:
    """The teammate (its column) that stated the set's task last, since that was last completed; None: none did."""
    latest, row = r.state.latest[j], r.state.last_received[j]
    return row.index(latest) if latest > r.state.done_at[j] else None


def _is_silent(r: Reasons, k: int) -> bool:
    teammate = r.beliefs.teammates.get(r.teammates[k].number)
    return teammate is None or r.now + SAME - teammate.last_received >= r.params.silence_timeout


def _events(r: Reasons, j: int) -> list[Event]:
    result, own = r.result, r.sets[j]
    found = [(kind, cause) for kind, mask, cause in _causes(r, j) if mask[j]]
    if any(result.reset_by[j]) and (r.before[j] or r.feedback[j].applicable):
        was = f"motivation was {r.levels[j]:.1f}"
        found.insert(0, ("reset", f"{_claims(r, j, result.reset_by[j])}; {was}"))
    return [Event(kind, own.name, own.task, cause) for kind, cause in found]


def _acting(r: Reasons) -> str:
    if not r.state.busy:
        return ""
    return ", ".join(own.name for own, acts in zip(r.sets, r.state.active, strict=True) if acts)


def _causes(r: Reasons, j: int) -> list[tuple[str, Marks, str]]:
    result = r.result
    away = f"the interruption has ended after {r.now - r.state.suspended_at[j]:.1f} s"
    kind, cause = _ending(r, j)
    return [
        (kind, result.ended, cause),
        ("activated", result.activated, _activation(r, j)),
        ("suspended", result.suspended, f"interrupted by {_acting(r)}; {_active(r, j)}"),
        ("resumed", result.resumed, f"{away} and no teammate took the task"),
        ("forgotten", result.forgotten, f"{away}; it no longer applies, or a teammate took its task meanwhile"),
    ]


def _active(r: Reasons, j: int) -> str:
    return f"active for {r.active_s(j):.1f} s"


def _ending(r: Reasons, j: int) -> tuple[str, str]:
    result, p, active = r.result, r.params, _active(r, j)
    if any(result.yields_to[j]):
        return "yielded", f"{_claims(r, j, result.yields_to[j])}; {active}, yield time {p.yield_time[j]:g} s"
    if result.gave_up[j]:
        return "gave-up", f"{active}, give-up time {p.give_up_time[j]:g} s"
    if any(result.reset_by[j]):
        return "yielded", f"{_claims(r, j, result.reset_by[j])}; {active}: claims crossed on the air"
    own = r.feedback[j]
    if own.done:
        return "ended", f"done; {active}"
    why = f"{r.sets[j].task} was completed" if own.applicable else _unfit(own, "it applies no longer")
    return "ended", f"{why}; {active}"


def _activation(r: Reasons, j: int) -> str:
    reached, task = f"motivation reached {r.params.threshold:g}", r.sets[j].task
    if any(r.result.held_by[j]):
        return f"{reached} although {_are_on(r, r.result.held_by[j])} {task}"
    if any(r.result.heard[j]):
        return f"{reached}; patience with {_patience(r, j)} had run out"
    lost = _last_on(r, j)
    return f"{reached}; no teammate reported {task}" if lost is None else f"{reached}; {_loss(r, j, lost)}"


def _patience(r: Reasons, j: int) -> str:
    row = zip(r.teammates, r.params.patience[j], r.result.heard[j], strict=True)
    return ", ".join(f"{teammate.name} ({patience_s:.4g} s)" for teammate, patience_s, heard in row if heard)


def _loss(r: Reasons, j: int, k: int) -> str:
    """What became of the teammate in column `k`, which was on the set's task: silent, or on another."""
    name, task, teammate = r.teammates[k].name, r.sets[j].task, r.beliefs.teammates.get(r.teammates[k].number)
    if teammate is None or _is_silent(r, k):
        at = r.state.last_received[j][k] if teammate is None else teammate.last_received
        silent = f"has been silent for {r.now - at:.1f} s, time-out {r.params.silence_timeout:g} s"
        return f"{name}, which was on {task}, {silent}"
    last = f"{name}, which last reported {task} {r.now - r.state.last_received[j][k]:.1f} s ago"
    return f"{last}, {f'is on {teammate.task} now' if teammate.task else 'has no task now'}"

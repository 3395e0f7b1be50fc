"""Why a motivation moved: the causes of one step in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from motivation.equations import Bools, Parameters, Reals, State, StepResult
from robotd.model.choice import Event, Level
from robotd.model.table import Member
from robotd.model.tasks import Feedback


class Named(Protocol):
    """A behavior set by name and task."""

    @property
    def name(self) -> str:
        """The set's name."""

    @property
    def task(self) -> str:
        """The name of its task."""


class Reasons(NamedTuple):
    """One step at `now` and its circumstances. `before` and `levels`: active mask and motivations before it;
    `active_s`: how long each set had been active."""

    now: float
    result: StepResult
    before: Bools
    levels: Reals
    state: State
    params: Parameters
    active_s: Reals
    sets: Sequence[Named]
    mates: Sequence[Member]
    feedback: Sequence[Feedback]


def explain(r: Reasons, impatience: Reals, acquiescence: Reals) -> tuple[tuple[Level, ...], tuple[Event, ...]]:
    """The levels of every set, each with what moves its motivation now, and the events of the step."""
    theta = r.params.threshold
    levels = tuple(
        Level(own.name, float(impatience[j]), float(r.state.level[j]), float(acquiescence[j]), theta, _why(r, j))
        for j, own in enumerate(r.sets)
    )
    changed = r.result.ended | r.result.activated | r.result.suspended | r.result.resumed | r.result.forgotten
    events: list[Event] = []
    for j in np.flatnonzero(changed | r.result.reset_by.any(axis=-1)):
        events += _events(r, int(j))
    return levels, tuple(events)


def _names(r: Reasons, mask: Any) -> str:
    return ", ".join(r.mates[int(k)].name for k in np.flatnonzero(mask))


def _claims(r: Reasons, j: int, mask: Any) -> str:
    """Who of `mask` began the set's task, and how long ago."""
    task, began = r.sets[j].task, r.state.began[j]
    who = ", ".join(f"{r.mates[int(k)].name} {r.now - began[k]:.1f} s ago" for k in np.flatnonzero(mask))
    return f"{task} was begun by {who}"


def _why(r: Reasons, j: int) -> str:
    result, feedback, task = r.result, r.feedback[j], r.sets[j].task
    if r.state.active[j]:
        return "active"
    if feedback.done:
        return "done"
    if not feedback.applicable:
        return f"lacks {', '.join(feedback.missing)}" if feedback.missing else "not applicable"
    if not result.applicable[j]:
        return (
            f"{_names(r, result.held_by[j])} is on {task}" if result.held_by[j].any() else f"{task} was completed"
        )
    if result.suppressed[j]:
        return f"suppressed by {_others(r, j)}"
    if result.reset_by[j].any():
        return f"reset: {_names(r, result.reset_by[j])} began {task}"
    if r.state.level[j] >= r.params.threshold and r.state.active.any():
        return f"waits until {_others(r, j)} may be interrupted"
    if result.held_by[j].any():
        return f"slow: {_names(r, result.held_by[j])} is on {task}"
    if result.heard[j].any():
        return f"fast: patience with {_names(r, result.heard[j])} has run out"
    return "fast: nobody is on it"


def _events(r: Reasons, j: int) -> list[Event]:
    result, own = r.result, r.sets[j]
    found = [(kind, cause) for kind, mask, cause in _causes(r, j) if mask[j]]
    if result.reset_by[j].any() and (r.before[j] or r.feedback[j].applicable):
        was = f"motivation was {r.levels[j]:.1f}"
        found.insert(0, ("reset", f"{_claims(r, j, result.reset_by[j])}; {was}"))
    return [Event(kind, own.name, own.task, cause) for kind, cause in found]


def _others(r: Reasons, j: int) -> str:
    return ", ".join(s.name for k, s in enumerate(r.sets) if r.state.active[k] and k != j)


def _causes(r: Reasons, j: int) -> list[tuple[str, Any, str]]:
    result = r.result
    away = f"the interruption has ended after {r.now - r.state.suspended_at[j]:.1f} s"
    kind, cause = _ending(r, j)
    return [
        (kind, result.ended, cause),
        ("activated", result.activated, _activation(r, j)),
        ("suspended", result.suspended, f"interrupted by {_others(r, j)}; {_active(r, j)}"),
        ("resumed", result.resumed, f"{away} and nobody took the task"),
        ("forgotten", result.forgotten, f"{away}; it no longer applies, or a teammate took its task meanwhile"),
    ]


def _active(r: Reasons, j: int) -> str:
    return f"active for {r.active_s[j]:.1f} s"


def _ending(r: Reasons, j: int) -> tuple[str, str]:
    result, p, active = r.result, r.params, _active(r, j)
    if result.yields_to[j].any():
        return "yielded", f"{_claims(r, j, result.yields_to[j])}; {active}, yield time {p.yield_time[j]:g} s"
    if result.gave_up[j]:
        return "gave-up", f"{active}, give-up time {p.give_up_time[j]:g} s"
    if result.reset_by[j].any():
        return "yielded", f"{_claims(r, j, result.reset_by[j])}; {active}: claims crossed on the air"
    return "ended", f"{'done' if r.feedback[j].done else 'no longer applicable'}; {active}"


def _activation(r: Reasons, j: int) -> str:
    reached, task = f"motivation reached {r.params.threshold:g}", r.sets[j].task
    if r.result.held_by[j].any():
        return f"{reached} although {_names(r, r.result.held_by[j])} is on {task}"
    if r.result.heard[j].any():
        return f"{reached}; patience with {_names(r, r.result.heard[j])} had run out"
    return f"{reached}; nobody was heard on {task}"

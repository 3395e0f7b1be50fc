"""What an entry point of `robotd.coordinators` may declare besides a `Coordinator`: hooks, each with a default.

With `timing` and `set_timing` a coordinator states the times that follow from its settings; `robotd check` derives
from them how long a team takes to detect a lost robot and to take over its tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Timing:
    """What holds for all behavior sets. A set becomes active at `threshold`, to which its rates (per s) lead.

    A teammate counts as lost after `silence_timeout_beats` (inf: never) and half a beat. `max_delay_s`, where
    rates are learned: the longest time to the threshold. `literal`: a first claim resets an active set too.
    """

    threshold: float
    silence_timeout_beats: float
    max_delay_s: float | None = None
    literal: bool = False


@dataclass(frozen=True)
class SetTiming:
    """One behavior set: rates per second while nobody, or a teammate, works on its task; times in s, inf: never.

    `slow_rate` and `patience_s` are one number, or a table by teammate with a `default`. `learns`: whether
    experience changes them; None: unless the task is recurring.
    """

    fast_rate: float
    slow_rate: float | Mapping[str, float]
    patience_s: float | Mapping[str, float]
    yield_time_s: float
    give_up_time_s: float
    exclusive: bool = False
    learns: bool | None = None


def _no_timing(settings: Any) -> None:
    return None


@dataclass(frozen=True)
class CoordinatorPlugin:
    """The hooks of a coordinator's class; those that it does not have are as here."""

    timing: Callable[[Any], Timing | None] = _no_timing
    """Of an instance of its `Settings`."""
    set_timing: Callable[[Any], SetTiming | None] = _no_timing
    """Of an instance of its `SetSettings`."""


def hooks_of(coordinator: Any) -> CoordinatorPlugin:
    """The hooks that a coordinator's class declares."""
    hooks = (one.name for one in fields(CoordinatorPlugin))
    return CoordinatorPlugin(**{name: getattr(coordinator, name) for name in hooks if hasattr(coordinator, name)})

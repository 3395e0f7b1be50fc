"""What ALLIANCE remembers between two ticks, as arrays of a size that never changes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.parameters import Bools, Reals


@dataclass(kw_only=True, slots=True)
class State:
    """All that a robot remembers between ticks; its size never changes.

    `(.., sets)`: `level` (motivation, 0..theta), `impatience` (shown only), `active` (at most one per robot),
    `claimed_at` and `activated_at` (when it became active; the second moved on by suspensions), `suspended` (at
    most one per robot), `suspended_at`, `done_at` (start of the task's present occasion), `waiting_since` (an
    exclusive set applies and is not active; in this occasion), `suppressed` (by another active set).
    `(.., sets, mates)`, of statements about the set's task: `last_heard`, `began` (when the claim began),
    `patience_start`, `heard_in_occasion`, and since the last tick `first` and `attempt`.
    An instant that never was is -inf. `busy`: some set is active. `news`: some `first` or `attempt` is set.
    """

    level: Reals
    impatience: Reals
    active: Bools
    claimed_at: Reals
    activated_at: Reals
    suspended: Bools
    suspended_at: Reals
    done_at: Reals
    waiting_since: Reals
    suppressed: Bools
    last_heard: Reals
    began: Reals
    patience_start: Reals
    heard_in_occasion: Bools
    first: Bools
    attempt: Bools
    busy: bool = field(init=False)
    news: bool = field(init=False)
    no_set: Bools = field(init=False, repr=False)
    no_mate: Bools = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.busy = bool(self.active.any())
        self.news = bool(self.first.any() or self.attempt.any())
        self.no_set = np.zeros(self.level.shape, np.bool_)
        self.no_mate = np.zeros(self.last_heard.shape, np.bool_)
        self.no_set.flags.writeable = self.no_mate.flags.writeable = False

    @classmethod
    def start(cls, shape: tuple[int, ...]) -> Self:
        """Levels 0, nothing active, nobody heard; `shape` = `(.., sets, mates)`, each at least one set."""
        sets = shape[:-1]
        never = -np.inf
        return cls(
            level=np.zeros(sets),
            impatience=np.zeros(sets),
            active=np.zeros(sets, np.bool_),
            claimed_at=np.zeros(sets),
            activated_at=np.zeros(sets),
            suspended=np.zeros(sets, np.bool_),
            suspended_at=np.zeros(sets),
            done_at=np.full(sets, never),
            waiting_since=np.full(sets, never),
            suppressed=np.zeros(sets, np.bool_),
            last_heard=np.full(shape, never),
            began=np.full(shape, never),
            patience_start=np.full(shape, never),
            heard_in_occasion=np.zeros(shape, np.bool_),
            first=np.zeros(shape, np.bool_),
            attempt=np.zeros(shape, np.bool_),
        )

    def freeze(self) -> dict[str, Any]:
        """Plain nested lists for JSON, in which null stands for -inf; `thaw` gives every bit back."""
        frozen: dict[str, Any] = {}
        for name in _STORED:
            array: NDArray[Any] = getattr(self, name)
            if name not in _STORED_BOOLS:
                array = array.astype(object)
                array[array == -np.inf] = None
            frozen[name] = array.tolist()
        return frozen

    @classmethod
    def thaw(cls, frozen: dict[str, Any]) -> Self:
        """The state that `freeze` wrote down."""
        arrays: dict[str, Any] = {}
        for name in _STORED:
            kind = np.bool_ if name in _STORED_BOOLS else np.float64
            array: NDArray[Any] = np.array(frozen[name], kind)  # numpy reads None as nan, which no state holds
            arrays[name] = array if kind is np.bool_ else np.where(np.isnan(array), -np.inf, array)
        return cls(**arrays)


_STORED = tuple(f.name for f in fields(State) if f.init)
_STORED_BOOLS = frozenset({"active", "suspended", "suppressed", "heard_in_occasion", "first", "attempt"})

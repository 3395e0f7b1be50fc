"""ALLIANCE's parameters and its state between two ticks, as arrays: paper 000 (Parker 1998), section III."""

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.lone import CROSSING_TIE_BEATS, YIELD_TIE_BEATS
from robotd.model.beliefs import SAME

Reals = NDArray[np.float64]
Bools = NDArray[np.bool_]

PER_SET = {"fast_rate", "yield_time", "give_up_time", "preempts", "exclusive"}
PER_MATE = {"slow_rate", "patience", "outranks", "last_received", "began", "patience_start", "heard_in_occasion",
            "first", "attempt"}  # fmt: skip
MASKS = {"outranks", "preempts", "exclusive", "active", "suspended", "suppressed", "heard_in_occasion", "first",
         "attempt"}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What a designer sets, or L-ALLIANCE learns (it may write into the arrays between two steps).

    `(.., sets)`: `fast_rate` (motivation per second), `yield_time` psi, `give_up_time` lambda (s, may be inf),
    `preempts`, `exclusive`. `(.., sets, teammates)`: `slow_rate` (each below the fast rate), `patience` phi (s,
    may be inf). `outranks` broadcasts to `(.., sets, teammates)`: the teammates that win a tie against this robot.
    `threshold` theta, `silence_timeout` tau (s) and `beat_s` (s, the period of the radio) are single numbers.

    `exclusive`: an inactive set is inapplicable while any teammate holds it back (000, section IV-B: an idle
    robot leaves a spill alone while a teammate is known to be on it), until it has waited for the patience with
    all of them; an active one yields only to a claim stated after psi has passed, as an earlier one may have been
    let go. `literal_paper_rule`: equation (1) as printed; a first statement resets an active set too, and after
    psi a set yields to any teammate heard on its task.
    """

    threshold: float
    silence_timeout: float
    beat_s: float
    fast_rate: Reals
    slow_rate: Reals
    patience: Reals
    yield_time: Reals
    give_up_time: Reals
    outranks: Bools
    preempts: Bools
    exclusive: Bools
    literal_paper_rule: bool = False

    @classmethod
    def of(cls, shape: tuple[int, ...], **given: Any) -> Self:
        """The fields by name; those of arrays are broadcast to `shape` = `(.., sets, teammates)` or `(.., sets)`.

        `outranks`, `preempts` and `exclusive` are False unless given, `beat_s` is 3.
        A robot without behavior sets, or without teammates, has arrays with no elements.
        """
        made: dict[str, Any] = {"beat_s": 3.0, "outranks": False, "preempts": False, "exclusive": False, **given}
        for name in made.keys() & (PER_SET | PER_MATE):
            kind, to = np.bool_ if name in MASKS else np.float64, shape if name in PER_MATE else shape[:-1]
            value = 0 if 0 in to else made[name]
            made[name] = np.broadcast_to(np.asarray(value, kind), to).copy()
        return cls(**made)

    @cached_property
    def older_below(self) -> Reals:
        """`(.., sets, teammates)`: a claim that began less than this after one's own counts as the older one."""
        tie = CROSSING_TIE_BEATS * self.beat_s + SAME
        return np.where(self.outranks, tie, -tie)

    @cached_property
    def newer_above(self) -> Reals:
        """`(.., sets, teammates)`: a claim that began more than this after one's own counts as the newer one."""
        tie = YIELD_TIE_BEATS * self.beat_s + SAME
        return np.where(self.outranks, -tie, tie)

    @cached_property
    def any_exclusive(self) -> bool:
        return bool(self.exclusive.any())


@dataclass(kw_only=True, slots=True)
class State:
    """All that a robot remembers between ticks; its size never changes.

    `(.., sets)`: `level` (motivation, 0..theta), `impatience` (shown only), `active` (at most one per robot),
    `claimed_at` and `activated_at` (when it became active; the second moved on by suspensions), `suspended` (at
    most one per robot), `suspended_at`, `done_at` (start of the task's present occasion), `waiting_since` (an
    exclusive set applies and is not active; in this occasion), `suppressed` (by another active set).
    `(.., sets, teammates)`, of statements about the set's task: `last_received`, `began` (when the claim began),
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
    last_received: Reals
    began: Reals
    patience_start: Reals
    heard_in_occasion: Bools
    first: Bools
    attempt: Bools
    busy: bool = field(init=False)
    news: bool = field(init=False)
    no_set: Bools = field(init=False, repr=False)
    no_teammate: Bools = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.busy = bool(self.active.any())
        self.news = bool(self.first.any() or self.attempt.any())
        self.no_set = np.zeros_like(self.level, np.bool_)
        self.no_teammate = np.zeros_like(self.last_received, np.bool_)
        self.no_set.flags.writeable = self.no_teammate.flags.writeable = False

    @classmethod
    def start(cls, shape: tuple[int, ...]) -> Self:
        """Levels 0, nothing active, no statement yet; `shape` = `(.., sets, teammates)`, each at least one set."""
        made: dict[str, Any] = {
            name: np.zeros(shape if name in PER_MATE else shape[:-1], np.bool_ if name in MASKS else np.float64)
            for name in STORED
        }
        for name in ("done_at", "waiting_since", "last_received", "began", "patience_start"):
            made[name][...] = -np.inf
        return cls(**made)

    def freeze(self) -> dict[str, Any]:
        """Plain nested lists for JSON, in which null stands for -inf; `thaw` gives every bit back."""
        frozen: dict[str, Any] = {}
        for name in STORED:
            array: NDArray[Any] = getattr(self, name)
            if name not in MASKS:
                array = array.astype(object)
                array[array == -np.inf] = None
            frozen[name] = array.tolist()
        return frozen

    @classmethod
    def thaw(cls, frozen: dict[str, Any]) -> Self:
        arrays: dict[str, Any] = {}
        for name in STORED:
            kind = np.bool_ if name in MASKS else np.float64
            array: NDArray[Any] = np.array(frozen[name], kind)  # numpy reads None as nan, which no state holds
            arrays[name] = array if kind is np.bool_ else np.where(np.isnan(array), -np.inf, array)
        return cls(**arrays)


STORED = tuple(f.name for f in fields(State) if f.init)

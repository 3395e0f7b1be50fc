"""What ALLIANCE is told: the parameters of paper 000 (Parker 1998), section III, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]
Bools = NDArray[np.bool_]

SAME = 1e-9  # s; below any tick or beat, above the rounding of n * period over years
CROSSING_TIE_BEATS = 0.2  # claims closer than this on the air are one: rank decides
YIELD_TIE_BEATS = 1.0  # a takeover is stated within one beat, so only a claim newer by more than that is one


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What a designer sets, or L-ALLIANCE learns (it may write into the arrays between two steps).

    `(.., sets)`: `fast_rate` (motivation per second), `yield_time` psi, `give_up_time` lambda (s, may be inf),
    `preempts`, `exclusive`. `(.., sets, mates)`: `slow_rate` (each below the fast rate), `patience` phi (s, may
    be inf). `outranks` broadcasts to `(.., sets, mates)`: the teammates that win a tie against this robot.
    `threshold` theta, `silence_timeout` tau (s) and `beat_s` (s, the period of the radio) are single numbers.

    `exclusive`: an inactive set is inapplicable while any teammate holds it back (000, section IV-B: an idle
    robot leaves a spill alone while a teammate is known to be on it), until it has waited for the patience with
    all of them; an active one yields only to a claim stated after psi has passed, as an earlier one may have been
    let go. `literal_paper_rule`: equation (1) as printed; a first statement resets an active set too, and after
    psi a set yields to whoever is heard on its task.
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
    def of(
        cls,
        shape: tuple[int, ...],
        *,
        threshold: float,
        silence_timeout: float,
        fast_rate: ArrayLike,
        slow_rate: ArrayLike,
        patience: ArrayLike,
        yield_time: ArrayLike,
        give_up_time: ArrayLike,
        outranks: ArrayLike = False,
        preempts: ArrayLike = False,
        exclusive: ArrayLike = False,
        beat_s: float = 3.0,
        literal_paper_rule: bool = False,
    ) -> Self:
        """Broadcast numbers, lists or arrays to `shape` = `(.., sets, mates)`, or to it without its last axis.

        A robot without behavior sets, or without teammates, has arrays with no elements.
        """

        def reals(value: ArrayLike, to: tuple[int, ...]) -> Reals:
            return np.zeros(to) if 0 in to else np.broadcast_to(np.asarray(value, np.float64), to).copy()

        def bools(value: ArrayLike, to: tuple[int, ...]) -> Bools:
            return np.zeros(to, np.bool_) if 0 in to else np.broadcast_to(np.asarray(value, np.bool_), to).copy()

        return cls(
            threshold=threshold,
            silence_timeout=silence_timeout,
            beat_s=beat_s,
            fast_rate=reals(fast_rate, shape[:-1]),
            slow_rate=reals(slow_rate, shape),
            patience=reals(patience, shape),
            yield_time=reals(yield_time, shape[:-1]),
            give_up_time=reals(give_up_time, shape[:-1]),
            outranks=bools(outranks, shape),
            preempts=bools(preempts, shape[:-1]),
            exclusive=bools(exclusive, shape[:-1]),
            literal_paper_rule=literal_paper_rule,
        )

    @cached_property
    def older_below(self) -> Reals:
        """`(.., sets, mates)`: a claim that began less than this after one's own counts as the older one."""
        tie = CROSSING_TIE_BEATS * self.beat_s + SAME
        return np.where(self.outranks, tie, -tie)

    @cached_property
    def newer_above(self) -> Reals:
        """`(.., sets, mates)`: a claim that began more than this after one's own counts as the newer one."""
        tie = YIELD_TIE_BEATS * self.beat_s + SAME
        return np.where(self.outranks, -tie, tie)

    @cached_property
    def any_exclusive(self) -> bool:
        """Whether the extra rule of exclusive sets is used at all."""
        return bool(self.exclusive.any())

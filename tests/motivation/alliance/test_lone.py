"""Equation (1) on lists: after whatever happens, the state and the causes are those of the arrays, bit for bit."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from motivation.alliance import equations, lone, parameters
from motivation.alliance.lone import STORED, LoneParameters, LoneResult, LoneState
from motivation.alliance.parameters import Parameters, State
from robotd.model.streams import draw

STEPS, TICK_S = 120, 0.5


class Both:
    """One robot twice: on arrays and on lists, with parameters and a life drawn by `seed`."""

    def __init__(self, sets: int, teammates: int, *, literal: bool, seed: int = 1) -> None:
        self.seed, self.drawn = seed, 0
        self.sets, self.teammates = sets, teammates
        cells, marks = (sets, teammates), [False, True]
        given: dict[str, Any] = {
            "threshold": 5.0, "silence_timeout": 4.0, "beat_s": 1.0, "literal_paper_rule": literal,
            "fast_rate": self.some([2.0, 3.1, 0.7], sets), "slow_rate": self.some([0.1, 0.3], *cells),
            "patience": self.some([3.0, 8.3, math.inf], *cells), "outranks": self.some(marks, teammates),
            "yield_time": self.some([4.0, 9.0, math.inf], sets), "exclusive": self.some(marks, sets),
            "give_up_time": self.some([12.0, math.inf], sets), "preempts": self.some([False, False, True], sets),
        }  # fmt: skip
        self.p, self.listed = Parameters.of(cells, **given), LoneParameters(**given)
        self.arrays, self.lists = State.start(cells), LoneState.start(sets, teammates)

    def share(self) -> float:
        self.drawn += 1
        return draw(self.seed, "red", "life", self.drawn)

    def one_of(self, of: Sequence[Any]) -> Any:
        return of[int(self.share() * len(of))]

    def some(self, of: Sequence[Any], *shape: int) -> Any:
        if len(shape) == 1:
            return [self.one_of(of) for _ in range(*shape)]
        return [self.some(of, *shape[1:]) for _ in range(shape[0])]

    def happens(self, share: float) -> bool:
        return self.share() < share

    def hear(self, at: float) -> None:
        if not self.teammates or not self.sets:
            return
        teammate = self.one_of(range(self.teammates))
        rows = [j for j in range(self.sets) if self.happens(0.3)]
        elapsed, over = self.one_of([None, 0.0, 0.5, 6.0]), self.happens(0.1)
        lone.hear(self.lists, self.listed, rows, teammate, at, elapsed, over=over)
        who, s = np.zeros((self.sets, self.teammates), np.bool_), self.arrays
        who[rows, teammate] = True
        kept = s.first, s.attempt, s.patience_start, s.heard_in_occasion, s.news
        equations.hear(s, self.p, who, at, elapsed)
        if over:
            s.first, s.attempt, s.patience_start, s.heard_in_occasion, s.news = kept

    def complete(self, at: float) -> None:
        rows = [j for j in range(self.sets) if self.happens(0.4)]
        lone.complete(self.lists, rows, at)
        equations.complete(self.arrays, np.isin(np.arange(self.sets), rows), at)

    def step(self, now: float) -> tuple[Any, LoneResult]:
        applicable, held = ([self.happens(share) for _ in range(self.sets)] for share in (0.98, 0.1))
        masks = np.array(applicable, np.bool_), np.array(held, np.bool_)
        return (
            equations.step(self.arrays, self.p, now, TICK_S, *masks),
            lone.step(self.lists, self.listed, now, TICK_S, applicable, held),
        )


@pytest.mark.parametrize(("sets", "teammates"), [(1, 1), (3, 2), (5, 2), (4, 9), (2, 0), (0, 2)])
@pytest.mark.parametrize("literal", [False, True])
def test_lists_give_what_arrays_give_whatever_happens(sets: int, teammates: int, literal: bool) -> None:
    both = Both(sets, teammates, literal=literal)
    acted = False
    for n in range(STEPS):
        now = n * TICK_S
        if both.happens(0.3):
            both.hear(now - 0.2)
        if both.happens(0.03):
            both.complete(now - 0.1)
        arrays, lists = both.step(now)
        for name in LoneResult._fields:
            assert getattr(arrays, name).tolist() == getattr(lists, name), (n, name)
        assert repr(both.lists.freeze()) == repr(both.arrays.freeze()), n
        assert (both.lists.busy, both.lists.news) == (both.arrays.busy, both.arrays.news)
        shown = equations.acquiescence(both.arrays, both.p, now).tolist()
        assert repr(lone.acquiescence(both.lists, both.listed, now)) == repr(shown)
        acted = acted or both.lists.busy
    assert acted == (sets > 0)


def test_a_step_leaves_the_lists_of_the_one_before_as_they_were() -> None:
    both = Both(3, 2, literal=False)
    for n in range(40):
        s = both.lists
        before = s.level, s.active, s.activated_at
        was = repr(before)
        both.step(n * TICK_S)
        assert repr(before) == was


def test_a_state_is_the_same_after_it_was_frozen_and_thawed() -> None:
    both = Both(3, 2, literal=False)
    for n in range(30):
        both.hear(n * TICK_S)
        both.step(n * TICK_S)
    again = LoneState.thaw(json.loads(json.dumps(both.lists.freeze())), 2)
    assert STORED == parameters.STORED
    assert [getattr(again, name) for name in (*STORED, "latest", "busy")] == [
        getattr(both.lists, name) for name in (*STORED, "latest", "busy")
    ]

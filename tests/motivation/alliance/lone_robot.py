from __future__ import annotations

import math
from typing import Any

import numpy as np

from motivation.alliance.equations import StepResult, complete, hear, step
from motivation.alliance.parameters import Parameters, State

TICK = 0.5
THETA = 10.0


class Robot:
    """A few sets and teammates on virtual time; set 0 and teammate 0 unless stated; all sets apply."""

    def __init__(self, sets: int = 1, teammates: int = 2, tick: float = TICK, **changed: Any) -> None:
        given: dict[str, Any] = {  # 5 s to the threshold at the fast rate, 20 s at the slow one
            "threshold": THETA, "silence_timeout": 12.0, "fast_rate": 2.0, "slow_rate": 0.5, "patience": 30.0,
            "yield_time": math.inf, "give_up_time": math.inf,
        }  # fmt: skip
        self.shape = (sets, teammates)
        self.params = Parameters.of(self.shape, **{**given, **changed})
        self.state = State.start(self.shape)
        self.applicable = np.ones(sets, np.bool_)
        self.n = 0
        self.tick = tick
        self.result: StepResult

    @property
    def now(self) -> float:
        return self.n * self.tick

    @property
    def level(self) -> float:
        return float(self.state.level[0])

    @property
    def active(self) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.state.active)]

    def mask(self, sets: int | list[int], teammate: int) -> np.ndarray:
        who = np.zeros(self.shape, np.bool_)
        who[sets, teammate] = True
        return who

    def hears(self, teammate: int = 0, sets: int | list[int] = 0, elapsed: float | None = None) -> Robot:
        hear(self.state, self.params, self.mask(sets, teammate), self.now, elapsed)
        return self

    def done(self, *sets: int) -> Robot:
        complete(self.state, np.isin(np.arange(self.shape[0]), sets or [0]), self.now)
        return self

    def applies(self, *sets: int) -> Robot:
        self.applicable = np.isin(np.arange(self.shape[0]), sets)
        return self

    def until(self, time: float, states_every: float = 0.0, teammate: int = 0) -> Robot:
        """Tick on to `time`; a teammate may state the task of set 0 again and again."""
        while self.now < time - 1e-9:
            self.n += 1
            if states_every and math.isclose(self.now % states_every, 0.0, abs_tol=1e-9):
                self.hears(teammate)
            self.result = step(self.state, self.params, self.now, self.tick, self.applicable)
        return self

"""One L-ALLIANCE coordinator on virtual time, as `one_alliance`; red's, with blue and gold as teammates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from motivation.alliance.l_alliance import LAlliance
from robotd.model.statements import Statement
from robotd.model.tasks import Feedback
from tests.motivation.alliance.one_alliance import BEAT_S, Lone

TWO: dict[str, Any] = {"push": {}, "find": {}}
DONE, LACKS = Feedback(applicable=True, done=True), Feedback(applicable=False, missing=("gripper",))


def trial(task: str, took_s: float, serial: int = 0, *, gave_up: bool = False) -> Statement:
    """As a teammate sends it."""
    return Statement("trial", (task, 2 * serial + gave_up, took_s / BEAT_S))


class Learner(Lone):
    """Its sets learn although their tasks recur."""

    kind = LAlliance
    coordinator: LAlliance

    def __init__(self, sets: Mapping[str, Mapping[str, Any]] | None = None, **settings: Any) -> None:
        given = {"min_delay_s": 2.0, "max_delay_s": 8.0, "boredom_s": 0.0, **settings}
        asked = sets if sets is not None else {"push": {}}
        super().__init__({name: {"learns": True, **changes} for name, changes in asked.items()}, **given)

    @property
    def memory(self) -> Any:
        """By way of text, as it is stored."""
        return json.loads(json.dumps(self.coordinator.memory(), allow_nan=False))

    def trials(self, robot: str, name: str = "push") -> list[float]:
        """The times that are remembered, s."""
        times: list[float] = self.memory["trials"][name][robot]
        return times

    def value(self, key: str, name: str = "push", robot: str = "red") -> Any:
        """One of the parameters as people see them."""
        return next(row[key] for row in self.memory["values"] if (row["set"], row["robot"]) == (name, robot))

    def works(self, seconds: float, name: str = "push") -> Learner:
        """Wait until the set is active, and let it be done after so long."""
        self.until_active(name)
        self.until(self.now + seconds - 0.5)
        self.applies(**{name: DONE}).step()
        self.applies(**{name: True})
        return self

    def until_active(self, name: str = "") -> Learner:
        """Decide until a set, or this one, is active; AssertionError after ten minutes."""
        end = self.now + 600.0
        while not self.active or name not in ("", self.active):
            assert self.now < end, f"{name or 'nothing'} is not active, but {self.active or 'nothing'}"
            self.step()
        return self

    @property
    def trial_stated(self) -> tuple[Any, ...] | None:
        """The trial that is stated now."""
        found = [statement.fields for statement in self.choice.statements if statement.kind == "trial"]
        return found[0] if found else None

    @property
    def stated(self) -> tuple[Any, ...]:
        return self.choice.statements[0].fields


def copied(learner: Learner, **settings: Any) -> Learner:
    """Another robot process of the same configuration, that recalls what this one knows."""
    other = Learner(**settings)
    other.coordinator.recall(learner.memory)
    return other
